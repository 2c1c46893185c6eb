#!/bin/sh
# SPDX-License-Identifier: MIT
# habits.sh [ROOT] - each file names its licence and purpose; no debt, no sleeping tests.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
cd "${1:-$here/../..}"
failed=

# check RULE - fails the test if stdin has a line.
check() {
    if complain "$1"; then
        failed=yes
    fi
}

# shellcheck disable=SC2046 # the tree has no blanks in its names
set -- $(tree_files '*.c' '*.h')
if [ $# -eq 0 ]; then
    echo "$(pwd): no code found"
    exit 1
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

awk 'FNR == 1 && $0 != "/* SPDX-License-Identifier: MIT */" { print FILENAME }' "$@" >"$folder/found"
check "The first line of a C file names the licence:" <"$folder/found"

# The name may have its folder before it: "os/clock.h - time."
awk 'FNR == 2 {
         n = split(FILENAME, part, "/")
         m = split($2, said, "/")
         if ($1 != "/*" || said[m] != part[n] || $3 != "-")
             print FILENAME
     }' "$@" >"$folder/found"
check "The second line of a C file says its name and purpose:" <"$folder/found"

# The brackets keep this file from finding itself.
tree_files '*.c' '*.h' '*.sh' '*.ps1' '*.cmake' CMakeLists.txt | tr '\n' '\0' |
    xargs -0 grep -HnE '(^|[^A-Za-z_])([T]ODO|[F]IXME|[X]XX|[H]ACK)([^A-Za-z_]|$)|^#[[:blank:]]*if[[:blank:]]+[0]$' \
        >"$folder/found" || true
check "Debt is paid, not noted:" <"$folder/found"

find tests -type f \( -name '*.sh' -o ! -name '*.*' \) | tr '\n' '\0' |
    xargs -0 grep -HnE '^[^#]*(^|[;&|({[:blank:]])[s]leep [0-9]+($|[^.0-9])' >"$folder/found" || true
check "A test waits for a state, not for a time:" <"$folder/found"

[ -z "$failed" ] || exit 1
echo "$# files looked at"
