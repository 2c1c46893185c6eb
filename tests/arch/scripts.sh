#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts.sh [ROOT] - shellcheck has nothing to say about any shell script.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
cd "${1:-$here/../..}"

if ! command -v shellcheck >/dev/null; then
    echo "skipped: shellcheck is not installed"
    exit 77
fi

# is_script FILE - whether it is for a shell, by its name or by its first line.
is_script() {
    case $1 in
        *.sh) return 0 ;;
        *.*) ;;
    esac
    head -n 1 "$1" | LC_ALL=C grep -aqE '^#!.*[/ ](sh|bash|dash)( |$)'
}

set --
for file in $(tree_files '*'); do
    if is_script "$file"; then
        set -- "$@" "$file"
    fi
done
if [ $# -eq 0 ]; then
    echo "$(pwd): no script found"
    exit 1
fi
shellcheck "$@"
echo "$# scripts looked at"
