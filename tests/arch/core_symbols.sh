#!/bin/sh
# SPDX-License-Identifier: MIT
# core_symbols.sh ARCHIVE ALLOWED - the core calls nothing of the system but what ALLOWED lists.
#
# ALLOWED has one name a line; # begins a comment. A call that the compiler fortified or that the stack
# protector brought counts as what the source says.
set -eu

archive=$1 allowed=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

nm --defined-only --format=posix "$archive" | awk 'NF > 1 { print $1 }' | sort -u >"$folder/defined"
nm --undefined-only --format=posix "$archive" | awk 'NF > 1 { print $1 }' |
    sed 's/^__\(.*\)_chk$/\1/' | sort -u >"$folder/undefined"
sed 's/#.*//' "$allowed" | awk 'NF { print $1 }' | sort -u >"$folder/allowed"

# An archive without any symbol would pass every check.
if [ ! -s "$folder/defined" ]; then
    echo "$archive: defines nothing"
    exit 1
fi

sort -u "$folder/defined" "$folder/allowed" | comm -23 "$folder/undefined" - >"$folder/foreign"
if [ -s "$folder/foreign" ]; then
    echo "The core is to do no I/O and to know no clock; $archive calls:"
    sed 's/^/    /' "$folder/foreign"
    echo "If such a call is pure, add it to $allowed."
    exit 1
fi
echo "$(wc -l <"$folder/undefined") undefined symbols, all of them allowed or the core's own"
