#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# libhookit in programs of C and C++: calls of each function are as many as callgrind counts, or as the
# program says, also where signals come, frames are left by longjmp() and exceptions, threads and
# processes come and go, libraries are closed; what it is asked for and what it refuses; linked with
# programs in both ways.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
unset HOOKITOPTS LD_PRELOAD
library=$build/lib/libhookit.so
if [ ! -f "$library" ]; then
	echo "skip hookit it is not built with sanitizers"
	exit 77
fi
export XDG_CACHE_HOME=$work/cache # minima
cd "$work" || exit 1
how='-O2 -g -fno-inline -fno-ipa-cp -fno-ipa-icf -finstrument-functions'
# shellcheck disable=SC2086
gcc $how "$here/calls.c" -o calls -lpthread -ldl && g++ $how "$here/objects.cc" -o objects || exit 1
# The same with calls at the first instruction of functions and before the last one; each kind alone counts nothing.
if [ "$(uname -m)" = x86_64 ]; then
	entry=${how/-finstrument-functions/-pg -mfentry -minstrument-return=call}
	mkdir real nothing
	printf '.globl __fentry__, __return__\n.type __fentry__, @function\n.type __return__, @function\n__fentry__: ret\n__return__: ret\n' |
		gcc -shared -nostdlib -Wl,-soname,libhookit.so.0 -x assembler - -o nothing/libhookit.so.0
	ln -s "$library" real/libhookit.so.0
	# shellcheck disable=SC2086
	gcc $entry "$here/calls.c" -c && gcc calls.o -o fcalls nothing/libhookit.so.0 -lpthread -ldl &&
		g++ $entry "$here/objects.cc" -c && g++ objects.o -o fobjects nothing/libhookit.so.0 || exit 1
fi
for n in 1 2; do
	# shellcheck disable=SC2086
	echo "int part$n(int n) { return n + $n; } int work(int n) { return part$n(n) + part$n(n); }" |
		gcc $how -shared -fPIC -x c - -o lib$n.so || exit 1
done

hooked() { # OPTIONS PROGRAM ARGUMENT...
	local options=$1
	shift
	rm -f log-rt.* log-gen.*
	HOOKITOPTS=$options LD_LIBRARY_PATH=real LD_PRELOAD=$library "$@" >out 2>err
}
calls() { # NAME: CALLS of all nodes of the function, without the thread's
	awk -v "name=$1" '/^ LV/ { on = 1; next } on && $1 > 0 && $NF == name { n += $2 } END { print n + 0 }' log-rt.*
}
listed() { # each function's CALLS, as count_calls lists them
	awk '/^ LV/ { on = 1; next } /^$/ { on = 0 } on && $1 > 0 { n[substr($0, index($0, $8))] += $2 }
		END { for (i in n) print n[i], i }' log-rt.* | LC_ALL=C sort
}
columns() { # a parent's CEE are its children's CALLS; nothing is negative
	awk 'function close_to(level) {
			for (; top >= level; top--)
				if (made[top] != wants[top])
					bad++
		}
		BEGIN { top = -1 }
		/^ LV/ { on = 1; next }
		/^$/ { on = 0 }
		on {
			close_to($1)
			if ($1 > 0)
				made[$1 - 1] += $2
			top = $1; wants[top] = $3; made[top] = 0; n++
			if ($4 < 0 || $5 < 0)
				bad++
		}
		END { close_to(0); exit !(n > 1 && !bad) }' "$@"
}
counted() { # NAME PROGRAM ARGUMENT...: as callgrind counts; what a program prints is the same
	local name=$1
	shift
	rm -f cg.*
	LD_LIBRARY_PATH=nothing valgrind -q --tool=callgrind --callgrind-out-file=cg.out "$@" >want.out 2>cg.err
	hooked "CALIBRATION=none${with:-}" "$@"
	if ! cmp -s out want.out || [ -s err ]; then
		verdict "$name" 1 "$(cat err out)"
		return
	fi
	"$here/count_calls" "$(basename "$1")" cg.out | grep -v -e '^[0-9]* [_(]' -e 0x0 -e '\(tm_clones\|frame_dummy\|_aux\|clone .cold\]\)$' |
		LC_ALL=C sort >want
	# main is called by the C library.
	listed | grep -v -e ' work$' -e ' part' >have
	grep -q ' main$' want || sed -i '/ main$/d' have
	cmp -s want have && [ -s have ] && columns log-rt.*
	verdict "$name" $? "$(diff want have | head -5)"
}

