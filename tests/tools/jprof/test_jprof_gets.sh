#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# JLM: monitors whose gets, recursion, contention and hold times are known: counts are exact, hold times within
# 2 % of what the program itself measures; interpreted and compiled, by each JDK, with virtual threads, and by
# rtdriver. All rewritten classes pass the verifier.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/lib/jdk_lib.sh
. "$top/tests/lib/jdk_lib.sh"
unset JPROFOPTS JITDUMPDIR JAVA_TOOL_OPTIONS
agent=$build/lib/pitrace/libjprof.so vm=
if [ ! -f "$agent" ] || ! command -v javac >/dev/null; then
	echo "skip jprof_gets no JDK is installed"
	exit 77
fi
trap '[ -z "$vm" ] || kill -KILL $vm 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
javac -nowarn -d . "$top/tests/tools/jprof/Gets.java" || exit 1

row() { # MONITOR LOG: GETS NONREC SLOW REC
	awk -v name="$1" 'index($0, " " name) && $NF ~ /^[^ ]+$/ && $2 != "times" { print $2, $3, $4, $5 }' "$2"
}
near() { # MONITOR LOG WORD: hold time, as the program measures it, within 2 %
	local average own
	average=$(awk -v name="$1@" 'index($0, " " name) { sub(/ms$/, "", $7); print $7 * $3 }' "$2")
	own=$(sed -n "s/^$3 //p" said)
	time="$1: $average ms, by its own clock $own ns"
	calc "$average * 1e6 >= $own * 0.98 && $average * 1e6 <= $own * 1.02"
}
all_near() { # LOG
	local monitor times=''

	for monitor in Kept:kept Hot:hot Bell:bell; do
		near "Gets\$${monitor%:*}" "$1" "${monitor#*:}" || times+="$time; "
	done
	time=$times
	[ -z "$times" ]
}
counts() { # NAME LOG
	is "$1_plain" "$(row 'Gets$Plain@' "$2")" '20000 20000 0 0'
	is "$1_recursion" "$(row 'Gets$Again@' "$2")" '1000 100 0 900'
	is "$1_method" "$(row 'Gets$Kept@' "$2")" '50 50 0 0'
	is "$1_class" "$(row 'Gets$Shared (class)' "$2")" '30 30 0 0'
	is "$1_exceptions" "$(row 'Gets$Thrown@' "$2")" '200 200 0 0'
	is "$1_contended" "$(row 'Gets$Hot@' "$2")" '20 20 15 0'
	is "$1_wait" "$(row 'Gets$Bell@' "$2")" '10 10 0 0'
	is "$1_many" "$(awk '/Gets\$Many/ { n += $3; lines++ } END { print n, lines }' "$2")" '3000 1001'
	# Each that entered has left: another thread enters then, and it is not recursion.
	grep -q '^overflow free' said && awk '/ Gets\$Overflow@/ { found = $2 == $3 + $5 && $3 >= 2 && $3 <= 3 && $5 > 100 } END { exit !found }' "$2"
	verdict "$1_overflow" $? "$(cat said; grep Overflow "$2")"
	awk '/ReentrantLock\$NonfairSync@/ && $4 == 4 && $8 >= 115 && $2 == "-" && $7 == "-" { found = 1 } END { exit !found }' "$2" &&
		grep -q 'times blocked: java/util/concurrent/locks/LockSupport.park < .*Gets.lambda' "$2" &&
		grep -q 'held by: .*Gets.lock < Gets.all < Gets.main' "$2"
	verdict "$1_concurrent" $? "$(grep -A 2 Reentrant "$2")"
	awk '/ Gets\$Bell@/ { found = $10 == 5 } END { exit !found }' "$2"
	verdict "$1_waits" $? "$(grep Bell "$2")"
	! grep -v '^jprof: \(attached\|native methods of classes that\)' err && grep -q '^done' said && ! grep -q 'left as they are' "$2"
	verdict "$1_whole" $? "$(cat err; sed -n '/left as/,$p' "$2")"
}
whole() { # NAME OPTIONS...
	local name=$1
	shift
	# On a busy machine a thread may be away between its own look at the clock and the agent's.
	for _ in 1 2 3; do
		rm -f log-*
		timeout 120 java -Xverify:all "$@" "-agentpath:$agent=JLM" -cp . Gets >said 2>err
		all_near log-jlm.1_* && break
	done
	all_near log-jlm.1_*
	verdict "${name}_times" $? "$time"
	counts "$name" log-jlm.1_*
}
whole compiled
whole interpreted -Xint
whole simply_compiled -XX:TieredStopAtLevel=1

