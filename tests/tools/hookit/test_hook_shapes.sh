#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs whose stacks and ends are not as usual: coroutines of C++, contexts of the C library, handlers on a stack of
# their own that jump out, threads that are cancelled or leave, destructors behind exit(), parts of functions elsewhere;
# built by gcc and clang, each entry with any number of nops, linked by LTO; and those that nothing can be loaded into.
# Their output and results are the same as without libhookit; each call is counted, and each that has begun also ends.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset HOOKITOPTS LD_PRELOAD
library=$build/lib/libhookit.so
if [ ! -f "$library" ] || [ "$(uname -m)" != x86_64 ]; then
	echo "skip hook_shapes sites are patched on x86-64 here, and not with sanitizers"
	exit 77
fi
export XDG_CACHE_HOME=$work/cache
cd "$work" || exit 1
mkdir real && ln -s "$library" real/libhookit.so.0

cat >coroutine.cc <<'END'
#include <coroutine>
#include <cstdio>
struct task {
	struct promise_type {
		int value;
		task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int v) { return value = v, std::suspend_always{}; }
		void return_void() {}
		void unhandled_exception() { throw; }
	};
	std::coroutine_handle<promise_type> handle;
};
__attribute__((noipa)) int leaf(int n) { return n + 1; }
__attribute__((noipa)) task generate(int n)
{
	for (int i = 0; i < n; i++) {
		if (i == 7)
			throw 3;
		co_yield leaf(i);
	}
}
__attribute__((noipa)) int drive(int n)
{
	task t = generate(n);
	int sum = 0;
	try {
		while (t.handle.resume(), !t.handle.done())
			sum += t.handle.promise().value;
	} catch (int) {
		sum += 100;
	}
	t.handle.destroy();
	return sum;
}
int main()
{
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += drive(i % 10);
	std::printf("%d\n", sum);
}
END
cat >context.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t main_one, others[3];
static volatile int sum;
__attribute__((noipa)) int leaf(int n) { return sum += n, n; }
__attribute__((noipa)) void body(int k)
{
	for (int i = 0; i < 1000; i++) {
		leaf(i);
		swapcontext(&others[k], &main_one);
		leaf(1);
	}
}
__attribute__((noipa)) int drive(void)
{
	for (int i = 0; i < 1000; i++)
		for (int k = 0; k < 3; k++)
			swapcontext(&main_one, &others[k]);
	return sum;
}
int main(void)
{
	for (int k = 0; k < 3; k++) {
		getcontext(&others[k]);
		others[k].uc_stack.ss_sp = malloc(65536);
		others[k].uc_stack.ss_size = 65536;
		others[k].uc_link = &main_one;
		makecontext(&others[k], (void (*)(void))body, 1, k);
	}
	drive();
	for (int k = 0; k < 3; k++)
		swapcontext(&main_one, &others[k]);
	for (int k = 0; k < 3; k++)
		free(others[k].uc_stack.ss_sp);
	printf("%d\n", sum);
	return 0;
}
END
cat >alternate.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static sigjmp_buf back;
static volatile int sum;
__attribute__((noipa)) int leaf(int n) { return sum++, n; }
__attribute__((noipa)) void handler(int number)
{
	leaf(number);
	siglongjmp(back, 1);
}
__attribute__((noipa)) void deep(int n)
{
	if (!n)
		raise(SIGUSR1);
	deep(n - 1);
	sum++;
}
__attribute__((noipa)) void one(int i)
{
	if (!sigsetjmp(back, 1))
		deep(i % 20);
	leaf(i);
}
int main(void)
{
	stack_t own = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	sigaltstack(&own, NULL);
	sigaction(SIGUSR1, &a, NULL);
	for (int i = 0; i < 500; i++)
		one(i);
	printf("%d\n", sum);
	return 0;
}
END
cat >cancelled.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int sum;
__attribute__((noipa)) int leaf(int n) { return __sync_fetch_and_add(&sum, n), n; }
__attribute__((noipa)) void clean(void *arg) { leaf(1 + (arg != NULL)); }
__attribute__((noipa)) void *waits(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	leaf(1);
	for (;;)
		pause();
	pthread_cleanup_pop(1);
	return arg;
}
__attribute__((noipa)) void leaves(int n)
{
	if (!n)
		pthread_exit(NULL);
	leaves(n - 1);
	leaf(1);
}
__attribute__((noipa)) void *exits(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	leaves(5);
	pthread_cleanup_pop(0);
	return arg;
}
int main(void)
{
	pthread_t all[8];
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 8; i++)
			pthread_create(&all[i], NULL, i & 1 ? waits : exits, NULL);
		while (sum < (round + 1) * 8 + round * 4)
			usleep(500);
		for (int i = 0; i < 8; i++) {
			if (i & 1)
				pthread_cancel(all[i]);
			pthread_join(all[i], NULL);
		}
	}
	printf("%d\n", sum);
	return 0;
}
END
cat >late.cc <<'END'
#include <cstdio>
#include <cstdlib>
__attribute__((noipa)) int leaf(int n) { return n + 1; }
struct global {
	int n;
	__attribute__((noipa)) global(int number) : n(number) {}
	__attribute__((noipa)) ~global() { std::printf("~%d\n", leaf(n)); }
};
static global first(1);
static thread_local global own(3);
__attribute__((noipa)) void at_exit() { leaf(2), std::puts("at exit"); }
__attribute__((destructor, noipa)) void last() { leaf(2), std::puts("last"); }
__attribute__((constructor, noipa)) void begins() { leaf(2); }
int main()
{
	static global second(2);
	std::atexit(at_exit);
	leaf(own.n);
	std::exit(leaf(3) - 4);
}
END
cat >parts.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static volatile int sum;
__attribute__((noinline, cold)) void rare(int n) { sum += n; }
static int part(const int *p, int n)
{
	if (__builtin_expect(p == NULL, 0)) {
		for (int i = 0; i < n; i++)
			rare(i);
		return sum * 3 + n;
	}
	return *p;
}
__attribute__((noipa)) int with_one(const int *p, int n) { return part(p, n) + 1; }
__attribute__((noipa)) int with_two(const int *p, int n) { return part(p, n) + 2; }
__attribute__((noipa)) int seldom(int n)
{
	if (__builtin_expect(n > 990, 0)) {
		rare(n);
		if (n == 12345)
			abort();
		return n * sum;
	}
	return n;
}
int main(void)
{
	int value = 3, all = 0;
	for (int i = 0; i < 1000; i++)
		all += with_one(i % 100 ? &value : NULL, 3) + with_two(&value, 2) + seldom(i);
	printf("%d\n", all & 255);
	return 0;
}
END