if command -v valgrind >/dev/null; then
	counted getters ./calls getters
	counted recursion ./calls fib
	counted each_other ./calls even
	counted callbacks ./calls sort
	counted jumps ./calls jumps
	counted values ./calls values
	counted threads ./calls threads
	counted objects ./objects
	if [ -x fcalls ]; then
		for what in getters fib even sort jumps values threads; do
			counted entry_$what ./fcalls $what
		done
		counted entry_objects ./fobjects
	fi
else
	echo "skip hookit_getters no valgrind is installed"
fi
entries_are_exits() { # LIVE
	awk -v "most=$1" '/^entries/ { gsub(",", ""); e = $2; x = $4; u = $7 + $13; s = $11 }
		END { exit !(e > 0 && e == x + u + s && s <= most) }' log-rt.*
}

hooked CALIBRATION=none ./objects
entries_are_exits 0
verdict exceptions_end $? "$(grep ^entries log-rt.*)"
# The exception leaves n + 1 frames of thrower(n): (1 + 2 + 3 + 4 + 5) * 20.
is unwound "$(sed -n 's/.*exception exits \([0-9]*\).*/\1/p' log-rt.*)" 300
hooked CALIBRATION=none,CALLTRACE ./objects
"$bin/post" -q -r log-gen.1_* -calls >/dev/null 2>&1
is unwound_trace "$(awk '/ ! F:thrower/ { n++ } / \^ F:/ { m++ } END { print n, m + 0 }' calls.out)" '300 0'
hooked CALIBRATION=none ./objects
is demangled "$(calls 'thrower(int)') $(grep -c _Z log-rt.*)" '300 0'
hooked CALIBRATION=none ./calls jumps
entries_are_exits 0
verdict jumps_end $? "$(grep ^entries log-rt.*)"
# The function that continues is the one that ends: it has one level.
awk '$NF == "again" { n[$1] += $2 } END { exit !(n[3] == 50 && n[4] == 50 && n[6] == 50 && !n[7]) }' log-rt.*
verdict jumps_levels $? "$(grep again log-rt.*)"
# Frames left by a jump are counted as popped; the time after it belongs to the function that continues.
cat >popped.c <<'END'
#include <setjmp.h>
static jmp_buf back;
static volatile int sum;
__attribute__((noinline)) void deep(int n)
{
	if (!n)
		longjmp(back, 1);
	deep(n - 1);
	sum++;
}
__attribute__((noinline)) void goes_on(void)
{
	if (!setjmp(back))
		deep(3);
	for (int i = 0; i < 2000000; i++)
		sum++;
}
int main(void)
{
	for (int i = 0; i < 10; i++)
		goes_on();
	return 0;
}
END
popped() { # NAME OPTION...
	local name=$1
	shift
	gcc -O2 -fno-inline -fno-ipa-cp "$@" popped.c -o popped || exit 1
	hooked PATCH,CALIBRATION=none ./popped
	is "popped_$name" "$(grep ^entries log-rt.*)" 'entries 51, exits 11, exception exits 0, on the stack 0, popped 40'
	awk '$NF == "deep" { n += $4 } $NF == "goes_on" { on = $4 } END { exit !(on > 2 * n) }' log-rt.*
	verdict "popped_${name}_time" $? "$(cat log-rt.*)"
	hooked PATCH,CALIBRATION=none,CALLTRACE ./popped
	"$bin/post" -q -r log-gen.1_* -calls >/dev/null 2>&1
	is "popped_${name}_trace" "$(awk '{ n[$2 " " $3]++ } END { print n["> F:deep"], n["^ F:deep"], n["! F:deep"] + n["< F:deep"], n["< F:goes_on"] }' calls.out)" \
		'40 40 0 10'
}
popped instrumented -finstrument-functions
[ "$(uname -m)" != x86_64 ] || popped sites -fpatchable-function-entry=5 -D_FORTIFY_SOURCE=2
for stack in signals own_stack; do
	hooked CALIBRATION=none ./calls $stack
	handled=$(awk '/^handled/ { print $2 }' out)
	is ${stack}_counted "$(calls handler) $(calls note) $(calls get)" "$handled $handled 2000000"
	[ "$handled" -gt 100 ] && entries_are_exits 0 && columns log-rt.*
	verdict ${stack}_end $? "$handled $(grep ^entries log-rt.*)"
