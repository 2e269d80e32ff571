#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Both agents in a real VM, apart from the calls: one table of options, also from JPROFOPTS; names to
# log-jita2n or a jitdump, never both; threads; objects; how VMs end, and what is left of the log then;
# where logs may go.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset JPROFOPTS JITDUMPDIR JAVA_TOOL_OPTIONS
agent=$build/lib/pitrace/libjprof.so names=$build/lib/pitrace/libpijit.so
if [ ! -f "$agent" ]; then
	echo "skip jprof_agent no JDK is installed"
	exit 77
fi
release=$(javac -version 2>&1 | sed -E 's/^javac ([0-9]+).*/\1/')
cd "$work" || exit 1
cat >Agent.java <<'END'
public class Agent {
	static class Thing { long a; }
	static Thing[] kept = new Thing[1000];
	static Object sink;
	static void make(int n) { Thing t = new Thing(); if (n < 1000) kept[n] = t; sink = t; }
	static int step(int n) { return n + 1; }
	static native void crash();
	static byte[][] fill = new byte[1000][];
	public static void main(String[] args) throws Exception {
		int sum = 0;
		for (int i = 0; i < 20000; i++) make(i);
		for (int i = 0; i < 100000; i++) sum += step(i);
		sink = null;
		Thread t = new Thread(() -> { for (int i = 0; i < 500; i++) step(i); }, "worker one");
		t.start();
		t.join();
		System.out.println("up " + sum);
		switch (args.length > 0 ? args[0] : "") {
		case "exit": System.exit(3);
		case "halt": Runtime.getRuntime().halt(4);
		case "wait": Thread.sleep(100000); break;
		case "crash": System.load(args[1]); crash(); break;
		case "memory": for (int i = 0; i < fill.length; i++) fill[i] = new byte[1 << 20]; break;
		}
	}
}
END
cat >crash.c <<'END'
#include <signal.h>
#include <stdlib.h>
void Java_Agent_crash(void *jni, void *class) { (void)jni; (void)class; raise(SIGSEGV); *(volatile int *)0 = 1; }
END
javac Agent.java && cc -shared -fPIC -w -o libcrash.so crash.c || exit 1
run() { # AGENT OPTIONS ARGUMENT...
	local which=$1 options=$2
	shift 2
	rm -f log-* jit-*.dump
	java -Xshare:auto "-agentpath:$which=$options" "$@" >out 2>err
}
on() { # LINE OF HEADER: does the log say that all is there
	grep -q '^entries [1-9]' log-rt.1_* && grep -q 'Agent.step(I)I' log-rt.1_*
}

# ---- one agent, one library
run "$agent" CLASSMETHODS='Agent*' Agent
on && [ -z "$(ls jit-*.dump log-j* 2>/dev/null)" ]
verdict calls_alone $? "$(ls; cat err)"
run "$names" '' Agent
[ -n "$(ls jit-*.dump)" ] && [ -z "$(ls log-* 2>/dev/null)" ] && [ ! -s err ]
verdict names_alone $? "$(ls; cat err)"
run "$names" CALLTREE,CLASSMETHODS='Agent*' Agent
on && [ -z "$(ls jit-*.dump 2>/dev/null)" ]
verdict same_code $? "$(ls; cat err)"
run "$agent" JITA2N,JINSTS Agent
grep -qP '\tLOAD\tAgent.step\(int\)\t[0-9a-f]{8,}$' log-jita2n_* && grep -qP '\tLOAD\tInterpreter' log-jita2n_* &&
	[ -z "$(ls jit-*.dump log-rt* 2>/dev/null)" ]
verdict names_in_text $? "$(ls; cat err; grep -c LOAD log-jita2n_*)"
run "$agent" JITA2N Agent
grep -qP '\tLOAD\tAgent.step\(int\)$' log-jita2n_* && [ -z "$(ls log-jtnm_* 2>/dev/null)" ]
verdict names_without_code $? "$(ls)"
run "$agent" TPROF,CALLTREE,CLASSMETHODS='Agent*' Agent
on && strings jit-*.dump | grep -q 'Agent.step(int)' && ! grep -q LOAD log-jita2n_*
verdict all_in_one $? "$(ls; cat err)"
run "$agent" THREADINFO Agent
awk -F'\t' '$3 == "worker one" { if ($4 == "START" && !tid) tid = $2; else if ($4 == "END" && $2 == tid) ended = 1 }
	$3 == "main" && $4 == "START" { main = 1 } END { exit !(ended && main) }' log-jtnm_* &&
	[ -z "$(ls log-jita2n_* 2>/dev/null)" ]
