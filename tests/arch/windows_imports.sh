#!/bin/sh
# SPDX-License-Identifier: MIT
# windows_imports.sh PROGRAM... - Windows programs need no DLL but those that every Windows has.
set -eu

known='advapi32 bcrypt iphlpapi kernel32 msvcrt mswsock ntdll shell32 user32 ws2_32 api-ms-win-crt-[a-z0-9-]*'

allowed=$(echo "$known" | tr ' ' '|')
for program in "$@"; do
    imports=$(x86_64-w64-mingw32-objdump -p "$program" | sed -n 's/.*DLL Name: //p')
    if [ -z "$imports" ]; then
        echo "$program: imports nothing, is it a Windows program?"
        exit 1
    fi
    foreign=$(echo "$imports" | grep -viE "^($allowed)\.dll\$" || true)
    if [ -n "$foreign" ]; then
        echo "$program needs what Windows does not bring:"
        echo "$foreign"
        exit 1
    fi
    # shellcheck disable=SC2086 # a list of names
    echo "$program:" $imports
done