# Each way to enter, leave and wait.
javac -nowarn -d . "$top/tests/tools/jprof/Monitors.java" || exit 1
rm -f log-*
timeout 120 java -Xverify:all "-agentpath:$agent=JLM" -cp . Monitors >said 2>err
[ $? = 0 ] && grep -q '^done' said && [ ! -s err ]
verdict ways_run $? "$(cat said err)"
for of in 'nested:Outer:200 100 0 100' 'inner:Inner:100 100 0 0' 'rethrown:Rethrown:150 150 0 0' 'early:Early:40 40 0 0' \
	'timed:Timed:3 3 0 0' 'twice:Twice:3 2 0 1' 'woken:Woken:1 1 0 0'; do
	IFS=: read -r name class want <<<"$of"
	is "ways_$name" "$(row "Monitors\$$class@" log-jlm.1_*)" "$want"
done
is ways_static "$(row 'Monitors$Static (class)' log-jlm.1_*)" '60 20 0 40'
is ways_constructor "$(awk '/ Monitors\$Made@/ { n++; gets += $3; again += $5 } END { print n, gets, again + 0 }' log-jlm.1_*)" '20 20 0'
is ways_foreign "$(grep -c 'Monitors$Foreign' log-jlm.1_*)" 0
parked() { # PATTERN: SLOW and WAITS, summed
	awk -v p="$1" '$NF ~ p && $2 == "-" { slow += $4; waits += $10 } END { print slow + 0, waits + 0 }' log-jlm.1_*
}
is ways_timed_lock "$(parked 'ReentrantLock.FairSync@')" '1 0'
is ways_read_write "$(parked 'ReentrantReadWriteLock.NonfairSync@')" '2 0'
is ways_semaphore "$(parked 'Semaphore.NonfairSync@')" '1 0'
# A latch has no holder: what is waited for is an event.
is ways_latch "$(parked 'CountDownLatch')" '0 1'
is ways_stamped "$(parked 'StampedLock@')" '0 1'
# These set the blocker first, and then park without one.
is ways_condition "$(parked 'ConditionObject@')" '0 2'
is ways_queue "$(parked 'SynchronousQueue|TransferQueue|LinkedTransfer')" '0 1'

# With calls: both change the same methods.
rm -f log-*
timeout 120 java -Xverify:all "-agentpath:$agent=JLM,CALLTREE,CLASSMETHODS=Gets*" -cp . Gets >said 2>err
is beside_calls "$(row 'Gets$Again@' log-jlm.1_*) $(awk '$NF == "Gets$Again.deep(I)I" { n += $2 } END { print n }' log-rt.1_*)" '1000 100 0 900 1000'

# By rtdriver, while it runs.
rm -f log-*
mkfifo ask
java -Xshare:auto -XX:+EnableDynamicAgentLoading -cp . Gets wait <ask >said 2>err &
vm=$!
exec {to}>ask
wait_for() { # WORD
	local i
	for ((i = 0; i < 600; i++)); do
		grep -q "^$1" said && return
		sleep 0.1
	done
	return 1
}
drive() { timeout 60 "$bin/rtdriver" "$@" $vm >out 2>&1; }
wait_for ready
drive -c 'jlmstart everything'
[ $? = 1 ] && grep -q 'JLML (contention only)' out
verdict no_such_kind $? "$(cat out)"
drive -c jlmstart
verdict start $? "$(cat out)"
echo >&"$to"
wait_for "done"
drive -c jlmdump -c jlmstop
verdict dump_and_stop $? "$(cat out)"
counts attached log-jlm.1_$vm
drive -c 'jlmstart JLML' -c jlmstop
[ $? = 0 ] && grep -q '^JLML' log-jlm.3_$vm && ! grep -q 'Gets' log-jlm.3_$vm
verdict lightly $? "$(cat out; head -3 log-jlm.3_$vm)"
exec {to}>&-
wait $vm
vm=

