#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Logs of programs that a signal ends: in the program's code, in the allocator, in a blocking call, in an event
# of the library, with threads, by a fault of the program or in the C library, by a damaged heap, by a stack that
# overflows; the program still ends by that signal. Signals that the program handles or ignores stay its own.
# What the form with each call keeps of a program that is killed.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset HOOKITOPTS LD_PRELOAD
if [ ! -f "$build/lib/libhookit.so" ]; then
	echo "skip hook_signals it is not built with sanitizers"
	exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
export XDG_CACHE_HOME=$work/cache # minima
cd "$work" || exit 1
# Nothing is ever read from it.
mkfifo silent && exec 9<>silent

${CC:-gcc} -O1 -finstrument-functions -o signals "$here/signals.c" -pthread || exit 1

# ends SIGNAL WAY: the exit code of the program that gets the signal when it is ready; its logs are in logs/.
ends() {
	rm -rf logs
	mkdir logs
	mkfifo "$work/out.$2" 2>/dev/null
	# The shell ignores SIGINT in what runs in the background.
	env --default-signal=INT LD_PRELOAD="$build/lib/libhookit.so" HOOKITOPTS="LOGPATH=logs${3:-}" ./signals "$2" >"$work/out.$2" 2>err <&9 &
	local program=$! line=
	read -r -t 60 line <"$work/out.$2"
	[ "$line" = ready ] && kill -"$1" "$program"
	wait "$program" 2>/dev/null
}
same() {
	if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1 is '$2', not '$3': $(head -c 300 err)"; fi
}
written() { # NAME CODE, after ends
	same "hook_signals_$1" "$2 $(grep -chE '[[:space:]]1000([[:space:]].*)?[[:space:]](F:)?leaf$' logs/log-rt* | xargs)" "$3 1"
}

ends TERM code
written code $? 143
ends INT code
written interrupted $? 130
ends HUP block
written pause $? 129
ends TERM read
written read $? 143
ends TERM threads
written threads $? 143
# In the allocator and in events at any instruction.
good=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
	ends TERM allocate
	[ "$? $(grep -chE '[[:space:]]1000([[:space:]].*)?[[:space:]](F:)?leaf$' logs/log-rt*)" = '143 1' ] && good=$((good + 1))
done
same hook_signals_allocator $good 10
good=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
	ends TERM events
	[ "$? $(grep -cE '[[:space:]](F:)?leaf$' logs/log-rt*)" = '143 2' ] && good=$((good + 1))
done
same hook_signals_events $good 10
ends TERM own
written own $? 7
ends TERM code ,NOSIGNALS
same hook_signals_not_wanted "$? $(grep -c leaf logs/log-rt*)" '143 0'
# A child of fork() has a log of its own.
rm -rf logs && mkdir logs
env LD_PRELOAD="$build/lib/libhookit.so" HOOKITOPTS=LOGPATH=logs ./signals child >out 2>err
same hook_signals_child "$? $(grep -hcE '[[:space:]]1000([[:space:]].*)?[[:space:]](F:)?leaf$' logs/log-rt* | xargs)" '0 1 1'
# As at a terminal: Ctrl-C is for swtrace and its command.
rm -rf logs && mkdir logs
(cd logs && exec env --default-signal=INT setsid "$build/bin/swtrace" run --calls -- ../signals code >../out.group 2>../err) &
group=$!
for _ in $(seq 300); do
	grep -q ready out.group && break
	sleep 0.1
done
kill -INT -- -"$group"
wait $group
same hook_signals_ctrl_c "$? $(grep -hcE '[[:space:]]1000([[:space:]].*)?[[:space:]](F:)?leaf$' logs/log-rt* | xargs)" '130 1'
# A reader that goes away: the program sees no error of its write.
rm -rf logs && mkdir logs
env --default-signal=PIPE LD_PRELOAD="$build/lib/libhookit.so" HOOKITOPTS=LOGPATH=logs ./signals pipe 2>err | head -n 1 >out
written pipe "${PIPESTATUS[0]}" 141
trap '' HUP
ends HUP code >/dev/null &
ignored=$!
trap - HUP
sleep 2
kill -0 $ignored 2>/dev/null && echo "ok hook_signals_ignored" || echo "not ok hook_signals_ignored the program has ended"
pkill -TERM -P $ignored
wait $ignored
# Its own errors, also in the C library, where no retry is possible.
for way in fault:139 abort:134 raise:138 copy:139 length:139 print:139 sort:139 free:134 twice:134 deep:139 \
	thread_deep:139 thread_free:134 trap:132; do
	[ "$way" != trap:132 ] || [ "$(uname -m)" = x86_64 ] || way=trap:133
	rm -rf logs && mkdir logs
	# In a shell of its own, which says how it ended.
	(exec env LD_PRELOAD="$build/lib/libhookit.so" HOOKITOPTS=LOGPATH=logs ./signals "${way%:*}" >out 2>err)
	written "${way%:*}" $? "${way#*:}"
done
# No thread can be started to write: the program ends at once, by its own signal.
rm -rf logs && mkdir logs
(exec env LD_PRELOAD="$build/lib/libhookit.so" HOOKITOPTS=LOGPATH=logs timeout 60 ./signals exhaust >out 2>err)
same hook_signals_exhaust "$? $(sed -n 2p logs/log-rt* | cut -d: -f1)" '134 not whole'
# The writer faults itself: the log says so, and the program ends by its own signal.
rm -rf logs && mkdir logs
(exec env LD_PRELOAD="$build/lib/libhookit.so" HOOKITOPTS=LOGPATH=logs ./signals unmap >out 2>err)
same hook_signals_unmap "$? $(cat logs/log-rt*)" "134 pitrace log-rt
not whole: the program is damaged: writing what it had counted failed"
# SIGKILL: the tree is lost. What each call has written before is kept: in log-gen and as records of a trace.
rm -rf logs && mkdir logs
(exec env LD_PRELOAD="$build/lib/libhookit.so" HOOKITOPTS=LOGPATH=logs,CALLTRACE ./signals kill >out 2>err)
same hook_signals_kill "$? $(sed -n 2p logs/log-rt* | cut -d: -f1)" '137 not whole'
(cd logs && "$build/bin/post" -q -r log-gen.1_* -calls >/dev/null 2>../err)
same hook_signals_kill_trace "$(grep -c '> F:leaf' logs/calls.out) $(grep -c '< F:leaf' logs/calls.out)" '1000 1000'
(cd logs && HOOKITOPTS=TRACEHOOK exec "$build/bin/swtrace" run -q -M user --calls -o t.nrm2 -- ../signals kill >../out 2>../err)
(cd logs && "$build/bin/post" -q -r t.nrm2 -marks >/dev/null 2>../err)
same hook_signals_kill_records "$(awk '$NF == "leaf" { print $1, $2 }' logs/marks.out | head -n 1)" '1000 0'
