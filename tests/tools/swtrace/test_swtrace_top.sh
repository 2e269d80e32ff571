#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# swtrace top: on a terminal, by its keys; on a pipe; and that a trace of what is shown has the same counts.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
swtrace=$bin/swtrace
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1
export TMPDIR=$work/tmp TZ=UTC
mkdir tmp

at_terminal() { # NAME [OPTION]...: steps on stdin
	cat >steps
	"$here/top_terminal.py" steps "$swtrace" top "${@:2}" >out 2>&1
	verdict "$1" $?
}
refused() { # NAME WORDS [OPTION]...
	"$swtrace" top "${@:3}" >out 2>err
	is "$1" $? 125
	says "$1_words" err "$2"
}
nothing_left() { # NAME
	is "$1_leaves_nothing" "$(ls tmp)" ''
}

# ---- what is refused
refused delay 'expected 100ms to 1h' -d 0
refused view "invalid view 'x'" --by x
refused both 'exclude each other' -a -p $$
refused word "unexpected argument 'x'" x
refused process 'process 1073741824' -p 1073741824
refused collector 'ptrace' -B ptrace -n 1
refused filter 'more than 127 bytes' --filter "$(printf '%0200d' 0)"
[ -e /dev/pitrace ] || refused metric 'PTT needs the pitrace module' -m tsc -n 1
TMPDIR=/nonexistent refused folder 'cannot be made in /nonexistent' -n 1
nothing_left refused

works='.collectors[] | select(.name == "perf") | .process.state == "works"'
if ! "$swtrace" check --json | jq -e "$works" >/dev/null; then
	for name in pipe json sum thread off filtered end_of_process closed flood \
		keys written frozen_equal hot_equal code sizes stop dumb no_term; do
		echo "skip ${suite}_$name perf events are not allowed here"
	done
	exit 0
fi

# Two functions; the name of the second would clear the screen. And a thread that sleeps.
cat >busy.c <<'END'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned x;
__attribute__((noinline)) void hot(void) { for (unsigned i = 0; i < 300000; i++) x += i; }
__attribute__((noinline)) void warm(void) { for (unsigned i = 0; i < 100000; i++) x ^= i; }
__attribute__((noinline)) void both(void) { hot(); warm(); x++; }
static void *sleeper(void *p) { for (;;) usleep(100000); return p; }
int main(void)
{
	struct timespec pause = { 0, 1500000 };
	pthread_t t;

	pthread_create(&t, NULL, sleeper, NULL);
	for (;;) { both(); nanosleep(&pause, NULL); }
}
END
gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -o plain busy.c &&
	objcopy --redefine-sym "warm=$(printf 'warm\033[2J\342\200\256')" plain busy || exit 1
./busy &
busy=$!
trap 'kill $busy 2>/dev/null; rm -rf "$work"' EXIT
top=("$swtrace" top -B perf -p "$busy")

# ---- a pipe
"${top[@]}" -d 500ms -n 2 >out 2>err
is pipe $? 0
is pipe_intervals "$(grep -c '^swtrace top' out)" 2
is pipe_silent "$(cat err)" ''
grep -q ' hot  in .*busy$' out && grep -qF 'warm\x1b[2J\xe2\x80\xae  in' out
verdict pipe_names $?
"${top[@]}" -d 500ms -n 3 --json --rows 2 >out
is json "$(jq -s length out) in $(wc -l <out) lines" '3 in 3 lines'
# The rows and the others have all ticks; one interval begins where the one before ended.
jq -se 'all(.[]; .ticks > 0 and ([.rows[].ticks] | add) + .others.ticks == .ticks and (.rows | length) == 2) and
	.[0].to_ns == .[1].from_ns and .[1].to_ns == .[2].from_ns' out >why
verdict sum $?
"${top[@]}" -d 400ms -n 2 --json --by thread --off-cpu >out
jq -se 'all(.[]; .by == "thread" and ([.rows[].ticks] | add) == .ticks and all(.rows[]; .off_ns != null))' out >why
verdict thread $?
# Each of its two threads: the sleeper is off its CPU, which is nearly all of the second interval.
jq -se '.[1] | (.to_ns - .from_ns) as $t | [.rows[] | select(.pid == '$busy')] |
	length == 2 and (map(.off_ns) | max) > $t * 0.9 and (map(.off_ns) | max) <= $t' out >why
