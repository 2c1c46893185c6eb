#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh - installs what is missing, builds every kind of hvlog, runs all tests, ends with one summary.
set -euo pipefail

usage() {
    cat <<'END'
usage: tests/run.sh [option...] [-- ctest option...]

  -R REGEX       only the tests whose names match; asan., tsan., fuzz. and windows. stand before
                 the names of those builds
  --quick        fuzz for 5 seconds a target in place of 60
  --bench        measure in place of test, in a release build
  --no-install   install nothing, fetch nothing: use what is there

All is built below build/; a second run builds and fetches only what changed. Exit status: ctest's, or
1 when the build fails.
END
}

install=yes
bench=
fuzz_seconds=60
ctest_options=()
while [ $# -gt 0 ]; do
    case $1 in
        -R)
            ctest_options+=(-R "${2:?-R needs a pattern}")
            shift
            ;;
        --quick) fuzz_seconds=5 ;;
        --bench) bench=yes ;;
        --no-install) install= ;;
        --)
            shift
            ctest_options+=("$@")
            break
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            usage >&2
            exit 64
            ;;
    esac
    shift
done

cd "$(dirname "$0")/.."
jobs=$(nproc)

# build KIND CMAKE-OPTION... - configures (which is quick when it was done before) and builds build/KIND.
build() {
    local kind=$1 log=build/$1/configure.log
    shift
    mkdir -p "build/$kind"
    echo "== build/$kind"
    if ! cmake -S . -B "build/$kind" -G Ninja -DHVLOG_DEVELOPER=ON "$@" >"$log" 2>&1; then
        cat "$log"
        exit 1
    fi
    cmake --build "build/$kind" -j "$jobs" || exit 1
}

if [ -n "$install" ]; then
    setup/packages.sh test
    # The peers are only for some tests, which say when they find none.
    for peer in syslog-ng rsyslog; do
        tests/support/peer-unpack "$peer" >/dev/null ||
            echo "$peer could not be fetched: what needs it will be skipped"
    done
    if ! [ -f build/deps/cmocka-windows/made ]; then
        echo "== cmocka for Windows"
        mkdir -p build/deps
        if ! tests/support/cmocka-windows >build/deps/cmocka-windows.log 2>&1; then
            cat build/deps/cmocka-windows.log
            exit 1
        fi
    fi
fi

if [ -n "$bench" ]; then
    build release -DCMAKE_BUILD_TYPE=Release
    exec ctest --test-dir build/release -L bench --verbose --no-tests=error \
        "${ctest_options[@]}" </dev/null
fi

build dev -DCMAKE_BUILD_TYPE=RelWithDebInfo
build asan -DCMAKE_BUILD_TYPE=Debug -DHVLOG_SANITIZE=address,undefined
build tsan -DCMAKE_BUILD_TYPE=Debug -DHVLOG_SANITIZE=thread
build fuzz -DCMAKE_BUILD_TYPE=Debug -DHVLOG_FUZZ=ON -DCMAKE_C_COMPILER=clang \
    -DHVLOG_FUZZ_SECONDS="$fuzz_seconds"
build windows -DCMAKE_BUILD_TYPE=RelWithDebInfo --toolchain cmake/mingw-w64.cmake

# skip_reasons - why tests were skipped; ctest itself names only the tests.
skip_reasons() {
    awk '/^[0-9]+\/[0-9]+ Testing: / { name = $3 }
         /^skipped: / { print name ": " $0 }' build/Testing/Temporary/LastTest.log
}

# reasons_before_summary - ctest's output, passed on as it comes but for the summary: that waits until
# ctest has ended, since only then its log is complete, and the reasons go before it.
reasons_before_summary() {
    local line summary=
    while IFS= read -r line; do
        if [[ -n $summary || $line == *' tests passed, '* ]]; then
            summary+=$line$'\n'
        else
            printf '%s\n' "$line"
        fi
    done
    skip_reasons || true
    printf '%s' "$summary"
}

echo 'subdirs(dev asan tsan fuzz windows)' >build/CTestTestfile.cmake
ctest --test-dir build -LE '^(bench|lab)$' -j "$jobs" --output-on-failure --no-tests=error \
    "${ctest_options[@]}" </dev/null 2>&1 | reasons_before_summary