done
hooked CALIBRATION=none ./calls leaves
is left_handlers "$(calls leaver) $(calls fib)" '1000 10'
[ "$(awk '$NF == "leaves" { print $1 + 1 }' log-rt.*)" = "$(awk '$NF == "fib" { print $1 }' log-rt.*)" ]
verdict left_levels $? "$(tail -20 log-rt.*)"

if [ -x fcalls ]; then
	# Tail calls: the callee is at the same level as its caller.
	hooked CALIBRATION=none ./fcalls even
	awk '$NF == "odd" || $NF == "even" { n += $2; if ($1 != 2) bad = 1 } END { exit !(n == 1001 && !bad) }' log-rt.*
	verdict tail_calls $? "$(cat log-rt.*)"
	for stack in signals own_stack; do
		hooked CALIBRATION=none ./fcalls $stack
		handled=$(awk '/^handled/ { print $2 }' out)
		[ "$handled" -gt 100 ] && [ "$(calls handler) $(calls note) $(calls get)" = "$handled $handled 2000000" ] &&
			columns log-rt.*
		verdict entry_$stack $? "$handled $(cat log-rt.*)"
	done
	awk '$NF == "get" { n += $2; delta += $5 } END { exit !(delta > n) }' log-rt.*
	verdict signals_teach_nothing $? "$(tail -12 log-rt.*)"
	hooked CALIBRATION=none ./fobjects
	is entry_unwound "$(calls 'thrower(int)') $(awk '/^entries/ { gsub(",", ""); print $2 - $4 - $7 - $11 }' log-rt.*)" '300 0'
	# Those of the vectors, too, where more than cycles is read.
	hooked CALIBRATION=none,METRICS=task-clock+wall,CALLTRACE ./fcalls values
	is entry_registers "$(cat out)" 'values 4801500.0'
	# … also when a handler calls what nobody has met, whose name is asked for, while an event is noted.
	cat >fresh.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#define ONE(n) __attribute__((noinline)) void fresh##n(void) { __asm__ volatile("" : : "i"(0x##n)); }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4)
#undef ONE
#define ONE(n) fresh##n,
static void (*const all[])(void) = { HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) };
static volatile int next;
__attribute__((no_instrument_function)) static void handler(int number)
{
	(void)number;
	if (next < 400)
		all[next++]();
}
__attribute__((noinline)) double add(double a, double b, double c, double d)
{
	__asm__ volatile("");
	return a + 2 * b + 3 * c + 4 * d;
}
int main(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } };
	long wrong = 0;

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, 0);
	while (next < 400)
		wrong += add(1, 2, 3, 4) != 30;
	printf("wrong %ld\n", wrong);
	return 0;
}
END
	# shellcheck disable=SC2086
	gcc $entry -c fresh.c && gcc fresh.o -o fresh nothing/libhookit.so.0 || exit 1
	hooked CALIBRATION=none,FUNCTIONS=-nothing ./fresh
	is entry_fresh_registers "$(cat out) $(awk '$NF ~ /^fresh/ { n += $2 } END { print n }' log-rt.*)" 'wrong 0 400'
fi

# Sites that are patched, where that is built.
if [ -e "$top/tools/hookit/patch/patch.h" ] && [ "$(uname -m)" = x86_64 ]; then
	sites=${how/-finstrument-functions/-fpatchable-function-entry=5}
	# shellcheck disable=SC2086
	gcc $sites "$here/calls.c" -o pcalls -lpthread -ldl && g++ $sites "$here/objects.cc" -o pobjects || exit 1
	for what in getters fib sort values threads; do
		with=,PATCH counted sites_$what ./pcalls $what
	done
	hooked PATCH,CALIBRATION=none ./pobjects
	is sites_unwound "$(calls 'thrower(int)') $(awk '/^entries/ { gsub(",", ""); print $2 - $4 - $7 - $11, $7 }' log-rt.*)" '300 0 300'
	# Errors are reported even to a program that calls nothing of the library.
	hooked PTACH,CALIBRATION=none ./pcalls values
	is sites_misspelt "$? $(cat err) $(grep -c values out)" \
		'0 hookit: HOOKITOPTS: PTACH: unknown option (HELP lists the options): nothing is measured 1'
	# Functions that jump to another, also through one without a site: those are at the same level.
	cat >tails.c <<'END'
