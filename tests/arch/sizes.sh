#!/bin/sh
# SPDX-License-Identifier: MIT
# sizes.sh [ROOT] - C files have under 600 lines, functions under 100.
#
# By .clang-format a function's braces are the only ones that stand in the first column alone.
set -eu

file_lines=600
function_lines=100

here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
cd "${1:-$here/../..}"

# shellcheck disable=SC2046 # the tree has no blanks in its names
set -- $(tree_files '*.c' '*.h')
if [ $# -eq 0 ]; then
    echo "$(pwd): no code found"
    exit 1
fi

if awk -v file_lines=$file_lines -v function_lines=$function_lines '
    FNR == file_lines { print FILENAME ": has " file_lines " lines or more" }
    FNR == 1 { start = 0 }
    /^\{$/ { start = FNR }
    /^\}/ && start {
        if (FNR - start - 1 >= function_lines)
            print FILENAME ":" start ": a function of " FNR - start - 1 " lines"
        start = 0
    }' "$@" | complain "Files are to have under $file_lines lines, functions under $function_lines:"; then
    exit 1
fi
echo "$# files looked at"
