#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Spans of a real program and of a shell script: two requests of some 20 and 27 ms, and two of 2 and 9, that go on at the
# same time, in one thread, across threads and across processes, against the program's own clock.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
swtrace=$bin/swtrace post=$bin/post
cd "$work" || exit 1

# Prints for each of its spans: name, id, minimum and maximum ns.
cat >serve.c <<'END'
#include <inttypes.h>
#include <pthread.h>
#include <span.h>
#include <stdio.h>
#include <time.h>

static const char *const names[] = { "inside", "handed" };
static uint64_t begun[2][3][2]; /* by name and id: before and after the begin */
static volatile uint64_t sum;

static uint64_t now_by(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t now(void)
{
	return now_by(CLOCK_MONOTONIC);
}

static void begin(int name, unsigned int id)
{
	begun[name][id][0] = now();
	TraceSpanBegin(names[name], id);
	begun[name][id][1] = now();
}

static void end(int name, unsigned int id)
{
	uint64_t before = now(), after;

	TraceSpanEnd(names[name], id);
	after = now();
	printf("%s %u %" PRIu64 " %" PRIu64 "\n", names[name], id, before - begun[name][id][1],
	       after - begun[name][id][0]);
}

__attribute__((noinline)) void work_hard(uint64_t ns)
{
	uint64_t until = now_by(CLOCK_THREAD_CPUTIME_ID) + ns;

	do {
		for (int i = 0; i < 20000; i++)
			sum++;
	} while (now_by(CLOCK_THREAD_CPUTIME_ID) < until);
}

static void *ends_second(void *arg)
{
	struct timespec two = { 0, 2000000 };

	nanosleep(&two, NULL);
	end(1, 2);
	return arg;
}

static void *ends_first(void *arg)
{
	struct timespec nine = { 0, 9000000 };

	nanosleep(&nine, NULL);
	end(1, 1);
	return arg;
}

int main(void)
{
	struct timespec seven = { 0, 7000000 };
	pthread_t threads[2];

	/* 20 ms of work within 27, 7 of them asleep. */
	begin(0, 1);
	begin(0, 2);
	work_hard(20000000);
	end(0, 2);
	nanosleep(&seven, NULL);
	end(0, 1);
	begin(1, 1);
	begin(1, 2);
	if (pthread_create(&threads[0], NULL, ends_first, NULL) ||
	    pthread_create(&threads[1], NULL, ends_second, NULL))
		return 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
END
${CC:-gcc} -O1 -g -Wall -Wextra -Werror -I "$top/driver/uapi" -I "$top/libperfutil/include" -o serve serve.c \
	-L "$build/lib" -lperfutil -lpthread >out 2>&1
verdict builds $?
ln -s "$build/lib/libperfutil.so" libperfutil.so.0
export LD_LIBRARY_PATH=$work

# Spans of the trace whose duration the program's own clock allows, of how many.
allowed() { # TRACE
	"$post" -q -marks -json -r "$1" >report.json
	jq -r '.marks.slowest[] | "\(.name) \(.id) \(.took_ns)"' report.json | sort >have
	sort "$2" | awk 'NR == FNR { least[$1 $2] = $3; most[$1 $2] = $4; next }
		{ n++; good += $3 >= least[$1 $2] && $3 <= most[$1 $2] } END { print good + 0 " of " n + 0 }' - have
}
for collector in perf timer; do
	if ! "$swtrace" run -B $collector -M user,tprof -F 5000 -o $collector.nrm2 -- ./serve >$collector.told 2>err; then
		echo "skip ${suite}_$collector $(tail -n 1 err)"
		continue
	fi
	is $collector "$(allowed $collector.nrm2 $collector.told)" '4 of 4'
	jq -e '(.marks.names | map({key: .name, value: [.time.count, .open, .cut, .crossed]}) | from_entries) ==
		{inside: [2, 0, 0, 0], handed: [2, 0, 0, 2]} and .marks.ends_without_beginning == 0 and
		([.marks.slowest[] | [.name, .id, .within]] | sort) == [["handed", 1, "process"], ["handed", 2, "process"],
			["inside", 1, "thread"], ["inside", 2, "thread"]]' report.json >out
	verdict ${collector}_threads $?
	# 100 samples of it are due by perf, fewer where the machine itself is not always run; a timer may be no finer than
	# the kernel's tick.
	[ $collector = timer ] || {
		jq -e '.marks.slowest[] | select(.name == "inside" and .id == 2) | .samples >= 20 and
			any(.symbols[]; .symbol == "work_hard" and .ticks >= 10)' report.json >out
		verdict ${collector}_samples $?
	}
done

# Off-CPU time needs dispatches, which not every user may record.
if "$swtrace" run -B perf -M user,tprof,dispatch -o off.nrm2 -- ./serve >off.told 2>err; then
	allowed off.nrm2 off.told >out
	jq -e '[.marks.slowest[] | select(.name == "inside")] | .[0].off_ns >= 7000000 and .[0].off_ns < .[0].took_ns and
		.[1].off_ns < 7000000 and all(.[]; .took_ns - .off_ns - .wait_ns >= 19000000)' report.json >out
	verdict off_cpu $?
else
	echo "skip ${suite}_off_cpu $(tail -n 1 err)"
fi

# A script: each mark is written by a process of its own, and spans may overlap.
cat >script <<'END'
"$0" mark -b 1 step and more
"$0" mark -b 2 -i 7 step
"$0" mark -e 1 step
"$0" mark -e 2 step
"$0" mark -b 3 step
END
"$swtrace" run -B perf -M user -o script.nrm2 -- sh -c "$(cat script)" "$swtrace" >out 2>err
verdict script $?
"$post" -q -marks -json -r script.nrm2 | jq -c '.marks | [(.names[] | .name, .time.count, .open), .ends_without_beginning,
	([.slowest[] | [.id, .within, .told_at_begin]] | sort)]' >out
is script_spans "$(cat out)" '["step",2,1,0,[[1,"processes",["and","more"]],[2,"processes",[7]]]]'
# Without -b and -e a begin and an end of a session and a name are a pair, though each is a process of its own;
# with a number they are a span of it.
"$swtrace" run -B perf -M user -o pairs.nrm2 -- sh -c '
	"$0" mark outer; "$0" mark inner; "$0" mark -m 0x80 inner; (exec "$0" mark -m 128 outer)
	"$0" mark; "$0" mark -m 0X80
	"$0" mark -i 7 by; "$0" mark -i 8 by; "$0" mark -m 0x80 -i 7 by
	"$0" mark -M 0xd0 -m 0xffffffff other
	"$0" mark apart; setsid -w "$0" mark -m 0x80 apart' "$swtrace" >out 2>err
verdict pairs $? "$(cat err)"
"$post" -q -marks -json -r pairs.nrm2 | jq -c '.marks | [([.names[] | [.name, .time.count, .open]] | sort),
	.ends_without_beginning, ([.slowest[] | select(.name == "by").id]), ([.others[] | [.major, .minor]])]' >out
is pairs_by_session "$(cat out)" \
	'[[["",1,0],["apart",0,1],["by",1,1],["inner",1,0],["outer",1,0]],1,[7],[[208,4294967295]]]'
refused() { # NAME WORDS ARGUMENT...
	"$swtrace" mark "${@:3}" >out 2>err
	code=$?
	[ $code -gt 1 ] && grep -q -e "$2" err
	verdict "$1" $? "code $code: $(cat err)"
}
refused both 'one of -b and -e' -b 1 -e 1 step
refused other_major 'another major' -M 208 -b 1 step
refused no_name 'needs a name' -b 1
refused no_number "-e: invalid number 'x'" -e x step
[ $failures = 0 ]