static volatile int sum;
#define ONE __attribute__((noinline)) int
ONE leaf(int n) { return n + sum; }
ONE last(int n) { return leaf(n) + leaf(n + 1); }
ONE middle(int n) { return last(n + 1); }
__attribute__((noinline, patchable_function_entry(0, 0))) int bare(int n) { return last(n + 2); }
ONE first(int n) { return bare(n + 1); }
ONE outer(int n) { return first(n) + middle(n); }
int main(void)
{
	for (int i = 0; i < 100; i++)
		sum += outer(i) & 1;
	return 0;
}
END
	# shellcheck disable=SC2086
	gcc $sites tails.c -o tails || exit 1
	hooked PATCH,CALIBRATION=none ./tails
	is sites_tails "$(awk '/^ LV/ { on = 1; next } on && $1 > 1 { print $NF, $1, $2, $3 }' log-rt.* | LC_ALL=C sort | tr '\n' ' ')" \
		'first 3 100 0 last 3 200 400 leaf 4 400 0 middle 3 100 0 outer 2 100 400 '
	# Libraries that are opened later, by path and by a name that is found where the program says; by a program that has
	# no sites itself, and what patterns take of them.
	mkdir own
	cat >plug.c <<'END'
static volatile int sum;
__attribute__((noinline)) int plugged(int n) { return n + ++sum; }
int plug(int n)
{
	int all = 0;
	for (int i = 0; i < n; i++)
		all += plugged(i);
	return all;
}
END
	cat >opens.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		int (*plug)(int) = library ? (int (*)(int))dlsym(library, "plug") : 0;
		if (!plug || !plug(10 * i))
			return 1;
	}
	return 0;
}
END
	# shellcheck disable=SC2016,SC2086
	gcc $sites -shared -fPIC plug.c -o plug1.so && cp plug1.so plug2.so && cp plug1.so own/libown.so &&
		gcc $sites opens.c -o opens -Wl,--enable-new-dtags,-rpath,'$ORIGIN/own' -ldl && gcc -O2 opens.c -o bare -ldl || exit 1
	hooked PATCH,CALIBRATION=none ./opens ./plug1.so ./plug2.so
	is opened "$? $(calls main) $(calls plug) $(calls plugged)" '0 1 2 30'
	hooked PATCH,CALIBRATION=none ./bare ./plug1.so ./plug2.so
	is opened_alone "$? $(calls plug) $(calls plugged)" '0 2 30'
	hooked PATCH,CALIBRATION=none,FUNCTIONS=plugged ./bare ./plug1.so ./plug2.so
	is opened_wanted "$? $(calls plug) $(calls plugged)" '0 0 30'
	# The front finds the sites of whatever the command starts: a shell's child, a library of a program that has none.
	rm -f log-rt.*
	"$bin/swtrace" run --calls -q -o run.nrm2 -- sh -c './opens ./plug1.so; true' >out 2>err
	is opened_front_child "$? $(calls F:main) $(calls F:plug) $(calls F:plugged)" '0 1 1 10'
	rm -f log-rt.*
	"$bin/swtrace" run --calls -q -o run.nrm2 -- ./bare ./plug1.so ./plug2.so >out 2>err
	is opened_front_library "$? $(calls F:plug) $(calls F:plugged)" '0 2 30'
	# A program that calls hooks itself is measured by them: two ways cost differently, and a report has one cost.
	gcc -O2 -finstrument-functions opens.c -o hooked -ldl || exit 1
	rm -f log-rt.*
	"$bin/swtrace" run --calls -q -o run.nrm2 -- ./hooked ./plug1.so ./plug2.so >out 2>err
	is opened_front_hooked "$? $(calls F:main) $(calls F:plug)" '0 1 0'
	# A library that is closed and opened again, unchanged or changed, at the same place.
	cat >reopens.c <<'END'
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 60; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*plug)(int) = library ? (int (*)(int))dlsym(library, "plug") : 0;
		if (argc != 2 || !plug || !plug(10) || dlclose(library))
			return 1;
	}
	return 0;
}
END
	gcc -O2 reopens.c -o reopens -ldl || exit 1
	hooked PATCH,CALIBRATION=none ./reopens ./plug1.so
	is reopened "$? $(calls plug) $(calls plugged)" '0 60 600'
	# Its own is found, and counts from the next one on.
	hooked PATCH,CALIBRATION=none ./opens libown.so ./plug1.so libown.so
	is opened_by_name "$? $(calls plug) $(calls plugged)" '0 2 50'
	# Calls apart by what they are given; texts that cannot be read, and numbers of which part is anything.
	cat >given.c <<'END'
