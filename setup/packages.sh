#!/bin/sh
# SPDX-License-Identifier: MIT
# packages.sh [--list] SET... - installs the packages that hvlog needs and the machine lacks.
#
#   build     the native programs
#   demo      those, and what setup/demo.sh runs
#   windows   the Windows programs
#   test      everything that tests/run.sh uses
#   develop   the analysers that no test runs
#
# --list only prints what is missing. Says what it will install before it does, asks for no answer, and
# takes sudo only when something is missing. None of the packages starts a service. Debian 12,
# Ubuntu 22.04 and 24.04 know them under these names.
set -eu

build='cmake ninja-build gcc libc6-dev libssl-dev'
demo="$build iproute2 bsdutils util-linux perl-base"
windows='cmake ninja-build gcc-mingw-w64-x86-64-posix'
# dpkg-dev unpacks cmocka's source, kmod loads modules inside User-Mode Linux.
test="$build $windows clang libcmocka-dev wine wine64 dpkg-dev binutils iproute2 bsdutils util-linux
    socat kmod shellcheck clang-format"
develop='clang-tidy'

# Only Debian has these; a test that needs one says so and is skipped elsewhere.
test_where_known='user-mode-linux'

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# apt-cache speaks of packages that only others mention, too: what counts is a version to install.
is_known() {
    [ -n "$(apt-cache madison "$1" 2>/dev/null)" ]
}

# missing PACKAGE... - those that are not installed.
missing() {
    for package in "$@"; do
        is_installed "$package" || echo "$package"
    done
}

# clang_runtime - the package with libFuzzer and the sanitizers, if clang is there without them.
#
# Its name follows clang's version; in older releases clang itself brings them.
clang_runtime() {
    command -v clang >/dev/null || return 0
    [ ! -f "$(clang -print-file-name="libclang_rt.fuzzer-$(uname -m).a")" ] || return 0
    [ ! -f "$(clang -print-runtime-dir)/libclang_rt.fuzzer-$(uname -m).a" ] || return 0
    version=$(clang -dumpversion)
    echo "libclang-rt-${version%%.*}-dev"
}

# as_root COMMAND...
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# need_root - whether as_root has a chance.
need_root() {
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        echo "packages.sh: there is no sudo: let root run setup/packages.sh$sets" >&2
        exit 77
    fi
}

# install_packages PACKAGE... - without recommended packages: some of those do start services.
install_packages() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q --yes --no-install-recommends \
        "$@" </dev/null
}

usage() {
    echo "usage: packages.sh [--list] build|demo|windows|test|develop..."
}

list_only=
sets=
wanted='' where_known='' runtime=
for argument in "$@"; do
    case $argument in
        --list) list_only=yes ;;
        build) wanted="$wanted $build" ;;
        demo) wanted="$wanted $demo" ;;
        windows) wanted="$wanted $windows" ;;
        test) wanted="$wanted $test" where_known=$test_where_known runtime=yes ;;
        develop) wanted="$wanted $develop" ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            usage >&2
            exit 64
            ;;
    esac
    [ "$argument" = --list ] || sets="$sets $argument"
done
if [ -z "$sets" ]; then
    usage >&2
    exit 64
fi

# shellcheck disable=SC2086 # lists of names
lacking=$(missing $wanted | sort -u)
for package in $where_known; do
    if ! is_installed "$package" && { [ -n "$lacking" ] || is_known "$package"; }; then
        lacking="$lacking $package"
    fi
done
[ -z "$runtime" ] || lacking="$lacking $(clang_runtime)"
# shellcheck disable=SC2086 # lists of names
set -- $lacking
if [ $# -eq 0 ]; then
    exit 0
fi
lacking="$*"
if [ -n "$list_only" ]; then
    echo "$lacking"
    exit 0
fi

echo "These packages, and what they need, are missing and will be installed: $lacking"
need_root
as_root apt-get update -q
chosen=
for package in $lacking; do
    if is_known "$package"; then
        chosen="$chosen $package"
    else
        echo "$package is not known to this system: what needs it will be skipped"
    fi
done
# shellcheck disable=SC2086 # a list of names
[ -z "$chosen" ] || install_packages $chosen

# Only now is clang's version certain.
if [ -n "$runtime" ]; then
    package=$(clang_runtime)
    # shellcheck disable=SC2086 # one name or none
    [ -z "$package" ] || install_packages $package
fi
