#!/bin/sh
# SPDX-License-Identifier: MIT
# manual.sh - the manual pages are well-formed and name every setting; the samples pass `check`.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=

complain() {
    echo "$*"
    failed=yes
}

# program NAME ARGUMENT... - run it, whatever system it is for.
program() {
    name=$1
    shift
    if [ "$HVLOG_KIND" = windows ]; then
        wine "$HVLOG_BIN/$name.exe" "$@"
    else
        "$HVLOG_BIN/$name" "$@"
    fi
}

# ---- manual pages --------------------------------------------------------------------------------

pages="common/bridge/hvlog.conf.5 linux-agent/hvlog-agent.8 windows-relay/hvlog-relay.8"
conf=$HVLOG_SOURCE/common/bridge/hvlog.conf.5
if command -v man >/dev/null; then
    for page in $pages; do
        LC_ALL=C.UTF-8 man --warnings --encoding=UTF-8 --local-file --troff-device=utf8 \
            "$HVLOG_SOURCE/$page" >/dev/null 2>"$folder/warnings" || complain "$page: man fails"
        if [ -s "$folder/warnings" ]; then
            complain "$page: $(cat "$folder/warnings")"
        fi
    done
else
    echo "not looked at, as man is not installed: whether the pages are well-formed"
fi

program hvlog-relay help | tr -d '\r' >"$folder/help"
sed -n '/^Configuration:/,$s/^  \([a-z_]*\)  .*/\1/p' "$folder/help" | sort -u >"$folder/keys"
sed -n 's/^\[\([a-z]*\).*/\1/p' "$folder/help" >"$folder/sections"
if [ "$(wc -l <"$folder/keys")" -lt 20 ] || [ "$(wc -l <"$folder/sections")" -lt 7 ]; then
    complain "help has too few settings for this test to believe it"
fi
while read -r key; do
    grep -qE "^\.It Cm .*\b$key\b" "$conf" || complain "hvlog.conf(5) does not explain $key"
done <"$folder/keys"
while read -r section; do
    grep -qE "^\.Ss \[$section( NAME)?\]" "$conf" || complain "hvlog.conf(5) has no [$section]"
done <"$folder/sections"

# Each counter of the tables that the JSON is made from.
grep -oE '(IN|OUT)PUT\((NULL|"[a-z_]+"), "[a-z_]+"' "$HVLOG_SOURCE/common/bridge/status.c" |
    sed 's/^.*(//; s/^NULL, //; s/", "/./; s/"//g' >"$folder/counters"
if [ "$(wc -l <"$folder/counters")" -lt 28 ]; then
    complain "status.c has too few counters for this test to believe it"
fi
while read -r counter; do
    grep -qxF ".It Cm $counter" "$conf" || complain "hvlog.conf(5) does not explain $counter"
done <"$folder/counters"

# ---- samples -------------------------------------------------------------------------------------

# What stands behind a # without a blank is a setting.
uncomment() {
    sed 's/^#\([a-z[]\)/\1/'
}

# check PROGRAM FILE - a sample, as it is made for this system.
check() {
    if ! program "$1" check -c "$2" >"$folder/out" 2>&1; then
        complain "$1 check: $(cat "$folder/out")"
    fi
}

cd "$folder"
printf '0123456789abcdef\n' >secret
chmod 600 secret
sample=$HVLOG_SOURCE/setup/hvlog-relay.conf.sample
if [ "$HVLOG_KIND" = windows ]; then
    sed 's/^#vm_id/vm_id/' "$sample" >relay.conf
    uncomment <"$sample" | sed 's/^secret_file.*/secret_file = secret/' >relay-all.conf
else
    sed 's/^address.*/address = tcp:127.0.0.1:5140/' "$sample" >relay.conf
    uncomment <"$sample" | sed 's/^secret_file.*/secret_file = secret/
        s/^address.*/address = tcp:127.0.0.1:5140/' >relay-all.conf
    sample=$HVLOG_SOURCE/setup/hvlog-agent.conf.sample
    uncomment <"$sample" | sed 's/^secret_file.*/secret_file = secret/' >agent-all.conf
    check hvlog-agent "$sample"
    check hvlog-agent agent-all.conf
fi
check hvlog-relay relay.conf
check hvlog-relay relay-all.conf

[ -z "$failed" ] || exit 1