static volatile int sum;
__attribute__((noinline)) int square(int n) { return n * n + sum; }
__attribute__((noinline)) int greet(int n, const char *name) { return n + sum + (name == 0); }
__attribute__((noinline)) int inner(unsigned char c, long n) { return c + (int)n + sum; }
int main(void)
{
	static const char *const names[] = { "anna", "bo\"b\n", 0, (const char *)8 };
	for (int i = 0; i < 12; i++)
		sum += square(i % 3 - 1) + greet(i, names[i % 4]) + inner(i & 1 ? 'a' : 7, 1L << 40);
	for (int i = 0; i < 1500; i++)
		sum += square(100 + i);
	return 0;
}
END
	apart() { # OPTIONS: name and calls
		hooked "PATCH,CALIBRATION=none,$1" "./$2"
		awk '/^ LV/ { on = 1; next } /^$/ { on = 0 } on && $1 == 2 { print $2, substr($0, index($0, $8)) }' log-rt.* | LC_ALL=C sort
	}
	# shellcheck disable=SC2086
	gcc $sites given.c -o given && gcc $entry -c given.c && gcc given.o -o fgiven nothing/libhookit.so.0 &&
		gcc $how given.c -o igiven || exit 1
	for program in given fgiven; do
		apart 'ARGUMENTS=squ*@arg1+greet@arg2/s+inner@arg2/x64' $program >got
		is arguments_$program "$(grep -v 'square(1[0-9][0-9]*)\|square([2-9][0-9][0-9])' got)" '12 inner(0x10000000000)
