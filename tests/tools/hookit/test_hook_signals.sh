#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Logs of programs that a signal ends: in the program's code, in the allocator, in a blocking call, in an event
# of the library, with threads, by a fault; the program still ends by that signal. Signals that the program
# handles or ignores stay its own.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset HOOKITOPTS LD_PRELOAD
if [ ! -f "$build/lib/libhookit.so" ]; then
	echo "skip hook_signals it is not built with sanitizers"
	exit 77
fi
case $(uname -m) in
x86_64) ;;
*)
	echo "skip hook_signals other machines do not write logs at signals"
	exit 77
	;;
esac
export XDG_CACHE_HOME=$work/cache # minima
cd "$work" || exit 1

cat >signals.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
__attribute__((noinline)) void leaf(int n) { sink += n; }
__attribute__((noinline)) void counted(void)
{
	for (int i = 0; i < 1000; i++)
		leaf(i);
}
static void ready(void) { puts("ready"); fflush(stdout); }
static void own(int sig) { (void)sig; _exit(7); }
static void *spin(void *arg)
{
	for (;;)
		sink++;
	return arg;
}
int main(int argc, char **argv)
{
	static const struct rlimit no_core;
	const char *way = argc > 1 ? argv[1] : "";
	pthread_t t;

	setrlimit(RLIMIT_CORE, &no_core);
	if (!strcmp(way, "own"))
		signal(SIGTERM, own);
	counted();
	if (!strcmp(way, "fault")) {
		*(volatile int *)8 = 1;
	} else if (!strcmp(way, "abort")) {
		abort();
	} else if (!strcmp(way, "raise")) {
		raise(SIGUSR1);
	} else if (!strcmp(way, "pipe")) {
		for (;;)
			ready();
	} else if (!strcmp(way, "child")) {
		if (!fork()) {
			counted();
			kill(getpid(), SIGTERM);
		}
		wait(NULL);
		return 0;
	}
	if (!strcmp(way, "threads"))
		for (int i = 0; i < 4; i++)
			pthread_create(&t, NULL, spin, NULL);
	ready();
	for (;;) {
		if (!strcmp(way, "block"))
			pause();
		else if (!strcmp(way, "read"))
			(void)!read(0, &t, 1);
		else if (!strcmp(way, "allocate"))
			free(memset(malloc(4096), 1, 4096));
		else if (!strcmp(way, "events"))
			leaf(1);
		else
			sink++;
	}
}
C
${CC:-gcc} -O1 -finstrument-functions -o signals signals.c -pthread || exit 1

# ends SIGNAL WAY: the exit code of the program that gets the signal when it is ready; its logs are in logs/.
ends() {
	rm -rf logs
	mkdir logs
	mkfifo "$work/out.$2" 2>/dev/null
	# The shell ignores SIGINT in what runs in the background.
	env --default-signal=INT LD_PRELOAD="$build/lib/libhookit.so" HOOKITOPTS="LOGPATH=logs${3:-}" ./signals "$2" >"$work/out.$2" 2>err \
		< <(exec sleep 600) &
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
for way in fault:139 abort:134 raise:138; do
	rm -rf logs && mkdir logs
	# In a shell of its own, which says how it ended.
	(exec env LD_PRELOAD="$build/lib/libhookit.so" HOOKITOPTS=LOGPATH=logs ./signals "${way%:*}" >out 2>err)
	written "${way%:*}" $? "${way#*:}"
done
