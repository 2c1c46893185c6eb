#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# throughput.sh [PAIRS] [MESSAGES] - messages a second from TCP to file, hvlog against the bare pipeline.
#
# Lines of 256 octets on 1 and on 10 connections go to the relay, over a unix link to the agent and into
# a file in memory; the bare pipeline (bare_pipeline.c) does the least that this takes. The two take
# turns, so that what else the machine does falls on both. Each run must deliver every octet. The
# figures are printed, not judged.
# shellcheck source=../integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"

pairs=${1:-5} messages=${2:-2000000} size=256
bench=$build_dir/tests/bench
[ -x "$bench/blast" ] || skip "$bench/blast is not built"
[ -d /dev/shm ] || skip "there is no /dev/shm for a file in memory"
dir=$(mktemp -d /dev/shm/hvlog-bench.XXXXXX)
trap clean_up EXIT
trap 'exit 1' INT TERM
# shellcheck disable=SC2034 # lib.sh starts the programs there: in no namespace
lan=- win=- wsl=-

config agent <<END
[link]
address = unix:$dir/link.sock
role = connect
[output file]
to = file:$dir/hvlog.out
END
config relay <<END
[link]
address = unix:$dir/link.sock
role = listen
[input tcp]
listen = tcp:127.0.0.1:0
END
start_relay
start_agent
wait_for 20 link_is_up
hvlog_address=$(status relay inputs.tcp.listen)
# No port of the system's choice is free to name beforehand, but the next one most often is.
bare_address=tcp:127.0.0.1:$((${hvlog_address##*:} + 1))
start bare - "$bench/bare_pipeline" "$bare_address" "$dir/bare.out"
wait_for 20 grep -q ready "$dir/bare.log"

# measure WHAT ADDRESS CONNECTIONS - one run; its figure goes to WHAT-CONNECTIONS.figures.
measure() {
    "$bench/blast" "$2" "$3" "$messages" "$size" "$dir/$1.out" >>"$dir/$1-$3.figures" ||
        fail "$1 did not deliver"
    [ "$(lines "$dir/$1.out")" -eq "$messages" ] || fail "$1 delivered other lines"
    : >"$dir/$1.out"
}

# median FILE - with the lowest and the highest.
median() {
    sort -n "$1" | awk '{ v[NR] = $1 }
        END { printf "%.2f (%.2f to %.2f)", v[int((NR + 1) / 2)] / 1e6, v[1] / 1e6, v[NR] / 1e6 }'
}

say "million messages of $size octets a second, TCP to file; median of $pairs runs (lowest to highest)"
for connections in 1 10; do
    for ((i = 0; i < pairs; i++)); do
        measure hvlog "$hvlog_address" "$connections"
        measure bare "$bare_address" "$connections"
    done
    say "$connections connections: hvlog $(median "$dir/hvlog-$connections.figures")," \
        "bare pipeline $(median "$dir/bare-$connections.figures")"
done
total=$((2 * pairs * messages))
must_balance relay out $total
must_balance agent in $total
stop agent
stop relay
