#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# post -locks: of stories that can be added up by hand (who waited for which futex, how long, who ended it); of a
# program that waits for its locks as often as it says (tests/vm/prog/locks.c), where perf may trace calls.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

# told: of the story on stdin `locks` and `waits`, a line each, times in us
told() {
	"$make_script" story.nrm2 || exit 1
	rows
}
rows() { # [OPTION]...
	code "${ends:-0}" "$post" -locks -json "$@" story.nrm2 || return 1
	jq -r '.locks.locks[] | [.pid, .address, .time.count, .time.total_ns / 1000, (.time.max_ns // 0) / 1000,
		.threads, .woken, .timed_out, .interrupted, .changed, .open, .no_return, .cut] | join(" ")' out | sort >locks
	jq -r '.locks.waits[] | [.tid, (.waker_tid // .waker_source), .address, .count, .waited_ns / 1000] | join(" ")' \
		out | sort >waits
}
same_lines() { # FILE LINES
	[ "$(cat "$1")" = "$2" ] && return 0
	printf 'have:\n%s\nwant:\n%s\n' "$(cat "$1")" "$2" >why
	return 1
}

# Two threads wait for the third; each is woken by one call, in their order. 128: private; 0 wait, 1 wake.
mutex='0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 a
0 task walk_thread 100/102 1 b
10 futex 0 100/101 0x5000 128 2
20 futex 1 100/102 0x5000 128 2
50 futex 1 100 0x5000 129 1
52 ret 1 100 202 1
55 ret 0 100/101 202 0
60 futex 0 100/101 0x5000 129 1
61 ret 0 100/101 202 1
70 ret 1 100/102 202 0'
told <<<"$mutex
100 off" && same_lines locks '100 0x5000 2 95 50 2 2 0 0 0 0 0 0' && same_lines waits '101 100 0x5000 1 45
102 101 0x5000 1 50'
verdict mutex

# The kernel wakes one by a number below 1, too, also by the least there is.
for least in 0 2147483648; do
	told <<<"${mutex/0x5000 129 1/0x5000 129 $least}
100 off" && same_lines waits '101 100 0x5000 1 45
102 101 0x5000 1 50'
	verdict "wake_$least"
done

# By wake-up records it is exact: the second thread is woken first.
told <<'END' && same_lines waits '101 102 0x5000 1 60
102 100 0x5000 1 35'
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 a
0 task walk_thread 100/102 1 b
10 futex 0 100/101 0x5000 128 2
20 futex 1 100/102 0x5000 128 2
50 futex 1 100 0x5000 129 1
51 wake 1 100 100/102
52 ret 1 100 202 1
55 ret 1 100/102 202 0
60 futex 1 100/102 0x5000 129 1
61 wake 1 100/102 100/101
62 ret 1 100/102 202 1
70 ret 0 100/101 202 0
100 off
END
verdict exact_wakers

# A timer's interrupt wakes no waiter: time-outs and signals; a changed value is not a wait.
told <<'END' && same_lines locks '100 0x5000 0 0 0 0 0 0 0 1 0 0 0
100 0x6000 2 15 10 1 0 1 1 0 0 0 0' && same_lines waits '101 nobody 0x6000 2 15'
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 a
10 futex 0 100/101 0x5000 128 2
11 ret 0 100/101 202 -11
20 futex 0 100/101 0x6000 265 2
29 wake 0 0 100/101 irq
30 ret 0 100/101 202 -110
40 futex 0 100/101 0x6000 128 2
45 ret 0 100/101 202 -512
100 off
END
verdict ends

# A broadcast wakes all; a mutex with priority inheritance: LOCK_PI 134, UNLOCK_PI 135
told <<'END' && same_lines locks '100 0x5000 2 60 35 2 2 0 0 0 0 0 0
100 0x7000 1 20 20 1 1 0 0 0 0 0 0' && same_lines waits '101 100 0x5000 1 35
101 100 0x7000 1 20
102 100 0x5000 1 25' && [ "$(jq -c '[.locks.locks[] | .priority_inheritance]' out)" = '[false,true]' ]
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 a
0 task walk_thread 100/102 1 b
10 futex 0 100/101 0x5000 128 2
20 futex 0 100/102 0x5000 128 2
40 futex 1 100 0x5000 129 2147483647
41 ret 1 100 202 2
45 ret 0 100/101 202 0
45 ret 0 100/102 202 0
50 futex 0 100/101 0x7000 134 0
60 futex 1 100 0x7000 135 0
61 ret 1 100 202 0
70 ret 0 100/101 202 0
100 off
END
verdict broadcast_and_pi

# Two processes that share a lock (no private flag): a line each; the waker only by its wake-up record.
told <<'END' && same_lines locks '200 0x9000 2 40 20 1 2 0 0 0 0 0 0' &&
0 on
0 task walk 100 1 app
0 task walk 200 1 other
10 futex 0 200 0x9000 0 2
20 futex 1 100 0x5000 1 1
21 wake 1 100 200
22 ret 1 100 202 1
30 ret 0 200 202 0
40 futex 0 200 0x9000 0 2
50 futex 1 100 0x5000 1 1
51 ret 1 100 202 1
60 ret 0 200 202 0
100 off
END
	same_lines waits '200 100 0x9000 1 20
200 unseen 0x9000 1 20' && [ "$(jq -c '[.locks.locks[] | .shared]' out)" = '[true]' ]
verdict shared