verdict threads $? "$(ls; cat log-jtnm_*)"
run "$agent" THREADINFO,JITA2N Agent
grep -q 'worker one.START$' log-jtnm_* && grep -q 'LOAD.Agent.step(int)$' log-jita2n_*
verdict both_logs $? "$(ls)"
run "$agent" THREADS='*+-main',CLASSMETHODS='Agent*' Agent
[ "$(awk '$NF == "Agent.step(I)I" { print $2 }' log-rt.1_*)" = 500 ] && ! grep -q ' main_' log-rt.1_*
verdict threads_out $? "$(cat log-rt.1_*)"
JPROFOPTS='THREADS=worker*,CALLTREE' run "$agent" CLASSMETHODS='Agent*' Agent
[ "$(awk '$NF == "Agent.step(I)I" { print $2 }' log-rt.1_*)" = 500 ] && ! grep -q BASE log-rt.1_*
verdict environment $? "$(cat log-rt.1_*)"

# ---- threads' names as records: whole in reports, changed ones from their threads' ends on, and no log of
# them where somebody traces and does not ask for it
cat >Named.java <<'END'
public class Named {
	static volatile long sink;
	static void spin(int ms) { long end = System.nanoTime() + ms * 1000000L; while (System.nanoTime() < end) sink++; }
	public static void main(String[] words) throws Exception {
		Thread t = new Thread(() -> spin(400), "worker whose name is longer than the kernel's");
		t.start();
		t.join();
	}
}
END
javac Named.java
may_trace() { # COLLECTOR
	[ "$1" = timer ] || "$bin/swtrace" run -q -B "$1" -o may.nrm2 -- true >/dev/null 2>&1
}
for collector in timer perf; do
	may_trace $collector || { echo "skip jprof_agent_threads_by_$collector this machine lets nobody trace"; continue; }
	rm -f log-j* jit-*.dump
	"$bin/swtrace" run -q -B $collector -o named.nrm2 -- java "-agentpath:$names=TPROF" Named >out 2>&1
	"$bin/post" -r named.nrm2 -o - >named.out 2>/dev/null
	grep -q "_worker whose name is longer than the kernel's" named.out && [ -z "$(ls log-jtnm_* 2>/dev/null)" ]
	verdict "threads_by_$collector" $? "$(cat out; ls; grep TID named.out | head)"
done
# Names of code whose log is elsewhere: in the trace's folder it would be read.
mkdir away
for collector in timer perf; do
	may_trace $collector || { echo "skip jprof_agent_code_by_$collector this machine lets nobody trace"; continue; }
	"$bin/swtrace" run -q -B $collector -o named.nrm2 -- java "-agentpath:$names=JITA2N,LOGPATH=away" Named >out 2>&1
	"$bin/post" -r named.nrm2 -o - >named.out 2>/dev/null
	grep -q 'SYM .* Named.spin(int)' named.out && grep -q 'LOAD.Named.spin(int)' away/log-jita2n_*
	verdict "code_by_$collector" $? "$(cat out; ls away; grep -m 9 'JITCODE\|SYM' named.out)"
	rm -f away/*
	# The records and a log beside the trace describe the same code, the log with its instructions.
	"$bin/swtrace" run -q -B $collector -o named.nrm2 -- java "-agentpath:$names=JITA2N,JINSTS" Named >out 2>&1
	"$bin/post" -q -json -annotate 'Named.spin(int)' -r named.nrm2 >named.out 2>why
	jq -e '.annotated | length > 0 and all(.[]; .code_from | test("log-jita2n_[0-9]+$")) and
		all(.[].instructions[]; .text != null)' named.out >/dev/null
	verdict "instructions_by_$collector" $? "$(cat out why; jq -c '.annotated | map({address, code_from})' named.out)"
	rm -f log-j*
done
"$bin/swtrace" run -q -B timer -o named.nrm2 -- java "-agentpath:$names=TPROF,THREADINFO" Named >out 2>&1
grep -q "worker whose.*START" log-jtnm_*
verdict threads_log_on_request $? "$(ls)"
rm -f named.* log-j* jit-*.dump

# ---- objects: all of them, and which are kept
run "$agent" OBJECTINFO Agent
awk '$NF == "Agent.make(I)V" { found = 1; exit !($1 >= 20000 && $1 < 20100 && $2 >= 24 * $1 - 24 * 100 && $3 >= 1000 && $3 < 1100) }
	END { if (!found) exit 1 }' log-objects.1_*
verdict objects $? "$(cat err; head -n 8 log-objects.1_*)"
run "$agent" OBJECTINFO,CLASSMETHODS='-*+Agent.make*' Agent
[ "$(sed '1,/NAME$/d' log-objects.1_* | wc -l)" = 1 ]
verdict objects_of_methods $? "$(head -n 8 log-objects.1_*)"

# ---- what is refused
refused() { # NAME AGENT OPTIONS WORDS
	run "$2" "$3" Agent
	[ $? != 0 ] && grep -q -e "$4" err && [ ! -s out ] || ! grep -q '^up' out && grep -q -e "$4" err
	verdict "$1" $? "$(cat err)"
}
refused unknown "$names" FLOW '^pijit: FLOW: unknown option (HELP'
JPROFOPTS=FLOW refused unknown_in_environment "$agent" '' '^jprof: JPROFOPTS: FLOW: unknown option'
refused no_lines "$agent" JITA2N,lines 'has no lines'
echo >file
refused not_a_folder "$agent" LOGPATH=file 'LOGPATH=file: Not a directory'
refused no_such_folder "$names" LOGPATH=/nowhere 'LOGPATH=/nowhere: No such file'
refused not_writable "$agent" LOGPATH=/proc 'jprof: .*/proc'
JPROFOPTS=HELP run "$agent" '' Agent
grep -q 'OBJECTINFO' out && grep -q '^up' out && [ -z "$(ls log-* 2>/dev/null)" ]
verdict help $? "$(cat err)"

