# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by test_outputs.sh, test_called.sh and test_races.sh: the outputs of each program, and how they are written.
# Sourced after lib.sh.

# The outputs: NAME KIND COMMAND, each run in a folder of its own. OUT is the output's name. KIND:
# report (a FIFO or /dev/null will do), trace (a regular file alone), folder, log (a file that is replaced)
# Made by a user: the kernel shows him no addresses, and it is read some hundred times.
folder traces "$alice" 755
as "$alice" "$bin/swtrace" run -q -o traces/t -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' >out 2>&1
verdict a_trace $?
chown -R 0:0 traces && chmod 644 traces/t
trace=$work/traces/t
heap=$work/traces/heap.hprof
install -m 644 "$top/tests/data/heaps/heap1.hprof" "$heap"
commands=(
	"post report post -q -o OUT $trace"
	"post_json report post -json -q -o OUT $trace"
	"post_csv report post -csv -q -o OUT $trace"
	"post_show report post -show -q -o OUT $trace"
	"post_format report post -format chrome -q -o OUT $trace"
	"post_folder folder post -format ctf -q -o OUT $trace"
	"hdump report hdump -q -o OUT $heap"
	"arcf report arcf -q -o OUT $trace"
	"post_diff report post -diff -q -o OUT $trace $trace"
	"swtrace_ai report swtrace ai 10ms 1 -l OUT"
	"mpevt report mpevt run -e task-clock -o OUT -- true"
	"cpi report cpi -c -o OUT -- true"
	"ptt report ptt run -o OUT -- true"
	"ptt_dump report dump -o OUT"
	"swtrace_run trace swtrace run -q -o OUT -- true"
	"swtrace_init trace init -t cont -f OUT"
	"swtrace_init_norm trace init -t norm -f OUT"
	"swtrace_init_wrap trace init -t wrap -f OUT"
	"swtrace_get trace get OUT"
)
# Agents, in a VM of its own user, whoever has called it: under sudo, logs are root's.
agent=$BIN/../lib/pitrace/libjprof.so
agents=(
	"libjprof log agent CALLTREE"
	"libjprof_threads log agent THREADINFO,CALLFLOW"
)
if [ ! -f "$agent" ] || ! command -v java >/dev/null; then
	agents=()
fi
# run_agent OUT OPTIONS: a VM whose log has its pid in its name, where what stands at OUT is put before
run_agent() {
	local out=$1 pid watch code

	(
		for name in "$out" "$out.old"; do
			[ ! -e "$name" ] && [ ! -L "$name" ] || mv -T "$name" "$out.1_$BASHPID${name#"$out"}"
		done
		exec "${run[@]}" java -Xshare:auto "-agentpath:$agent=LOGPREFIX=$out,CLASSMETHODS=-*,CALIBRATION=none,$2" -version
	) &
	pid=$!
	(sleep $limit && kill -KILL $pid) 2>/dev/null &
	watch=$!
	wait $pid
	code=$?
	end $watch
	wait $watch 2>/dev/null
	for name in "$out.1_$pid" "$out.1_$pid.old"; do
		[ ! -e "$name" ] && [ ! -L "$name" ] || mv -T "$name" "$out${name#"$out.1_$pid"}"
	done
	rm -f log-*_$pid
	return $code
}
# write_there OUT WORD...: run it, at most $limit seconds, with a session of its own where it needs one
limit=${LIMIT:-60}
write_there() {
	local out=$1 words=("${@:2}") code
	words=("${words[@]/OUT/$out}")
	case ${words[0]} in
	agent)
		run_agent "$out" "${words[1]}"
		return
		;;
	init | get)
		export PITRACE_SOCKET=$PWD/socket.$BASHPID
		if [ "${words[0]}" = get ]; then
			"${run[@]}" "$bin/swtrace" init -f "$PWD/session.$BASHPID" || return 99
		fi
		case ${words[0]} in
		init) timeout -k 5 $limit "${run[@]}" "$bin/swtrace" "${words[@]}" &&
			timeout -k 5 $limit "${run[@]}" "$bin/swtrace" on &&
			timeout -k 5 $limit "${run[@]}" "$bin/swtrace" off &&
			timeout -k 5 $limit "${run[@]}" "$bin/swtrace" get ;;
		get) timeout -k 5 $limit "${run[@]}" "$bin/swtrace" on &&
			timeout -k 5 $limit "${run[@]}" "$bin/swtrace" "${words[@]}" ;;
		esac
		code=$?
		"${run[@]}" "$bin/swtrace" free
		rm -f "$PWD/session.$BASHPID"*
		return $code
		;;
	dump)
		"${run[@]}" "$bin/ptt" init || return 99
		timeout -k 5 $limit "${run[@]}" "$bin/ptt" "${words[@]}"
		code=$?
		"${run[@]}" "$bin/ptt" term
		return $code
		;;
	esac
	timeout -k 5 $limit "${run[@]}" "$bin/${words[0]}" "${words[@]:1}"
}
# try OUT WORD...: its code in $code, what it said in $work/out
try() {
	(write_there "$@") >"$work/out" 2>&1 </dev/null
	code=$?
}
# wrote OUT: it did, in time. What is read of a trace on a busy machine may be damaged (1).
wrote() {
	[ -s "$1" ] && { [ "$code" = 0 ] || { [ "$code" = 1 ] && grep -q '^post: ' "$work/out"; }; }
}
# lacking NAME: may NAME lack here what it needs (a PMU, the module, perf events, a session of a user's)?
lacking() {
	case $1 in
	*cpi | *ptt | *ptt_dump | *mpevt | user_swtrace_init* | user_swtrace_get)
		echo "skip users_${suite}_$1 $(head -n 1 "$work/out")"
		;;
	*) false ;;
	esac
}
# refused: it failed, in time. run.tprof ends with its command's code, and has the report on the screen.
refused() {
	[ "$code" != 124 ] && [ "$code" != 137 ] && [ -s "$work/out" ] &&
		{ [ "$code" != 0 ] || grep -q 'tprof.out could not be written' "$work/out"; }
}
bad() { # WHAT: of the present case
	problems="$problems $1"
}
