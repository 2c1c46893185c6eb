#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# outward.sh [MESSAGES] - the other way round: logs made in wsl reach a collector on lan by the relay.
#
# Programs of wsl, which has no route, write to the agent's unix, unix-dgram (as /dev/log), UDP and
# TCP inputs; the relay in win hands all to a real syslog-ng on lan by TCP, and what `inputs` selects by
# UDP.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

messages=${1:-50000}
begin outward "$@"
need logger
if [ "$kind" = windows ]; then
    make_link tcp
    use_wine
else
    make_link unix
fi

config agent <<END
[link]
address = $agent_link
role = connect
[input stream]
listen = unix:$dir/stream
[input devlog]
listen = unix-dgram:$dir/devlog
[input udp]
listen = udp:127.0.0.1:514
[input tcp]
listen = tcp:127.0.0.1:514
END
config relay <<END
[link]
address = $relay_link
role = listen
[output all]
to = tcp:192.0.2.2:6514
framing = line
[output some]
to = udp:192.0.2.2:6514
inputs = devlog, udp
END
start_syslog_ng "$lan" tcp 192.0.2.2 udp 192.0.2.2
start_relay
start_agent

flood_from_wsl() {
    local name=$1
    shift
    start "$name" "$wsl" "$tools/flood" -t "$name" -o "$dir/$name.sent" -s 200 "$@"
}
# UDP has to be had at a pace that a collector stands.
flood_from_wsl s -c 2 -n $((messages / 2)) "unix:$dir/stream"
flood_from_wsl t -c 2 -n $((messages / 2)) -f octet -p 5424 tcp:127.0.0.1:514
flood_from_wsl d -n $((messages / 2)) -r 5000 "unix-dgram:$dir/devlog"
flood_from_wsl u -n $((messages / 2)) -r 5000 udp:127.0.0.1:514
"$tools/flood" -t l -o "$dir/l.sent" -n 1000 -s 100 lines: >"$dir/l.lines"
start logger "$wsl" logger -u "$dir/devlog" -t app -f "$dir/l.lines"
finish_all 60 s t d u logger

by_udp=$((messages + 1000))
total=$((2 * messages + by_udp))
wait_for 30 is_at_least agent balance.out.received $total
wait_for 30 is_at_least relay balance.in.received $total
wait_for 60 is_settled in out
wait_for 20 has_lines "$dir/syslog-ng-tcp.out" $total
wait_for 20 has_lines "$dir/syslog-ng-udp.out" $by_udp
must_verify -m "$dir/s.sent" -m "$dir/t.sent" -m "$dir/d.sent" -m "$dir/u.sent" -m "$dir/l.sent" \
    "$dir/syslog-ng-tcp.out"
must_verify -m "$dir/d.sent" -m "$dir/u.sent" -m "$dir/l.sent" "$dir/syslog-ng-udp.out"
must_balance agent out $total
must_balance relay in $total
stop agent
stop_relay
stop syslog-ng
