#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Arguments and return values of functions, as described by their files' DWARF or by the option: in registers of both
# kinds and on the stack, with each kind of instrumentation; functions that only a debug file names; names are decided
# before a handler calls a new function while the program is within malloc().
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
unset HOOKITOPTS LD_PRELOAD
library=$build/lib/libhookit.so
if [ ! -f "$library" ] || [ "$(uname -m)" != x86_64 ]; then
	echo "skip hook_values values are told on x86-64, and not with sanitizers"
	exit 77
fi
export XDG_CACHE_HOME=$work/cache
cd "$work" || exit 1
mkdir real && ln -s "$library" real/libhookit.so.0

hooked() { # OPTIONS PROGRAM ARGUMENT...
	local options=$1
	shift
	rm -f log-rt.* log-gen.*
	HOOKITOPTS=CALIBRATION=none,$options LD_LIBRARY_PATH=real LD_PRELOAD=$library timeout 60 "$@" >out 2>err
}
lines() { # PATTERN: level, calls and name of the functions whose names fit
	awk '/^ LV/ { on = 1; next } /^$/ { on = 0 } on && $1 { print $1, $2, substr($0, index($0, $8)) }' log-rt.* |
		grep -E "^[0-9]+ [0-9]+ ($1)" | LC_ALL=C sort
}

build() { # NAME FLAG...
	local name=$1
	shift
	g++ -O2 "$@" -c "$here/values.cc" -o values.o && g++ values.o -o "$name" -Lreal -l:libhookit.so.0
}
build sites -g -fpatchable-function-entry=5 && build entry -g -pg -mfentry -minstrument-return=call &&
	build plain -fpatchable-function-entry=5 || exit 1