# The same address in two processes is two locks.
told <<'END' && same_lines locks '100 0x5000 1 10 10 1 1 0 0 0 0 0 0
200 0x5000 1 30 30 1 1 0 0 0 0 0 0'
0 on
0 task walk 100 1 app
0 task walk 200 1 app
10 futex 0 100 0x5000 128 2
10 futex 1 200 0x5000 128 2
20 ret 0 100 202 0
40 ret 1 200 202 0
100 off
END
verdict two_processes
rows -pnm && [ "$(cut -d' ' -f2-4 locks)" = '0x5000 2 40' ]
verdict by_name

# A thread that is killed while it waits; one that waits when the trace ends; a call without a return.
told <<'END' && same_lines locks '100 0x5000 0 0 0 1 0 0 0 0 1 1 1' && same_lines waits '102 open 0x5000 1 40' &&
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 a
0 task walk_thread 100/102 1 b
0 task walk_thread 100/103 1 c
10 futex 0 100/101 0x5000 128 2
20 task thread_exit 100/101 100 a
21 ret 0 100/101 202 0
30 futex 0 100/103 0x5000 128 2
40 call 0 100/103 39
41 ret 0 100/103 39 1
60 futex 1 100/102 0x5000 128 2
100 off
END
	[ "$(jq .locks.locks[0].open_longest_ns out)" = 40000 ]
verdict no_return

# Records lost meanwhile: what the wait was is not known, and not counted.
ends=1 told <<'END' && same_lines locks '100 0x5000 1 10 10 1 1 0 0 0 0 0 1'
0 on
0 task walk 100 1 app
10 futex 0 100 0x5000 128 2
15 lost 0 5 3
20 ret 0 100 202 0
30 futex 0 100 0x5000 128 2
40 ret 0 100 202 0
100 off
END
verdict lost

# A process that is renamed keeps its locks; a filter leaves out waits, not who woke by a wake-up record.
told <<'END' && same_lines locks '100 0x5000 2 20 10 1 2 0 0 0 0 0 0'
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 a
10 futex 0 100/101 0x5000 128 2
20 ret 0 100/101 202 0
25 task name 100 1 renamed
30 futex 0 100/101 0x5000 128 2
35 futex 1 100 0x5000 129 1
36 wake 1 100 100/101
40 ret 0 100/101 202 0
100 off
END
verdict renamed
rows -tid 101 && grep -qx '101 100 0x5000 1 10' waits && rows -tid 100 && [ ! -s waits ]
verdict filter

# Where they left their CPUs: only for the wait, also as text.
"$make_script" story.nrm2 <<'END' || exit 1
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 a
5 dispatch 0 100/101 sleep 0 0xffffffff81002010
8 dispatch 0 0 running 100/101
10 futex 0 100/101 0x5000 128 2
12 dispatch 0 100/101 sleep 0 0xffffffff81002010
25 dispatch 0 0 running 100/101
30 ret 0 100/101 202 0
100 off
END
code 0 "$post" -locks -json story.nrm2 &&
	[ "$(jq -c '[.locks.stacks[] | [.count, .waited_ns, (.stack | length)]]' out)" = '[[1,20000,1]]' ] &&
	code 0 "$post" -locks -o - story.nrm2 && has out 'Where in the code'
verdict stacks
code 0 "$post" -offcpu -callers -o - story.nrm2
verdict stacks_of_others
code 0 "$post" -locks -csv story.nrm2 && has out '100,app,0x5000,,,,0,0,1,1,0,0,0,0,0,0,0,0,1,20000,'
verdict csv
"$make_script" none.nrm2 <<<'0 on
9 off' && code 0 "$post" -locks none.nrm2 && has out 'no system call records'
verdict nothing

# ---- a program, traced by perf's tracepoints
swtrace=$(dirname "$post")/swtrace
${CC:-gcc} -O1 -g -fno-omit-frame-pointer -o locks "$top/tests/vm/prog/locks.c" -lpthread >why 2>&1
verdict builds
if "$swtrace" run -q -B perf -M dispatch,wakeup,syscall -o probe.nrm2 -- true >why 2>&1; then
	"$swtrace" run -q -B perf -g=fp,switches -M dispatch,wakeup,syscall -o locks.nrm2 -- ./locks 6 >said 2>why &&
		code 0 "$post" -locks -json -r locks.nrm2
	verdict program
	jq -r '.locks.locks[] | select(.variable) | [.variable, .time.count, .threads, .timed_out, .open] | join(" ")' \
		out | sort >locks
	same_lines locks 'heirs_lock 12 2 0 0
plain_lock 12 2 0 0
signal_word 12 2 0 0
timeout_word 6 1 6 0'
	verdict counts
	[ "$(sort said | grep 0x)" = "$(jq -r '.locks.locks[] | select(.variable) |
		"\(.variable | sub("_lock|_word"; "")) \(.address)"' out | sort)" ]
	verdict addresses
	# Both wait when the owner lets go: the first is woken by the owner, the other by the first.
	jq -e '[.locks.waits[] | select(.variable == "plain_lock")] |
		([.[] | select(.waker_thread == "owner").count] | add) == 6 and
		([.[] | select(.waker_thread != "owner" and .waker_thread != .thread).count] | add) == 6' out >why
	verdict who
	jq -e '[.locks.stacks[] | select(.stack | index("waiter")) | .count] | add >= 12' out >why
	verdict where
else
	for name in program counts addresses who where; do
		echo "skip ${suite}_$name perf traces no calls here"
	done
fi
exit $((failures != 0))