# Code that runs when the recording begins reports no gets: that is said, and no share is made of them.
cat >Running.java <<'END'
public class Running {
	static class Busy {}
	static final Busy busy = new Busy();
	static volatile long sink;
	static void round(boolean on) {
		while (on) {
			synchronized (busy) { long until = System.nanoTime() + 2000000; while (System.nanoTime() < until) sink++; }
			Thread.yield();
		}
	}
	public static void main(String[] words) throws Exception {
		for (int i = 0; i < 3; i++) {
			Thread t = new Thread(() -> round(true));
			t.setDaemon(true);
			t.start();
		}
		Thread.sleep(200);
		System.out.println("ready");
		System.in.read();
	}
}
END
javac -nowarn Running.java || exit 1
rm -f log-*
java -XX:+EnableDynamicAgentLoading -cp . Running <ask >said 2>err &
vm=$!
exec {to}>ask
wait_for ready
drive -c 'jlmstart 700ms' -c jlmstop
shown=$(awk '/ Running\$Busy@/ { print $1, $2, $6, ($4 > 0) }' log-jlm.1_$vm)
[ "$shown" = '- 0 - 1' ] && grep -q '^[1-9][0-9]* of these are no counted gets: the code ran already' log-jlm.1_$vm
verdict running $? "$(cat out; head -6 log-jlm.1_$vm)"
exec {to}>&-
wait $vm
vm=

# A virtual thread that holds a monitor may leave its carrier, and block there (from Java 24 on), or keeps it.
jdk=$(newest_jdk)
if [ "$(jdk_release "$jdk")" -ge 21 ]; then
	cat >Virtual.java <<'END'
import java.util.*;
public class Virtual {
	static class One {}
	static class Own {}
	static final One one = new One();
	static long ns;
	static volatile long sink;
	static void spin(int us) { long until = System.nanoTime() + us * 1000L; while (System.nanoTime() < until) sink++; }
	public static void main(String[] words) throws Exception {
		List<Thread> all = new ArrayList<>();
		for (int i = 0; i < 20; i++)
			all.add(Thread.startVirtualThread(() -> {
				Own own = new Own();
				for (int k = 0; k < 10; k++)
					synchronized (own) {
						synchronized (one) { long from = System.nanoTime(); spin(2000); ns += System.nanoTime() - from; }
						try { Thread.sleep(1); } catch (InterruptedException e) { throw new Error(e); }
					}
			}));
		for (Thread t : all)
			t.join();
		System.out.println("one " + ns);
	}
}
END
	"$jdk/bin/javac" Virtual.java || exit 1
	for _ in 1 2 3; do
		rm -f log-*
		timeout 120 "$jdk/bin/java" -Xverify:all "-agentpath:$agent=JLM" Virtual >said 2>err
		near 'Virtual$One' log-jlm.1_* one && break
	done
	near 'Virtual$One' log-jlm.1_* one
	verdict virtual_times $? "$time"
	is virtual_own "$(awk '/ Virtual\$Own@/ { n++; gets += $3; again += $5; slow += $4 } END { print n, gets, again, slow }' log-jlm.1_*)" '20 200 0 0'
	awk '/ Virtual\$One@/ { found = $2 == 200 && $3 == 200 && $4 >= 20 && $4 < 200 } END { exit !found }' log-jlm.1_*
	verdict virtual_contended $? "$(grep 'Virtual$One@' log-jlm.1_*)"
	[ ! -s err ]
	verdict virtual_quiet $? "$(cat err)"
else
	echo "skip jprof_gets_virtual no JDK of Java 21 or newer is installed"
fi
exit $((failures > 0))
