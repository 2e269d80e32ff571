#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# By which way compiled code gets into the hooks, and what the user has said of it; trees and their sums are the
# same by each. Threads that were there before the agent are called what they are called, and chosen by
# that, although the VM may not be asked there.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tools/jprof/calls_log
. "$here/calls_log"
unset JPROFOPTS JAVA_TOOL_OPTIONS
javac -d "$work" "$here/Calls.java" || exit 1
cd "$work" || exit 1
release=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/.*java.vm.specification.version = //p')
way='with barriers' option=
if [ "$release" -le 17 ]; then
	way='as functions' option=CriticalJNINatives
elif [ "$release" -ge 20 ]; then
	way='without barriers' option=UseSystemMemoryBarrier
fi
unlocked='-XX:+UnlockExperimentalVMOptions -XX:+UnlockDiagnosticVMOptions'
taken() { # the way, by the log's head
	sed -n 's/^calibration of natives called: //p' log-rt.*
}
leaves() { # of each method all its calls; those of stacks that overflow are as deep as there is room
	awk '$NF ~ /^Calls\..*[)]/ && $NF !~ /deep/ { n[$NF] += $2 } END { for (m in n) print m, n[m] }' log-rt.* | sort
}

traced CALLFLOW,CLASSMETHODS='Calls*' Calls
is way "$? $(taken)" "0 $way"
leaves >want
traced CALLFLOW,CLASSMETHODS='Calls*' Calls
leaves >again
# shellcheck disable=SC2086 # two options
traced CALLFLOW,CLASSMETHODS='Calls*' $unlocked ${option:+-XX:-$option} Calls
is chosen_no "$? $(taken)" '0 with barriers'
leaves >without
# shellcheck disable=SC2086 # likewise
traced CALLFLOW,CLASSMETHODS='Calls*' $unlocked ${option:+-XX:+$option} Calls
is chosen_yes "$? $(taken)" "0 $way"
[ "$(wc -l <want)" -ge 8 ] && cmp -s want without && cmp -s want again
verdict same_calls $? "$(diff want without | head -n 5)"
traced MODE=probes,CLASSMETHODS='Calls*' Calls
is probes_have_none "$? $(taken)" '0 '

# The VM's own threads, which call a program's methods.
cat >There.java <<'END'
public class There {
	static int ended;
	static void count() { ended++; }
	protected void finalize() { count(); }
	static class Loop extends Thread {
		volatile boolean over;
		int n;
		Loop(String name) { super(name); }
		void turn() { n++; }
		public void run() { while (!over) { turn(); try { sleep(1); } catch (InterruptedException e) { return; } } }
	}
	public static void main(String[] args) throws Exception {
		Loop[] all = { new Loop("a thread with a long name, one"), new Loop("a thread with a long name, two") };
		if (args.length > 0) {
			for (Loop l : all) l.start();
			System.out.println("up");
			System.in.read();
			for (Loop l : all) { l.over = true; l.join(); }
			return;
		}
		for (int i = 0; i < 1000; i++) new There();
		for (int i = 0; i < 200 && ended < 1000; i++) { System.gc(); Thread.sleep(20); }
		java.nio.ByteBuffer.allocateDirect(16);
		for (int i = 0; i < 5; i++) { System.gc(); Thread.sleep(20); }
		System.out.println("done");
	}
}
END
javac -nowarn There.java 2>/dev/null || exit 1
names() { # of threads that have a tree
	awk '/^ LV/ { on = 1; next } on && $1 == 0 { sub(/^ *0 +[0-9]+ +[0-9]+ /, ""); sub(/_[0-9]+$/, ""); print }' log-rt.*
}
under() { # THREAD METHOD: CALLS in the trees of threads that are called so
	awk -v "thread=$1" -v "name=$2" '/^ LV/ { on = 1; next } !on || NF < 4 { next }
		$1 == 0 { line = $0; sub(/^ *0 +[0-9]+ +[0-9]+ /, "", line); sub(/_[0-9]+$/, "", line); mine = line == thread }
		mine && $NF == name { n += $2 } END { print n + 0 }' log-rt.*
}
for mode in rewrite probes; do
	traced MODE=$mode,CALLTREE,CLASSMETHODS='There*' There
	is finalizer_$mode "$? $(cat out) $(under Finalizer 'There.count()V') $(calls 'There.count()V')" '0 done 1000 1000'
	traced MODE=$mode,CALLTREE,CLASSMETHODS='There*',THREADS='-Finalizer' There
	is left_out_$mode "$? $(calls 'There.count()V') $(names | grep -c '^main$') $(names | grep -c Finalizer)" '0 0 1 0'
	traced MODE=$mode,CALLTREE There
	code=$?
	[ $code = 0 ] && entries_are_exits 5000 99 && names | grep -qx Finalizer && names | grep -qx 'Reference Handler' && names | grep -qx DestroyJavaVM &&
		! names | grep -q '^$'
	verdict names_$mode $? "$(sed -n 3p log-rt.*; names | head -n 12)"
done

# A VM that runs: names of the same beginning.
rm -f log-rt.*
mkfifo in && exec {hold}<>in
java -Xverify:all There stay <&"$hold" >out 2>err &
vm=$!
for ((i = 0; i < 300; i++)); do grep -q up out && break; sleep 0.1; done
jcmd $vm JVMTI.agent_load "$agent" '"CALLTREE,CLASSMETHODS=There*"' >attached 2>&1
sleep 1
echo >&"$hold"
wait $vm
code=$?
exec {hold}>&-
one=$(under 'a thread with a long name, one' 'There$Loop.turn()V')
two=$(under 'a thread with a long name, two' 'There$Loop.turn()V')
[ $code = 0 ] && calc "$one >= 10 && $two >= 10 && $one + $two == $(calls 'There$Loop.turn()V')"
verdict attached_names $? "$code $one $two: $(names | head -n 5)"
exit $((failures != 0))