of='square@arg1+square@retval+half@arg1+half@retval+times@arg1+times@arg2+times@retval+named@arg1+named@arg2+named@arg3'
of+='+named@retval+adds@arg1+adds@arg2+adds@arg3+adds@retval+colored@arg1+colored@retval'
more='nothing@arg1+nothing@arg2+nothing@retval+after_*@arg2+after_mixed@arg3+after_floats@arg3+makes_*@arg1+makes_*@retval'
more+='+many@arg7+many@arg8+many@arg1+longer@arg1+longer@arg2+varied@arg1+turned@arg1+turned@arg2+turned@retval'
more+='+object::method@arg2+object::method@retval'
cat >want <<'EOF'
2 1 adds(5000000000, -3, 1)
2 1 colored(1)
2 1 half(0.5)
2 1 half(1.5)
2 1 half(2.5)
2 1 named(NULL, 200, 'q')
2 1 square(-1)
2 1 square(0)
2 1 square(1)
2 1 times(0, 0)
2 1 times(1.25, 1)
2 1 times(2.5, 2)
2 2 adds(5000000000, -3, 0)
2 2 colored(-2)
2 2 named("yes", 200, 'q')
3 1 adds = 4999999998
3 1 colored = 1
3 1 half = 0.25
3 1 half = 0.75
3 1 half = 1.25
3 1 named = NULL
3 1 square = 0
3 1 square = 1
3 1 square = 1
3 1 times = 0
3 1 times = 1.25
3 1 times = 5
3 2 adds = 4999999997
3 2 colored = -2
3 2 named = "yes"
EOF
cat >want_more <<'EOF'
2 1 after_big(60)
2 1 after_big(61)
2 1 after_big(62)
2 1 after_end(70)
2 1 after_end(71)
2 1 after_end(72)
2 1 after_floats(9.5, 80)
2 1 after_floats(9.5, 81)
2 1 after_floats(9.5, 82)
2 1 after_mixed(50, 2.5)
2 1 after_mixed(51, 2.5)
2 1 after_mixed(52, 2.5)
2 1 after_pair(40)
2 1 after_pair(41)
2 1 after_pair(42)
2 1 makes_big(90)
2 1 makes_big(91)
2 1 makes_big(92)
2 1 makes_mixed(100)
2 1 makes_mixed(101)
2 1 makes_mixed(102)
2 1 many(77, 'z', 1)
2 1 many(78, 'z', 1)
2 1 many(79, 'z', 1)
2 1 object::method(0)
2 1 object::method(1)
2 1 object::method(2)
2 3 longer(1.5, 3)
2 3 nothing(0x1000, 7)
2 3 turned(-1, 9)
2 3 varied("fmt")
3 1 makes_big = {...}
3 1 makes_big = {...}
3 1 makes_big = {...}
3 1 makes_mixed = {...}
3 1 makes_mixed = {...}
3 1 makes_mixed = {...}
3 1 object::method = 4
3 1 object::method = 5
3 1 object::method = 6
3 3 turned = -10
EOF
names='square|half|times|named|adds|colored'
more_names='nothing|after_|makes_|many|longer|varied|turned|object'
for program in sites entry; do
	hooked "PATCH,ARGUMENTS=$of" ./$program
	grep -v ' square(2' <<<"$(lines "$names")" | grep -v '= [4-9][0-9][0-9]$' >have
	cmp -s want have
	verdict "values_$program" $? "$(diff want have | head -8) $(cat err)"
	hooked "PATCH,ARGUMENTS=$more" ./$program
	lines "$more_names" >have
	cmp -s want_more have
	verdict "values_more_$program" $? "$(diff want_more have | head -8) $(cat err)"
	# Several metrics, with system calls: registers of vectors are saved elsewhere then.
	hooked "PATCH,METRICS=task-clock+wall,ARGUMENTS=half@arg1+half@retval" ./$program
	is values_metrics_$program "$(awk '$NF ~ /^half\(|^[0-9.]+$/ && /half/ { print substr($0, index($0, "half")) }' log-rt.* | LC_ALL=C sort | tr '\n' ' ')" \
		'half = 0.25 half = 0.75 half = 1.25 half(0.5) half(1.5) half(2.5) '
	# A function that jumps to another one returns nothing of its own.
	hooked "PATCH,ARGUMENTS=last_jumps@retval+square@retval" ./$program
	is values_jumps_$program "$(lines 'last_jumps') $(lines 'square = (441|484|529)' | wc -l)" '2 3 last_jumps 3'
	grep -q "$(awk '/^entries/ { gsub(",", ""); print $2 == $4 }' log-rt.*)" <<<1
	verdict values_ends_$program $? "$(grep ^entries log-rt.*)"
	hooked "PATCH,CALLTRACE,ARGUMENTS=square@arg1+square@retval" ./$program
	"$bin/post" -q -r log-gen.1_* -calls >/dev/null 2>&1
	is values_trace_$program "$(grep -c '[<>] F:square = 1 ' calls.out) $(grep -c '> F:square(-1) ' calls.out) $(grep -c '< F:square(-1) ' calls.out)" '4 1 1'
done
HOOKITOPTS=TRACEHOOK,CALIBRATION=none,ARGUMENTS=square@retval LD_LIBRARY_PATH=real "$bin/swtrace" run -q -M user --calls -o marks.nrm2 -- ./entry >out 2>err
"$bin/post" -q -r marks.nrm2 -marks >/dev/null 2>&1
is values_marks "$(awk '/square = 1$/ { print $1, $2 }' marks.out | head -1)" '2 0'

# Without DWARF: only by the option, in the order of registers; a result is a number.
hooked 'PATCH,ARGUMENTS=square@arg1+square@retval+half@fparg1+half@retval/f+times@fparg1/f32+times@arg1+named@arg1/s+many@arg7' ./plain
is values_plain "$(lines 'square = 1|half|times\(1.25, 1|named|many' | tr '\n' ' ')" \
	'2 1 half(0.5) 2 1 half(1.5) 2 1 half(2.5) 2 1 many(77) 2 1 many(78) 2 1 many(79) 2 1 named(NULL) 2 1 times(1.25, 1) 2 2 named("yes") 3 1 half = 0.25 3 1 half = 0.75 3 1 half = 1.25 3 1 square = 1 3 1 square = 1 '
# The option's format overrides DWARF.
hooked 'PATCH,ARGUMENTS=square@arg1/x+colored@arg1/x8' ./sites
is values_format "$(lines 'square\(0xf|colored\(0xfe' | tr '\n' ' ')" '2 1 square(0xffffffff) 2 2 colored(0xfe) '

