#!/bin/sh
# SPDX-License-Identifier: MIT
# seam.sh [ROOT] - the system is touched below common/os only, and layers include only downwards.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
cd "${1:-$here/../..}"
failed=

platform='^common/os/(linux|windows)/'
names='_WIN(32|64)|_MSC_VER|__MINGW(32|64)__|__CYGWIN__|__linux(__)?|__gnu_linux__|__unix(__)?|__APPLE__'
names="$names|AF_VSOCK|AF_HYPERV|HV_PROTOCOL_RAW|SOCKADDR_HV|sockaddr_vm|VMADDR_[A-Z_]+"
# C11 itself, less what is the system's: locale, signal, time. errno is for the log, which keeps it.
headers='assert|ctype|float|inttypes|iso646|limits|math|stdalign|stdarg|stdatomic|stdbool|stddef|stdint'
headers="$headers|stdio|stdlib|stdnoreturn|string"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2046 # the tree has no blanks in its names
code $(product_files '*.c' '*.h') >"$folder/code"
grep -vE "$platform" "$folder/code" >"$folder/portable" || true
grep -E '^[^:]*:[0-9]+:[[:blank:]]*#[[:blank:]]*include' "$folder/code" >"$folder/includes" || true

if [ ! -s "$folder/code" ]; then
    echo "$(pwd): no code found"
    exit 1
fi

# check RULE - fails the test if stdin has a line.
check() {
    if complain "$1"; then
        failed=yes
    fi
}

# includes_of FOLDER - the include lines of FOLDER.
includes_of() {
    grep -E "^$1" "$folder/includes" || true
}

# but EXPRESSION - stdin without the lines that match.
but() {
    grep -vE "$1" || true
}

# only_in NAME FOLDER - the files whose code has NAME, unless it is exactly one and lies below FOLDER.
only_in() {
    grep -E "(^|[^A-Za-z0-9_])$1([^A-Za-z0-9_]|\$)" "$folder/code" | cut -d: -f1 | sort -u \
        >"$folder/files" || true
    if [ ! -s "$folder/files" ]; then
        echo "(no file has it)"
    elif [ "$(wc -l <"$folder/files")" -gt 1 ] || ! grep -qE "^$2" "$folder/files"; then
        cat "$folder/files"
    fi
}

grep -E "(^|[^A-Za-z0-9_])($names)([^A-Za-z0-9_]|\$)" "$folder/portable" >"$folder/found" || true
check "Names of a system stand in common/os/linux and common/os/windows only:" <"$folder/found"

# pthreads are there on both systems, on Windows from winpthreads: os/thread.h is a thin layer over them.
grep -E '#[[:blank:]]*include[[:blank:]]*<' "$folder/portable" | but "<($headers)\.h>" |
    but '^common/bridge/[^:]*:[0-9]+:#include <errno\.h>' |
    but '^common/os/thread\.h:[0-9]+:#include <pthread\.h>' >"$folder/found"
check "Headers of a system are included in common/os/linux and common/os/windows only:" <"$folder/found"

only_in AF_VSOCK common/os/linux/ >"$folder/found"
check "AF_VSOCK stands in exactly one file, below common/os/linux:" <"$folder/found"
only_in AF_HYPERV common/os/windows/ >"$folder/found"
check "AF_HYPERV stands in exactly one file, below common/os/windows:" <"$folder/found"

# An include is either of the same folder, without any slash, or begins at the root of the tree.
own='include[[:blank:]]*("[^/"]+"|<)'
but "$own|\"(common|linux-agent|windows-relay)/" <"$folder/includes" >"$folder/found"
check "An include names a file of the same folder, or begins at the root of the tree:" <"$folder/found"

includes_of common/core/ | but "$own|\"common/core/" >"$folder/found"
check "common/core includes only common/core:" <"$folder/found"
includes_of common/os/ | but "$own|\"common/(core|os)/" >"$folder/found"
check "common/os includes only common/core and common/os:" <"$folder/found"
includes_of common/ | but "$own|\"common/" >"$folder/found"
check "common includes nothing of the programs:" <"$folder/found"
includes_of linux-agent/ | but "$own|\"(common|linux-agent)/" >"$folder/found"
check "linux-agent includes nothing of windows-relay:" <"$folder/found"
includes_of windows-relay/ | but "$own|\"(common|windows-relay)/" >"$folder/found"
check "windows-relay includes nothing of linux-agent:" <"$folder/found"
grep -vE "$platform" "$folder/includes" | grep -E '"common/os/(linux|windows)/' >"$folder/found" || true
check "Private headers of a platform stay below it:" <"$folder/found"
includes_of common/os/linux/ | grep -E '"common/os/windows/' >"$folder/found" || true
includes_of common/os/windows/ | grep -E '"common/os/linux/' >>"$folder/found" || true
check "The two platforms do not include each other:" <"$folder/found"

[ -z "$failed" ] || exit 1
echo "$(wc -l <"$folder/includes") includes and $(wc -l <"$folder/code") lines of code looked at"
