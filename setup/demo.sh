#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# demo.sh - shows on one machine what hvlog does: syslog goes both ways between a "LAN" and "WSL2".
#
# First stage: packages, build, choice of the place. Second stage (--show PLACE): the show itself, inside
# namespaces that are ours, so that nothing of it outlives this script, or else on loopback.
set -euo pipefail

usage() {
    cat <<'END'
usage: setup/demo.sh [option...]

  --no-install   install no packages: use what is there
  --loopback     no network namespaces, all on 127.0.0.1 and ::1
  --build DIR    build there in place of build/demo
  --help         print this

Builds hvlog, starts a relay and an agent, sends syslog with logger(1) through both, both ways, shows what
arrives and the status, stops. Writes only to the build folder. Root and most ordinary users get three hosts
of their own (network namespaces, which end with the demo); where that is not allowed, loopback is used.
END
}

install=yes
loopback=
show=
build=
while [ $# -gt 0 ]; do
    case $1 in
        --no-install) install= ;;
        --loopback) loopback=yes ;;
        --build)
            build=${2:?--build needs a folder}
            shift
            ;;
        --show)
            show=${2:?--show needs a place}
            shift
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            usage >&2
            exit 64
            ;;
    esac
    shift
done

source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath -m "${build:-$source_dir/build/demo}")

wait_seconds=20 # the limit of every wait

title() {
    printf '\n== %s\n' "$*"
}

say() {
    printf '   %s\n' "$@"
}

# explain LINE - between empty lines, before what it explains.
explain() {
    printf '\n   %s\n\n' "$1"
}

# indented [SED-ADDRESS] - copies stdin.
indented() {
    sed -n "${1:-}{s/^/   /;p}"
}

die() {
    printf 'demo.sh: %s\n' "$*" >&2
    exit 1
}

need() {
    local command
    for command in "$@"; do
        command -v "$command" >/dev/null || die "$command is not installed"
    done
}

# ---- first stage --------------------------------------------------------------------------------

# install_packages - only where there is apt; elsewhere the build says what it lacks.
install_packages() {
    [ -n "$install" ] && command -v apt-get >/dev/null || return 0
    "$source_dir/setup/packages.sh" demo ||
        die "packages are missing; --no-install goes on with what is there"
}

