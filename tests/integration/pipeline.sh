#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# pipeline.sh PEER LINK TCP UDP RATE - the main job: syslog of the LAN reaches the pipeline in WSL2.
#
# TCP messages on 10 connections and UDP messages at RATE a second go from lan to the relay in win,
# over LINK (unix | tcp | vsock) to the agent in wsl, and from there by tcp and by unix-dgram into PEER
# (syslog-ng | rsyslog), a real one. All of them have to be there twice, in order, none twice, none
# changed; a file beside it shows each with the sender's true address.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

peer=$1 link=$2 tcp=$3 udp=$4 rate=$5
connections=10
# In User-Mode Linux, one processor that traces each system call, 200,000 messages and more take some four minutes.
patience=60
[ -z "${HVLOG_UML:-}" ] || patience=400
begin "pipeline-$peer" "$@"

make_link "$link"
if [ "$kind" = windows ]; then
    use_wine
fi

config agent <<END
[node]
name = wsl
[link]
address = $agent_link
role = connect
[output tcp]
to = tcp:127.0.0.1:6514
[output dgram]
to = unix-dgram:$dir/dgram
[output seen]
to = file:$dir/seen.out
prefix = source
END
config relay <<END
[node]
name = win
[link]
address = $relay_link
role = listen
[input udp4]
listen = udp:192.0.2.1:514
[input tcp4]
listen = tcp:192.0.2.1:514
[input udp6]
listen = udp:[2001:db8::1]:514
[input tcp6]
listen = tcp:[2001:db8::1]:514
END

case $peer in
    syslog-ng) start_syslog_ng "$wsl" tcp 127.0.0.1 dgram "$dir/dgram" ;;
    rsyslog) start_rsyslog "$wsl" tcp 127.0.0.1 dgram "$dir/dgram" ;;
esac
start_relay
start_agent
wait_for 20 link_is_up

# Half of the connections by IPv6, half of them octet-counted, in both formats.
flood_tcp() {
    local name=$1 to=$2
    shift 2
    start "$name" "$lan" "$tools/flood" -t "$name" -o "$dir/$name.sent" -s 200 "$@" \
        -n $((tcp / connections)) "tcp:$to:514"
}
flood_tcp a 192.0.2.1 -c 3 -f line -p 3164
flood_tcp b 192.0.2.1 -c 2 -f octet -p 5424
flood_tcp c '[2001:db8::1]' -c 3 -f octet -p 3164
flood_tcp d '[2001:db8::1]' -c 2 -f line -p 5424
flood_udp() {
    start "$1" "$lan" "$tools/flood" -t "$1" -o "$dir/$1.sent" -s 200 -n $((udp / 2)) \
        -r $((rate / 2)) "udp:$2:514"
}
# Under Wine each call on a socket goes through its server: TCP at full speed starves UDP there, and by
# itself, beside other work on two cores, UDP at 20,000/s was too much as well; 5,000/s is not.
if [ "$kind" = windows ]; then
    finish_all 60 a b c d
    wait_for 30 is_at_least relay balance.out.received "$tcp"
fi
flood_udp u 192.0.2.1
flood_udp v '[2001:db8::1]'
for name in a b c d u v; do
    [ -z "${pids[$name]:-}" ] || finish "$name" "$patience"
done

total=$((tcp + udp))
wait_for "$patience" is_at_least relay balance.out.received $total
wait_for "$patience" is_at_least agent balance.in.received $total
wait_for "$patience" is_settled out in
for out in "$dir/$peer-tcp.out" "$dir/$peer-dgram.out" "$dir/seen.out"; do
    wait_for 20 has_lines "$out" $total
done

manifests=()
for name in a b c d u v; do
    manifests+=(-m "$dir/$name.sent")
done
for out in "$dir/$peer-tcp.out" "$dir/$peer-dgram.out" "$dir/seen.out"; do
    must_verify "${manifests[@]}" "$out"
done
must_balance relay out $total
must_balance agent in $total

# must_come_from PATTERN MARKS - all messages with these marks, and no others, have such a source before them.
must_come_from() {
    local strays
    strays=$(grep -E "~c=[$2]" "$dir/seen.out" | grep -cvE "^$1 " || true)
    [ "$strays" -eq 0 ] || fail "$strays messages of $2 do not show the source $1"
}
must_come_from '192\.0\.2\.2:[0-9]+ tcp' ab
must_come_from '192\.0\.2\.2:[0-9]+ udp' u
must_come_from '\[2001:db8::2\]:[0-9]+ tcp' cd
must_come_from '\[2001:db8::2\]:[0-9]+ udp' v

stop agent
stop_relay
stop "$peer"
say "took $SECONDS s"
