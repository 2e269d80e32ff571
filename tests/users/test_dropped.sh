#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that root begins and that drop root's rights: their records are in root's session, under the
# new user's number. Programs of the new user that never had root's rights are told, and have none.
set -u
. "$(dirname "$0")/lib.sh"
folder roots 0 700
folder jail 0 755
folder open $alice 777
folder a $alice 700

# read_back TRACE: the programs' records in it, as PID UID COUNT
read_back() {
	(cd roots && rm -f post.show && "$bin/post" -q -show -json -r "$1" >/dev/null 2>&1
		grep '"major":209,' post.show | grep -oE '"(pid|uid)":[0-9]*' | paste - - | sort | uniq -c |
			sed -E 's/ *([0-9]+) "pid":([0-9]+).*"uid":([0-9]+)/\2 \3 \1/')
}
# whole NAME OUTPUT TRACE [EARLY]: all were written, and are there
whole() {
	local pid
	pid=$(tail -n 1 "$2" | awk '{ print $1 }')
	is "$1_written" "$(tail -n 1 "$2")" "$pid written 200 nobody 0 other 0"
	is "$1_read" "$(read_back "$3" | grep " $alice ")" "$pid $alice $((200 + ${4:-0}))"
}

# ---- swtrace run: the library is loaded before the rights are gone
run() { # NAME EARLY WORDS...
	local name=$1 early=$2
	shift 2
	"$bin/swtrace" run -q -B perf -M user -o "roots/$name.nrm2" -- "$programs/dropped" $alice 200 "$@" \
		>"$name.out" 2>out
	whole "$name" "$name.out" "$name.nrm2"
}
run late 0
run closed 0 close
run jailed 0 chroot "$work/jail"
run worker 0 worker close chroot "$work/jail"
# A file that was made before stays the process's own: all its records have the user who made it.
"$bin/swtrace" run -q -B perf -M user -o roots/early.nrm2 -- "$programs/dropped" $alice 200 early close \
	>early.out 2>out
is early_written "$(tail -n 1 early.out | cut -d' ' -f2-)" 'written 200 nobody 0 other 0'
is early_read "$(read_back early.nrm2)" "$(tail -n 1 early.out | cut -d' ' -f1) 0 201"
run early_worker 1 early worker chroot "$work/jail"
# In normal mode files are read when the process has gone.
"$bin/swtrace" run -q -B perf -t norm -M user -o roots/norm.nrm2 -- "$programs/dropped" $alice 200 >norm.out 2>out
whole norm norm.out norm.nrm2

# ---- swtrace init: the daemon is there before, and its rights are gone
export PITRACE_SOCKET=$work/roots/socket
for how in late early; do
	rm -f open/go open/end
	words=()
	[ $how = late ] || words=(early)
	"$programs/dropped" $alice 200 "${words[@]}" chroot "$work/jail" close wait "$work/open/go" \
		stay "$work/open/end" >$how.out 2>err &
	daemon=$!
	sleep 0.5
	for session in 1 2; do
		"$bin/swtrace" init -t cont -B perf -f "$work/roots/$how$session.nrm2" >out 2>&1 &&
			"$bin/swtrace" enable user >>out 2>&1 && "$bin/swtrace" on >>out 2>&1
		verdict init_${how}_on_$session $?
		touch open/go
		for _ in $(seq 200); do
			[ -s $how.out ] && break
			sleep 0.05
		done
		"$bin/swtrace" off >off.out 2>&1 && "$bin/swtrace" free >>off.out 2>&1
		verdict init_${how}_off_$session $?
	done
	"$bin/swtrace" check -p $daemon >out 2>&1
	says init_${how}_checked out "are recorded: it is user $alice's, and root began it"
	# Others of that user find its key nowhere.
	as $alice cat /proc/$daemon/maps >seen 2>&1
	[ ! -s seen ] || grep -q denied seen
	verdict init_${how}_closed $? "its memory can be read by others of that user"
	touch open/end
	wait $daemon
	whole init_$how $how.out ${how}1.nrm2
done

# ---- who never had root's rights has no records there, and is counted
unset PITRACE_SOCKET
"$bin/swtrace" run -B perf -M user -o roots/refused.nrm2 -- \
	setpriv --reuid $alice --regid $alice --clear-groups "$programs/marks" 5 1 0 >out 2>line
is refused_written "$(tail -n 1 out)" 'written 0 lost 0 nobody 5'
says refused_told line "1 process of other users could not record: marks ([0-9]*, uid $alice)"
is refused_read "$(read_back refused.nrm2)" ''
setpriv --reuid $alice --regid $alice --clear-groups sleep 60 &
sleeps=$!
sleep 0.3
"$bin/swtrace" check -p $sleeps >out 2>&1
says refused_checked out "are not recorded without the module: it is user $alice's"
kill $sleeps
"$bin/swtrace" run -B perf -M user -o roots/none.nrm2 -- "$programs/marks" 5 1 0 >out 2>line
! grep -q 'could not record' line
verdict none_told $? "$(cat line)"

[ "$failures" = 0 ]