hooked() { # PROGRAM
	rm -f log-rt.*
	HOOKITOPTS=PATCH,CALIBRATION=none LD_LIBRARY_PATH=real LD_PRELOAD=$library timeout 60 "./$1" >out 2>err
}
calls() { # NAME: of all threads
	awk -v "name=$1" '/^ LV/ { on = 1; next } /^$/ { on = 0 } on && $1 > 0 {
		n = substr($0, index($0, $8)); sub(/[(. ].*/, "", n); if (n == name) sum += $2 } END { print sum + 0 }' log-rt.*
}
ends() { # how many have begun and not ended
	awk '/^entries/ { gsub(",", ""); left += $2 - $4 - $7 - $13; stack += $11 } END { print left - stack }' log-rt.*
}
whole() { # NAME PROGRAM WANT FUNCTION...: prints and returns as it does without, WANT calls of these functions
	local name=$1 program=$2 want=$3 have='' plain rc
	shift 3
	plain=$("./$program.plain" 2>&1)
	rc=$?
	hooked "$name"
	is "runs_$name" "$? $(cat out)$(cat err)" "$rc $plain"
	for function; do
		have+="$(calls "$function") "
	done
	is "calls_$name" "$have$(ends)" "$want 0"
}
build() { # PROGRAM: as it is, and in three ways; NAMEs in $built
	local program=$1 source compiler=gcc
	source=$(ls "$program".c*)
	[ "$source" = "$program.c" ] || compiler='g++ -std=c++20'
	$compiler -O3 "$source" -o "$program.plain" -pthread &&
		$compiler -O3 -fpatchable-function-entry=5 "$source" -o "sites_$program" -pthread &&
		$compiler -O2 -finstrument-functions "$source" -o "instrumented_$program" -pthread &&
		$compiler -O2 -pg -mfentry -minstrument-return=call -c "$source" -o "$program.o" &&
		$compiler "$program.o" -o "entry_$program" -Lreal -l:libhookit.so.0 -pthread || exit 1
}
for program in coroutine context alternate cancelled late parts; do
	build $program
	for way in sites instrumented entry; do
		case $program in
		coroutine) whole ${way}_coroutine coroutine '420 100 1' leaf drive main ;;
		context) whole ${way}_context context '6000 3 1' leaf body drive ;;
		alternate) whole ${way}_alternate alternate '1000 500 5250 500' leaf handler deep one ;;
		cancelled) whole ${way}_cancelled cancelled '240 160 80 80 480' leaf clean waits exits leaves ;;
		late) whole ${way}_late late '8 1 1 1' leaf at_exit last begins ;;
		parts) whole ${way}_parts parts '1000 1000 1000 39' with_one with_two seldom rare ;;
		esac
	done
