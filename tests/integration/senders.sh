#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# senders.sh - what real senders send arrives: logger and loggen, in all the ways they know.
#
# By UDP, by TCP in lines and by TCP octet-counted, in the formats of RFC 3164 and RFC 5424, into a
# real rsyslog, which has to understand them as if they had come to it directly.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

begin senders "$@"
make_link unix
need logger
need_peer syslog-ng loggen
need_peer rsyslog rsyslogd
messages=2000

config agent <<END
[link]
address = $agent_link
role = connect
[output udp]
to = file:$dir/udp.out
inputs = udp
[output tcp]
to = file:$dir/tcp.out
inputs = tcp
[output octet]
to = file:$dir/octet.out
inputs = octet
[output parsed]
to = unix-dgram:$dir/dgram
END
config relay <<END
[link]
address = $relay_link
role = listen
[input udp]
listen = udp:192.0.2.1:514
[input tcp]
listen = tcp:192.0.2.1:514
[input octet]
listen = tcp:192.0.2.1:601
END
start_rsyslog "$wsl" dgram "$dir/dgram"
start_relay
start_agent

# run_sender COMMAND... - on lan, to its end.
run_sender() {
    ip netns exec "$lan" "$@" >>"$dir/senders.log" 2>&1 </dev/null || fail "$* failed"
}

# by_logger TAG OPTION... - numbered lines, one message each.
by_logger() {
    local tag=$1
    shift
    "$tools/flood" -t "$tag" -o "$dir/$tag.sent" -n $messages -s 120 lines: >"$dir/$tag.lines"
    run_sender logger -n 192.0.2.1 -t "$tag" -p daemon.err -f "$dir/$tag.lines" "$@"
}
by_logger u3164 -d -P 514 --rfc3164
by_logger u5424 -d -P 514 --rfc5424
by_logger t3164 -T -P 514 --rfc3164
by_logger t5424 -T -P 514 --rfc5424
by_logger o3164 -T -P 601 --rfc3164 --octet-count
by_logger o5424 -T -P 601 --rfc5424 --octet-count

loggen() {
    run_sender "$deps/syslog-ng/bin/loggen" -i -s 200 -Q "$@"
}
loggen -D -n $messages -r 10000 192.0.2.1 514
loggen -S -n $messages -r 100000 --active-connections=3 192.0.2.1 514
loggen -S -P -n $messages -r 100000 --active-connections=3 192.0.2.1 601

in_udp=$((3 * messages)) in_tcp=$((5 * messages))
wait_for 20 has_lines "$dir/udp.out" $in_udp
wait_for 20 has_lines "$dir/tcp.out" $in_tcp
wait_for 20 has_lines "$dir/octet.out" $in_tcp
wait_for 20 has_lines "$dir/rsyslog-dgram.out" $((in_udp + 2 * in_tcp))
wait_for 20 is_settled out in
must_verify -m "$dir/u3164.sent" -m "$dir/u5424.sent" -l $messages:1 "$dir/udp.out"
must_verify -m "$dir/t3164.sent" -m "$dir/t5424.sent" -l $((3 * messages)):3 "$dir/tcp.out"
must_verify -m "$dir/o3164.sent" -m "$dir/o5424.sent" -l $((3 * messages)):3 "$dir/octet.out"
must_balance relay out $((in_udp + 2 * in_tcp))
must_balance agent in $((in_udp + 2 * in_tcp))

# logger's tag and priority, as rsyslog found them in the message: RFC 3164 and 5424, 3 ways each.
for tag in u3164 u5424 t3164 t5424 o3164 o5424; do
    understood=$(grep -cE "^$tag daemon err .*~c=$tag" "$dir/rsyslog-dgram.parsed" || true)
    [ "$understood" -eq $messages ] || fail "rsyslog understood $understood of logger's $tag"
done
stop agent
stop_relay
