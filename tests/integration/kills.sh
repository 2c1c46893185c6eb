#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# kills.sh agent|relay|link|server [MESSAGES] [RATE] - what lives loses nothing when what it works with dies.
#
# Under load, at three moments of chance, the victim is killed and started again. HVLOG_SEED repeats
# the moments of another run.
#
#   agent   killed: the relay sends again what no output took. All there, some perhaps twice.
#   relay   killed: what it held is gone, but the agent delivers all that it got, once, and what it held
#           itself for the relay gets there. Senders connect again; what they send then is all there.
#   link    cut off in mid-stream, and gone silent without an end: all there, none twice.
#   server  the syslog server, killed: only what it had itself is gone.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

victim=$1 rate=${3:-20000}
messages=$((${2:-150000}))
connections=10 kills=3
begin "kill-$victim" "$@"
seed=${HVLOG_SEED:-$RANDOM}
say "HVLOG_SEED=$seed"
RANDOM=$seed

make_link unix
if [ "$victim" = link ]; then
    need socat
    agent_link=unix:$dir/proxy.sock
fi
server=unix-dgram:$dir/dgram
if [ "$victim" = server ]; then
    server=tcp:127.0.0.1:6514
fi
config agent <<END
[link]
address = $agent_link
role = connect
heartbeat = 1s
[output server]
to = $server
[input local]
listen = unix:$dir/local
END
config relay <<END
[link]
address = $relay_link
role = listen
heartbeat = 1s
[input tcp]
listen = tcp:192.0.2.1:514
[output collector]
to = unix-dgram:$dir/collector
END

start_server() {
    start_syslog_ng "$wsl" dgram "$dir/dgram" tcp 127.0.0.1
}

# The link's way, where it is to be cut: one connection, then it ends.
start_proxy() {
    start proxy - socat "UNIX-LISTEN:$dir/proxy.sock,unlink-early" "UNIX-CONNECT:$dir/link.sock"
}

start_flood() {
    local name=$1 namespace=$2
    shift 2
    start "$name" "$namespace" "$tools/flood" -t "$name" -o "$dir/$name.sent" -k -s 200 \
        -c $connections -n $((messages / connections)) "$@"
}

# chance_moment I - how many messages have come through when kill number I of $kills happens.
chance_moment() {
    local span=$((messages * 3 / 4 / kills))
    echo $((span * $1 + RANDOM % span + 1))
}

# link_is_down - both sides know it.
link_is_down() {
    [ "$(status agent link.state)" != up ] && [ "$(status relay link.state)" != up ]
}

output_is_away() {
    [ "$(status agent outputs.server.state)" = away ]
}

# What the server held when it died, from what the agent counts as delivered and what came of it. Both
# are beginnings of one stream: what the server wrote may also be the longer one, when it died before
# the agent had counted; that comes again, and nothing of it is missing.
held_by_server=0
note_server_loss() {
    wait_for 20 output_is_away
    local delivered again missing
    delivered=$(status agent outputs.server.delivered)
    again=$("$tools/verify" -g "$messages" -d -m "$dir/t.sent" "$dir/syslog-ng-tcp.out" 2>&1 |
        sed -n 's/.*, \([0-9]*\) again,.*/\1/p' || true)
    missing=$((delivered - ($(lines "$dir/syslog-ng-tcp.out") - again) - held_by_server))
    if [ "$missing" -gt 0 ]; then
        held_by_server=$((held_by_server + missing))
    fi
}

# kill_victim NUMBER - and start it again. At the second one much is held, for the server stands still
# since the first: so it surely stands while much is still to come.
kill_victim() {
    if [ "$1" -eq 1 ] && [ "$victim" != server ]; then
        wait_for 20 is_at_least agent balance.in.held 5000
    fi
    case $victim in
        agent)
            stop agent KILL
            start_agent
            ;;
        relay)
            stop relay KILL
            start_relay
            ;;
        link)
            # Half-dead first: nobody says that it has ended, the heartbeat has to find out.
            if [ "$1" -eq 1 ]; then
                signal proxy STOP
                wait_for 20 link_is_down
            fi
            stop proxy KILL
            start_proxy
            ;;
        server)
            stop syslog-ng KILL
            note_server_loss
            start_server
            ;;
    esac
    wait_for 20 link_is_up
    case $victim$1 in
        server*) ;;
        *0) signal syslog-ng STOP ;;
        *1) signal syslog-ng CONT ;;
    esac
}

verifies() {
    "$tools/verify" "$@" >/dev/null 2>&1
}

# is_past NUMBER - as many messages have come to the side that lives.
is_past() {
    if [ "$victim" = agent ]; then
        is_at_least relay balance.out.received "$1"
    else
        is_at_least agent balance.in.received "$1"
    fi
}

start_server
start collector "$win" "$tools/sink" "unix-dgram:$dir/collector" "$dir/collector.out"
start_relay
if [ "$victim" = link ]; then
    start_proxy
fi
start_agent
wait_for 20 link_is_up
start_flood t "$lan" -r "$rate" tcp:192.0.2.1:514
if [ "$victim" != agent ]; then
    # The agent is the one that lives here: this is to show what it holds for the other side.
    start_flood l "$wsl" -r $((rate / 2)) "unix:$dir/local"
fi
for ((i = 0; i < kills; i++)); do
    moment=$(chance_moment $i)
    wait_for 60 is_past "$moment"
    say "killing $victim after message $moment"
    kill_victim $i
done

finish t 60
wait_for 60 is_settled out in
out=$dir/syslog-ng-dgram.out
case $victim in
    agent)
        wait_for 20 verifies -d -m "$dir/t.sent" "$out"
        must_verify -d -m "$dir/t.sent" "$out"
        must_balance relay out "$messages"
        ;;
    relay)
        received=$(status agent balance.in.received)
        wait_for 20 has_lines "$out" "$received"
        must_verify -m "$dir/t.sent" "$out"
        must_balance agent in "$received"
        [ "$(lines "$out")" -eq "$received" ] || fail "the server got other than the agent counted"
        say "the relay took $((messages - received)) of $messages with it"
        ;;
    link)
        wait_for 20 has_lines "$out" "$messages"
        must_verify -m "$dir/t.sent" "$out"
        must_balance relay out "$messages"
        must_balance agent in "$messages"
        ;;
    server)
        out=$dir/syslog-ng-tcp.out
        wait_for 20 verifies -d -g "$held_by_server" -m "$dir/t.sent" "$out"
        must_verify -d -g "$held_by_server" -m "$dir/t.sent" "$out"
        must_balance relay out "$messages"
        must_balance agent in "$messages"
        say "the server took up to $held_by_server of $messages with it"
        ;;
esac
if [ "$victim" != agent ]; then
    finish l 60
    wait_for 60 is_settled in out
    if [ "$victim" = relay ]; then
        must_verify -d -m "$dir/l.sent" "$dir/collector.out"
    else
        wait_for 20 has_lines "$dir/collector.out" "$messages"
        must_verify -m "$dir/l.sent" "$dir/collector.out"
        must_balance relay in "$messages"
    fi
    must_balance agent out "$messages"
fi
stop agent
stop_relay
