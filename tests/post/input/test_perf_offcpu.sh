#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where threads were off their CPUs, by a perf.data with the stacks of sched:sched_switch: of a command, whose
# switch records say when it came back, held against the sums of what perf script says of them; of the whole
# system, where the tracepoint alone says both (made here, where perf may). And off-CPU trees of one thread.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1

tree() { # FILE FILTER [OPTION]...: of post's callers, off the CPU
	"$bin/post" -q -offcpu -callers -json -o - -r "$1" "${@:3}" 2>err | jq -c "$2"
}

# ---- a command (perf script --show-switch-events: from OUT to IN 15 times 64232 us, 8 times 31766 us)
xz -dc "$top/tests/data/perf/made/switches.data.xz" >switches.data || exit 1
is command_all "$(tree switches.data '[.total_ticks, .stacks.with, .stacks.without]')" '[95998,95998,0]'
is command_thread "$(tree switches.data .total_ticks -tid 16493)" 31766
is command_other_thread "$(tree switches.data .total_ticks -tid 16485)" 64232
is command_comm "$(tree switches.data .total_ticks -comm other)" 31766
is command_pid "$(tree switches.data .total_ticks -pid 16485)" 95998
is command_nobody "$(tree switches.data .total_ticks -comm nobody)" 0
# Slept by clock_nanosleep; the rest were pushed aside. The names are those of the kernel that was recorded.
cat >map <<'END'
ffffffff81000000 T _text
ffffffff82265a00 t __schedule
ffffffff82266800 T schedule
ffffffff82266900 T schedule_idle
ffffffff8226d850 t do_nanosleep
ffffffff8226d9c0 t hrtimer_nanosleep_restart
END
is command_where "$(tree switches.data '.symbols[] | select(.name == "do_nanosleep") | .total' -kmap map)" 58648
"$bin/post" -q -offcpu -csv -o - -r switches.data >reasons
is command_reasons "$(grep -c sleeping reasons) $(grep -c time_up reasons) $(grep -c other, reasons)" '2 1 1'

# ---- the whole system, by the tracepoint alone
perf record -q -a -e sched:sched_switch -g -o probe.data true 2>/dev/null && [ -s probe.data ] || {
	echo "skip ${suite}_system perf record of sched:sched_switch does not work here"
	exit $((failures != 0))
}
cat >sleeper.c <<'END_C'
#include <time.h>
__attribute__((noinline)) int waits(long ms)
{
	struct timespec t = { 0, ms * 1000000 };
	int r = clock_nanosleep(CLOCK_MONOTONIC, 0, &t, 0);

	__asm__ volatile("");
	return r;
}
__attribute__((noinline)) int known_place(long ms)
{
	int r = waits(ms);

	__asm__ volatile("");
	return r;
}
int main(void)
{
	for (int i = 0; i < 20; i++)
		known_place(5);
	return 0;
}
END_C
gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o offcpu-sleeper sleeper.c || exit 1
# The result of perf script for the same file: the total time between pairs of switches, and the number of pairs.
sums_of_perf() {
	perf script -i system.data --ns -F comm,tid,time,trace,ip,sym 2>/dev/null | awk '
		/prev_comm=/ {
			time = $0
			sub(/: .*/, "", time)
			sub(/.* /, "", time)
			split(time, t, ".")
			now = t[1] * 1000000 + t[2] / 1000
			out = $0 ~ /prev_comm=offcpu-sleeper/
			if (match($0, /next_pid=[0-9]+/)) {
				tid = substr($0, RSTART + 9, RLENGTH - 9)
				if (tid in left) {
					sum += now - left[tid]
					n++
				}
				delete left[tid]
			}
			match($0, /prev_pid=[0-9]+/)
			tid = substr($0, RSTART + 9, RLENGTH - 9)
		}
		/ known_place/ && out { left[tid] = now }
		END { printf "%.0f %d\n", sum, n }'
}
# For a single process, perf records only when its threads left: a message says how to record both.
perf record -q -e sched:sched_switch -g -o leaves.data ./offcpu-sleeper 2>err
"$bin/post" -offcpu -callers -r leaves.data >out 2>err
grep -q 'perf record -e sched:sched_switch -g -a' out
verdict leaves_alone $?
# Now and then perf has no switch of one CPU's idle task, in a whole recording, and says nothing: once more.
for ((i = 0; i < 20; i++)); do
	perf record -q -a -e sched:sched_switch -g -o system.data ./offcpu-sleeper 2>err
	sums_of_perf >by_perf
	read -r wanted times <by_perf
	[ "$times" -lt 5 ] || break
done
tree system.data '.symbols[] | select(.name == "known_place") | .total' -comm offcpu-sleeper >slept
calc "$times >= 5 && $(cat slept) >= $wanted - 20 && $(cat slept) <= $wanted + 20"
verdict system_known_place $? "'$(cat slept)' us, by perf script $wanted, $times times of 20"
tree system.data '[.symbols[] | select(.self > 0) | .name]' -comm offcpu-sleeper >out
grep -q schedule out
verdict system_leaf $?
tree system.data .total_ticks >all
tree system.data .total_ticks -comm offcpu-sleeper >mine
calc "$(cat all) > $(cat mine) && $(cat mine) >= $(cat slept)"
verdict system_filtered $? "all $(cat all), its own $(cat mine)"
exit $((failures != 0))