# ---- links are not followed: the VM writes where its own number leads
mkdir logs
echo precious >precious
run_in_shell() { # the VM keeps the number of the shell
	bash -c 'ln -s ../precious "logs/log-rt.1_$$"; exec java "-agentpath:$0=LOGPATH=logs,CLASSMETHODS=Agent*" Agent' "$agent" >out 2>err
}
! run_in_shell && grep -q 'it is a link, which is not followed' err && [ "$(cat precious)" = precious ]
verdict links $? "$(ls -l logs; cat err)"

# ---- ends. A VM that may not abort leaves without a word.
ulimit -c 0
run "$agent" CLASSMETHODS='Agent*' Agent exit
[ $? = 3 ] && on
verdict exits $? "$(cat err)"
run "$agent" CLASSMETHODS='Agent*' Agent halt
[ $? = 4 ] && on
verdict halts $? "$(cat err)"
killed() { # SIGNAL
	rm -f log-* out
	env --default-signal=INT java "-agentpath:$agent=CLASSMETHODS=Agent*" Agent wait >out 2>err &
	vm=$!
	for ((i = 0; i < 600; i++)); do grep -qs up out && break; sleep 0.1; done
	kill "-$1" $vm
	wait $vm 2>/dev/null
}
killed TERM
on
verdict terminated $? "$(cat err log-*)"
killed INT
on || { kill -KILL $vm 2>/dev/null; false; }
verdict interrupted $? "$(cat err log-*)"
killed KILL
[ "$(cat log-rt.1_*)" = "pitrace log-rt
not whole: the VM runs, or it was killed and all it had counted is lost" ]
verdict killed $? "$(cat err log-*)"
run "$agent" CLASSMETHODS='Agent*' -XX:ErrorFile=/dev/null Agent crash "$work/libcrash.so"
[ $? = 134 ] && on && grep -q '^the VM was aborted' log-rt.1_* && grep -q 'jprof: the VM was aborted: log-rt.1_[0-9]* has what' err
verdict crashed $? "$(cat err; tail -n 3 log-*)"
run "$agent" CLASSMETHODS='Agent*' -XX:-CreateCoredumpOnCrash -XX:ErrorFile=/dev/null Agent crash "$work/libcrash.so"
[ $? = 1 ] && on && grep -q '^the VM was aborted' log-rt.1_*
verdict crashed_silently $? "$(cat err; tail -n 3 log-*)"
run "$agent" CLASSMETHODS='Agent*' -Xmx64m -XX:+CrashOnOutOfMemoryError -XX:ErrorFile=/dev/null Agent memory
[ $? = 134 ] && on
verdict no_memory_crashed $? "$(cat err; tail -n 3 log-*)"
run "$agent" CLASSMETHODS='Agent*' -Xmx64m -XX:+ExitOnOutOfMemoryError Agent memory
# Newer VMs leave by _exit(), which is not reported to agents.
[ $? = 3 ] && { on || { [ "$release" -gt 17 ] && grep -q '^not whole' log-rt.1_*; }; }
verdict no_memory $? "$(cat err; tail -n 3 log-*)"

# ---- a full disk, of which files of a size at most stand in
(
	ulimit -f 8
	run "$agent" CALLTREE Agent
)
grep -q 'jprof: log-rt.1_[0-9]*: .*: the log is incomplete' err && grep -q '^up' out
verdict full_disk $? "$(cat err; ls -l log-*)"
exit $((failures != 0))
