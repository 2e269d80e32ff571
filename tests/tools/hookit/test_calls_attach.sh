#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# swtrace calls: a program that runs is measured and let go of, again and again, what it computes is
# right and what its logs say agrees with it; who dies in between, the program or swtrace; what is
# refused, in words.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
unset HOOKITOPTS LD_PRELOAD
if [ ! -f "$build/lib/libhookit.so" ] || [ "$(uname -m)" != x86_64 ]; then
	echo "skip calls_attach programs of this machine are not attached to"
	exit 77
fi
export XDG_CACHE_HOME=$work/cache
cd "$work" || exit 1
begin() { # PROGRAM ARGUMENT...: until it is under way
	rm -f over log-rt.*
	timeout 300 "$@" >said 2>program.err &
	job=$!
	for _ in $(seq 100); do
		pid=$(pgrep -P $job) && break
		sleep 0.05
	done
	sleep 0.2
}
end() {
	touch over
	wait $job 2>/dev/null
	code=$?
}
attach() { # OPTION...
	timeout 100 "$bin/swtrace" calls -p "$pid" "$@" 2>err
}
begin_measuring() { # OPTION...: in the background
	: >err
	"$bin/swtrace" calls -p "$pid" "$@" 2>err &
	first=$!
	for _ in $(seq 200); do
		grep -q measured err && break
		sleep 0.05
	done
}
sum() { # LOG NAME: its CALLS, everywhere
	awk -v "name=F:$2" '/^ LV/ { on = 1; next } on && $1 > 0 && $NF == name { n += $2 } END { print n + 0 }' "$1"
}

gcc -O2 -fpatchable-function-entry=5 "$here/patch_target.c" -o target -pthread || exit 1
begin ./target over
grep SigCgt "/proc/$pid/status" >handlers
attach -d 500ms
is code $? 0
is handlers "$(grep SigCgt "/proc/$pid/status")" "$(cat handlers)"
says on err "process $pid: 6 functions are measured"
says off err "process $pid is not measured any more; its calls are in $work/log-rt.1_$pid"
rounds=$(sum "log-rt.1_$pid" t_round) scaled=$(sum "log-rt.1_$pid" t_scaled)
# Three threads, each of which may be in a round at both ends.
calc "$rounds > 10 && $scaled >= 100 * ($rounds - 3) && $scaled <= 100 * ($rounds + 3)"
verdict counted $? "$rounds rounds, $scaled"
cp "log-rt.1_$pid" first
sleep 0.3
cmp -s first "log-rt.1_$pid"
verdict no_more $? "the log is written further"

# The next log has only its own calls, of the requested functions, in another folder.
mkdir other
attach -d 300ms -F 't_summed+t_round' -N t_round -o other
is again_code $? 0
says again err "its calls are in $work/other/log-rt.1_$pid"
is again_others "$(sum "other/log-rt.1_$pid" t_scaled) $(sum "other/log-rt.1_$pid" t_round)" '0 0'
calc "$(sum "other/log-rt.1_$pid" t_summed) > 5"
verdict again_counted $? "$(tail -n 3 "other/log-rt.1_$pid")"
awk '/^ LV/ { on = 1; next } on && $1 > 1 { bad = 1 } END { exit bad }' "other/log-rt.1_$pid"
verdict again_flat $? "functions are called by those of the log before"
attach -d 100ms -q -D 1
is quiet "$? $(cat err) $(ls log-rt.*)" "0  log-rt.1_$pid
log-rt.2_$pid"

# Two at once; one that gets a signal restores the program; one that is killed leaves it to the next one.
begin_measuring -d 100
timeout 100 "$bin/swtrace" calls -p "$pid" -d 1ms 2>err2
is twice $? 125
says twice_words err2 "process $pid: its calls are being measured already"
kill $first
wait $first
says told_to_end err "process $pid is not measured any more"
begin_measuring
kill -9 $first
wait $first 2>/dev/null
attach --off
is left "$?" 0
says left_words err "its calls are in $work/log-rt.4_$pid"
attach --off
is off_twice "$?" 125
says off_twice_words err "process $pid: its calls are not being measured"

# Invalid options, and a folder that the process does not have.
attach -d 1ms -o nowhere
is no_folder "$?" 125
says no_folder_words err 'nowhere: No such file or directory'
end
is right "$code $(cat said) $(cat program.err)" '0 0 wrong '

