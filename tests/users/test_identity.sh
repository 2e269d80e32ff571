#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The rights used: files of a traced process are opened with that process's rights, below its root, and files written
# under sudo with the caller's.
set -u
. "$(dirname "$0")/lib.sh"
if [ -e /dev/pitrace ]; then collector=driver; else collector=perf; fi

# ---- perf maps (point 11): alice's command has code of its own making; its map is another's file
folder a $alice 700
maps=
trap 'cd /; end $(jobs -p); rm -rf "$work" $maps' EXIT
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
# Shows that the test would notice it: the user's own map.
traced_map own 'echo "1000 10 '"$words"'" >$map'
grep -aq "$words" a/own.nrm2
verdict own_map_is_there $? "her own map is not in the trace"
for whose in shadow bobs; do
	traced_map $whose ': >$map; mount --bind '"$work/$whose"' $map || exit 3'
	kept_secret bound_map_$whose a/$whose.nrm2
done
# Without namespaces: a root-only file, hard-linked by root into the place of the map, as alice could do where links
# to others' files are allowed (fs.protected_hardlinks).
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

# ---- traces (point 13): alice calls sudo, and may not write where root alone may
folder roots 0 700
victim roots/x.nrm2
victim roots/get.nrm2
victim roots/x.nrm2.1
# all_untouched NAME: nothing in root's folder was changed, added or removed
all_untouched() {
	untouched "$1_file" roots/x.nrm2
	untouched "$1_get_file" roots/get.nrm2
	untouched "$1_numbered_file" roots/x.nrm2.1
	is "$1_folder" "$(cd roots && echo *nrm2*)" \
		"get.nrm2 get.nrm2.after get.nrm2.before x.nrm2 x.nrm2.1 x.nrm2.1.after x.nrm2.1.before x.nrm2.after x.nrm2.before"
}
all_untouched begin >/dev/null
for mode in cont norm; do
	sudo_by $alice "$bin/swtrace" run -q -B $collector -t $mode -o "$work/roots/new.nrm2" -- touch "$work/a/ran" >out 2>&1
	is roots_folder_${mode}_refused $? 125
	says roots_folder_${mode}_words out 'Permission denied'
	is roots_folder_${mode}_before_the_run "$(ls a/ran 2>/dev/null)" ''
	sudo_by $alice "$bin/swtrace" run -q -B $collector -t $mode -o "$work/roots/x.nrm2" -- true >out 2>&1
	is roots_file_${mode}_refused $? 125
	all_untouched roots_folder_$mode
done

# The command exchanges the trace's folder for a link to root's while it is traced.
# exchanged NAME OPTIONS... -- COMMAND: COMMAND runs between
exchanged() {
	local name=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	rm -rf a/d a/kept
	folder a/d $alice 700
	sudo_by $alice timeout 60 "$bin/swtrace" run -q -B $collector "${options[@]}" -o "$work/a/d/x.nrm2" -- sh -c \
		"mv $work/a/d $work/a/kept && ln -s $work/roots $work/a/d; $2" >out 2>&1
	verdict "exchanged_$name" $?
	all_untouched "exchanged_$name"
	is "exchanged_${name}_owner" "$(stat -c '%u %g %a' a/kept/x.nrm2)" "$alice $alice 600"
}
exchanged cont -t cont -- true
exchanged norm -t norm -- true
exchanged rotated -t cont --rotate-time 1s -- \
	"n=0; until [ -e $work/a/kept/x.nrm2.2 ] || [ \$n = 40 ]; do n=\$((n + 1)); sleep 1; done"
[ -e a/kept/x.nrm2.1 ]
verdict exchanged_rotated_where_it_was $? "no rotated file: $(ls a/kept)"
is exchanged_rotated_its_owner "$(stat -c '%u %g %a' a/kept/x.nrm2.1)" "$alice $alice 600"
exchanged snapshot -t wrap -- "$programs/unruly snapshots 2"
[ -s a/kept/x.nrm2.1 ] && [ -s a/kept/x.nrm2.2 ]
verdict exchanged_snapshot_where_it_was $? "no snapshot: $(ls a/kept)"
is exchanged_snapshot_its_owner "$(stat -c '%u %g %a' a/kept/x.nrm2.1)" "$alice $alice 600"
# A session that is held: what is written later, elsewhere.
folder held $alice 700
export PITRACE_SOCKET=$work/held/socket
sudo_by $alice "$bin/swtrace" init -B $collector -t cont -f "$work/held/x.nrm2" >out 2>&1 && "$bin/swtrace" on >out 2>&1
verdict held_on $?
mv held held2 && folder held $alice 700
sudo_by $alice env PITRACE_SOCKET="$work/held2/socket" "$bin/swtrace" get "$work/roots/get.nrm2" >out 2>&1
[ $? != 0 ]
verdict held_get_refused $? "it wrote into root's folder"
all_untouched held_get
sudo_by $alice env PITRACE_SOCKET="$work/held2/socket" "$bin/swtrace" get "$work/a/get.nrm2" >out 2>&1
verdict held_get $?
is held_get_owner "$(stat -c '%u %g %a' a/get.nrm2)" "$alice $alice 600"
rm -rf held && ln -s roots held
sudo_by $alice env PITRACE_SOCKET="$work/held2/socket" "$bin/swtrace" free >out 2>&1
verdict held_free $?
unset PITRACE_SOCKET
all_untouched held
# Real root writes where root may.
"$bin/swtrace" run -q -B $collector -o roots/own.nrm2 -- true >out 2>&1
verdict root_itself $?
is root_itself_owner "$(stat -c '%u %g %a' roots/own.nrm2)" "0 0 600"

