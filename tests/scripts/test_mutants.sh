#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the basis of `make check-mutants`: each fault of its list still matches the source, and the runner
# distinguishes a caught fault from one that survives, does not match, does not build, or whose test prints nothing.
# Then random faults: a tested line is caught, an untested one survives, a judged one does not count.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
"$top/tests/mutants/run" --fits
code=$?
"$top/tests/mutants/random" --map || code=1

# A source of three lines with a test of its own.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/tests/mutants"
cp "$top/tests/mutants/run" "$top/tests/mutants/tree" "$dir/tests/mutants/"
cd "$dir" || exit 1
git init -q .
printf '%s\n' 'one=1' 'two=2' 'two=2' >source
cat >try <<'END'
. ./source || exit 1
[ "$one" = 1 ] && echo "ok one" || echo "not ok one"
[ "$two" = 2 ] && echo "ok two" || echo "not ok two"
echo "not ok always"
END
{
	printf '%s\t' caught source s/one=1/one=3/ one; echo 'bash try'
	printf '%s\t' survives source s/one=1/one=01-00/ two; echo 'bash try'
	printf '%s\t' gone source s/three=3/three=4/ one; echo 'bash try'
	printf '%s\t' several source s/two=2/two=3/ two; echo 'bash try'
	printf '%s\t' broken source 's/one=1/(/' one; echo 'bash try'
	printf '%s\t' unsound source s/one=1/one=3/ always; echo 'bash try'
	printf '%s\t' prefix source s/one=1/one=3/ on; echo 'bash try'
} >tests/mutants/list
PITRACE_BUILD=$dir/build tests/mutants/run >said 2>&1
failed=$?

is() { # NAME WORDS
	if grep -qE "^$2" said; then
		echo "ok mutants_$1"
	else
		echo "not ok mutants_$1: $(grep "mutant_$1" said)"
		code=1
	fi
}
is caught 'ok mutant_caught \(one,'
is survives 'not ok mutant_survives: not caught, two passes'
is gone 'not ok mutant_gone: the fault cannot be planted'
is several 'not ok mutant_several: the fault cannot be planted'
is broken 'not ok mutant_broken: one was not run'
is unsound 'not ok mutant_unsound: without the fault always does not pass'
is prefix 'not ok mutant_prefix: without the fault on does not pass'
[ $failed = 1 ] && echo "ok mutants_fails" || { echo "not ok mutants_fails"; code=1; }
cmp -s source build/mutants/1/source && echo "ok mutants_taken_out" ||
	{ echo "not ok mutants_taken_out"; code=1; }

# ---- random faults of a source with one function that a test looks at and one that none does
cp "$top/tests/mutants/random" tests/mutants/
mkdir -p libperfutil tests/libperfutil
cat >libperfutil/small.c <<'END'
int tested(int a, int b);
int untested(int a, int b);
int tested(int a, int b)
{
	if (a > b)
		return a - b;
	return b + 1;
}
int untested(int a, int b)
{
	return a + b;
}
END
cat >tests/libperfutil/test_small.c <<'END'
#include <stdio.h>
int tested(int a, int b);
int main(void)
{
	int right = tested(5, 3) == 2 && tested(3, 3) == 4 && tested(1, 3) == 4 && tested(0, 1) == 2;

	puts(right ? "ok small" : "not ok small");
	return !right;
}
END
printf '%s\n' 'O ?= build' '$(O)/obj/%.o: %.c' '	@mkdir -p $(@D)' '	@cc $(CFLAGS) -c -o $@ $<' \
	'$(O)/tests/unit/test_small: tests/libperfutil/test_small.c $(O)/obj/libperfutil/small.o' \
	'	@mkdir -p $(@D)' '	@cc -o $@ $^' '$(O)/lib/libperfutil.so:' >Makefile
echo 'libperfutil/small\.c	unit/test_small' >tests/mutants/suites
echo build >.gitignore
random() { # WANTED NAME WORDS ARGUMENT...
	local wanted=$1 name=$2 words=$3
	shift 3
	PITRACE_BUILD=$dir/build tests/mutants/random "$@" >said 2>&1
	[ $? = "$wanted" ] && grep -qE "$words" said
	if [ $? = 0 ]; then
		echo "ok mutants_random_$name"
	else
		echo "not ok mutants_random_$name"
		sed 's/^/    /' said
		code=1
	fi
}
random 0 caught '^core +5 +5 +100$' libperfutil/small.c:{5,6,7}
echo 'libperfutil/guest\.c	guests' >>tests/mutants/suites
printf 'int guest(int a);\nint guest(int a)\n{\n\treturn a + 1;\n}\n' >libperfutil/guest.c
random 0 map '^ok mutants_map$' --map
touch libperfutil/new.c
random 1 map_file '^not ok mutants_map: .* libperfutil/new.c$' --map
rm libperfutil/new.c
cp tests/libperfutil/test_small.c tests/libperfutil/test_new.c
random 1 map_suite '^not ok mutants_map: .* unit/test_new$' --map
rm tests/libperfutil/test_new.c
random 1 alive '^ALIVE +core libperfutil/small.c:11 plus' libperfutil/small.c:11
# A condition that has a string in it can be turned round, too.
printf 'int letter(char c);\nint letter(char c)\n{\n\tif (c == "\\"x"[1])\n\t\treturn 1;\n\treturn 2;\n}\n' \
	>libperfutil/letter.c
