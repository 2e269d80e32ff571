#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Virtual threads (JDK 21 and newer): each has a tree, however often it changes its carrier; trees are as
# many as threads at a time, by their names; the carriers have none of their calls.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/lib/jdk_lib.sh
. "$top/tests/lib/jdk_lib.sh"
unset JPROFOPTS JAVA_TOOL_OPTIONS
agent=$build/lib/pitrace/libjprof.so
jdk=$(newest_jdk)
if [ ! -f "$agent" ] || [ "$(jdk_release "$jdk")" -lt 21 ]; then
	echo "skip jprof_virtual no JDK of Java 21 or newer is installed"
	exit 77
fi
PATH=$jdk/bin:$PATH
cd "$work" || exit 1
cat >Virtual.java <<'END'
import java.util.*;
public class Virtual {
	static int leaf(int n) { return n + 1; }
	static int step(int n) throws Exception { Thread.sleep(1); return leaf(n); }
	static void job(int n) {
		try { for (int i = 0; i < 20; i++) step(n); if (n % 4 == 0) throw new IllegalStateException(); } catch (Exception e) { leaf(n); }
	}
	public static void main(String[] args) throws Exception {
		for (int round = 0; round < 5; round++) {
			List<Thread> all = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				int j = i;
				Thread.Builder.OfVirtual of = Thread.ofVirtual();
				all.add((i % 10 == 0 ? of.name("named") : of).start(() -> job(j)));
			}
			for (Thread t : all) t.join();
		}
		System.out.println("done");
		if (args.length > 0) System.in.read();
	}
}
END
javac Virtual.java || exit 1
traced() { # OPTIONS
	rm -f log-rt.*
	java -Xverify:all "-agentpath:$agent=CALLTREE,$1" Virtual >out 2>err
}
under() { # THREAD METHOD: CALLS in the trees of threads whose names begin so
	awk -v "thread=$1" -v "name=$2" '/^ LV/ { on = 1; next } !on || NF < 4 { next }
		$1 == 0 { line = $0; sub(/^ *0 +[0-9]+ +[0-9]+ /, "", line); mine = index(line, thread) == 1 }
		mine && $NF == name { n += $2 } END { print n + 0 }' log-rt.*
}
traced CLASSMETHODS='Virtual*'
[ $? = 0 ] && [ "$(cat out)" = "done" ] && [ ! -s err ]
verdict runs $? "$(cat out err)"
is unnamed "$(under 'virtual threads_' 'Virtual.step(I)I') $(under 'virtual threads_' 'Virtual.leaf(I)I')" '9000 9100'
is named "$(under named_ 'Virtual.step(I)I') $(under named_ 'Virtual.job(I)V')" '1000 50'
is carriers "$(under ForkJoinPool 'Virtual.step(I)I')" 0
awk '/^entries/ { gsub(",", ""); exit !($2 > 20000 && $2 == $4 && $7 == 0 && $11 == 0) }' log-rt.* && ! grep -q '^not kept' log-rt.*
verdict entries_are_exits $? "$(sed -n 3,4p log-rt.*)"
awk '/^virtual threads: / { n = $3 + 0; trees = $5; exit } END { exit !(n == 500 && trees >= 2 && trees <= 110) }' log-rt.*
verdict trees $? "$(grep '^virtual' log-rt.*)"
traced THREADS='-*+named',CLASSMETHODS='Virtual*'
is filtered "$(under named_ 'Virtual.step(I)I') $(grep -c 'virtual threads_' log-rt.*)" '1000 0'
traced NONATIVES
awk '/^entries/ { gsub(",", ""); exit !($2 > 100000 && $2 == $4 + $7 + $11 && $11 < 60) }' log-rt.* && ! grep -q '^not kept' log-rt.*
verdict all_entries_are_exits $? "$(sed -n 3,4p log-rt.*)"

