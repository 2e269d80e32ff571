#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What libhookit tells of the source: lines of functions in each of its logs, what is inlined in those that
# have sites and where it is called; functions that DWARF alone names, in the program's file, in a debug file
# by build id and by its link, in .dwo files.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset HOOKITOPTS LD_PRELOAD
if [ ! -f "$build/lib/libhookit.so" ]; then
	echo "skip hook_source it is not built with sanitizers"
	exit 77
fi
export XDG_CACHE_HOME=$work/cache # minima
cd "$work" || exit 1

cat >util.h <<'C'
static inline __attribute__((always_inline)) int add(int a, int b) { return a * 3 + b; }
static inline __attribute__((always_inline)) int twice(int a)
{
	return add(a, a);
}
C
cat >source.c <<'C'
#include "util.h"
static volatile int sink;
__attribute__((noinline)) int work(int n)
{
	int r = twice(n);
	sink = r;
	return add(r,
		   n);
}
static __attribute__((noinline)) int hidden(int n)
{
	sink = n;
	return n + sink;
}
__attribute__((noinline)) int plain(int n)
{
	return sink + n;
}
int main(void)
{
	int s = 0;
	for (int i = 0; i < 100; i++)
		s += work(i) + hidden(i) + plain(i);
	return s == 1;
}
C
cat >templates.cc <<'C'
template <class T> __attribute__((always_inline)) inline T half(T t) { return t / 2; }
volatile double sink;
template <class T> struct box {
	T value;
	__attribute__((noinline)) void put(T t)
	{
		sink = value = half(t);
	}
};
int main()
{
	box<int> i;
	box<double> d;
	i.put(5);
	d.put(7);
}
C
sites='-O2 -g -fpatchable-function-entry=5'
# shellcheck disable=SC2086
gcc $sites source.c -o patched && gcc -O2 -g -finstrument-functions source.c -o instrumented &&
	g++ $sites templates.cc -o templates || exit 1

run() { # OPTIONS PROGRAM [ARGUMENT OF swtrace]...
	local options=$1 program=$2
	shift 2
	rm -f log-rt.* log-gen.*
	HOOKITOPTS=$options "$bin/swtrace" run --calls "$@" -q -- "./$program" >out 2>err
}
calls() { # NAME: of all its nodes
	awk -v "name=$1" '/^ LV/ { on = 1; next } /^$/ { on = 0 } on && $1 > 0 && substr($0, index($0, $8)) == name { n += $2 }
		END { print n + 0 }' log-rt.*
}
inlined() { # each as FUNCTION: NAME at FILE:LINE
	awk '/^inlined, and / { on = 1; next } /^$/ { on = 0 } !on { next } /^\t/ { print f ": " substr($0, 2); next } { f = $0 }' log-rt.* |
		LC_ALL=C sort
}

# ---- lines
run CALIBRATION=none,LINES patched
is line_each "$(calls 'F:work [source.c:4]') $(calls 'F:hidden [source.c:11]') $(calls 'F:plain [source.c:16]')" '100 100 100'
is inlined "$(inlined)" 'work [source.c:4]: add at source.c:7
work [source.c:4]: add at util.h:4
work [source.c:4]: twice at source.c:5'
"$bin/post" -r log-rt.1_* -functions -inline -o post.out >out 2>&1
grep -q ' work \[source.c:4\] (inlined: twice at source.c:5, add at source.c:7, add at util.h:4) ' post.out && grep -q ' plain \[source.c:16\]  ' post.out
verdict post_inline $? "$(cat out post.out)"
"$bin/post" -r log-rt.1_* -calltree -inline -o post.out >out 2>&1
grep -q 'work \[source.c:4\] (inlined: twice at source.c:5, add at source.c:7, add at util.h:4)' post.out
verdict post_inline_tree $? "$(cat out post.out)"
"$bin/post" -r log-rt.1_* -functions -o post.out >out 2>&1
grep -q ' work \[source.c:4\]  ' post.out && ! grep -q inlined post.out
verdict post_without $? "$(cat out post.out)"
run CALIBRATION=none,CALLTRACE,LINES patched
"$bin/post" -r log-gen.1_* -functions -o post.out >out 2>&1
grep -q ' work \[source.c:4\]' post.out
verdict line_of_each_event $? "$(cat out post.out)"
rm -f log-*
HOOKITOPTS=CALIBRATION=none,TRACEHOOK,LINES "$bin/swtrace" run --calls -M tprof,user -q -o trace.nrm2 -- ./patched >out 2>err
"$bin/post" -r trace.nrm2 -functions -o post.out >out 2>&1
grep -q ' work \[source.c:4\]' post.out
verdict line_of_each_record $? "$(cat out err post.out)"
run CALIBRATION=none,LINES instrumented
is seen_inlined "$(calls 'F:add [util.h:1]') $(inlined | grep -c .)" '200 0'
run CALIBRATION=none,LINES templates
is templates "$(inlined)" 'box<double>::put(double) [templates.cc:5]: double half<double>(double) at templates.cc:7
box<int>::put(int) [templates.cc:5]: int half<int>(int) at templates.cc:7'
run CALIBRATION=none patched
is no_lines "$(calls F:work) $(inlined | grep -c .)" '100 0'

