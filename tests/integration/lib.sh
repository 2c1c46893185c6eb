# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# lib.sh - what the end-to-end tests share; sourced, with bash, before anything else.
#
# Three hosts on one machine, each a network namespace of this run: $lan has the devices
# (192.0.2.2, 2001:db8::2), $win the relay and the address that they know (192.0.2.1,
# 2001:db8::1), $wsl the agent and the syslog server, and no way out. A test works in $dir, which
# is kept when it fails; what it starts, and only that, is ended with it.
set -euo pipefail

source_dir=${HVLOG_SOURCE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
build_dir=${HVLOG_BUILD:-$source_dir/build/dev}
kind=${HVLOG_KIND:-plain}
deps=$source_dir/build/deps

# The programs of this machine's own kind: a Windows build has them from the native one beside it.
native=$build_dir
if [ "$kind" = windows ]; then
    native=${HVLOG_NATIVE:-$source_dir/build/dev}
fi
tools=$native/tests/support
agent_bin=$native/bin/hvlog-agent
relay_bin=$native/bin/hvlog-relay

# Sanitized programs are slower by several times, and so is User-Mode Linux.
patience=1
if [ "$kind" != plain ] || [ -n "${HVLOG_UML:-}" ]; then
    patience=4
fi

# ---- outcome --------------------------------------------------------------------------------

say() {
    printf '%s\n' "$*"
}

skip() {
    say "skipped: $*"
    exit 77
}

# fail WHY - ends the test with what the programs had to say.
fail() {
    say "FAILED: $*"
    for log in "$dir"/*.log; do
        [ -s "$log" ] || continue
        say "--- $log"
        tail -n 15 "$log"
    done
    for program in agent relay; do
        if [ -f "$dir/$program.conf" ]; then
            say "--- status of $program"
            status_json "$program" || true
        fi
    done
    exit 1
}

need() {
    local command
    for command in "$@"; do
        command -v "$command" >/dev/null || skip "$command is not installed"
    done
}

need_peer() {
    [ -x "$deps/$1/bin/$2" ] || skip "$1 is not there: tests/support/peer-unpack $1 fetches it"
}

declare -A pids=() # of what was started and not yet waited for

# ---- waiting --------------------------------------------------------------------------------

# Between two looks at a state: nobody ever writes to this pipe.
exec {pause_fd}<> <(:)

pause() {
    read -r -t 0.03 -u "$pause_fd" || true
}

# nobody_died WAITING-FOR - there is nothing to wait for if a server is gone that nobody stopped.
nobody_died() {
    local name
    [ "$1" != has_ended ] || return 0
    for name in agent relay syslog-ng rsyslog; do
        if [ -n "${pids[$name]:-}" ] && ! is_running "$name"; then
            fail "$name has ended by itself"
        fi
    done
}

# wait_for SECONDS COMMAND... - until COMMAND succeeds. Fails the test if it does not.
wait_for() {
    local limit=$((SECONDS + $1 * patience))
    shift
    until "$@"; do
        nobody_died "$1"
        [ $SECONDS -le $limit ] || fail "waited in vain for: $*"
        pause
    done
}

# ---- processes ------------------------------------------------------------------------------

# start NAME NAMESPACE COMMAND... - in the background; its output goes to NAME.log. `-` is no namespace.
start() {
    local name=$1 namespace=$2
    shift 2
    if [ "$namespace" = - ]; then
        "$@" >>"$dir/$name.log" 2>&1 </dev/null &
    else
        ip netns exec "$namespace" "$@" >>"$dir/$name.log" 2>&1 </dev/null &
    fi
    pids[$name]=$!
}

# is_running NAME - by the kernel's word: in User-Mode Linux the shell sometimes does not notice that a child has
# ended until it waits for it, and a signal can still be sent to it.
is_running() {
    local line
    [ -n "${pids[$1]:-}" ] && read -r line <"/proc/${pids[$1]}/stat" && [[ ${line##*) } != Z* ]]
} 2>/dev/null

has_ended() {
    ! is_running "$1"
}

# finish NAME SECONDS - wait for its end, which must be a success.
finish() {
    local status=0
    wait_for "$2" has_ended "$1"
    wait "${pids[$1]}" || status=$?
    unset "pids[$1]"
    [ $status -eq 0 ] || fail "$1 ended with status $status"
}

# finish_all SECONDS NAME...
finish_all() {
    local limit=$1 name
    shift
    for name in "$@"; do
        finish "$name" "$limit"
    done
}

signal() {
    kill "-$2" "${pids[$1]}"
}

# stop NAME [SIGNAL] - end it and wait. With TERM, the default, it must end well.
stop() {
    local name=$1 how=${2:-TERM} status=0
    signal "$name" "$how"
    wait_for 20 has_ended "$name"
    wait "${pids[$name]}" 2>/dev/null || status=$?
    unset "pids[$name]"
    if [ "$how" = TERM ] && [ $status -ne 0 ]; then
        fail "$name, asked to end, did so with status $status"
    fi
}

clean_up() {
    local status=$? name
    trap - EXIT
    # A peer may have ended by itself just now.
    for name in "${!pids[@]}"; do
        kill -CONT "${pids[$name]}" 2>/dev/null || true
        kill "${pids[$name]}" 2>/dev/null || true
    done
    local limit=$((SECONDS + 5))
    for name in "${!pids[@]}"; do
        while is_running "$name" && [ $SECONDS -lt $limit ]; do
            pause
        done
        kill -KILL "${pids[$name]}" 2>/dev/null || true
    done
    if [ -n "${at_end:-}" ]; then
        $at_end || true
    fi
    for name in "${namespaces[@]}"; do
        ip netns del "$name" 2>/dev/null || true
    done
    if [ $status -eq 0 ] || [ $status -eq 77 ]; then
        rm -rf "$dir"
    else
        say "kept: $dir"
    fi
    exit $status
}

# ---- hosts ----------------------------------------------------------------------------------

namespaces=()

add_namespace() {
    ip netns add "$1"
    namespaces+=("$1")
    ip -n "$1" link set lo up
}

# connect_hosts A NAME ADDRESS... -- B NAME ADDRESS... - a cable between two namespaces.
connect_hosts() {
    local a=$1 a_name=$2 b b_name address
    local -a a_addresses=()
    shift 2
    while [ "$1" != -- ]; do
        a_addresses+=("$1")
        shift
    done
    b=$2 b_name=$3
    shift 3
    ip link add name "$a_name" netns "$a" type veth peer name "$b_name" netns "$b"
    for address in "${a_addresses[@]}"; do
        add_address "$a" "$a_name" "$address"
    done
    for address in "$@"; do
        add_address "$b" "$b_name" "$address"
    done
    ip -n "$a" link set "$a_name" up
    ip -n "$b" link set "$b_name" up
}

add_address() {
    case $3 in
        *:*)
            # Without IPv6 in the kernel there is nothing to add; has_ipv6 tells.
            if has_ipv6; then
                ip -n "$1" addr add "$3" dev "$2" nodad
            fi
            ;;
        *) ip -n "$1" addr add "$3" dev "$2" ;;
    esac
}

has_ipv6() {
    [ -e /proc/net/if_inet6 ]
}

# reaches NAMESPACE ADDRESS - whether a datagram gets there: after a cable is plugged in, IPv6 needs a moment
# before it answers, and what is sent meanwhile is lost.
reaches() {
    ip netns exec "$1" bash -c "echo >/dev/udp/$2/9" 2>/dev/null || return 1
    ip -n "$1" neigh show to "$2" | grep -q lladdr
}

# make_hosts - the picture at the top.
make_hosts() {
    lan=hvlog-lan-$$ win=hvlog-win-$$ wsl=hvlog-wsl-$$
    add_namespace "$lan"
    add_namespace "$win"
    add_namespace "$wsl"
    connect_hosts "$lan" eth0 192.0.2.2/24 2001:db8::2/64 -- \
        "$win" eth0 192.0.2.1/24 2001:db8::1/64
    wait_for 10 reaches "$lan" 192.0.2.1
    if has_ipv6; then
        wait_for 10 reaches "$lan" 2001:db8::1
    fi
}

# make_dir NAME - $dir. Paths of unix sockets are short, so it may have to lie elsewhere.
make_dir() {
    local base=$build_dir/e2e
    if [ -n "${HVLOG_UML:-}" ]; then
        base=/run/e2e # the only file system there that knows sockets
    fi
    if [ ${#base} -gt 60 ]; then
        base=${TMPDIR:-/tmp}/hvlog-e2e
    fi
    mkdir -p "$base"
    dir=$(mktemp -d "$base/$1.XXXXXX")
}

# begin NAME ARGUMENT... - to be called first, with the script's arguments.
begin() {
    local name=$1
    shift
    need ip
    [ -x "$agent_bin" ] || skip "$agent_bin is not built"
    if ! ip netns add "hvlog-try-$$" 2>/dev/null; then
        # Without rights on this machine a namespace of our own grants them.
        [ -z "${HVLOG_UNSHARED:-}" ] || skip "no right to make network namespaces"
        unshare -Urnm true 2>/dev/null ||
            skip "neither root nor user namespaces, so no network namespaces"
        # shellcheck disable=SC2016 # expanded inside
        HVLOG_UNSHARED=yes exec unshare -Urnm --kill-child \
            sh -c 'mount -t tmpfs tmpfs /run && exec "$0" "$@"' "$0" "$@"
    fi
    ip netns del "hvlog-try-$$"
    make_dir "$name"
    trap clean_up EXIT
    trap 'exit 1' INT TERM
    make_hosts
}

# ---- hvlog ----------------------------------------------------------------------------------

relay_command=("$relay_bin")

# make_link unix|tcp|vsock - $agent_link and $relay_link, the addresses of the two ends.
# shellcheck disable=SC2034 # for the scripts
make_link() {
    case $1 in
        unix)
            agent_link=unix:$dir/link.sock
            relay_link=$agent_link
            ;;
        vsock)
            agent_link=vsock:local:5140
            relay_link=vsock:any:5140
            ;;
        tcp)
            # The one cable of wsl, as the NAT's network is; there is no route on.
            connect_hosts "$win" wsl0 198.51.100.1/30 -- "$wsl" eth0 198.51.100.2/30
            agent_link=tcp:198.51.100.1:5140
            relay_link=$agent_link
            ;;
    esac
}

# config NAME - stdin becomes NAME.conf, with a control socket of its own.
config() {
    {
        cat
        printf '[control]\npath = %s\n' "$dir/$1.control"
    } >"$dir/$1.conf"
}

start_agent() {
    start agent "$wsl" "$agent_bin" run -c "$dir/agent.conf"
    wait_for 20 is_answering agent
}

start_relay() {
    start relay "$win" "${relay_command[@]}" run -c "$dir/relay.conf"
    wait_for 20 is_answering relay
}

# stop_relay - Wine passes on no SIGTERM; a service manager would ask the Windows program otherwise.
stop_relay() {
    if [ "$kind" = windows ]; then
        stop relay KILL
    else
        stop relay
    fi
}

status_json() {
    if [ "$1" = relay ]; then
        "${relay_command[@]}" status --json -c "$dir/relay.conf" 2>>"$dir/status.log"
    else
        "$agent_bin" status --json -c "$dir/$1.conf" 2>>"$dir/status.log"
    fi
}

is_answering() {
    is_running "$1" || fail "$1 has ended"
    status_json "$1" >/dev/null
}

# status PROGRAM KEY... - values of its status, one a line; nothing if it does not answer.
status() {
    local program=$1
    shift
    status_json "$program" | "$tools/json_pick" "$@" 2>>"$dir/status.log" || true
}

link_is_up() {
    [ "$(status agent link.state)" = up ] && [ "$(status relay link.state)" = up ]
}

# is_at_least PROGRAM KEY NUMBER
is_at_least() {
    local value
    value=$(status "$1" "$2")
    [ "${value:-0}" -ge "$3" ]
}

is_exactly() {
    [ "$(status "$1" "$2")" = "$3" ]
}

lines() {
    if [ -f "$1" ]; then
        wc -l <"$1"
    else
        echo 0
    fi
}

# has_lines FILE NUMBER
has_lines() {
    [ "$(lines "$1")" -ge "$2" ]
}

# is_settled in|out - nothing is held on the way from one program to the other.
is_settled() {
    is_exactly relay "balance.$1.held" 0 && is_exactly agent "balance.$2.held" 0
}

# must_balance PROGRAM DIRECTION RECEIVED - all was received, all was delivered, the books are right.
must_balance() {
    local books
    books=$(status "$1" balance."$2".received balance."$2".delivered balance."$2".dropped \
        balance."$2".held balance."$2".ok | tr '\n' ' ')
    [ "$books" = "$3 $3 0 0 true " ] ||
        fail "$1's books ($2) are: received, delivered, dropped, held, ok = $books; expected $3"
}

must_verify() {
    say "$("$tools/verify" "$@" 2>&1)" || true
    "$tools/verify" "$@" >/dev/null 2>&1 || fail "verify $*"
}

# ---- syslog servers -------------------------------------------------------------------------

is_listening() {
    ip netns exec "$1" ss -Hln "$2" "sport = :$3" | grep -q .
}

# start_syslog_ng NAMESPACE [tcp ADDRESS | udp ADDRESS | dgram PATH]... - at port 6514; each source writes
# what it gets, as it is, to FILE = $dir/syslog-ng-SOURCE.out
start_syslog_ng() {
    local namespace=$1 ready=()
    shift
    need_peer syslog-ng syslog-ng
    {
        echo '@version: 3.35'
        echo 'options { stats-freq(0); use-dns(no); keep-hostname(yes); flush-lines(1000); };'
        while [ $# -gt 0 ]; do
            ready+=("$1")
            case $1 in
                tcp)
                    printf 'source s_tcp { network(ip("%s") port(6514) transport(tcp)
                        max-connections(10) log-iw-size(20000) flags(no-parse)); };\n' "$2"
                    ;;
                udp)
                    printf 'source s_udp { network(ip("%s") port(6514) transport(udp)
                        so-rcvbuf(8388608) log-iw-size(20000) flags(no-parse)); };\n' "$2"
                    ;;
                dgram)
                    printf 'source s_dgram { unix-dgram("%s" so-rcvbuf(8388608)
                        log-iw-size(20000) flags(no-parse)); };\n' "$2"
                    ;;
            esac
            # shellcheck disable=SC2016 # a macro of syslog-ng
            printf 'destination d_%s { file("%s" template("$MESSAGE\\n")); };\n' "$1" \
                "$dir/syslog-ng-$1.out"
            printf 'log { source(s_%s); destination(d_%s); flags(flow-control); };\n' "$1" "$1"
            shift 2
        done
    } >"$dir/syslog-ng.conf"
    mkdir -p "$dir/syslog-ng"
    start syslog-ng "$namespace" "$deps/syslog-ng/bin/syslog-ng" -F --no-caps \
        -f "$dir/syslog-ng.conf" -R "$dir/syslog-ng/persist" -p "$dir/syslog-ng/pid" \
        -c "$dir/syslog-ng/ctl" --worker-threads=2
    wait_for 20 syslog_server_is_ready syslog-ng "$namespace" "${ready[@]}"
}

# start_rsyslog NAMESPACE [tcp ADDRESS | udp ADDRESS | dgram PATH]... - as start_syslog_ng, $dir/rsyslog-SOURCE.out, and
# beside it in $dir/rsyslog-SOURCE.parsed what it understood: program, facility, severity, text.
start_rsyslog() {
    local namespace=$1 how ready=()
    shift
    need_peer rsyslog rsyslogd
    {
        printf 'global(workDirectory="%s" maxMessageSize="64k")\n' "$dir/rsyslog"
        echo 'module(load="imtcp") module(load="imudp") module(load="imuxsock" SysSock.Use="off")'
        printf "%s\n" 'template(name="raw" type="string" string="%rawmsg%\n")'
        printf "%s\n" 'template(name="parsed" type="string"
            string="%programname% %syslogfacility-text% %syslogseverity-text% %msg%\n")'
        while [ $# -gt 0 ]; do
            ready+=("$1")
            printf 'ruleset(name="%s" queue.type="FixedArray" queue.size="400000"
                queue.dequeueBatchSize="1024") {\n' "$1"
            for how in raw:out parsed:parsed; do
                printf 'action(type="omfile" file="%s" template="%s" ioBufferSize="64k"
                    flushOnTXEnd="on")\n' "$dir/rsyslog-$1.${how#*:}" "${how%:*}"
            done
            echo '}'
            case $1 in
                tcp | udp)
                    printf 'input(type="im%s" address="%s" port="6514" ruleset="%s")\n' \
                        "$1" "$2" "$1"
                    ;;
                dgram)
                    # By itself imuxsock takes messages as of the C library, which name no host.
                    printf 'input(type="imuxsock" socket="%s" rateLimit.interval="0"
                        useSpecialParser="off" parseHostname="on"
                        ruleset="dgram")\n' "$2"
                    ;;
            esac
            shift 2
        done
    } >"$dir/rsyslog.conf"
    mkdir -p "$dir/rsyslog"
    start rsyslog "$namespace" "$deps/rsyslog/bin/rsyslogd" -n -f "$dir/rsyslog.conf" \
        -i "$dir/rsyslog/pid"
    wait_for 20 syslog_server_is_ready rsyslog "$namespace" "${ready[@]}"
}

# syslog_server_is_ready NAME NAMESPACE SOURCE...
syslog_server_is_ready() {
    local name=$1 namespace=$2 source
    shift 2
    is_running "$name" || fail "$name has ended"
    for source in "$@"; do
        case $source in
            tcp) is_listening "$namespace" -t 6514 || return 1 ;;
            udp) is_listening "$namespace" -u 6514 || return 1 ;;
            dgram) [ -S "$dir/dgram" ] || return 1 ;;
        esac
    done
}

# ---- the relay as the Windows program, under Wine ----------------------------------------------

# wine_path PATH - as a Windows program names it.
wine_path() {
    printf 'Z:%s' "${1//\//\\}"
}

# use_wine - from now on $relay_command is hvlog-relay.exe in $win. Wine's sockets belong to its server, so
# that has to be started in $win: hence a prefix of this test's own. To be called after begin.
use_wine() {
    local wine prefix=$build_dir/wine-e2e
    wine=$(command -v wine64 || command -v wine) || skip "wine is not installed"
    need wineserver
    [ -x "$build_dir/bin/hvlog-relay.exe" ] || skip "hvlog-relay.exe is not built"
    export WINEPREFIX=$prefix WINEDEBUG=-all WINEDLLOVERRIDES=winemenubuilder.exe,mscoree,mshtml=
    unset DISPLAY
    # Made outside of any namespace, and its server ended, so that the next one is $win's.
    "$source_dir/tests/support/wine-prefix" "$wine"
    wineserver -w
    at_end=end_wine
    relay_command=(ip netns exec "$win" "$wine" "$build_dir/bin/hvlog-relay.exe")
}

# Of this prefix only.
end_wine() {
    wineserver -k
}
