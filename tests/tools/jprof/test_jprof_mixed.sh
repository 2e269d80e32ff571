#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Java calls C, which calls Java, which calls C: one tree of one log has them all, also what a jump
# and an exception of C++ have left; libhookit alone writes none. Built in each way, and patched.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset JPROFOPTS JAVA_TOOL_OPTIONS HOOKITOPTS LD_PRELOAD
agent=$build/lib/pitrace/libjprof.so library=$build/lib/libhookit.so
if [ ! -f "$agent" ] || [ ! -f "$library" ]; then
	echo "skip jprof_mixed no JDK is installed, or no libhookit built"
	exit 77
fi
java=$(dirname "$(dirname "$(readlink -f "$(type -P javac)")")")
cd "$work" || exit 1
ln -s "$library" libhookit.so.0
export XDG_CACHE_HOME=$work/cache
cat >Mixed.java <<'END_OF_FILE'
public class Mixed {
	static int sum;
	static native int down(int n);
	/* Called by C. */
	static int back(int n) {
		sum += n;
		return n > 0 ? down(n - 1) : leaf(n);
	}
	static int leaf(int n) { return n + 1; }
	public static void main(String[] args) {
		System.load(new java.io.File("libmixed.so").getAbsolutePath());
		for (int i = 0; i < 100; i++)
			sum += down(2);
		System.out.println(sum);
	}
}
END_OF_FILE
# n is 2, then 1, from where it jumps, then 0, which throws.
cat >mixed.cc <<'END_OF_FILE'
#include <jni.h>
#include <setjmp.h>
static jmp_buf jump;
#define ONE extern "C" __attribute__((noinline)) int
ONE deepest(int n)
{
	if (n == 1)
		longjmp(jump, 1);
	if (!n)
		throw n;
	return n;
}
ONE deep(int n) { return deepest(n) + 1; }
ONE middle(JNIEnv *e, jclass c, int n)
{
	try {
		if (!setjmp(jump))
			deep(n);
	} catch (int) {
	}
	const JNINativeInterface_ *f = e->functions;

	return f->CallStaticIntMethod(e, c, f->GetStaticMethodID(e, c, "back", "(I)I"), n) + 1;
}
extern "C" JNIEXPORT jint Java_Mixed_down(JNIEnv *e, jclass c, jint n) { return middle(e, c, n) + 1; }
END_OF_FILE
javac Mixed.java || exit 1
mixed() { # OPTIONS OF THE AGENT; -Xint: a compiled method is another line
	rm -f log-rt.* log-gen.*
	HOOKITOPTS=PATCH${patterns:-} LD_PRELOAD=$library timeout 200 java -Xint "-agentpath:$agent=METHODTYPES${1:+,$1}" Mixed >out 2>err
}
tree() { # level, CALLS, of functions CEE, and name below main: what the VM calls by itself has no line here
	awk '/^ LV/ { on = 1; next } /^$/ { on = 0 }
		on && / [IJijNn]:Mixed\.down/ && !below { below = $1 }
		on && below && $1 >= below && / .:(Mixed\.|Java_|middle|deep)/ { sub(/.:/, "", $NF); print $1 - below, $2, $NF ~ /[.]/ ? "-" : $3, $NF; next }
		on && $1 < below { exit }' log-rt.*
}
cat >want <<'END_OF_FILE'
0 100 - Mixed.down(I)I
1 100 100 Java_Mixed_down
2 100 200 middle
3 100 100 deep
4 100 0 deepest
3 100 - Mixed.back(I)I
4 100 - Mixed.down(I)I
5 100 100 Java_Mixed_down
6 100 200 middle
7 100 100 deep
8 100 0 deepest
7 100 - Mixed.back(I)I
8 100 - Mixed.down(I)I
9 100 100 Java_Mixed_down
10 100 200 middle
11 100 100 deep
12 100 0 deepest
11 100 - Mixed.back(I)I
12 100 - Mixed.leaf(I)I
END_OF_FILE
ways=(-finstrument-functions)
[ "$(uname -m)" != x86_64 ] || ways+=(-fpatchable-function-entry=5 '-pg -mfentry -minstrument-return=call')
for way in "${ways[@]}"; do
	name=${way%%[ =]*}
	name=${name#-}
	more=
	[ "$name" != pg ] || more="-L$build/lib -lhookit"
	# shellcheck disable=SC2086
	g++ -O2 $way -fPIC "-I$java/include" "-I$java/include/linux" -c mixed.cc &&
		g++ -shared mixed.o -o libmixed.so $more || exit 1
	for options in CALLTREE '' CALLTREE,MODE=probes; do
		kind=$name${options:+_${options##*[,=]}}
		LD_LIBRARY_PATH=. mixed "$options"
		is "$kind" "$(cat out) $(ls log-rt.* | wc -l) $(tree | diff want - | head -5)" '700 1 '
	done
done
# Nothing is negative, and the counts agree with the log of events.
mixed CALLTRACE
is trace "$("$build/bin/post" -q -r log-gen.1_* -calls 2>&1; awk '/ > F:deep / { n++ } / \^ F:deep / { p++ } / ! F:deep / { u++ } / < F:deep / { m++ }
	END { print n, p, u, m }' calls.out)" '300 100 100 100'
# The front loads both.
rm -f log-rt.*
"$build/bin/swtrace" run -q --calls -o run.nrm2 -- java -Xint Mixed >out 2>err
is front "$(cat out) $(ls log-rt.* | wc -l) $(tree | diff want - | head -5)" '700 1 '
# Functions that are left out are their callers' time.
patterns=',FUNCTIONS=-deep*' mixed CALLTREE
is left_out "$(tree | grep -c deep) $(tree | grep -c middle)" '0 3'
exit $failures