echo 'libperfutil/letter\.c	unit/test_small' >>tests/mutants/suites
random 1 negate_strings '^ALIVE +core libperfutil/letter.c:4 negate' libperfutil/letter.c:4:negate
rm libperfutil/letter.c
# A test that fails without the fault, too, has noticed nothing.
printf '%s\n' '#!/bin/sh' 'echo ok before' 'echo not ok anyway' 'exit 1' >tests/libperfutil/test_noisy.sh
echo 'libperfutil/small\.c	libperfutil/test_noisy.sh' >>tests/mutants/suites
printf '%s\n' 'all:' >>Makefile
chmod +x tests/libperfutil/test_noisy.sh
random 1 fails_anyway '^# libperfutil/test_noisy.sh without a fault: not ok anyway' libperfutil/small.c:11
grep -q '^ALIVE .*:11' said && echo "ok mutants_random_fails_anyway_alive" ||
	{ echo "not ok mutants_random_fails_anyway_alive"; code=1; }
# A suite is over when a test of it has failed, and so is what it started.
cat >tests/libperfutil/test_long.sh <<'END'
#!/bin/sh
cp "$(command -v sleep)" build/sleeps
setsid build/sleeps 600 &
grep -q 'return a + b;' libperfutil/small.c && echo ok long_sum || echo not ok long_sum
sleep 600
END
chmod +x tests/libperfutil/test_long.sh
echo 'libperfutil/small\.c	libperfutil/test_long.sh' >>tests/mutants/suites
SECONDS=0
random 0 first_failure '^caught core libperfutil/small.c:11 plus \(long_sum' libperfutil/small.c:11
[ $SECONDS -lt 60 ] && echo "ok mutants_random_at_once" ||
	{ echo "not ok mutants_random_at_once: $SECONDS s"; code=1; }
strays=$(find /proc/[0-9]*/exe -maxdepth 0 -lname "$dir/build/mutants/random/build/sleeps*" 2>/dev/null | wc -l)
[ "$strays" = 0 ] && echo "ok mutants_random_no_strays" ||
	{ echo "not ok mutants_random_no_strays: $strays"; code=1; }
grep -v '_\(noisy\|long\)\.sh$' tests/mutants/suites >some
mv some tests/mutants/suites
rm tests/libperfutil/test_noisy.sh tests/libperfutil/test_long.sh
# A test that fails once without the fault has failed by chance. (By the second run, which is the first without.)
cat >tests/libperfutil/test_chance.c <<'END'
#include <stdio.h>
int chance(int a);
int main(void)
{
	FILE *f = fopen("build/runs", "a+");
	long runs = fputc('.', f) == '.' ? ftell(f) : 0;

	fclose(f);
	puts(chance(1) == 2 && runs != 2 ? "ok chance" : "not ok chance");
	return 0;
}
END
sed 's/small/chance/g' Makefile | grep chance -A2 >>Makefile
printf 'int chance(int a);\nint chance(int a)\n{\n\treturn a + 1;\n}\n' >libperfutil/chance.c
echo 'libperfutil/chance\.c	unit/test_chance' >>tests/mutants/suites
random 0 by_chance '^caught core libperfutil/chance.c:4 plus \(chance' libperfutil/chance.c:4:plus
# If a suite does not end in time, with the fault or without, the result is undecided.
cat >tests/libperfutil/test_chance.c <<'END'
#include <stdio.h>
#include <unistd.h>
int chance(int a);
int main(void)
{
	sleep(chance(1) < 5 ? 15 : 0);
	puts("ok chance");
	return 0;
}
END
mkdir -p build/log && echo 'unit-chance 0' >build/log/seconds
random 1 too_busy '^open +core libperfutil/chance.c:4 plus: unit/test_chance takes too long' \
	--patience 1 libperfutil/chance.c:4:plus
# If one ends only without the fault, the fault is caught.
sed -i 's/sleep(.*/sleep(chance(1) == 2 ? 0 : 60);/' tests/libperfutil/test_chance.c
random 0 hangs '^caught core libperfutil/chance.c:4 plus \(unit/test_chance \(exit code 124' \
	--patience 1 libperfutil/chance.c:4:plus
rm libperfutil/chance.c tests/libperfutil/test_chance.c
printf '%s\t' libperfutil/small.c 'return a + b;' 'return a - b;' >tests/mutants/judged
echo 'nobody calls it' >>tests/mutants/judged
random 0 judged '^judged core libperfutil/small.c:11 plus' libperfutil/small.c:11
# Nothing is drawn of what only guests run.
random 0 drawn '^core +4 +4 ' --seed 3 --count 4
grep -E '^(caught|judged|none)' said | sed 's/ (.*//' >drawn
random 0 drawn_again '^core +4 +4 ' --seed 3 --count 4
grep -E '^(caught|judged|none)' said | sed 's/ (.*//' | diff drawn - &&
	cmp libperfutil/small.c build/mutants/random/libperfutil/small.c && echo "ok mutants_random_same" ||
	{ echo "not ok mutants_random_same"; code=1; }
exit $code
