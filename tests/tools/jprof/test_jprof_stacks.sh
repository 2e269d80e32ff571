#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sampled stacks of Java's threads (SCS): against the VM's own AsyncGetCallTrace on javac; against work of
# known weight, interpreted, by both compilers, inlined, native and of the collector of garbage; from the
# thread's first function through JNI, the VM and the C library into the kernel; by line; and what is
# sampled beside CPU time: the wall clock, allocations, contended monitors.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/lib/jdk_lib.sh
. "$top/tests/lib/jdk_lib.sh"
unset JPROFOPTS JAVA_TOOL_OPTIONS
agent=$build/lib/pitrace/libpijit.so
if [ ! -f "$agent" ]; then
	echo "skip jprof_stacks no JDK is installed"
	exit 77
fi
if [ "$(uname -m)" != x86_64 ]; then
	echo "skip jprof_stacks stacks are sampled on x86-64 only"
	exit 77
fi
cd "$work" || exit 1

# ---- the VM's own walk as judge
cp "$top/tests/tools/jprof/"{Weights,Waits,Calls,Loops}.java . && mkdir classes
judged() { # NAME: what $work/err says, in which the VM's walk is beside ours
	local share

	share=$(sed -nE 's/.*of Java.s threads, walked whole [0-9]+ \(([0-9.]+) %\)$/\1/p' err)
	awk -v s="${share:-0}" 'BEGIN { exit !(s >= 97) }'
	verdict "$1_walked" $? "walked: $share %; $(cat err)"
	sed -nE 's/.*same ([0-9]+), different ([0-9]+), .*/\1 \2/p' err |
		awk '{ s = $1; d = $2 } END { exit !(s > 300 && d < 0.03 * s) }'
	verdict "$1_judged" $? "$(cat err)"
}
javac "-J-agentpath:$agent=SCSCHECK,SCSRATE=2000,dir=$work" -d classes ./*.java 2>err || cat err
judged javac
# Interpreted alone, where most frames are set up at the interrupt. A VM without virtual threads has none that are frozen.
javac -J-Xint "-J-agentpath:$agent=SCSCHECK,SCSRATE=2000,dir=$work" -d classes ./*.java 2>err || cat err
judged interpreted
frozen=$(grep -c 'frames in the heap' err)
[ "$(jdk_release "$(dirname "$(dirname "$(readlink -f "$(type -P javac)")")")")" -ge 21 ] || [ "$frozen" = 0 ]
verdict interpreted_not_frozen $? "$(cat err)"

# ---- work of known weight
cat >directives.json <<'END'
[ { match: "Weights.interpreted", c1: { Exclude: true }, c2: { Exclude: true } },
  { match: "Weights.simple", c2: { Exclude: true } },
  { match: "Weights.outer", inline: "+Weights.inlined" } ]
END
JPROFOPTS=SCSKINDS "$build/bin/swtrace" run --jit -g -q -o weights.nrm2 -- java -XX:+UnlockDiagnosticVMOptions \
	-XX:CompilerDirectivesFile=directives.json -XX:+UseSerialGC -cp classes Weights 400 >weights 2>err
verdict weights_run $? "$(cat err)"
post() { # TRACE ARGUMENT...: stacks, by name
	"$build/bin/post" -r "$1" -folded "${@:2}" 2>post.err
}
post weights.nrm2 >stacks || cat post.err
# Only for the measured run: the one before it warms up.
declare -A ns ticks
while read -r name n; do
	case $n in *[!0-9]* | '') ;; *) ns[$name]=$n ;; esac
done <weights
count() { # PATTERN: ticks of stacks with it
	awk -v "pattern=$1" '$0 ~ pattern { n += $NF } END { print n + 0 }' stacks
}
for name in interpreted simple optimized many compressed; do
	ticks[$name]=$(count ";Weights\\\\.measured\\\\(.*;Weights\\\\.$name\\\\(")
done
total_ns=0 total_ticks=0
for name in interpreted simple optimized many compressed; do
	total_ns=$((total_ns + ${ns[$name]:-0}))
	total_ticks=$((total_ticks + ticks[$name]))
done
for name in interpreted simple optimized many compressed; do
	awk -v a="${ns[$name]:-0}" -v b=$total_ns -v c="${ticks[$name]}" -v d=$total_ticks '
		BEGIN { if (!b || !d) exit 1; x = 100 * a / b - 100 * c / d; exit !(x < 1 && x > -1) }'
	verdict "weight_$name" $? "${ns[$name]:-0} of $total_ns ns, ${ticks[$name]} of $total_ticks ticks"
done
# Nothing counts twice: neither is missing. Threads' clocks are read within the time that they measure, and the clock of
# the ticks leaves out up to 2 % of theirs where threads are switched all the time (measured at a load of 30).
whole_ticks=$(count ';Weights\\.measured\\(')
awk -v ns=$total_ns -v t="$whole_ticks" 'BEGIN { x = t / (ns * 997 / 1e9); exit !(x > 0.95 && x < 1.05) }'
verdict ticks_are_time $? "$whole_ticks ticks, $total_ticks of them in known work, in $total_ns ns"
mostly() { # NAME PATTERN OF: so much of it ran so
	local n

	n=$(count ";Weights\\\\.measured\\\\(.*;$2")
	[ $((10 * n)) -gt $((9 * $3)) ]
	verdict "$1" $? "$n of $3 ticks"
}
mostly kind_interpreted 'Weights\\.interpreted\\(\\) \\[interpreted\\]' "${ticks[interpreted]}"
mostly kind_c1 'Weights\\.simple\\(\\) \\[C1\\]' "${ticks[simple]}"
mostly kind_c2 'Weights\\.optimized\\(\\) \\[C2\\]' "${ticks[optimized]}"
mostly kind_inlined 'Weights\\.inlined\\(long\\) \\[inlined\\]' "${ticks[many]}"
mostly kind_native '[^;]*\\[native\\];Java_java_util_zip_' "${ticks[compressed]}"
"$build/bin/post" -r weights.nrm2 -o tprof >/dev/null 2>&1
gc=$(awk '/TID .*VM Thread/ { print $2; exit }' tprof)
awk -v ns="${ns[gc]:-0}" -v t="${gc:-0}" 'BEGIN { x = t / (ns * 997 / 1e9); exit !(x > 0.9 && x < 1.2) }'
verdict gc_is_time $? "${gc:-0} ticks in ${ns[gc]:-0} ns"
# A libc without its symbols has the functions that its unwinding table divides it into.
grep -qE '^java;.*(start_thread|libc\+0x[0-9a-f]+);.*JavaMain;jni_CallStaticVoidMethod.*;Weights\.main\(.*;[a-z_0-9]*_\[k\]' stacks
verdict into_the_kernel $? "$(head -3 stacks)"
walked=$(count 'not walked') all=$(count .)
[ $((100 * walked)) -lt $((3 * all)) ]
verdict weights_walked $? "$walked of $all ticks were not walked"
"$build/bin/post" -r weights.nrm2 -line -o lines >/dev/null 2>post.err
body=$(grep -n 'sum = sum \* 31' "$top/tests/tools/jprof/Weights.java" | sed -n 3p | cut -d: -f1)
grep -F -A1 'Weights.optimized() [C2]' lines | grep -Eq "LIN .* Weights\.java:($((body - 1))|$body)\$"
verdict by_line $? "$body: $(grep -F -A1 'Weights.optimized()' lines | head -5) $(cat post.err)"

# ---- what takes no CPU time
JPROFOPTS=SCSEVENTS=cpu+wall+alloc+lock "$build/bin/swtrace" run --jit -g -q -o waits.nrm2 -- java -cp classes Waits >waits 2>err
verdict waits_run $? "$(cat err)"
is_between() { # NAME N LEAST MOST
	[ "${2:-0}" -ge "$3" ] && [ "${2:-0}" -le "$4" ]
	verdict "$1" $? "$2, not $3 to $4"
}
# A tick each 10 ms, when the machine lets the helper run.
post waits.nrm2 -event wall >stacks || cat post.err
is_between wall "$(count 'Waits\\.sleeper\\(long\\).*[Ss]leep')" 40 110
# A sample each 512 KB.
post waits.nrm2 -event alloc >stacks || cat post.err
is_between alloc "$(count 'Waits\\.allocator\\(int\\)')" 90 180
post waits.nrm2 -event lock >stacks || cat post.err
is_between lock "$(count 'Waits\\.waiter\\(\\)')" 20 20
# The thread that waits, which has its name.
"$build/bin/post" -r waits.nrm2 -event wall -o tprof >/dev/null 2>&1
grep -q 'TID .*_sleeps' tprof
verdict names_of_threads $? "$(grep TID tprof | head)"

# ---- virtual threads: named, and with those frames that are still in the heap (from Java 21 on)
outer='enterSpecial\\([^;]*;(\\(virtual thread[^;]*;)?jdk\\.internal\\.vm\\.Continuation\\.enter\\([^;]*;jdk\\.internal\\.vm\\.Continuation\\.enter0\\(\\);[^;]*;java\\.lang\\.VirtualThread\\.run\\([^;]*;'
deepest() { # PATTERN: the maximum number of such frames in a stack
	awk -F"$1" 'NF - 1 > n { n = NF - 1 } END { print n + 0 }' stacks
}
# All stacks that are whole come from the program's one loop, and none is deeper than its recursion.
thawed() { # COLLECTOR LEAST: percent of the stacks that are whole
	local all whole left

	JPROFOPTS=SCSRATE=2000 timeout 120 "$build/bin/swtrace" run --jit -g -q -o thawed.nrm2 -- \
		"$jdk/bin/java" -Xmx64m "-XX:+Use$1GC" -XX:CompileCommand=quiet \
		-XX:CompileCommand=dontinline,Thawed.deep -cp classes Thawed 1500 >out 2>err
	verdict "thawed_$1_runs" $? "$(cat err)"
	post thawed.nrm2 >stacks || cat post.err
	all=$(count 'enterSpecial.*;Thawed\\.deep\\(')
	left=$(count 'enterSpecial.*\\(not walked:.*;Thawed\\.deep\\(')
	whole=$(count "$outer.*;Thawed\\\\.repeat\\\\(\\\\);Thawed\\\\.deep\\\\(")
	[ "$all" -gt 50 ] && [ $((whole + left)) = "$all" ] && [ $((100 * whole)) -ge $(($2 * all)) ] &&
		[ "$(deepest ';Thawed[.]deep[(]int[)]')" -le 21 ]
	verdict "thawed_$1" $? "of $all $whole whole, $left said not to be, $(deepest ';Thawed[.]deep[(]int[)]') deep; $(cat err
		awk '{ n += $NF } /Thawed/ { own += $NF } END { print n + 0, "ticks,", own + 0, "of them in Thawed" }' stacks; cat post.err)"
}
jdk=$(newest_jdk)
if [ "$(jdk_release "$jdk")" -ge 21 ]; then
	cat >Frozen.java <<'END'
public class Frozen {
	static volatile long sum;
	static final com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean)
		java.lang.management.ManagementFactory.getOperatingSystemMXBean();
	// By CPU time: others may be at work on the machine.
	static void spin() {
		long end = os.getProcessCpuTime() + 700_000_000L;
		while (os.getProcessCpuTime() < end) {
			long until = System.nanoTime() + 5_000_000L;
			while (System.nanoTime() < until) sum++;
		}
	}
	static void deep(int n) throws Exception {
		if (n > 0) { deep(n - 1); return; }
		Thread.sleep(5);
		spin();
	}
	public static void main(String[] words) throws Exception {
		Runnable run = () -> { try { deep(30); } catch (Exception e) { throw new Error(e); } };
		Thread.ofVirtual().name("deep one").start(run).join();
		Thread.startVirtualThread(run).join();
	}
}
END
	"$jdk/bin/javac" -d classes Frozen.java "$top/tests/tools/jprof/Thawed.java"
	deeps=$(printf '%.0s;Frozen[.]deep[(]int[)]' {1..31})
	for mode in mixed int; do
		"$build/bin/swtrace" run --jit -g -q -o frozen.nrm2 -- \
			"$jdk/bin/java" -XX:+UseG1GC "-X$mode" -cp classes Frozen >out 2>err
		post frozen.nrm2 >stacks || cat post.err
		all=$(count "Frozen.spin\\(")
		whole=$(count "$outer.*;Frozen\\\\.lambda[^;]*$deeps;Frozen\\\\.spin\\\\(")
		[ "$all" -gt 50 ] && [ $((100 * whole)) -gt $((95 * all)) ]
		verdict "frozen_$mode" $? "$whole of $all; $(cat err; grep -m 2 'Frozen.spin' stacks)"
		named=$(count ';\\(virtual thread deep one\\);.*Frozen.spin\\(')
		others=$(count ';\\(virtual threads without a name\\);.*Frozen.spin\\(')
		[ $((100 * (named + others))) -gt $((95 * all)) ] && [ $((100 * named)) -gt $((30 * all)) ] &&
			[ $((100 * others)) -gt $((30 * all)) ]
		verdict "frozen_names_$mode" $? "of $all $named with a name, $others without"
	done
	thawed Serial 80
	thawed Parallel 80
	thawed G1 80
	# It moves objects while threads run: the row says so.
	thawed Z 0
	left=$(count '\\(not walked: the virtual thread.s frames in the heap\\).*;Thawed\\.deep\\(')
	all=$(count ';Thawed\\.deep\\(')
	[ $((100 * left)) -gt $((50 * all)) ]
	verdict thawed_Z_said $? "$left of $all"
	# Compiled frames that give their carrier back all the time: what returns to them may be in the heap.
	cat >Yields.java <<'END'
public class Yields {
	static long sum;
	static void spin(long until) { while (System.nanoTime() < until) if (++sum % 1000 == 0) Thread.yield(); }
	// By CPU time: others may be at work on the machine.
	static void run() {
		var os = (com.sun.management.OperatingSystemMXBean)
			java.lang.management.ManagementFactory.getOperatingSystemMXBean();
		long end = os.getProcessCpuTime() + 2_500_000_000L;
		while (os.getProcessCpuTime() < end) spin(System.nanoTime() + 100_000_000L);
	}
	static void collect() {
		try {
			for (;; System.gc()) Thread.sleep(200);
		} catch (InterruptedException e) { }
	}
	public static void main(String[] words) throws Exception {
		if (words.length > 0) Thread.ofPlatform().daemon().start(Yields::collect);
		Thread.startVirtualThread(Yields::run).join();
	}
}
END
	"$jdk/bin/javac" -d classes Yields.java
	yields() { # NAME ARGUMENT...
		local name=$1
		shift
		"$build/bin/swtrace" run --jit -g -q -o yields.nrm2 -- "$jdk/bin/java" -XX:+UseG1GC -cp classes Yields "$@" >out 2>err
		post yields.nrm2 >stacks || cat post.err
		all=$(count 'Yields\\.spin\\(')
		whole=$(count "$outer.*Yields\\\\.run\\\\(\\\\);Yields\\\\.spin\\\\(")
		left=$(count '\\(not walked: the virtual thread.s frames in the heap\\).*;Yields\\.spin\\(')
		[ "$all" -gt 500 ] && [ $((100 * whole)) -ge $((95 * all)) ] && [ $((100 * (whole + left))) -ge $((98 * all)) ]
		verdict "$name" $? "of $all $whole whole, $left said not to be; $(cat err; grep -m 2 'Yields.spin' stacks)"
	}
	yields yields
	# Frames that stay behind may be the interpreter's, up to the end of their chunk.
	yields yields_collected collected
	# The VM's own function leaves out what is in the heap: but for that both say the same.
	"$jdk/bin/java" -XX:+UseG1GC "-agentpath:$agent=SCSCHECK,SCSRATE=2000,dir=$work" -cp classes Yields >out 2>err
	read -r same differ < <(sed -nE 's/.*same ([0-9]+), different ([0-9]+), .*/\1 \2/p' err)
	[ "${same:-0}" -gt 500 ] && [ $((100 * differ)) -le $((2 * same)) ]
	verdict yields_judged $? "same ${same:-none}, different ${differ:-none}; $(cat err)"
