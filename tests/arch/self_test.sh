#!/bin/sh
# SPDX-License-Identifier: MIT
# self_test.sh - each check of the architecture finds the offence that was planted for it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tree=$folder/tree
failed=

# fresh_tree - a small tree that breaks no rule.
fresh_tree() {
    rm -rf "$tree"
    mkdir -p "$tree/common/core" "$tree/common/os/linux" "$tree/common/os/windows" \
        "$tree/common/bridge" "$tree/linux-agent" "$tree/windows-relay" "$tree/tests"
    plant common/core/noun.c '#include <string.h>' '/* Not code: AF_VSOCK, _WIN32, <windows.h> */'
    plant common/os/linux/vsock.c '#include <sys/socket.h>' 'int family = AF_VSOCK;'
    plant common/os/windows/hvsock.c '#include <winsock2.h>' 'int family = AF_HYPERV;'
    plant common/bridge/noun.c '#include "common/os/stream.h"'
    plant linux-agent/main.c '#include "common/bridge/engine.h"'
    plant windows-relay/main.c '#include "common/bridge/engine.h"'
}

# plant FILE LINE... - a C file of the tree, with these lines below its head.
plant() {
    file=$tree/$1
    shift
    {
        echo '/* SPDX-License-Identifier: MIT */'
        echo "/* ${file##*/} - planted. */"
        printf '%s\n' "$@"
    } >"$file"
}

# passes CHECK ARGUMENT... and finds WORD CHECK ARGUMENT...: what is expected of the check.
passes() {
    if ! "$here/$1" "$2" ${3+"$3"} >"$folder/output" 2>&1; then
        echo "not ok: $1 complains about a tree that is in order:"
        cat "$folder/output"
        failed=yes
    fi
}

finds() {
    word=$1
    shift
    status=0
    "$here/$1" "$2" ${3+"$3"} >"$folder/output" 2>&1 || status=$?
    if [ $status -ne 1 ] || ! grep -qF -e "$word" "$folder/output"; then
        echo "not ok: $1 does not find $word, exit status $status:"
        cat "$folder/output"
        failed=yes
    fi
}

# archive LINE... - FOLDER/planted.a from a C source of these lines.
archive() {
    rm -f "$folder/planted.a"
    printf '%s\n' "$@" >"$folder/planted.c"
    ${CC:-cc} -c -o "$folder/planted.o" "$folder/planted.c"
    ar rc "$folder/planted.a" "$folder/planted.o"
}

test_core_symbols() {
    allow=$here/core_symbols.allow
    archive '#include <string.h>' 'size_t f(const char *s) { return strlen(s); }'
    passes core_symbols.sh "$folder/planted.a" "$allow"
    archive '#include <time.h>' 'long f(void) { return (long)time(0); }'
    finds time core_symbols.sh "$folder/planted.a" "$allow"
    archive '#include <sys/socket.h>' 'int f(void) { return socket(1, 1, 0); }'
    finds socket core_symbols.sh "$folder/planted.a" "$allow"
    archive '/* nothing */'
    finds 'defines nothing' core_symbols.sh "$folder/planted.a" "$allow"
}

# seam_finds WORD FILE LINE... - the line, planted into an orderly tree, is found.
seam_finds() {
    seam_word=$1
    shift
    fresh_tree
    plant "$@"
    finds "$seam_word" seam.sh "$tree"
}

