#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ten thousand threads that come and go. Programs of the size of real ones, under the agent with all methods,
# in both modes: the JDK's HTTP server with many threads, stacks that are deep and that overflow, exceptions;
# loops as benchmarks have them.
# They say what they say otherwise, and entries are exits, exits by exception and the frames that live, to
# the last one.
# shellcheck disable=SC2016 # names of inner classes
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tools/jprof/calls_log
. "$here/calls_log"
unset JPROFOPTS JAVA_TOOL_OPTIONS
javac -d "$work" "$here/Served.java" "$here/Loops.java" || exit 1
cd "$work" || exit 1
java -Xss512k Loops >want.Loops
java -Xss512k Served >want.Served

whole() { # NAME: it ran, said what it says otherwise, and nothing is missing
	local code=$?
	[ $code = 0 ] && cmp -s "want.${1%_*}" out && [ ! -s err ]
	verdict "same_$1" $? "$(cat out err)"
	# Live frames: of the threads that the VM ends itself.
	entries_are_exits 500000 99 && ! grep '^not kept' log-rt.* | grep -qEv 'before [0-9]{1,2}, calls deeper than [0-9]* 0, .* room 0, .* 0$'
	verdict "entries_are_exits_$1" $? "$(sed -n 3,4p log-rt.*)"
}
# The numbers of calls, computed by the programs' own arithmetic.
loops() { # MODE
	is "bodies_$1" "$(calls 'Loops$Body.attract(LLoops$Body;)V') $(calls 'Loops$Body.move()V') $(calls 'Loops$Body.energy()D')" '200000 100000 5'
	is "tasks_$1" "$(($(calls 'Loops$Worker.run(LLoops$Scheduler;)LLoops$Task;') + $(calls 'Loops$Sink.run(LLoops$Scheduler;)LLoops$Task;')))" 12007
	is "text_$1" "$(calls 'Loops$Parser.<init>(Ljava/lang/String;)V')" 3000
}
served() { # MODE: 960 requests; of their depths all that are not 11, 31, 51, 71, 91
	is "requests_$1" "$(calls 'Served.handle(Lcom/sun/net/httpserver/HttpExchange;)V') $(calls 'Served.ask(II)Ljava/lang/String;') $(
		calls 'Served.fails(I)I')" '960 960 912'
	is "depths_$1" "$(calls 'Served.depth(I)I')" "$(for ((n = 0; n < 960; n++)); do
		((n % 20 == 11)) || echo $((n % 100 * 20 + 1))
	done | awk '{ n += $1 } END { print n }')"
}
# Each has calls and an exception; of those that have ended the VM keeps little.
cat >Many.java <<'END'
import java.nio.file.*;
public class Many {
	static int leaf(int n) { return n + 1; }
	static int fails(int n) { if (n % 2 == 0) throw new IllegalStateException(); return leaf(n); }
	static void job(int n) { for (int i = 0; i < 4; i++) try { leaf(fails(n + i)); } catch (IllegalStateException e) { leaf(i); } }
	public static void main(String[] args) throws Exception {
		for (int i = 0; i < 10000; i += 100) {
			Thread[] all = new Thread[100];
			for (int k = 0; k < all.length; k++) { int n = i + k; (all[k] = new Thread(() -> job(n), "one of many")).start(); }
			for (Thread t : all) t.join();
		}
		for (String line : Files.readAllLines(Path.of("/proc/self/status")))
			if (line.startsWith("VmHWM")) System.out.println(line.replaceAll("[^0-9]", ""));
	}
}
END
javac Many.java || exit 1
traced CALLFLOW,CALIBRATION=many,CLASSMETHODS='Many.*' -Xmx64m Many
is many_threads "$? $(cat err) $(grep -c '^  0 .* one of many_[0-9]*$' log-rt.*) $(calls 'Many.job(I)V') $(calls 'Many.fails(I)I') $(calls 'Many.leaf(I)I')" \
	'0  10000 10000 40000 60000'
entries_are_exits 100000 9 && ! grep -q '^not kept\|^threads without' log-rt.*
verdict many_threads_balance $? "$(sed -n 3,4p log-rt.*)"
calc "$(cat out) < 600000"
verdict many_threads_memory $? "$(cat out) kB"
# Each entry and each end is one that a sequence was learnt by.
n=$(awk '/^sequence/ { n += $3 } END { print n + 0 }' many)
calc "$n >= 200000"
verdict many_threads_learnt $? "$n"
for mode in rewrite probes; do
	traced CALLTREE,MODE=$mode Loops
	whole Loops_$mode
	loops $mode
	traced CALLTREE,MODE=$mode Served
	whole Served_$mode
	served $mode
done
exit $((failures != 0))
