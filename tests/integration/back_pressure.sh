#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# back_pressure.sh - a syslog server that takes nothing makes TCP senders wait, and nothing is lost.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

begin back-pressure "$@"
make_link unix

# What fits between sender and server: two queues, the link's window, the sockets' buffers.
queue=4MiB
messages=200000

config agent <<END
[link]
address = $agent_link
role = connect
[queue]
memory = $queue
[output server]
to = tcp:127.0.0.1:6514
END
config relay <<END
[link]
address = $relay_link
role = listen
[queue]
memory = $queue
[input tcp]
listen = tcp:192.0.2.1:514
END
start_syslog_ng "$wsl" tcp 127.0.0.1
start_relay
start_agent
wait_for 20 link_is_up

signal syslog-ng STOP
start t "$lan" "$tools/flood" -t t -o "$dir/t.sent" -c 10 -n $((messages / 10)) -s 250 \
    tcp:192.0.2.1:514

# stands_still - the relay received some, and between several looks no more.
stands_still() {
    local before after look
    before=$(status relay balance.out.received)
    [ "${before:-0}" -gt 0 ] || return 1
    for look in 1 2 3 4 5 6 7 8 9 10; do
        pause
        after=$(status relay balance.out.received)
        [ "$after" = "$before" ] || return 1
    done
    say "$before of $messages are on the way, the senders wait; the last of $look looks said the same"
}
wait_for 30 stands_still
is_running t || fail "the sender got rid of everything while the server took nothing"
received=$(status relay balance.out.received)
[ "$received" -lt $messages ] || fail "the relay took everything while the server took nothing"

# Both still answer, hold no more than they may, and say which output it is.
for program in agent relay; do
    direction=in
    [ $program = agent ] || direction=out
    used=$(status $program queue.memory.$direction.used)
    limit=$(status $program queue.memory.$direction.limit)
    [ "$used" -le "$limit" ] || fail "$program uses $used octets of $limit"
done
is_exactly agent balance.in.dropped 0 || fail "the agent dropped records"

signal syslog-ng CONT
finish t 60
wait_for 60 has_lines "$dir/syslog-ng-tcp.out" $messages
wait_for 20 is_settled out in
must_verify -m "$dir/t.sent" "$dir/syslog-ng-tcp.out"
must_balance relay out $messages
must_balance agent in $messages
stop agent
stop_relay