verdict off $?
"${top[@]}" -d 500ms -n 1 --filter 'h?t' --json >out
jq -e '[.rows[].name] == ["hot"] and .rows[0].ticks + .others.ticks == .ticks' out >why
verdict filtered $?
"${top[@]}" -d 100ms --no-stacks | head -5 >out
is closed "${PIPESTATUS[0]}" 0
./busy & other=$!
(sleep 1; kill $other) &
"$swtrace" top -B perf -p $other -d 30 --json >out 2>err
is end_of_process $? 0
says end_of_process_words err "process $other has ended"
jq -e '.ticks > 0' out >why
verdict end_of_process_counts $?
wait $other 2>/dev/null
nothing_left pipe

# ---- more than it can keep up with: intervals come, losses are said, and it ends when it is told to
"$swtrace" top -B perf -F 20000 -d 500ms --json >out 2>err & flood=$!
sleep 5
begun=$(date +%s%N)
kill -TERM $flood
wait $flood
is flood $? 0
[ $((($(date +%s%N) - begun) / 1000000)) -lt 1500 ]
verdict flood_ends $?
jq -se 'length > 1 and all(.[]; .to_ns > .from_ns)' out >why
verdict flood_intervals $?
nothing_left flood

# ---- a terminal: views, order, filter, callers and back
at_terminal keys -B perf -p "$busy" -d 500ms <<'END'
see by function, the last interval, sorted by ticks
see  hot  in .*busy
see warm\\x1b\[2J
key s
see sorted by on stack
key n
see sorted by name
key t
see PID +TID  NAME
key p
see by process
key c
see by cgroup
key f
key s
key i
see since the reset
key i
see the last interval
key /
see ^filter:
key m*in\r
see filter m\*in
see  main  in
gone  hot  in
key \r
see who calls main
see [0-9] +[0-9.]+  [^ ]+  in
gone filter m
key \x7f
see by function
see  hot  in
key z
see reset: what comes
key ?
see Ctrl-C   quit
key q
gone Ctrl-C   quit
key q
end 0
END

# ---- frozen: the screen stays; what is written has its counts; a function's code
at_terminal written -B perf -p "$busy" -d 700ms <<'END'
see  hot  in
key \x20
see FROZEN
keep frozen
key w
see ^write to: top.nrm2
key \r
see top.nrm2: written
keep after
key a
see any key goes back
see hot
keep code
key x
see  hot  in
key w
key \x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f/nonexistent/x\r
see /nonexistent/x:
key \x20
gone FROZEN
key w\r
see top.nrm2: written
key q
end 0
END
is screen_stays "$(head -20 frozen)" "$(head -20 after)"
sed -n 's/^ *\([0-9][0-9]*\) .* hot  in .*/\1/p' frozen >hot
ticks=$(sed -nE '1s/.*, ([0-9]+) ticks.*/\1/p' frozen)
"$bin/post" -json -o - top.nrm2.old >post.json 2>err
is post_reads_it $? 0
is frozen_equal "$(jq .total_ticks post.json)" "$ticks"
is hot_equal "$(jq '[.. | objects | select(.symbol? == "hot" or .name? == "hot") | .ticks] | first' post.json)" \
	"$(cat hot)"
grep -qE '^ +[0-9]+ .*(hot|add|mov|%)' code
verdict code $? "$(cat code)"
nothing_left terminal

# ---- sizes, from one character on; no line is longer than the screen
at_terminal sizes -B perf -p "$busy" -d 300ms <<'END'
size 1 1
key t
size 2 3
key f
size 24 80
see by function
keep wide
key ?
size 3 20
see swtrace top
key x
size 40 200
see  hot  in .*busy
size 1 80
key \x1b
size 10 40
see  hot  in
signal SIGTERM
end 0
END

# ---- Ctrl-Z, Ctrl-C, SIGTERM
at_terminal stop -B perf -p "$busy" -d 300ms <<'END'
see  hot  in
key \x1a
state T
signal SIGCONT
state SR
key t
see PID +TID  NAME
key \x03
end 0
END
# ---- terminals that cannot be drawn on have intervals
at_terminal dumb -B perf -p "$busy" -d 300ms -n 2 <<'END'
term dumb
see cannot be drawn on: intervals in words
see  hot  in
end 0
END
at_terminal no_term -B perf -p "$busy" -d 300ms -n 1 <<'END'
term
see TERM is not set
end 0
END
nothing_left all
exit $((failures > 0))