done

# Each entry with nops before it and behind, and landing pads.
nops=''
for how in 5,0 6,1 7,2 8,3 10,5 12,4 16,0; do
	for pad in none full; do
		gcc -O2 -fcf-protection=$pad -fpatchable-function-entry=$how parts.c -o nops || exit 1
		hooked nops
		[ "$? $(cat out) $(calls with_one) $(calls rare)" = "0 $(./parts.plain) 1000 39" ] || nops+=" $how,$pad"
	done
done
is nops "$nops" ''
# As one file, and by another compiler.
gcc -O3 -flto -fpatchable-function-entry=5 parts.c -o together || exit 1
whole together parts '1000 1000 1000 39' with_one with_two seldom rare
if command -v clang >/dev/null; then
	for how in '-fpatchable-function-entry=5' '-fpatchable-function-entry=8,3' '-fxray-instrument -fxray-instruction-threshold=1' \
		'-finstrument-functions' '-fcf-protection -fpatchable-function-entry=5'; do
		name=clang$(tr -dc 'a-z0-9' <<<"$how" | cut -c1-24)
		# shellcheck disable=SC2086
		sed 's/noipa/noinline/' parts.c | clang -O2 $how -x c - -o "$name" || exit 1
		whole "$name" parts '1000 1000 1000 39' with_one with_two seldom rare
	done
else
	echo "skip hook_shapes_clang no clang is installed"
fi
# An object that catches nothing itself has a table of exceptions, but no unwinder: it is patched. One that cannot be
# says so, without a question.
g++ -O2 -fpatchable-function-entry=5 -static-libgcc -static-libstdc++ coroutine.cc -std=c++20 -o blind || exit 1
strip blind
hooked blind
says blind err 'hookit: PATCH: the program: .*exceptions, and an unwinder of its own whose symbols are stripped'
is blind_runs "$(cat out)" "$(./coroutine.plain)"
cp sites_late stripped && strip stripped
hooked stripped
is stripped_late "$(awk '/^entries/ { print ($2 + 0 > 10) }' log-rt.*)" 1

# A program into which nothing can be loaded still runs, and a message says why it has no calls.
gcc -O2 -static-pie -fpatchable-function-entry=5 parts.c -o alone || exit 1
"$bin/swtrace" run --calls -o run.nrm2 -- ./alone >out 2>err
is alone "$? $(cat out)" "0 $(./parts.plain)"
says alone_words err '--calls: ./alone has no calls: it is linked statically'
if command -v musl-gcc >/dev/null; then
	musl-gcc -O2 -fpatchable-function-entry=5 parts.c -o musl || exit 1
	"$bin/swtrace" run --calls -o run.nrm2 -- ./musl >out 2>err
	is musl "$? $(cat out)" "0 $(./parts.plain)"
	says musl_words err '--calls: ./musl has no calls: it is linked with musl: libhookit needs glibc'
else
	echo "skip hook_shapes_musl no musl-gcc is installed"
	echo "skip hook_shapes_musl_words no musl-gcc is installed"
fi
exit $((failures != 0))
