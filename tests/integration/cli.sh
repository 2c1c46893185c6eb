#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cli.sh PROGRAM - the command line of hvlog-agent or hvlog-relay: what it prints and its exit codes.
set -euo pipefail

name=$1
steps=100 # of a tenth of a second: the limit of every wait

folder=$(mktemp -d)
running=
cleanup() {
    [ -z "$running" ] || kill -KILL "$running" 2>/dev/null || true
    rm -rf "$folder"
}
trap cleanup EXIT
chmod 755 "$folder"
cd "$folder"
touch out err log

# The program under a name of its own, so that its process is the one that is started here.
if [ "$HVLOG_KIND" = windows ]; then
    printf '#!/bin/sh\nexec wine "%s/%s.exe" "$@"\n' "$HVLOG_BIN" "$name" >program
else
    printf '#!/bin/sh\nexec "%s/%s" "$@"\n' "$HVLOG_BIN" "$name" >program
fi
chmod 755 program

fail() {
    echo "$*"
    echo "stdout:"
    cat out
    echo "stderr:"
    cat err
    echo "log:"
    cat log
    exit 1
}

# expect CODE ARGUMENT... - run to the end.
expect() {
    local code=$1 got=0
    shift
    ./program "$@" >out 2>err </dev/null || got=$?
    [ "$got" = "$code" ] || fail "$name $*: exit code is $got, not $code"
}

# says FILE EXPRESSION - what the last command printed.
says() {
    grep -qE -- "$2" "$1" || fail "$name: no line on $1 matches: $2"
}

# Between two looks at a state: nobody ever writes to this descriptor.
exec {pause_fd}<> <(:)

# await WHAT COMMAND... - until COMMAND succeeds.
await() {
    local what=$1 i
    shift
    for ((i = 0; i < steps; i++)); do
        if "$@"; then
            return
        fi
        read -r -t 0.1 -u "$pause_fd" || true
    done
    fail "waited in vain: $what"
}

# start FILE - run with that configuration in the background; its own log is the file log.
start() {
    : >log
    ./program run -c "$1" >/dev/null 2>log </dev/null &
    running=$!
    await "the program is set up" grep -q "info: .* runs as " log
}

is_gone() {
    ! kill -0 "$running" 2>/dev/null
}

# stop CODE - after a signal was sent.
stop() {
    local got=0
    await "the program ends" is_gone
    wait "$running" || got=$?
    running=
    [ "$got" = "$1" ] || fail "$name run: exit code is $got, not $1"
}

# ---- the command line ----------------------------------------------------------------------------

expect 64
says err "^Usage: $name COMMAND"
[ ! -s out ] || fail "usage is printed on stdout"
expect 0 help
says out "^Usage: $name COMMAND"
says out "^\[input NAME\]"
cp out help
expect 0 --help
cmp -s out help || fail "--help is not help"
expect 0 check -c no-such.conf --help
expect 0 version
says out "^$name [0-9]+\.[0-9]+\.[0-9]+"
expect 0 --version
says out "^$name [0-9]+\.[0-9]+\.[0-9]+"
expect 64 stauts
says err "unknown command stauts \(did you mean status\?\)"
expect 64 status --jsno
says err "unknown option --jsno \(did you mean --json\?\)"
expect 64 run check
says err "one command is enough, there is also check"
expect 64 check -c
says err "-c needs the name of a file"
expect 64 check --json
says err "this command takes no --json"

# ---- check ---------------------------------------------------------------------------------------

control=$folder/control.sock
[ "$HVLOG_KIND" != windows ] || control="\\\\.\\pipe\\hvlog-cli-$$"
cat >good.conf <<END
[node]
name = cli
state_dir = state
drain_timeout = 1h
[link]
address = tcp:127.0.0.1:1
role = connect
[input udp]
listen = udp:127.0.0.1:0
[output null]
to = null:
[control]
path = $control
END
expect 0 check -c good.conf
says out "^good\.conf: ok"
expect 0 -c good.conf check
# What could not be printed was not said: also when it is longer than a buffer.
for command in version help "check -c good.conf"; do
    got=0
    # shellcheck disable=SC2086
    ./program $command >/dev/full 2>err </dev/null || got=$?
    [ "$got" = 69 ] || fail "$name $command to a full disk: exit code is $got, not 69"
done
printf '[link]\nadress = tcp:127.0.0.1:1\n' >bad.conf
for command in check run status; do
    expect 78 "$command" -c bad.conf
    says err 'bad\.conf:2: unknown key "adress" in \[link\] \(did you mean address\?\)'
    expect 78 "$command" -c no-such.conf
    says err 'no-such\.conf: not found'
done

