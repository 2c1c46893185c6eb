#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# demo.sh - setup/demo.sh shows what it promises, as root, as an ordinary user and on loopback, and leaves
# nothing behind, not even when it is interrupted.
set -euo pipefail

demo=$HVLOG_SOURCE/setup/demo.sh
folder=$HVLOG_BUILD/demo
build=$folder/build
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all)
mark=HVLOG_DEMO_TEST=$$
interruptions=20 # tries to hit the show in its midst

mkdir -p "$build"
cd "$folder"

say() {
    printf '%s\n' "$*"
}

fail() {
    say "FAILED: $*"
    cat out
    exit 1
}

# shows EXPRESSION COUNT - so many lines of the output match.
shows() {
    local count
    count=$(grep -cE -- "$1" out || true)
    [ "$count" -eq "$2" ] || fail "$count lines in place of $2 match: $1"
}

# leaves_nothing - neither a process nor a file of the show. All its processes carry $mark.
leaves_nothing() {
    local left
    left=$(grep -lzs "^$mark\$" /proc/[0-9]*/environ || true)
    [ -z "$left" ] || fail "still running: $left"
    left=$(find "$build" /run -maxdepth 1 -name 'hvlog-demo.*' 2>/dev/null || true)
    [ -z "$left" ] || fail "left behind: $left"
}

# shows_all - whatever the place; with IPv6 where this machine has it.
shows_all() {
    local four six host
    if grep -q 'Three hosts and a link' out; then
        four='192\.0\.2\.10' six='\[2001:db8::10\]' host='192\.0\.2\.1'
    else
        four='127\.0\.0\.1' six='\[::1\]' host=$four
    fi
    if [ -e /proc/net/if_inet6 ] && grep -q 'UDP over IPv6' out; then
        shows "^ +$four:[0-9]+ udp <132>.* demo: UDP, RFC 3164$" 1
        shows "^ +$four:[0-9]+ tcp <132>1 .* TCP, RFC 5424, a line feed ends the message$" 1
        shows "^ +$six:[0-9]+ udp <132>1 .* UDP over IPv6, RFC 5424$" 1
        shows "^ +$six:[0-9]+ tcp <132>1 .* TCP over IPv6, RFC 5424, octet counting$" 1
        shows 'balance ok: received 4 = delivered 4 \+ dropped 0 \+ held 0' 2
    else
        shows "^ +$four:[0-9]+ (udp|tcp) <132>" 3
        shows 'balance ok: received 3 = delivered 3 \+ dropped 0 \+ held 0' 2
    fi
    shows "^ +$host:[0-9]+ udp <132>.* from inside WSL2, to the LAN$" 1
    shows 'balance ok: received 1 = delivered 1 \+ dropped 0 \+ held 0' 2
    leaves_nothing
}

# run_demo [AS...] -- OPTION... - to its end, which must be a good one.
run_demo() {
    local as=() status=0
    while [ "$1" != -- ]; do
        as+=("$1")
        shift
    done
    shift
    "${as[@]}" env "$mark" "$demo" --no-install --build "$build" "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" -eq 0 ] || fail "the demo ends with $status"
    shows_all
}

# interrupt_demo - Ctrl-C as soon as something runs; fails if the demo is done before that, which may be.
interrupt_demo() {
    local pid line status=0
    set -m # a process group of its own, which takes SIGINT
    env "$mark" "$demo" --no-install --build "$build" >pipe 2>&1 </dev/null &
    pid=$!
    set +m
    while IFS= read -r line; do
        printf '%s\n' "$line"
        if [[ $line == '== From the LAN'* ]]; then
            kill -INT -- "-$pid" 2>/dev/null || true
        fi
    done <pipe >out
    wait "$pid" || status=$?
    leaves_nothing
    [ "$status" -eq 130 ]
}

if [ "$(id -u)" -eq 0 ]; then
    # What root has built since must be writable for the other one.
    chown -R 65534:65534 "$build"
    if "${nobody[@]}" test -w "$build" -a -r "$demo" 2>/dev/null; then
        run_demo "${nobody[@]}" --
        run_demo "${nobody[@]}" -- --loopback
    else
        say "not looked at, as the folders above this one are closed to others: an ordinary user"
    fi
fi
run_demo --
grep -q 'Three hosts and a link' out || say "not looked at, as it is not allowed here: network namespaces"
run_demo -- --loopback
shows 'One host and a link' 1

rm -f pipe
mkfifo pipe
tries=0
until interrupt_demo; do
    tries=$((tries + 1))
    [ "$tries" -lt "$interruptions" ] || fail "SIGINT does not end the demo with 130"
done

status=0
"$demo" --nonsense >out 2>&1 || status=$?
[ "$status" -eq 64 ] || fail "an unknown option ends it with $status"