test_seam() {
    fresh_tree
    passes seam.sh "$tree"
    seam_finds common/core/bad.c:3 common/core/bad.c '#ifdef _WIN32'
    seam_finds common/bridge/bad.c:3 common/bridge/bad.c '#if defined(__linux__)'
    seam_finds common/bridge/bad.c:3 common/bridge/bad.c '#include <sys/socket.h>'
    seam_finds windows-relay/bad.c:3 windows-relay/bad.c '#include <windows.h>'
    seam_finds common/core/bad.c:3 common/core/bad.c '#include <time.h>'
    seam_finds common/core/bad.c:3 common/core/bad.c '#include <errno.h>'
    seam_finds common/bridge/bad.c common/bridge/bad.c 'int family = AF_VSOCK;'
    seam_finds common/os/linux/second.c common/os/linux/second.c 'int family = AF_VSOCK;'
    seam_finds common/os/linux/bad.c common/os/linux/bad.c 'int family = AF_HYPERV;'
    seam_finds 'no file has it' common/os/linux/vsock.c 'int family;'
    seam_finds common/core/bad.c:3 common/core/bad.c '#include "common/os/clock.h"'
    seam_finds common/core/bad.c:3 common/core/bad.c '#include "../os/clock.h"'
    seam_finds common/os/linux/bad.c:3 common/os/linux/bad.c '#include "common/bridge/queue.h"'
    seam_finds common/bridge/bad.c:3 common/bridge/bad.c '#include "linux-agent/main.h"'
    seam_finds common/bridge/bad.c:3 common/bridge/bad.c '#include "common/os/linux/error.h"'
    seam_finds linux-agent/bad.c:3 linux-agent/bad.c '#include "windows-relay/service.h"'
    seam_finds windows-relay/bad.c:3 windows-relay/bad.c '#include "linux-agent/hold.h"'
    seam_finds common/os/windows/bad.c:3 common/os/windows/bad.c '#include "common/os/linux/error.h"'
}

# lines NUMBER TEXT - TEXT so many times.
lines() {
    awk -v n="$1" -v text="$2" 'BEGIN { while (n-- > 0) print text }'
}

test_sizes() {
    fresh_tree
    plant common/core/long.c 'void f(void)' '{' "$(lines 99 '    g();')" '}'
    passes sizes.sh "$tree"
    plant common/core/long.c 'void f(void)' '{' "$(lines 100 '    g();')" '}'
    finds common/core/long.c:4 sizes.sh "$tree"
    plant common/core/long.c "$(lines 598 'int g(void);')"
    finds common/core/long.c sizes.sh "$tree"
}

# habits_find WORD FILE LINE
habits_find() {
    fresh_tree
    plant "$2" "$3"
    finds "$1" habits.sh "$tree"
}

test_habits() {
    fresh_tree
    passes habits.sh "$tree"
    habits_find common/core/bad.c:3 common/core/bad.c "/* $(printf 'TO%s' DO): later */"
    habits_find common/core/bad.c:3 common/core/bad.c "$(printf '#if %s' 0)"
    habits_find tests/bad.sh:3 tests/bad.sh "$(printf 'sle%s 5' ep)"
    fresh_tree
    echo 'int x;' >"$tree/common/core/bad.c"
    finds common/core/bad.c habits.sh "$tree"
    printf '/* SPDX-License-Identifier: MIT */\n/* other.c - moved. */\n' >"$tree/common/core/bad.c"
    finds common/core/bad.c habits.sh "$tree"
}

test_scripts() {
    command -v shellcheck >/dev/null || return 0
    fresh_tree
    printf '#!/bin/sh\nexit 0\n' >"$tree/tests/good"
    passes scripts.sh "$tree"
    # shellcheck disable=SC2016 # planted as it is
    printf '#!/bin/sh\nrm $1\n' >"$tree/tests/bad"
    finds SC2086 scripts.sh "$tree"
}

# windows_program LIBRARY LINE... - FOLDER/planted.exe from a C source of these lines.
windows_program() {
    library=$1
    shift
    printf '%s\n' '#include <windows.h>' "$@" >"$folder/planted.c"
    x86_64-w64-mingw32-gcc-posix -o "$folder/planted.exe" "$folder/planted.c" "-l$library"
}

test_windows_imports() {
    command -v x86_64-w64-mingw32-gcc-posix >/dev/null || return 0
    windows_program kernel32 'int main(void) { return (int)GetTickCount(); }'
    passes windows_imports.sh "$folder/planted.exe"
    windows_program winmm 'int main(void) { return (int)timeGetTime(); }'
    finds WINMM.dll windows_imports.sh "$folder/planted.exe"
    echo 'no program' >"$folder/planted.exe"
    finds 'imports nothing' windows_imports.sh "$folder/planted.exe"
}

test_core_symbols
test_windows_imports
test_seam
test_sizes
test_habits
test_scripts
[ -z "$failed" ] || exit 1
echo "every planted offence was found"