# A log that ends in it, and what is none of it.
run CALIBRATION=none,LINES patched
log=$(echo log-rt.1_*)
sed '/^inlined, and/,$d' "$log" >log-rt.1_2
printf 'inlined, and counted with the function that it is in:\n\tlost at x.c:1\nnobody [x.c:1]\n\tlost at x.c:2\nwork [source.c:4]\n\t\nplain [source.c:16]\n\tkept at x.c:3\n\tcut' >>log-rt.1_2
"$bin/post" -r log-rt.1_2 -functions -inline -o post.out >out 2>&1
grep -q 'incomplete: the log ends within line' out && grep -q 'plain \[source.c:16\] (inlined: kept at x.c:3) ' post.out &&
	! grep -q lost post.out && grep -q ' work \[source.c:4\]  ' post.out
verdict cut $? "$(cat out post.out)"
{
	sed '/^inlined, and/,$d' "$log"
	printf 'inlined, and counted with the function that it is in:\nwork [source.c:4]\n'
	seq -f '	many%g at x.c:1' 40
} >log-rt.1_3
"$bin/post" -r log-rt.1_3 -functions -inline -o post.out >out 2>&1
grep -q 'many16 at x.c:1 and 24 more)' post.out && ! grep -q many17 post.out
verdict many $? "$(cat out post.out)"

# ---- names that DWARF alone has
objcopy --strip-all --keep-section='.debug*' patched in_file
strip patched -o stripped
objcopy --only-keep-debug patched debug.full
objcopy --strip-all --keep-section='.debug*' --keep-section=.note.gnu.build-id debug.full only.debug
objcopy --add-gnu-debuglink=only.debug stripped linked
# shellcheck disable=SC2086
gcc $sites -gsplit-dwarf source.c -o split && objcopy --strip-all --keep-section='.debug*' split in_dwo
is no_symbols "$(nm in_file linked in_dwo 2>&1 | grep -c 'no symbols')" 3
for program in in_file linked in_dwo; do
	run CALIBRATION=none $program -F 'hid*'
	is "${program}_pattern" "$(calls F:hidden) $(calls F:work) $(calls F:main)" '100 0 0'
	run CALIBRATION=none $program -N hidden -A 'work@arg1'
	is "${program}_values" "$(calls F:hidden) $(calls 'F:work(7)') $(calls F:main)" '0 1 1'
done
run CALIBRATION=none stripped
is nowhere "$(calls F:hidden) $(grep -c 'F:stripped+0x' log-rt.*)" '0 4'
objcopy --strip-all --keep-section='.debug*' templates in_cc
run CALIBRATION=none in_cc -F 'box<*'
is in_cc "$(calls 'F:box<int>::put(int)') $(calls F:main)" '1 0'

# ---- names as people write them
cat >copies.c <<'C'
static volatile int s;
static __attribute__((noinline)) int hid(int *p, int unused) { s = *p; return s; }
static __attribute__((noinline)) int con(int a, int b) { s = a; for (int i = 0; i < b; i++) s += i * a; return s; }
int main(void)
{
	int k = 3, r = 0;
	for (int i = 0; i < 10; i++)
		r += hid(&k, i) + con(i, 7);
	return r == 1;
}
C
cat >names.cc <<'C'
#define KEPT __attribute__((noinline, noclone))
volatile int s;
namespace {
struct inner { KEPT int get(int n) { s = n; return s; } };
}
namespace outer { namespace { KEPT int under(int n) { s = n; return s; } } }
struct called {
	KEPT int operator()(int n) { s = n; return s; }
	KEPT bool operator<(int n) const { s = n; return s > n; }
};
template <class T> KEPT int takes(T t) { return t(1); }
int main()
{
	inner i;
	called c;
	return i.get(1) + outer::under(2) + takes(c) + (c < 3) == 1;
}
C
# shellcheck disable=SC2086
gcc $sites copies.c -o copies && g++ $sites names.cc -o names || exit 1
taken() { # all that is counted, without numbers of the compiler
	awk '/^ LV/ { on = 1; next } /^$/ { on = 0 } on && $1 > 0 { print substr($0, index($0, $8)) }' log-rt.* |
		sed 's/\.[a-z.0-9]*$//' | LC_ALL=C sort | tr '\n' ' '
}
is copies_are_made "$(nm copies | grep -cE ' (hid|con)\.(isra|constprop)')" 2
for want in 'hid|F:hid ' 'con|F:con ' 'hid+con|F:con F:hid ' 'h?d|F:hid '; do
	run CALIBRATION=none copies -F "${want%|*}"
	is "copy_${want%|*}" "$(taken)" "${want#*|}"
done
run CALIBRATION=none copies -N hid
is copy_not "$(taken)" 'F:con F:main '
HOOKITOPTS=CALIBRATION=none,ARGUMENTS=hid@arg1 "$bin/swtrace" run --calls -q -- ./copies >out 2>err
grep -q 'ARGUMENTS: hid.*: the compiler has changed its parameters' err
verdict copy_told $? "$(cat err)"
for want in '*::get|F:(anonymous namespace)::inner::get(int) ' '*::under|F:outer::(anonymous namespace)::under(int) ' \
	'*operator()|F:called::operator()(int) ' 'called::operator<|F:called::operator<(int) const ' \
	'called::*|F:called::operator()(int) F:called::operator<(int) const ' \
	'int takes<called>|F:int takes<called>(called) '; do
	run CALIBRATION=none names -F "${want%|*}"
	is "name_${want%|*}" "$(taken)" "${want#*|}"
done
run CALIBRATION=none names -F nobody
grep -q -- '--calls: no call was counted: no function that was called has a name' err
verdict none_taken $? "$(cat err)"
run CALIBRATION=none names -F main
! grep -q 'no call was counted' err
verdict one_taken $? "$(cat err)"

exit $((failures != 0))