else
	echo "skip jprof_stacks_frozen no JDK of Java 21 or newer is installed"
fi

# ---- a VM without symbols (strip): all but the frames in the heap, which are said to be there
jdk=${JAVA_HOME:-$jdk}
mkdir -p bare/bin bare/lib/server
for file in "$jdk"/* "$jdk"/lib/* "$jdk"/lib/server/*; do
	case ${file#"$jdk/"} in bin | lib | lib/server | lib/server/libjvm.so) continue ;; esac
	[ ! -e "$file" ] || ln -s "$(readlink -f "$file")" "bare/${file#"$jdk/"}"
done
cp "$jdk/bin/java" "$jdk/bin/javac" bare/bin && strip -R .gnu_debuglink -o bare/lib/server/libjvm.so "$jdk/lib/server/libjvm.so" &&
	! readelf -SW bare/lib/server/libjvm.so | grep -q symtab && bare/bin/java -version >out 2>&1
verdict bare_vm $? "$(cat out)"
bare/bin/javac "-J-agentpath:$agent=SCSCHECK,SCSRATE=2000,dir=$work" -d classes ./*.java 2>err || cat err
judged bare
if [ "$(jdk_release "$jdk")" -ge 21 ]; then
	"$build/bin/swtrace" run --jit -g -q -o yields.nrm2 -- bare/bin/java -XX:+UseG1GC -cp classes Yields >out 2>err
	post yields.nrm2 >stacks || cat post.err
	all=$(count 'Yields\\.spin\\(')
	said=$(count '\\(not walked: the virtual thread.s frames in the heap\\).*;Yields\\.spin\\(')
	whole=$(count "$outer.*Yields\\\\.run\\\\(\\\\);Yields\\\\.spin\\\\(")
	[ "$all" -gt 500 ] && [ $((100 * (whole + said))) -ge $((98 * all)) ] && [ "$said" -gt 100 ]
	verdict bare_yields $? "of $all $whole whole, $said said not to be; $(cat err; grep -m 3 'Yields.spin' stacks)"
	# Below that row, too, where the VM publishes where Java enters virtual threads.
	below=$(count 'Continuation\\.enterSpecial\\(.*\\(not walked: the virtual thread.s frames in the heap\\);Yields\\.spin\\(')
	[ "$(jdk_release "$jdk")" -lt 25 ] || [ $((100 * below)) -ge $((95 * said)) ]
	verdict bare_below $? "$below of $said; $(grep -m 3 'not walked.*Yields.spin' stacks)"
fi

# ---- a server under load
javac -nowarn -d classes "$top/tests/tools/jprof/Served.java" 2>err || cat err
java "-agentpath:$agent=SCSCHECK,SCSRATE=2000,dir=$work" -cp classes Served shallow >out 2>err
share=$(sed -nE 's/.*of Java.s threads, walked whole [0-9]+ \(([0-9.]+) %\)$/\1/p' err)
awk -v s="${share:-0}" 'BEGIN { exit !(s >= 97) }'
verdict server_walked $? "walked: $share %; $(cat err)"

exit $((failures != 0))
