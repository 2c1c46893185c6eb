#!/bin/sh
# SPDX-License-Identifier: MIT
# defaults.sh - both programs without any file, on a host of their own that has three addresses.
set -eu

steps=100 # of a tenth of a second: the limit of every wait

# A host of its own: network, and /run and /var/lib and /etc/hvlog without anything of this one.
if [ "${1:-}" != inside ]; then
    if ! unshare --net --mount true 2>/dev/null; then
        echo "skipped: this user may not make network and mount namespaces"
        exit 77
    fi
    exec unshare --net --mount "$0" inside
fi

folder=$(mktemp -d)
pids=
cleanup() {
    for pid in $pids; do
        kill -KILL "$pid" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap cleanup EXIT
mount -t tmpfs none /run
mount -t tmpfs none /var/lib
if [ -d /etc/hvlog ]; then
    mount -t tmpfs none /etc/hvlog
fi
ip link set lo up
ip address add 192.0.2.1/32 dev lo
ip address add 169.254.7.7/32 dev lo
if ! ip address add 2001:db8::1/128 dev lo nodad 2>/dev/null; then
    echo "not looked at, as there is no IPv6: its addresses"
    has_ipv6=
else
    has_ipv6=yes
fi

fail() {
    echo "$*"
    for log in "$folder"/*.log; do
        echo "$log:"
        cat "$log"
    done
    exit 1
}

# await LOG EXPRESSION - until a line of LOG matches.
await() {
    step=0
    until grep -qE -- "$2" "$folder/$1.log"; do
        step=$((step + 1))
        [ "$step" -lt "$steps" ] || fail "$1 does not say: $2"
        sleep 0.1
    done
}

# stop_all - by SIGTERM; each ends in order.
stop_all() {
    # shellcheck disable=SC2086 # one argument for each process
    kill -TERM $pids
    for pid in $pids; do
        got=0
        wait "$pid" || got=$?
        [ "$got" = 0 ] || fail "a program ends with $got"
    done
    pids=
}

for name in relay agent; do
    "$HVLOG_BIN/hvlog-$name" check >"$folder/$name.log" 2>&1 || fail "$name: its own defaults fail check"
    grep -q '^built-in defaults: ok' "$folder/$name.log" || fail "$name: check does not name the defaults"
    "$HVLOG_BIN/hvlog-$name" run >/dev/null 2>"$folder/$name.log" &
    pids="$pids $!"
    await "$name" "info: .* runs as .* by built-in defaults; "
done

line=$(grep ' runs as ' "$folder/relay.log")
wanted="udp:192.0.2.1:514 tcp:192.0.2.1:514"
if [ -n "$has_ipv6" ]; then
    wanted="$wanted udp:[2001:db8::1]:514 tcp:[2001:db8::1]:514"
fi
for place in $wanted "listens on unix:/run/hvlog/link.sock"; do
    case $line in
        *"$place"*) ;;
        *) fail "the relay does not listen on $place" ;;
    esac
done
case $line in
    *127.0.0.1* | *169.254* | *":[::1]:"*) fail "the relay listens where nobody reaches it" ;;
esac

line=$(grep ' runs as ' "$folder/agent.log")
case $line in
    *"link connects to vsock:2:5140; outputs messages file:/var/lib/hvlog/messages.log"*) ;;
    *) fail "the agent's defaults are others" ;;
esac

for name in relay agent; do
    "$HVLOG_BIN/hvlog-$name" status >"$folder/status.log" 2>&1 || fail "$name: no status"
    grep -q 'balance ok' "$folder/status.log" || fail "$name: no balance"
done
stop_all

# An ordinary user's new home, in which there is no ~/.local yet.
mkdir "$folder/home" "$folder/run"
unshare --user --map-user=1000 env -u XDG_STATE_HOME HOME="$folder/home" XDG_RUNTIME_DIR="$folder/run" \
    "$HVLOG_BIN/hvlog-agent" run >/dev/null 2>"$folder/user.log" &
pids=$!
await user "info: .* runs as .* by built-in defaults; "
stop_all
if [ ! -f "$folder/home/.local/state/hvlog/messages.log" ]; then
    fail "the agent does not make a new user's state folder"
fi
