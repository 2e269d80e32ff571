#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Names that are no ASCII: of a class, a method and a thread with characters beyond U+FFFF, for which the VM has
# another encoding than UTF-8. Each log has them as the source does, and so has a heap dump; filters take them.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset JPROFOPTS JITDUMPDIR JAVA_TOOL_OPTIONS
agent=$build/lib/pitrace/libjprof.so names=$build/lib/pitrace/libpijit.so
if [ ! -f "$agent" ] || ! command -v javac >/dev/null; then
	echo "skip jprof_names no JDK is installed"
	exit 77
fi
cd "$work" || exit 1
export LC_ALL=C.UTF-8
cat >Odd.java <<'END'
public class Odd {
	static class Ä𝔸 {
		static volatile long sink;
		static void 𝔹é(long ms) {
			long end = System.nanoTime() + ms * 1000000;
			while (System.nanoTime() < end) sink++;
		}
		synchronized void held() { 𝔹é(1); }
		static Ä𝔸 𝔸new() { return new Ä𝔸(); }
	}
	static Ä𝔸[] kept = new Ä𝔸[2000];
	static void once() {
		Ä𝔸.𝔹é(1);
		for (int i = 0; i < 1000; i++) kept[i] = Ä𝔸.𝔸new();
		Ä𝔸 one = new Ä𝔸();
		for (int i = 0; i < 200; i++) one.held();
	}
	public static void main(String[] words) throws Exception {
		Thread t = new Thread(Odd::once, "w😀 ü");
		t.start();
		t.join();
		if (words.length > 0)
			java.lang.management.ManagementFactory.getPlatformMXBean(com.sun.management.HotSpotDiagnosticMXBean.class)
				.dumpHeap(words[0], true);
	}
}
END
javac -encoding UTF-8 Odd.java || exit 1
has() { # NAME TEXT FILE...: and the VM's own encoding is nowhere
	local name=$1 text=$2
	shift 2
	grep -qF "$text" "$@" && ! LC_ALL=C grep -qaE $'\xed[\xa0-\xbf]|xed.xa0' "$@"
	verdict "$name" $? "$(cat err; LC_ALL=C grep -aE $'\xed[\xa0-\xbf]|xed.xa0' "$@" | head -3 | cat -v)"
}
run() { # AGENT OPTIONS
	rm -f log-*
	timeout 120 java -Xshare:auto "-agentpath:$1=$2" -cp . Odd >out 2>err
}
run "$agent" 'CALLTREE,CLASSMETHODS=Odd$Ä𝔸*'
has calls 'Odd$Ä𝔸.𝔹é(J)V' log-rt.1_*
has calls_thread 'w😀 ü' log-rt.1_*
run "$agent" 'CALLTREE,CLASSMETHODS=Odd*.𝔹*,THREADS=w😀*'
is filtered "$(awk '/𝔹é/ { n += $2 } END { print n + 0 }' log-rt.1_*) $(grep -c 'held' log-rt.1_*)" '201 0'
run "$agent" JLM
has monitors 'Odd$Ä𝔸@' log-jlm.1_*
run "$agent" OBJECTINFO
has objects 'Odd$Ä𝔸.𝔸new()' log-objects.1_*
run "$names" "JITA2N,THREADINFO"
has threads 'w😀 ü' log-jtnm_*
has code 'Odd$Ä𝔸.𝔹é(long)' log-jita2n_*
"$build/bin/swtrace" run --jit -g -q -F 1997 -o odd.nrm2 -- java -Xshare:auto -cp . Odd >out 2>err
"$build/bin/post" -q -r odd.nrm2 -folded -o - >stacks 2>post.err
has stacks 'Odd$Ä𝔸.𝔹é(long)' stacks
"$build/bin/post" -q -r odd.nrm2 -o - >tprof 2>post.err
has stacks_thread 'w😀 ü' tprof
java -Xshare:auto -cp . Odd odd.hprof >out 2>err && "$build/bin/hdump" -q -n 0 odd.hprof >classes 2>err
has dump 'Odd$Ä𝔸' classes

exit $((failures > 0))