# ---- threads of reports: a carrier has its own name and that of what it carries, which is told of once while
# it stays the same, whoever samples
cat >Carried.java <<'END'
public class Carried {
	static volatile long sum;
	static final com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean)
		java.lang.management.ManagementFactory.getOperatingSystemMXBean();
	static void spin(int ms) { long until = System.nanoTime() + ms * 1_000_000L; while (System.nanoTime() < until) sum++; }
	// By CPU time: others may be at work on the machine.
	static void job(int ms) {
		long end = os.getProcessCpuTime() + ms * 1_000_000L;
		while (os.getProcessCpuTime() < end) { spin(1); Thread.yield(); }
	}
	public static void main(String[] words) throws Exception {
		spin(200);
		Thread.ofVirtual().name("request seven").start(() -> job(900)).join();
		Thread.startVirtualThread(() -> job(300)).join();
	}
}
END
javac Carried.java
carrier='ForkJoinPool-1-worker-[0-9]+'
for options in TPROF SCS SCS,THREADINFO; do
	rm -f log-* jit-*.dump
	"$build/bin/swtrace" run -q -B timer -o carried.nrm2 -- java \
		"-agentpath:$build/lib/pitrace/libpijit.so=$options" Carried >out 2>err
	"$build/bin/post" -q -r carried.nrm2 -o tids 2>>err >/dev/null
	awk -v "carrier=$carrier" '$1 == "TID" {
			if ($0 ~ "_" carrier " \\(virtual thread request seven\\)$") named += $2
			else if ($0 ~ "_" carrier " \\(virtual threads without a name\\)$") others += $2
			else if ($0 ~ "_" carrier "$") own += $2
		} END { exit !(named > 1.5 * others && others > 5 && own < (named + others) / 10) }' tids
	verdict "carried_${options/,/_}" $? "$(cat err; grep TID tids)"
done
named=$(grep -cE "$carrier \(virtual thread request seven\).START$" log-jtnm_*)
[ "${named:-0}" -ge 1 ] && [ "$named" -le "$(grep -cE "$carrier.START$" log-jtnm_*)" ]
verdict carried_in_log $? "$(cat log-jtnm_*)"
rm -f log-* jit-*.dump carried.nrm2

# ---- class files of the versions after those of test_jprof_kinds.sh, and this VM's own
cat >Old.java <<'END'
public class Old {
	static int f(int n) { if (n == 3) throw new RuntimeException(); return n; }
	public static void main(String[] args) {
		int s = 0;
		for (int i = 0; i < 100; i++) try { s += f(i) + ("" + i).length(); } catch (RuntimeException e) { s++; }
		System.out.println(s);
	}
}
END
for ((r = 18; r <= $(jdk_release "$jdk"); r++)); do
	javac --release "$r" -d "old$r" Old.java 2>err || continue
	rm -f log-rt.*
	java -Xverify:all "-agentpath:$agent=CALLTREE,NONATIVES,CLASSMETHODS=Old*" -cp "old$r" Old >out 2>err
	is "release_$r" "$(awk '$NF == "Old.f(I)I" { print $2 }' log-rt.*) $(cat out) $(sed -nE 's/.*(exception exits [0-9]+).*/\1/p' log-rt.*)" "100 5137 exception exits 1"
done
cat >Newest.java <<'END'
public class Newest {
	sealed interface S permits A, B { }
	record A(int n) implements S { }
	record B(String s) implements S { }
	static int take(S s) { return switch (s) { case A(int n) when n > 3 -> n; case A a -> 1; case B(String t) -> t.length(); }; }
	public static void main(String[] args) { int s = 0; for (int i = 0; i < 100; i++) s += take(i % 2 == 0 ? new A(i) : new B("" + i)); System.out.println(s); }
}
END
javac Newest.java && java Newest >want || exit 1
rm -f log-rt.*
java -Xverify:all "-agentpath:$agent=CALLTREE" Newest >out 2>err
[ $? = 0 ] && cmp -s want out && [ "$(awk '$NF == "Newest.take(LNewest$S;)I" { n += $2 } END { print n }' log-rt.*)" = 100 ]
verdict "version_$(($(jdk_release "$jdk") + 44))" $? "$(cat err)"
exit $((failures != 0))