{
    cat good.conf
    printf '[log]\nlevel = debug\n'
} | sed 's/^role/secret_file = secret\n&/' >secret.conf
expect 78 check -c secret.conf
says err "cannot read the secret in secret: not found"
! grep -q "others than its owner" err || fail "others are said to read a secret that is not there"
expect 78 run -c secret.conf
! grep -q "others than its owner" err || fail "others are said to read a secret that is not there"
printf 'short\n' >secret
expect 78 check -c secret.conf
says err "the secret in secret is shorter than 16 octets"
printf '0123456789abcdef\n' >secret
if [ "$HVLOG_KIND" != windows ]; then
    chmod 644 secret
    expect 0 check -c secret.conf
    says err "^secret: others than its owner can read the secret"
    chmod 600 secret
    expect 0 check -c secret.conf
    [ ! -s err ] || fail "a private secret is warned about"
fi

# ---- run and status ------------------------------------------------------------------------------

expect 69 status -c good.conf
says err "not running: nobody answers at "
[ "$(grep -c "^$name: " err)" = 1 ] || fail "status says more than one line"

start good.conf
port=$(sed -n 's/.*inputs udp udp:127\.0\.0\.1:\([0-9]*\).*/\1/p' log)
[ -n "$port" ] || fail "the log does not tell the port"

expect 0 status -c good.conf
says out "^$name [0-9.]+ on cli, since "
says out "balance ok: received 0 = delivered 0 \+ dropped 0 \+ held 0"
has_received() {
    ./program status -c good.conf --json >out 2>err </dev/null &&
        grep -q '"inputs":{"udp":{"listen":"udp:127.0.0.1:'"$port"'","received":1,' out
}
printf '<13>hello' >"/dev/udp/127.0.0.1/$port"
await "a message is received" has_received
says out '"balance":\{"out":\{"received":1,"delivered":0,"dropped":0,"held":1,"ok":true\}'
[ "$(wc -l <out)" = 1 ] || fail "JSON has more than one line"

sed "s|^path.*|path = $folder/other.sock|; s/udp:127.0.0.1:0/udp:127.0.0.1:$port/" good.conf >busy.conf
[ "$HVLOG_KIND" != windows ] || sed -i 's/^path.*/path = hvlog-cli-other/' busy.conf
expect 69 run -c busy.conf
says err "error: input udp: cannot listen on udp:127\.0\.0\.1:$port: address already in use"

if [ "$HVLOG_KIND" = windows ]; then
    # Nothing here can press Ctrl-C in a Windows program.
    kill "$running"
    await "the program ends" is_gone
    wait "$running" || true
    running=
    exit 0
fi

expect 69 run -c good.conf
says err "error: control: cannot listen on .*is this program running already\?"

./program status -c good.conf --watch --json >watched 2>err </dev/null &
watcher=$!
has_watched() {
    [ "$(wc -l <watched)" -ge 2 ]
}
await "status comes again" has_watched
kill -TERM "$watcher"
got=0
wait "$watcher" || got=$?
[ "$got" = 0 ] || fail "$name status --watch: exit code is $got, not 0"

# Into a pipe that nobody reads any more the watch ends. Its answer is longer than a buffer.
./program status -c good.conf --watch --json 2>err </dev/null | head -c 1 >/dev/null ||
    [ "${PIPESTATUS[0]}" = 69 ] || fail "$name status --watch goes on though nobody reads"

kill -HUP "$running"
await "SIGHUP is obeyed" grep -q "info: outputs reopen their files" log

# One message is held: nobody is at the other end of the link.
kill -TERM "$running"
await "SIGTERM is obeyed" grep -q "info: stops; " log
! is_gone || fail "the program does not wait for the message to leave"
kill -TERM "$running"
stop 0
says log "info: stops at once"
says log "info: stopped"
expect 69 status -c good.conf

# A configuration that never comes, from a pipe that nobody writes, does not make it deaf for signals.
mkfifo pipe.conf
./program run -c pipe.conf >/dev/null 2>log </dev/null &
running=$!
is_reading_pipe() {
    [ "$(cat "/proc/$running/comm")" = "$name" ]
}
await "the program reads its configuration" is_reading_pipe
kill -TERM "$running"
stop 143

# ---- rights --------------------------------------------------------------------------------------

# A network namespace of its own has ports that only root may have.
as_nobody=(unshare --net setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all)
if ! "${as_nobody[@]}" "$HVLOG_BIN/$name" version >/dev/null 2>&1; then
    echo "not looked at, as this user may not make network namespaces: a port below 1024"
    exit 0
fi
sed 's/udp:127.0.0.1:0/udp:0.0.0.0:514/; /^\[control\]/,$d' good.conf >rights.conf
got=0
"${as_nobody[@]}" "$HVLOG_BIN/$name" run -c rights.conf >out 2>err </dev/null || got=$?
[ "$got" = 77 ] || fail "$name run without rights: exit code is $got, not 77"
says err "error: .*udp:0\.0\.0\.0:514: permission denied .*a port below 1024 needs root or CAP_NET_BIND_SERVICE"
touch secret
chmod 600 secret
got=0
"${as_nobody[@]}" "$HVLOG_BIN/$name" check -c secret.conf >out 2>err </dev/null || got=$?
[ "$got" = 77 ] || fail "$name check with a secret of somebody else: exit code is $got, not 77"
