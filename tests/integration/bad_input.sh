#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bad_input.sh - whatever strangers send, the others are served and nothing is exhausted.
#
# While good senders send by TCP and UDP, others speak TLS and HTTP, send endless lines, false counts and
# noise, open and close 10,000 connections; on the link's port strangers talk, keep silent, and know
# the wrong secret.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

messages=50000
memory_limit_kib=$((400 * 1024)) # each program's; sanitizers take more for themselves
begin bad-input "$@"
make_link tcp

echo 'what the two of them know' >"$dir/secret"
echo 'what somebody else thinks' >"$dir/wrong-secret"
chmod 600 "$dir/secret" "$dir/wrong-secret"
agent_config() {
    cat <<END
[node]
name = $1
[link]
address = $agent_link
role = connect
secret_file = $dir/$2
[output seen]
to = file:$dir/$1.out
END
}
agent_config wsl secret | config agent
agent_config stranger wrong-secret | config stranger
config relay <<END
[link]
address = $relay_link
role = listen
secret_file = $dir/secret
[input udp]
listen = udp:192.0.2.1:514
[input tcp]
listen = tcp:192.0.2.1:514
END
start_relay
start_agent
wait_for 20 link_is_up

# The good ones go on for as long as the bad ones do.
start t "$lan" "$tools/flood" -t t -o "$dir/t.sent" -c 10 -n $((messages / 10)) -s 200 \
    -r 10000 tcp:192.0.2.1:514
start u "$lan" "$tools/flood" -t u -o "$dir/u.sent" -n $messages -s 200 -r 10000 udp:192.0.2.1:514

# from HOST SCRIPT - what a bad one does; that it is cut off is no failure.
from() {
    ip netns exec "$1" bash -c "$2" >>"$dir/bad.log" 2>&1 </dev/null || true
}
tcp=/dev/tcp/192.0.2.1/514
udp=/dev/udp/192.0.2.1/514
link=/dev/tcp/198.51.100.1/5140
from "$lan" "printf '\\026\\003\\001\\002\\000\\001\\000\\001\\374\\003\\003%032d' 7 >$tcp"
from "$lan" "printf 'GET / HTTP/1.1\\r\\nHost: 192.0.2.1\\r\\n\\r\\n' >$tcp"
from "$lan" "head -c 20000000 /dev/zero | tr '\\0' x >$tcp"
from "$lan" "head -c 5000000 /dev/zero >$tcp"
from "$lan" "printf '99999999 <13>short' >$tcp"
from "$lan" "printf '999999999999999999999999 <13>short' >$tcp"
from "$lan" "for i in {1..20}; do head -c 100000 /dev/urandom >$tcp; done"
from "$lan" "for i in {1..200}; do head -c 1000 /dev/urandom >$udp; : >$udp; done"
from "$lan" "for i in {1..10000}; do : <$tcp; done"

# On the link: noise, HTTP, and more silent connections than there are places for newcomers.
from "$wsl" "for i in {1..20}; do head -c 100000 /dev/urandom >$link; done"
from "$wsl" "printf 'GET / HTTP/1.1\\r\\n\\r\\n' >$link"
for i in {1..20}; do
    start "silent-$i" "$wsl" bash -c "exec 3<>$link; read -r -u 3"
done
start stranger "$wsl" "$agent_bin" run -c "$dir/stranger.conf"
# names_secret PROGRAM - its status says why there is no link.
names_secret() {
    status "$1" link.error | grep -q secret
}
wait_for 20 is_at_least relay link.refused 1
wait_for 20 names_secret stranger
say "the stranger is told: $(status stranger link.error)"
is_exactly agent link.reconnects 0 || fail "the strangers broke the link"

# The one who belongs gets in beside them.
stop agent
start_agent
wait_for 20 link_is_up
finish_all 60 t u

# all_arrived - of the good ones, picked out from among what the others sent.
all_arrived() {
    grep -aE '~c=[tu][0-9]+\.' "$dir/wsl.out" >"$dir/good.out" || return 1
    has_lines "$dir/good.out" $((2 * messages))
}
wait_for 30 all_arrived
must_verify -m "$dir/t.sent" -m "$dir/u.sent" "$dir/good.out"
[ ! -s "$dir/stranger.out" ] || fail "the stranger got messages"

wait_for 20 is_settled out in
is_exactly relay balance.out.ok true || fail "the relay's books are wrong"
is_exactly agent balance.in.ok true || fail "the agent's books are wrong"
is_exactly relay balance.out.dropped 0 || fail "the relay dropped messages of the others"
for counter in tls_on_plain foreign_protocol truncated; do
    is_at_least relay "inputs.tcp.framing.$counter" 1 || fail "the relay did not count $counter"
done
wait_for 20 is_exactly relay inputs.tcp.connections 0
for program in agent relay; do
    peak=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/${pids[$program]}/status")
    say "$program used up to $((peak / 1024)) MiB"
    if [ "$kind" = plain ] && [ "$peak" -gt $memory_limit_kib ]; then
        fail "$program used $peak KiB"
    fi
done
stop agent
stop_relay
