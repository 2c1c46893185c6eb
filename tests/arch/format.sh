#!/bin/sh
# SPDX-License-Identifier: MIT
# format.sh [ROOT] - every C file looks as .clang-format says.
set -eu

# Each major version formats some lines differently; this is Debian 12's.
version=14

here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
cd "${1:-$here/../..}"

found=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
if [ "$found" != "$version" ]; then
    echo "skipped: clang-format $version is what the tree was formatted with, ${found:-none} is here"
    exit 77
fi
# shellcheck disable=SC2046 # the tree has no blanks in its names
set -- $(tree_files '*.c' '*.h')
if [ $# -eq 0 ]; then
    echo "$(pwd): no code found"
    exit 1
fi
if ! report=$(clang-format --dry-run --Werror "$@" 2>&1); then
    echo "clang-format -i would change:"
    echo "$report" | sed -n 's/^\([^:]*:[0-9]*\):.*clang-formatted.*/    \1/p' | sort -u
    exit 1
fi
echo "$# files looked at"