# ---- records of programs (point 16): alice's program copies its hook file to names of others' processes
cat >forge <<'END'
"$1" 1000 1 3000000 >told &
own=$!
while [ ! -e "$PITRACE_HOOKS/$own.0" ] && kill -0 $own; do sleep 0.02; done
(cd "$PITRACE_HOOKS" && for pid in 1 "$3" 99999999 $PPID; do
	cp "$own.0" "tmp$pid" && mv "tmp$pid" "$pid.0" && echo $own >"$2/own"
done)
wait
sleep 1
END
# records TRACE: of the programs' major, as PID COUNT
records() {
	(cd a && "$bin/post" -q -show -json -r "$1" >/dev/null 2>&1
		grep '"major":209,' post.show | grep -o '"pid":[0-9]*' | sort | uniq -c | awk '{ print $2, $1 }')
}
sleep 300 &
roots=$!
# In normal mode its process is gone when the file is read; it counts all the same.
for mode in cont norm; do
	rm -f a/told a/own
	(cd a && sudo_by $alice "$bin/swtrace" run -q -B perf -t $mode -M user -o forge.nrm2 -- \
		sh "$work/forge" "$programs/marks" "$work/a" $roots) >out 2>&1
	verdict forge_${mode}_ran $?
	is forge_${mode}_written "$(tail -n 1 a/told)" 'written 1000 lost 0 nobody 0'
	is forge_${mode}_believed "$(records forge.nrm2)" "\"pid\":$(cat a/own) 1000"
done
kill $roots

# ---- devices (point 17): a mapped file's path becomes a link to one
mknod "$work/device" c 1 3 && chmod 666 "$work/device"
"$programs/watched" opens "$work/device" cat "$work/device" >out
is device_is_watched $? 1
folder a/lib $alice 700
for name in $collector ptrace timer; do
	rm -f a/lib/*
	options=()
	[ $name != ptrace ] || options=(--itrace)
	sudo_by $alice "$programs/watched" opens "$work/device" "$bin/swtrace" run -q -B $name "${options[@]}" \
		-o "$work/a/links.nrm2" -- "$programs/watched" links "$work/a/lib" "$work/device" >out 2>&1
	is device_not_opened_by_$name $? 0
	[ -s a/links.nrm2 ] && [ -L a/lib/lib39.so ]
	verdict device_traced_by_$name $?
	(cd a && "$programs/watched" opens "$work/device" "$bin/post" -q -r links.nrm2) >out 2>&1
	is device_not_opened_by_post_of_$name $? 0
done
# The interpreter that a script names.
printf '#!%s\n' "$work/device" >a/script && chmod 755 a/script
sudo_by $alice "$programs/watched" opens "$work/device" "$bin/swtrace" run -q -B timer -o "$work/a/script.nrm2" -- \
	"$work/a/script" >out 2>&1
is device_not_opened_as_interpreter $? 0

# ---- programs that gain rights (point 18): instruction traces by ptrace, which are alice's
folder programs 0 755
for name in plain suid sgid capable unreadable; do
	cp "$programs/watched" "programs/the_$name" && chmod 755 "programs/the_$name"
done
chown $bob programs/the_suid && chmod 4755 programs/the_suid
chgrp $bob programs/the_sgid && chmod 2755 programs/the_sgid
"$programs/watched" gains programs/the_capable
verdict gains_prepared $?
chmod 711 programs/the_unreadable
# stepped NAME COMMAND: its trace is a/NAME.nrm2; what it says a/NAME.told
stepped() {
	echo "$2" >"$work/a/$1.sh"
	sudo_by $alice timeout 300 "$bin/swtrace" run --itrace -B ptrace -n 3000000 -o "$work/a/$1.nrm2" -- sh "$work/a/$1.sh" \
		>"a/$1.told" 2>out
	is "gains_$1_code" $? 7
}
shows() { # NAME PROGRAM: is that program in its trace?
	grep -aq "the_$2" "a/$1.nrm2" && echo yes || echo no
}
# As children of a process that continues and then executes a program that may be traced; as the command itself.
stepped children "for name in suid sgid capable unreadable; do $work/programs/the_\$name ids; done
exec $work/programs/the_plain ids"
is gains_children_ids "$(tr '\n' , <a/children.told)" "$bob $alice,$alice $bob,$alice $alice,$alice $alice,$alice $alice,"
for name in suid sgid capable unreadable; do
	is gains_${name}_seen "$(shows children $name)" no
done
is gains_plain_seen "$(shows children plain)" yes
says gains_children_words out '4 programs that gained rights left out'
stepped command "exec $work/programs/the_suid ids"
is gains_command_ids "$(cat a/command.told)" "$bob $alice"
is gains_command_seen "$(shows command suid)" no
says gains_command_words out '1 program that gained rights left out'
(cd a && "$bin/post" -q -show -json -r command.nrm2) >out 2>&1
grep -q '"record":"itstop","kind":"exec"' a/post.show
verdict gains_command_reason $? "no stop by exec in: $(tail -n 3 a/post.show | cut -c 1-300)"

[ "$failures" = 0 ]