# build_programs - the first time takes seconds, later ones only what has changed.
build_programs() {
    local log=$build/build.log options=()
    need cmake cc logger
    if ! mkdir -p "$build" 2>/dev/null || ! [ -w "$build" ]; then
        die "$build cannot be written to; --build names another folder"
    fi
    if ! [ -f "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then
        options+=(-G Ninja)
    fi
    title "Building hvlog in $build"
    if ! {
        cmake -S "$source_dir" -B "$build" "${options[@]}" -DCMAKE_BUILD_TYPE=Release -DHVLOG_TESTS=OFF &&
            cmake --build "$build" -j "$(nproc)"
    } >"$log" 2>&1; then
        cat "$log"
        die "the build failed"
    fi
    say "$("$build/bin/hvlog-relay" version), $("$build/bin/hvlog-agent" version)"
}

# can_have_hosts UNSHARE-OPTION... - whether the namespaces, and all that is done in them, are allowed.
can_have_hosts() {
    command -v ip >/dev/null && command -v unshare >/dev/null &&
        unshare "$@" sh -c 'mount -t tmpfs tmpfs /run && ip netns add one && ip netns add two &&
            nsenter --net=/run/netns/one ip link set lo up &&
            ip link add name end1 netns one type veth peer name end2 netns two' >/dev/null 2>&1
}

# choose_place - replaces this process, which keeps its number, by the second stage.
choose_place() {
    local again=("$source_dir/setup/demo.sh" --build "$build" --show)
    if [ -z "$loopback" ]; then
        if [ "$(id -u)" -eq 0 ] && can_have_hosts --net --mount; then
            exec unshare --net --mount "${again[@]}" hosts
        elif can_have_hosts --user --map-root-user --net --mount; then
            exec unshare --user --map-root-user --net --mount "${again[@]}" hosts
        fi
    fi
    exec "${again[@]}" loopback
}

# ---- second stage: processes --------------------------------------------------------------------

declare -A pids=()

# in_host HOST COMMAND... - on loopback there is but one host.
in_host() {
    local host=$1
    shift
    if [ "$show" = hosts ]; then
        nsenter --net="/run/netns/$host" "$@"
    else
        "$@"
    fi
}

# start NAME HOST COMMAND... - in the background; it ends with this script, even if that is killed.
start() {
    local name=$1 host=$2
    shift 2
    if [ "$show" = hosts ]; then
        set -- nsenter --net="/run/netns/$host" "$@"
    fi
    setpriv --pdeathsig TERM "$@" >"$name.out" 2>"$name.log" </dev/null &
    pids[$name]=$!
}

is_running() {
    kill -0 "${pids[$1]}" 2>/dev/null
}

# fail WHAT - what the programs said is why.
fail() {
    local log
    printf '\ndemo.sh: %s\n' "$*" >&2
    for log in *.log; do
        [ ! -s "$log" ] || sed "s/^/  $log: /" "$log" >&2
    done
    exit 1
}

# wait_for WHAT COMMAND... - until COMMAND succeeds.
wait_for() {
    local what=$1 limit=$((SECONDS + wait_seconds)) name
    shift
    until "$@"; do
        for name in "${!pids[@]}"; do
            is_running "$name" || fail "$name has ended"
        done
        [ "$SECONDS" -lt "$limit" ] || fail "waited in vain for $what"
        sleep 0.05
    done
}

has_ended() {
    ! is_running "$1"
}

# stop NAME - by SIGTERM, as a service manager would.
stop() {
    local pid=${pids[$1]} status=0
    kill -TERM "$pid"
    wait "$pid" || status=$?
    unset "pids[$1]"
    [ "$status" -eq 0 ] || fail "$1 ended with exit code $status"
}

# clean_up - also after Ctrl-C. Namespaces go with their last process.
clean_up() {
    local status=$? pid
    trap '' INT TERM HUP
    for pid in "${pids[@]}"; do
        kill -TERM "$pid" 2>/dev/null || true
    done
    # A second SIGTERM: do not wait for messages to leave.
    for pid in "${pids[@]}"; do
        kill -TERM "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    cd /
    rm -rf "$folder"
    exit "$status"
}

# ---- second stage: the three hosts --------------------------------------------------------------

has_ipv6() {
    [ -e /proc/net/if_inet6 ]
}

make_hosts() {
    local host
    for host in lan win wsl; do
        ip netns add "$host"
        ip -n "$host" link set lo up
    done
    ip link add name eth0 netns lan type veth peer name eth0 netns win
    ip -n lan addr add 192.0.2.10/24 dev eth0
    ip -n win addr add 192.0.2.1/24 dev eth0
    if has_ipv6; then
        ip -n lan addr add 2001:db8::10/64 dev eth0 nodad
        ip -n win addr add 2001:db8::1/64 dev eth0 nodad
    fi
    ip -n lan link set eth0 up
    ip -n win link set eth0 up
    wait_for "the cable" is_reached 192.0.2.1
    if has_ipv6; then
        wait_for "the cable" is_reached 2001:db8::1
    fi
}

# is_reached ADDRESS - whether win answers lan there. The first moments of a new cable lose datagrams.
is_reached() {
    in_host lan bash -c "echo >/dev/udp/$1/9" 2>/dev/null || return 1
    ip -n lan neigh show to "$1" | grep -q lladdr
}

# ---- second stage: the show ---------------------------------------------------------------------

# write_configs RELAY-INPUT... - each is "NAME ADDRESS".
write_configs() {
    local input
    (umask 077 && head -c 32 /dev/urandom | base64 >secret)
    {
        cat <<'END'
[node]
name = win
[link]
role = listen
address = unix:link.sock
secret_file = secret
[control]
path = relay.sock
[output collector]
END
        echo "to = udp:$collector"
        for input in "$@"; do
            printf '[input %s]\nlisten = %s\n' "${input% *}" "${input#* }"
        done
    } >relay.conf
    cat >agent.conf <<'END'
[node]
name = wsl
[link]
role = connect
address = unix:link.sock
secret_file = secret
[control]
path = agent.sock
[output messages]
to = file:messages.log
prefix = source
[input local]
listen = unix-dgram:local.sock
END
}

# status_of NAME [--json]
status_of() {
    "$build/bin/hvlog-$1" status -c "$1.conf" "${@:2}" 2>/dev/null
}

is_answering() {
    status_of "$1" >/dev/null
}

link_is_up() {
    status_of agent --json | grep -q '"state":"up"'
}

# has_lines FILE COUNT
has_lines() {
    [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

# is_settled NAME - nothing is on its way any more.
is_settled() {
    ! status_of "$1" --json | grep -q '"held":[1-9]'
}

# listens_on INPUT - the port of a relay's input, which on loopback the system chose.
listens_on() {
    status_of relay --json | sed -n "s/.*\"$1\":{\"listen\":\"[^\"]*:\([0-9]*\)\".*/\1/p"
}

# start_collector - a syslog server of one line for the LAN, which shows who sent a message.
start_collector() {
    # shellcheck disable=SC2016 # perl's own variables
    start collector lan perl -MIO::Socket::INET -e '
        $| = 1;
        my $s = IO::Socket::INET->new(LocalAddr => $ARGV[0], Proto => "udp") or die "$ARGV[0]: $!";
        print "listens on ", $s->sockhost, ":", $s->sockport, "\n";
        while (defined $s->recv(my $message, 65535)) {
            $message =~ s/\n*$//;
            print $s->peerhost, ":", $s->peerport, " udp ", $message, "\n";
        }' "$1"
    wait_for "the collector" has_lines collector.out 1
    collector=$(sed -n 's/^listens on //p' collector.out)
}

sent=0

# send HOW ADDRESS INPUT LOGGER-OPTION... - one message from the LAN.
send() {
    local how=$1 address=$2 port
    port=$(listens_on "$3")
    shift 3
    printf '   logger -n %s -P %s %s\n' "$address" "$port" "$*"
    in_host lan logger -n "$address" -P "$port" -p local0.warning -t demo "$@" "$how" ||
        fail "logger failed"
    sent=$((sent + 1))
}

# send_all NUMBER4 ADDRESS4 [ADDRESS6] - the inputs are udp4, tcp4, udp6, tcp6.
send_all() {
    send "UDP, RFC 3164" "$1" udp4 -d --rfc3164
    send "TCP, RFC 5424, a line feed ends the message" "$1" tcp4 -T --rfc5424=notq
    if [ $# -gt 1 ]; then
        send "UDP over IPv6, RFC 5424" "$2" udp6 -d --rfc5424=notq
        send "TCP over IPv6, RFC 5424, octet counting" "$2" tcp6 -T --rfc5424=notq --octet-count
    else
        send "TCP, RFC 5424, octet counting" "$1" tcp4 -T --rfc5424=notq --octet-count
    fi
}

explain_hosts() {
    cat <<'END'
   Three hosts, each a network namespace; wsl has no network at all, as if it sat behind WSL2's NAT:

     lan: a device                 win: the Windows host              wsl: the WSL2 guest
     192.0.2.10   --- UDP, TCP --> 192.0.2.1, hvlog-relay ==========> hvlog-agent --> messages.log
     2001:db8::10                  2001:db8::1              the link

   The link is a unix socket here; between Windows and WSL2 it is a Hyper-V socket. Both ends prove that they
   know the same secret.
END
}

explain_loopback() {
    cat <<'END'
   Network namespaces cannot be made here (or --loopback was given), so all is on loopback, with ports that
   the system chose, and every source is this machine itself. Root may see other hosts' addresses, with
   iproute2 installed.

     logger --- UDP, TCP --> hvlog-relay ==========> hvlog-agent --> messages.log
                                         the link

   The link is a unix socket here; between Windows and WSL2 it is a Hyper-V socket. Both ends prove that they
   know the same secret.
END
}

prepare_hosts() {
    title "Three hosts and a link"
    explain_hosts
    make_hosts
    start_collector 192.0.2.10:514
    to=(192.0.2.1)
    inputs=("udp4 udp:192.0.2.1:514" "tcp4 tcp:192.0.2.1:514")
    if has_ipv6; then
        to+=(2001:db8::1)
        inputs+=("udp6 udp:[2001:db8::1]:514" "tcp6 tcp:[2001:db8::1]:514")
    fi
}

prepare_loopback() {
    title "One host and a link"
    explain_loopback
    start_collector 127.0.0.1:0
    to=(127.0.0.1)
    inputs=("udp4 udp:127.0.0.1:0" "tcp4 tcp:127.0.0.1:0")
    if has_ipv6 && grep -q '^0*1 ' /proc/net/if_inet6; then
        to+=(::1)
        inputs+=("udp6 udp:[::1]:0" "tcp6 tcp:[::1]:0")
    fi
}

run_show() {
    local parent=$build name
    [ "$show" = loopback ] || parent=/run
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    if [ "$show" = hosts ]; then
        mount -t tmpfs tmpfs /run # for ip's list of namespaces, too; nobody else sees it
    fi
    folder=$(mktemp -d "$parent/hvlog-demo.XXXXXX")
    trap clean_up EXIT
    cd "$folder" # paths of sockets have to be short

    "prepare_$show"
    write_configs "${inputs[@]}"
    start relay win "$build/bin/hvlog-relay" run -c relay.conf
    start agent wsl "$build/bin/hvlog-agent" run -c agent.conf
    wait_for "the relay" is_answering relay
    wait_for "the link" link_is_up

    title "From the LAN: real syslog to the relay's address"
    send_all "${to[@]}"
    wait_for "all messages" has_lines messages.log "$sent"
    explain "What the agent wrote to messages.log: the true source first, then the message, untouched."
    indented <messages.log

    title "The other way: a program in WSL2 logs, a collector on the LAN receives"
    say "logger -u local.sock"
    in_host wsl logger -u local.sock -d -p local0.warning -t demo "from inside WSL2, to the LAN"
    wait_for "the collector's message" has_lines collector.out 2
    explain "What the collector got, and from which address:"
    indented '2,$' <collector.out

    title "Nothing lost: status of both, where received = delivered + dropped + held"
    wait_for "the relay's books" is_settled relay
    wait_for "the agent's books" is_settled agent
    for name in relay agent; do
        explain "hvlog-$name status"
        status_of "$name" | indented
    done

    stop agent
    stop relay
    kill "${pids[collector]}"
    title "Both programs stopped, all is cleaned up"
    say "Next: README.md says how to run it between Windows and WSL2; ./tests/run.sh runs all tests."
}

case $show in
    '')
        install_packages
        build_programs
        choose_place
        ;;
    hosts | loopback) run_show ;;
    *) die "--show is for this script's own use" ;;
esac