# A signal that ends it while it is measured.
rm -f over
begin ./target over
begin_measuring
sleep 0.3
kill -TERM "$pid"
wait $job $first 2>/dev/null
calc "$(sum "log-rt.1_$pid" t_round) > 10"
verdict ended_by_signal $? "$(tail -n 3 "log-rt.1_$pid" err)"

# Libraries that it opens while it is measured; one of another name is not requested.
cat >plug.c <<'END'
__attribute__((noinline)) int t_plugged(int x) { return x + 1; }
__attribute__((noinline)) int other(int x) { return x + 2; }
int t_plug(int x) { return t_plugged(x) + other(x); }
END
cat >opens.c <<'END'
#include <dlfcn.h>
#include <unistd.h>
__attribute__((noinline)) int t_own(int x) { return x + 1; }
int main(int argc, char **argv)
{
	int (*plug)(int) = 0, n = 0;

	for (; argc == 3 && access(argv[1], F_OK); usleep(1000)) {
		n = plug ? plug(n & 7) : t_own(n);
		if (!plug && !access(argv[2], F_OK)) {
			void *library = dlopen("./plug.so", RTLD_NOW);

			plug = library ? (int (*)(int))dlsym(library, "t_plug") : 0;
			if (!plug)
				return 3;
		}
	}
	return n < 1;
}
END
gcc -O2 -shared -fPIC -fpatchable-function-entry=5 plug.c -o plug.so &&
	gcc -O2 -fpatchable-function-entry=5 opens.c -o opens -ldl || exit 1
rm -f more
begin ./opens over more
begin_measuring -F 't_*'
touch more
for _ in $(seq 200); do
	grep -q 'has opened' err && break
	sleep 0.05
done
sleep 0.3
kill $first
wait $first
says opened err "process $pid has opened or closed libraries: 3 functions are measured"
calc "$(sum "log-rt.1_$pid" t_plug) > 50 && $(sum "log-rt.1_$pid" t_plugged) > 50 && $(sum "log-rt.1_$pid" other) == 0"
verdict opened_counted $? "$(cat "log-rt.1_$pid" err)"
end
is opened_right "$code $(cat program.err)" '0 '

# It exits while it is measured, and is killed.
begin ./target over
begin_measuring
end
wait $first
is ended $? 0
says ended_words err "process $pid has ended; what it has written of its calls is in $work/log-rt.1_$pid"
calc "$(sum "log-rt.1_$pid" t_round) > 5"
verdict ended_log $? "$(head -n 3 "log-rt.1_$pid")"
begin ./target over
begin_measuring
kill -9 "$pid" # its shell says so
wait $first
is killed $? 0
says killed_log "log-rt.1_$pid" 'not whole: the program runs, or it was killed'
end

# One that has ended and nobody has waited for.
sh -c './target over & echo $! >zombie; exec sleep 60' >/dev/null 2>&1 &
parent=$!
for _ in $(seq 100); do
	[ -s zombie ] && break
	sleep 0.05
done
kill -9 "$(cat zombie)"
while [ "$(awk '/^State/ { print $2 }' "/proc/$(cat zombie)/status")" != Z ]; do
	sleep 0.02
done
"$bin/swtrace" calls -p "$(cat zombie)" -d 1 >out 2>err
is zombie $? 125
says zombie_words err "process $(cat zombie): it has ended"
kill $parent

