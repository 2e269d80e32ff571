#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whose rights: what belongs to a traced process is opened with that process's rights, below its root,
# and what a tool under sudo writes is written with its caller's.
set -u
. "$(dirname "$0")/lib.sh"
if [ -e /dev/pitrace ]; then collector=driver; else collector=perf; fi

# ---- perf maps (point 11): alice's command has code of its own making; its map is another's file
folder a $alice 700
maps=
trap 'cd /; rm -rf "$work" $maps' EXIT
# traced_map NAME COMMAND: COMMAND (with $map and what it needs) makes the map of the process that is
# traced; the trace is $work/a/NAME.nrm2
traced_map() {
	sudo_by $alice "$bin/swtrace" run -q -B $collector -o "$work/a/$1.nrm2" -- unshare -Urm sh -c '
		map=/tmp/perf-$$.map
		echo "$map" >'"$work/a/$1.map"'
		'"$2"'
		exec "'"$programs"'/anon_code" 2500' >"$work/out" 2>&1
	verdict "$1_traced" $?
	maps="$maps $(cat "$work/a/$1.map")"
}
victim "$work/shadow"
victim "$work/bobs" $bob
# What shows that the test would see it: her own.
traced_map own 'echo "1000 10 '"$words"'" >$map'
grep -aq "$words" a/own.nrm2
verdict own_map_is_there $? "her own map is not in the trace"
for whose in shadow bobs; do
	traced_map $whose ': >$map; mount --bind '"$work/$whose"' $map || exit 3'
	kept_secret bound_map_$whose a/$whose.nrm2
done
# Without namespaces: a root-only file beside, linked by root to where the map is looked for, as alice
# could where links to others' files are not forbidden (fs.protected_hardlinks).
victim "/tmp/users-$suite.$$"
maps="$maps /tmp/users-$suite.$$ /tmp/users-$suite.$$.before"
(
	for _ in $(seq 100); do
		pid=$(cat a/linked.pid 2>/dev/null) && [ -n "$pid" ] && break
		sleep 0.05
	done
	ln "/tmp/users-$suite.$$" "/tmp/perf-$pid.map"
) &
sudo_by $alice "$bin/swtrace" run -q -B $collector -o "$work/a/linked.nrm2" -- sh -c \
	"echo \$\$ >$work/a/linked.pid; exec '$programs/anon_code' 2500" >out 2>&1
verdict linked_traced $?
wait
maps="$maps /tmp/perf-$(cat a/linked.pid).map"
kept_secret linked_map a/linked.nrm2
# One that lived too short to be asked: with alice's rights too.
sudo_by $alice "$bin/swtrace" run -q -B $collector -o "$work/a/gone.nrm2" -- unshare -Urm sh -c \
	"exec '$programs/anon_code' 0" >out 2>&1
verdict gone_traced $?
# Root's own programs keep their maps.
"$bin/swtrace" run -q -B $collector -o roots.nrm2 -- sh -c \
	'echo "1000 10 roots_own_words" >/tmp/perf-$$.map; echo /tmp/perf-$$.map >roots.map; exec "'"$programs"'/anon_code" 2500' >out 2>&1
verdict roots_traced $?
maps="$maps $(cat roots.map)"
grep -aq roots_own_words roots.nrm2
verdict roots_map_is_there $? "root's map is not in the trace"
chmod 600 "$(cat roots.map)"

[ "$failures" = 0 ]