# A compiler's own copy has other parameters.
cat >copies.c <<'END2'
static volatile int sum;
__attribute__((noinline)) static int copied(int a, int b, int c) { return sum += c + b; }
int main(void)
{
	for (int i = 0; i < 5; i++)
		copied(1, 7, i);
	return 0;
}
END2
gcc -O3 -g -fpatchable-function-entry=5 copies.c -o copies || exit 1
if nm copies | grep -q 'copied\.\(isra\|constprop\)'; then
	hooked 'PATCH,ARGUMENTS=copied*@arg3' ./copies
	says values_changed err 'hookit: ARGUMENTS: copied.*: the compiler has changed its parameters: its values are not recorded'
	is values_changed_calls "$(lines copied | cut -d' ' -f2)" 5
else
	echo "skip hook_values_changed this compiler makes no copy"
	echo "skip hook_values_changed_calls this compiler makes no copy"
fi

# Names, types and lines that are only in a debug file.
cp sites stripped && objcopy --only-keep-debug stripped stripped.debug && objcopy --strip-all --add-gnu-debuglink=stripped.debug stripped
is stripped "$(nm stripped 2>&1 | grep -c ' T ')" 0
for options in PATCH LINES,PATCH; do
	hooked "$options,FUNCTIONS=-*+half+object*,ARGUMENTS=half@arg1" ./stripped
	lines 'half|object' >have
	is "stripped_$options" "$(wc -l <have) $(grep -c 'half(0.5)' have) $(awk '/object::method/ { print $2 }' have) $(grep -c 'values.cc:[0-9]*\]' have)" \
		"4 1 3 $([ $options = PATCH ] && echo 0 || echo 4)"
done

# A handler calls a new function while the program is within malloc(), as it nearly always is here: the decision by
# its name has been made by then.
cat >within.c <<'END2'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#define ONE(n) __attribute__((noinline)) void fresh##n(int x) { __asm__ volatile("" : : "i"(0x##n), "r"(x)); }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4)
#undef ONE
#define ONE(n) fresh##n,
static void (*const all[])(int) = { HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) };
static volatile int next;
__attribute__((no_instrument_function, patchable_function_entry(0))) static void handler(int number)
{
	if (next < 400)
		all[next++](number);
}
__attribute__((noinline)) void early(void) { __asm__ volatile(""); }
__attribute__((no_instrument_function, patchable_function_entry(0))) int main(void)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	void *p[64] = { 0 };

	early();
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, 0);
	while (next < 400)
		for (int i = 0; i < 64; i++) {
			free(p[i]);
			p[i] = malloc(2000 + 100 * (size_t)(i * next % 97));
		}
	puts("through");
	return 0;
}
END2
gcc -O2 -g -fpatchable-function-entry=5 within.c -o within_sites && gcc -O2 -g -finstrument-functions within.c -o within_instrumented &&
	gcc -O2 -g -pg -mfentry -minstrument-return=call -c within.c && gcc within.o -o within_entry -Lreal -l:libhookit.so.0 || exit 1
for program in within_sites within_instrumented within_entry; do
	for try in 1 2 3; do
		hooked 'PATCH,FUNCTIONS=-fresh2*,ARGUMENTS=fresh3*@arg1' ./$program
		[ "$(cat out)" = through ] || break
	done
	given=$([ $program = within_instrumented ] || echo 14)
	is $program "$(cat out) $(lines 'fresh2' | wc -l) $(lines "fresh3[0-9]*(\\($given\\))?\$" | wc -l) $try" "through 0 100 3"
done

for wrong in square@arg0 square@arg33 square@fparg9 square@retval/y half@fparg1/f16 square@ret; do
	hooked "PATCH,ARGUMENTS=$wrong" ./sites
	[ $? = 0 ] && grep -q "ARGUMENTS=$wrong: " err && ! ls log-rt.* 2>/dev/null
	verdict "values_refused_$wrong" $? "$(cat err)"
done
exit $((failures != 0))