# A program that has nothing to be patched, and one that may not be.
gcc -O2 "$here/patch_target.c" -o none -pthread
begin ./none over
attach -d 1ms
is nothing $? 125
says nothing_words err "process $pid: no patch sites in .*: compile with -fpatchable-function-entry=5"
end
is nothing_right "$code $(cat said)" '0 0 wrong'
cat >denied.c <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) int t_one(int x) { return x + 1; }
int main(int argc, char **argv)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 13),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = { 4, f };
	int n = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		return 4;
	while (access(argv[1], F_OK)) {
		n = t_one(n);
		usleep(1000);
	}
	return argc != 2 || n < 1;
}
END
gcc -O2 -fpatchable-function-entry=5 denied.c -o denied || exit 1
begin ./denied over
attach -d 1ms
is denied $? 125
says denied_words err 'Permission denied: the kernel does not let a process write its own code'
end
is denied_right "$code" 0
# Loading waits for the loader's lock, and the lock's owner for the stopped thread, so that thread is restored.
# Signals that arrive all the time do not matter.
cat >slow.c <<'END'
#include <unistd.h>
extern volatile int goes;
__attribute__((constructor)) static void wait_for_main(void)
{
	while (!goes)
		usleep(1000);
}
END
cat >locked.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
volatile int goes;
static volatile long ticks;
__attribute__((noinline)) int t_one(int x) { return x + 1; }
static void tick(int number) { ticks += number != 0; }
static void *open_slow(void *arg) { return arg ? arg : dlopen("./slow.so", RTLD_NOW); }
int main(int argc, char **argv)
{
	struct itimerval often = { { 0, 5000 }, { 0, 5000 } };
	struct sigaction a = { .sa_handler = tick, .sa_flags = SA_RESTART };
	pthread_t t;
	char line[16];
	long n;

	if (argc > 1 && argv[1][0] == 't') {
		sigaction(SIGALRM, &a, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	pthread_create(&t, NULL, open_slow, NULL);
	n = read(0, line, sizeof(line));
	goes = 1;
	pthread_join(t, NULL);
	printf("%ld %d\n", n, t_one(3));
	return 0;
}
END
gcc -O2 -shared -fPIC slow.c -o slow.so && gcc -O2 -rdynamic -fpatchable-function-entry=5 locked.c -o locked -pthread -ldl || exit 1
for what in quiet ticks; do
	rm -f in
	mkfifo in
	timeout 60 ./locked $what <in >said &
	job=$!
	exec 7>in
	sleep 0.3
	pid=$(pgrep -P $job)
	attach -d 1ms
	is locked_$what "$?" 125
	says locked_words_$what err "process $pid: its thread waited for a lock for 5 s: it was put back, and nothing has been changed"
	echo hello >&7
	exec 7>&-
	wait $job
	is locked_went_on_$what "$? $(cat said)" '0 6 4'
done

# A thread in vfork() cannot be stopped until its child exits: another one is used, or a message is printed.
cat >borrows.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int over;
__attribute__((noinline)) int t_one(int x) { return x + 1; }
static void *runs(void *arg)
{
	long n = 0;

	while (!over)
		n += t_one((int)n);
	return arg ? arg : (void *)n;
}
int main(int argc, char **argv)
{
	pthread_t t;
	char c = 0;

	if (argc > 1)
		pthread_create(&t, NULL, runs, NULL);
	if (!vfork()) {
		(void)!read(0, &c, 1);
		_exit(0);
	}
	over = 1;
	if (argc > 1)
		pthread_join(t, NULL);
	printf("%d %s\n", t_one(3), argv[argc - 1]);
	return 0;
}
END
gcc -O2 -fpatchable-function-entry=5 borrows.c -o borrows -pthread || exit 1
for others in '' other; do
	rm -f in log-rt.*
	mkfifo in
	# shellcheck disable=SC2086
	timeout 60 ./borrows $others <in >said &
	job=$!
	exec 7>in
	sleep 0.3
	pid=$(pgrep -P $job)
	attach -d 200ms
	code=$?
	if [ -n "$others" ]; then
		calc "$code == 0 && $(sum "log-rt.1_$pid" t_one) > 100"
		verdict borrowed_other $? "$code $(cat err)"
	else
		says borrowed err 'no thread of it was where it could call a function, one is in an uninterruptible system call'
	fi
	echo >&7
	exec 7>&-
	wait $job
	is "borrowed_went_on_${others:-alone}" "$? $(cut -c1 said)" '0 4'
done

# A program that is in the library nearly always: its thread is led out, each time.
cat >short.c <<'END'
#include <unistd.h>
__attribute__((noinline)) int t_one(int x) { return x + 1; }
int main(void)
{
	long n = 0;

	for (alarm(60);;)
		n += t_one((int)n);
}
END
gcc -O2 -fpatchable-function-entry=5 short.c -o short || exit 1
./short &
pid=$!
sleep 0.1
codes=
for i in 1 2 3 4 5; do
	rm -f log-rt.*
	attach -d 20ms
	codes="$codes $?"
done
is short "$codes" ' 0 0 0 0 0'

# Another copy of the library would change what the first one has changed.
mkdir -p copy
cp -r "$bin" "$bin/../lib" copy/
timeout 20 copy/bin/swtrace calls -d 20ms -p "$pid" >said 2>err
is twice $? 125
says twice_words err 'it has another copy already'
kill "$pid"
wait "$pid"

begin ./target over
kill -STOP "$pid"
attach -d 1ms
says stopped err 'or it is stopped'
kill -CONT "$pid"
end
pid=999999
attach
is gone $? 125
says gone_words err 'process 999999: No such process'
timeout 10 "$bin/swtrace" calls 2>err
is misused $? 125
exit $failures