3 greet("anna")
3 greet("bo"b?")
3 greet(0x8)
3 greet(NULL)
4 square(-1)
4 square(0)
4 square(1)
503 square(others)'
		is arguments_most_$program "$(grep -c 'square(' got)" 1001
	done
	apart 'ARGUMENTS=inner@arg1/c,FUNCTIONS=inner+main' given >got
	is arguments_letter "$(cat got)" "6 inner('a')
6 inner(7)"
	hooked 'PATCH,CALIBRATION=none,CALLTRACE,ARGUMENTS=square@arg1' ./given
	"$bin/post" -q -r log-gen.1_* -calls >/dev/null 2>&1
	is arguments_trace "$(grep -c '> F:square(-1) ' calls.out) $(grep -c '< F:square(-1) ' calls.out)" '4 4'
	hooked 'CALIBRATION=none,ARGUMENTS=square@arg1' ./igiven
	says arguments_instrumented err 'ARGUMENTS: functions compiled with -finstrument-functions do not report them'
	is arguments_not_told "$(calls square)" 1512
	for wrong in square square@1 square@arg33 @arg1 square@arg1/y square@arg1/i12 square@arg1/s8 square@arg1/; do
		hooked "PATCH,ARGUMENTS=$wrong" ./given
		[ $? = 0 ] && grep -q "ARGUMENTS=$wrong: " err && ! ls log-rt.* 2>/dev/null
		verdict "arguments_refused_$wrong" $? "$(cat err)"
	done
	rm -f log-rt.*
	"$bin/swtrace" run --calls -q -A 'inner@arg1/c+square@arg1' -o run.nrm2 -- ./given >out 2>err
	is arguments_front "$(calls "F:inner('a')") $(calls 'F:square(0)')" '6 4'
	"$bin/swtrace" run --calls -o run.nrm2 -- ./pcalls jumps >out 2>err
	says sites_front err 'pcalls is built with -fpatchable-function-entry (calls in '
fi

# Nearly all events are noted in a few instructions, which those are not that go to log-gen, too: the
# trees are the same. Functions are inlined here, and left where they are, and begin again in the loop.
cat >inlined.c <<'END'
#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
static volatile int sum;
#define INLINED static inline __attribute__((always_inline))
INLINED int leaf(int n) { return n + sum; }
INLINED int middle(int n) { return leaf(n) + leaf(n + 1); }
INLINED int leaves(int n)
{
	if (n % 3 == 0)
		longjmp(back, 1);
	return leaf(n) + middle(n);
}
__attribute__((noinline)) void jumps(int n)
{
	if (!setjmp(back))
		sum += middle(n) + leaves(n);
	sum += leaves(1);
}
int main(void)
{
	for (int i = 0; i < 300; i++)
		jumps(i);
	printf("%d\n", sum);
	return 0;
}
END
gcc -O2 -finstrument-functions inlined.c -o inlined || exit 1
tree() { # without what the thread is called
	awk '/^entries/ { print } /^ LV/ { name = 4 + 4 * /BASE/ + 2 * /BASE2/; on = 1; next } /^$/ { on = 0 }
		on && $1 { print $1, $2, $3, substr($0, index($0, $name)) }' log-rt.*
}
the_same() { # NAME PROGRAM ARGUMENT...
	local name=$1
	shift
	hooked "CALLTRACE,CALIBRATION=none${with:-}" "$@"
	tree >want
	hooked "CALLTREE${with:-}" "$@"
	tree >have
	hooked "CALIBRATION=none${with:-}" "$@"
	tree >read
	[ "$(wc -l <want)" -gt 1 ] && cmp -s want have && cmp -s want read
	verdict "$name" $? "$(diff want have | head -5; diff want read | head -5)"
}
the_same same_inlined ./inlined
is inlined "$(calls jumps) $(calls leaves) $(calls middle) $(calls leaf)" '300 600 800 2100'
for what in getters fib even sort jumps values; do
	the_same same_$what ./calls $what
	[ ! -x fcalls ] || the_same same_entry_$what ./fcalls $what
	[ ! -x pcalls ] || with=,PATCH the_same same_sites_$what ./pcalls $what
done
the_same same_objects ./objects
[ ! -x fobjects ] || the_same same_entry_objects ./fobjects
for what in fib jumps; do
	with=,METRICS=task-clock+wall the_same same_many_$what ./calls $what
	[ ! -x fcalls ] || with=,METRICS=task-clock+wall the_same same_entry_many_$what ./fcalls $what
done
with=,DEPTH=3 the_same same_depth ./calls fib
with=,FUNCTIONS=-fib+again the_same same_left_out ./calls jumps

# As many instructions a call and its end, as they are counted; of x86-64.
instructions() { # OPTIONS PROGRAM CALLS
	rm -f log-rt.*
	HOOKITOPTS=$1 LD_LIBRARY_PATH=real LD_PRELOAD=$library \
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$2" "$3" 2>&1 | awk '/Collected/ { print $NF }'
}
if command -v valgrind >/dev/null && [ "$(uname -m)" = x86_64 ]; then
	pairs=$top/tests/bench/hookit/pairs.c
	gcc -O2 -finstrument-functions "$pairs" -o pairs &&
		gcc -O2 -pg -mfentry -minstrument-return=call -c "$pairs" -o pairs.o &&
		gcc pairs.o -o fpairs nothing/libhookit.so.0 || exit 1
	for program in pairs fpairs; do
		for most in CALLTREE:280 CALLFLOW:500; do
			of=${most%:*},CALIBRATION=none
			each=$((($(instructions "$of" ./$program 30000) - $(instructions "$of" ./$program 10000)) / 22000))
			[ "$each" -gt 20 ] && [ "$each" -le "${most#*:}" ]
			verdict "instructions_${program}_${most%:*}" $? "$each, at most ${most#*:}"
		done
	done
else
	echo "skip hookit_instructions_pairs_CALLTREE no valgrind is installed, or no x86-64"
fi

hooked CALIBRATION=none ./calls forks
is fork_logs "$(ls log-rt.* | wc -l)" 2
parent=$(ls log-rt.* | head -1) child=$(ls log-rt.* | tail -1)
grep -q forks "$parent" && [ "$(awk '$NF == "fib" { n += $2 } END { print n }' "$parent")" = 8 ]
verdict fork_parent $? "$(cat "$parent")"
[ "$(awk '$NF == "fib" { n += $2 } END { print n }' "$child")" = 9 ] && [ "$(awk '$NF == "forks" { print $1, $2, $3 }' "$child")" = '2 0 1' ]
verdict fork_child $? "$(cat "$child")"
hooked CALIBRATION=none ./calls runs
# The parent's, two of children that execute others, those others' and one that leaves by _exit().
is run_calls "$(calls get) $(calls getters) $(calls fib) $(($(calls even) + $(calls odd)))" '100003 1 24 1001'
hooked CALIBRATION=none ./calls exit
[ $? = 5 ] && [ "$(calls leave_here) $(sed -n 's/.*on the stack \([0-9]*\).*/\1/p' log-rt.*)" = '4 5' ]
verdict exit_in_the_middle $? "$(cat log-rt.*)"
hooked CALIBRATION=none ./calls libraries ./lib1.so ./lib2.so
is closed_libraries "$(calls part1) $(calls part2) $(calls work)" '200 200 200'

# ---- options
hooked CALLTREE,METHODTYPES ./calls getters
is tree_alone "$(calls F:get) $(grep -c BASE log-rt.*)" '100000 0'
hooked CALIBRATION=none,FUNCTIONS='-*+get*' ./calls getters
is patterns "$(calls get) $(calls getters) $(calls main)" '100000 1 0'
hooked CALIBRATION=none,LINES ./objects
line=$(($(sed -n '/thrower(int/{=;q}' "$here/objects.cc") + 1)) # of its brace
is lines "$(calls "[objects.cc:$line]") $(awk '/^ LV/ { on = 1; next } /^$/ { on = 0 } on && $1 && !/ \[objects.cc:[0-9]*\]$/ { n++ } END { print n + 0 }' log-rt.*)" \
	'300 0'
hooked CALIBRATION=none,FUNCTIONS='-thrower' ./objects
is name_alone "$(calls 'thrower(int)') $(calls 'catcher(int)')" '0 100'
hooked CALIBRATION=none,FUNCTIONS='thrower(int)' ./objects
is name_whole "$(calls 'thrower(int)') $(calls 'catcher(int)')" '300 0'
hooked CALIBRATION=none,DEPTH=2 ./calls jumps
[ "$(calls get) $(calls deep) $(calls jumps)" = '0 0 1' ] && grep -q 'calls deeper than 2 ' log-rt.* && entries_are_exits 0
verdict depth $? "$(cat log-rt.*)"
hooked CALIBRATION=none,MINTIME=1s ./calls fib
is least_is_a_number "$(grep -c 'MINTIME=1s: a number' err)" 1
# A getter may take less than that.
hooked CALIBRATION=none,MINTIME=10ns ./calls getters
kept=$(calls main)
hooked CALIBRATION=none,MINTIME=1000000000000 ./calls getters
[ "$kept $(calls get) $(calls main)" = '1 0 0' ] && grep -q '^left out: calls that took less than 1000000000000: 100002$' log-rt.*
verdict least $? "$kept $(cat log-rt.*)"
"$bin/post" -r log-rt.1_* -functions >post.out 2>&1
! grep -q incomplete post.out
verdict least_is_whole $? "$(cat post.out)"
hooked CALIBRATION=none,METRICS=task-clock+wall ./calls getters
[ "$(calls get)" = 100000 ] && grep -q 'BASE1 .*DELTA2' log-rt.*
verdict metrics $? "$(head -5 log-rt.* err)"
mkdir logs
hooked LOGPATH=logs,LOGPREFIX=mine ./calls getters
[ "$(cat logs/mine.1_* | wc -l)" -gt 9 ] && ! ls log-rt.* 2>/dev/null
verdict path $?
refused() { # NAME OPTIONS WORDS: the program runs all the same
	hooked "$2" ./calls values
	[ $? = 0 ] && grep -q -e "$3" err && grep -q values out && ! ls log-rt.* 2>/dev/null
	verdict "$1" $? "$(cat err)"
}
refused unknown FLOW 'FLOW: unknown option'
refused empty_pattern FUNCTIONS=a+ 'FUNCTIONS=a+: patterns'
refused slash LOGPREFIX=a/b 'a slash'
refused no_folder LOGPATH=/nowhere 'No such file'
refused no_metric METRICS=pears 'METRICS=pears'
hooked HELP ./calls values
grep -q '^  FUNCTIONS=' out && grep -q values out
verdict help $?
hooked '' true
is no_log_without_calls "$(ls log-rt.* 2>/dev/null | wc -l)" 0
# Minima are kept: what this run learns serves the next one.
# Each kind is trained before its first call; what has trained them is not in the log.
hooked CALIBRATION=trained ./calls exit
is trained "$(sed -n 's/.*sequences trained \([0-9]*\).*/\1/p' log-rt.* | awk '{ print ($1 >= 2) }') $(calls leaf) $(grep -c '^sequence F-..-F-Xx-F [1-9]' trained)" '1 0 2'
hooked CALIBRATION=minima ./calls getters
hooked CALIBRATION=minima ./calls getters
grep -q 'sequences trained [1-9]' log-rt.* && grep -q 'F-En-F-Ex-F' minima
verdict minima $? "$(grep trained log-rt.*)"

# ---- each entry and exit
hooked CALIBRATION=none,CALLTRACE ./calls fib
"$bin/post" -r log-gen.1_* -calls >post.out 2>&1
awk '/ > F:fib/ { n++ } / < F:fib/ { m++ } END { exit !(n == m && n == 8361) }' calls.out
verdict trace $? "$(head -5 calls.out)"
hooked CALIBRATION=none,CALLTRACE ./calls forks
[ "$(ls log-gen.* | wc -l)" = 2 ]
verdict trace_fork $? "$(ls)"
# The thread that writes log-gen looks at what is loaded, with the loader's lock, while another one forks: here that
# takes a while. A child that is forked meanwhile would wait for that lock for ever.
cat >slowly.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
typedef int one(struct dl_phdr_info *, size_t, void *);
struct both { one *each; void *arg; };
static int slowly(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct both *b = arg;
	usleep(20000);
	return b->each(info, size, b->arg);
}
int dl_iterate_phdr(one *each, void *arg)
{
	int (*real)(one *, void *) = (int (*)(one *, void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return real(slowly, &(struct both){ each, arg });
}
END
cat >forked.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sum;
__attribute__((noinline)) void early(void) { sum++; }
__attribute__((noinline)) void late(void) { sum++; }
int main(void)
{
	int status = 0;
	early();
	usleep(30000);
	if (!fork()) {
		late();
		exit(0);
	}
	wait(&status);
	return status != 0;
}
END
gcc -shared -fPIC slowly.c -o slowly.so && gcc -O2 -g -finstrument-functions forked.c -o forked || exit 1
rm -f log-rt.* log-gen.*
HOOKITOPTS=CALIBRATION=none,CALLTRACE LD_PRELOAD="./slowly.so $library" timeout -s KILL 60 ./forked 2>err
is trace_fork_meanwhile "$? $(ls log-gen.* | wc -l) $(calls early) $(calls late)" '0 2 1 1'

# As records of a trace: what longjmp() has left ends, too.
for program in calls fcalls; do
	[ -x $program ] || continue
	HOOKITOPTS=TRACEHOOK,CALIBRATION=none LD_LIBRARY_PATH=real "$bin/swtrace" run -q -M user --calls -o marks.nrm2 -- ./$program jumps 2>err
	"$bin/post" -q -r marks.nrm2 -marks >/dev/null 2>&1
	is marks_$program "$(awk '$NF == "get" || $NF == "again" || $NF == "deep" { print $NF, $1, $2 }' marks.out | head -3 | LC_ALL=C sort | tr '\n' ' ')" \
		'again 200 0 deep 447 0 get 51 0 '
done

# ---- linked
cat >switched.c <<'END'
#include <hookit.h>
#include <stdio.h>
int one(int n) { return n + 1; }
int main(void)
{
	int n = one(0);

	HookitOn();
	n = one(one(n));
	HookitOff();
	n = one(n);
	printf("%d %d\n", n, HookitFlush());
	return 0;
}
END
# shellcheck disable=SC2086
gcc $how -I"$top/tools/hookit" switched.c -o shared -L"$build/lib" -lhookit -Wl,-rpath,"$work" &&
	ln -s "$library" libhookit.so.0 &&
	gcc $how -I"$top/tools/hookit" switched.c -o static "$build/lib/libhookit.a" -lelf -llzma -lzstd -liberty -lz -lpthread
verdict links $?
for kind in shared static; do
	rm -f log-rt.*
	HOOKITOPTS=NOSTART,CALIBRATION=none ./$kind >out 2>err
	is $kind "$(cat out) $(calls one)" '4 0 2'
done

# ---- the front
"$bin/swtrace" run --calls -o run.nrm2 -- ./calls getters >out 2>err
rm -f log-rt.*
"$bin/swtrace" run --calls --functions 'get*' -N 'getters' -o run.nrm2 -- ./calls getters >out 2>err
is front "$(calls F:get) $(calls F:getters)" '100000 0'
says front_told err 'calls is built with -finstrument-functions (calls in '
rm -f log-rt.*
"$bin/swtrace" run --calls -q -D 2 -o run.nrm2 -- sh -c './calls getters; true' >out 2>err
is front_depth "$(calls F:get) $(calls F:getters)" '0 1'
printf '\177ELF\2\1\1' >damaged
head -c 200 calls | tail -c +8 >>damaged
chmod +x damaged
"$bin/swtrace" run --calls -o run.nrm2 -- ./damaged >out 2>&1
[ $? = 125 ] && grep -q 'damaged: at byte [0-9]*: .*: it is damaged' out
verdict front_damaged $? "$(cat out)"
"$bin/swtrace" run --calls -o run.nrm2 -- true >out 2>&1
says front_nothing out 'compile with -finstrument-functions, -pg -mfentry -minstrument-return=call or -fpatchable-function-entry=5'

exit $((failures != 0))
