#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# JLML: a program whose contention is known: counts are exact, times as the program itself measures them,
# stacks of who blocked and who held; from the VM's begin on, and by rtdriver.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset JPROFOPTS JITDUMPDIR JAVA_TOOL_OPTIONS
agent=$build/lib/pitrace/libjprof.so vm=
if [ ! -f "$agent" ] || ! command -v javac >/dev/null; then
	echo "skip jprof_locks no JDK is installed"
	exit 77
fi
trap '[ -z "$vm" ] || kill -KILL $vm 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
javac -nowarn -d . "$top/tests/tools/jprof/Locks.java" || exit 1

column() { # NUMBER LOG: of the hot monitor
	awk -v n="$1" '$NF ~ /^Locks\$Hot@/ { print $n }' "$2"
}
is_near() { # LOG SHARE: of the time that the program itself measures, which is around the agent's
	local blocked own
	blocked=$(column 8 "$1") own=$(sed -n 's/^done //p' said)
	time="$blocked ms, of the program's own $own us"
	calc "$blocked * 1000 <= $own && $blocked * 1000 >= $own * $2"
}
whole() { # NAME LOG SHARE: all that the program did is in it
	is "$1_count" "$(column 4 "$2")" 15
	is_near "$2" "$3"
	verdict "$1_time" $? "$time"
	grep -q '^ *[0-9]* times blocked: Locks.enterHot <' "$2" && grep -q '^ *held by: .*Locks.contend < Locks.main' "$2"
	verdict "$1_stacks" $? "$(cat "$2")"
	# A monitor without contention costs nothing and is not shown.
	! grep -q 'Locks.Cold' "$2"
	verdict "$1_contended_alone" $?
	awk '$NF ~ /^Locks.Bell@/ { found = $10 == 4 && $11 >= 195 } END { exit !found }' "$2"
	verdict "$1_waits" $? "$(grep Bell "$2")"
}
# On a busy machine a thread may be away between its own look at the clock and the agent's.
for _ in 1 2 3; do
	rm -f log-*
	java -Xshare:auto "-agentpath:$agent=JLML" -cp . Locks >said 2>err
	is_near log-jlm.1_* 0.98 && break
done
whole begin log-jlm.1_* 0.98
[ ! -s err ] && [ -z "$(ls log-rt* 2>/dev/null)" ]
verdict begin_alone $? "$(cat err; ls)"

rm -f log-*
mkfifo ask
java -Xshare:auto -cp . Locks wait <ask >said 2>err &
vm=$!
exec {to}>ask
said() { # WORD
	local i
	for ((i = 0; i < 600; i++)); do
		grep -q "^$1" said && return
		sleep 0.1
	done
	return 1
}
said ready
drive() { timeout 60 "$bin/rtdriver" "$@" $vm >out 2>&1; }
drive -c jlmdump
[ $? = 1 ] && grep -q 'jlmstart begins' out
verdict dump_needs_start $? "$(cat out)"
drive -c jlmstart
verdict start $? "$(cat out)"
drive -c jlmstart
[ $? = 1 ] && grep -q 'watched already' out
verdict start_twice $? "$(cat out)"
echo >&"$to"
said "done"
drive -c jlmdump -c jlmstop && [ -e log-jlm.1_$vm ] && [ -e log-jlm.2_$vm ]
verdict dump_and_stop $? "$(cat out; ls)"
whole attached log-jlm.1_$vm 0.9
is goes_on "$(column 4 log-jlm.2_$vm)" 15
drive -c jlmstart -c jlmstop
is begins_anew "$(column 4 log-jlm.3_$vm)" ''
exec {to}>&-
wait $vm
vm=
! compgen -G "log-jlm.4_*" >/dev/null && ! grep -q 'not whole' log-jlm.*
verdict all_are_whole $? "$(ls; head -3 log-jlm.*)"

# Monitors without contention cost the same while JLML watches: the least CPU time of a round, before it and then.
cat >Cost.java <<'END'
import java.lang.management.*;
public class Cost {
	static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
	static final Object own = new Object();
	static long sum;
	static void round() { for (int i = 0; i < 1000000; i++) synchronized (own) { sum += i; } }
	static long least() {
		long least = Long.MAX_VALUE;
		for (int i = 0; i < 20; i++) {
			long from = threads.getCurrentThreadCpuTime();
			round();
			least = Math.min(least, threads.getCurrentThreadCpuTime() - from);
		}
		return least;
	}
	public static void main(String[] words) throws Exception {
		least();
		System.out.println("ready " + least());
		while (System.in.read() >= 0) System.out.println("again " + least());
	}
}
END
javac -nowarn Cost.java || exit 1
java -Xshare:auto -cp . Cost <ask >said 2>err &
vm=$!
exec {to}>ask
said ready
drive -c 'jlmstart JLML'
for ((tries = 1; tries <= 5; tries++)); do
	echo >&"$to"
	for ((i = 0; i < 600 && $(grep -c again said) < tries; i++)); do sleep 0.1; done
	before=$(sed -n 's/^ready //p' said) then=$(sed -n '$s/^again //p' said)
	calc "${then:-0} > 0 && $then <= $before * 1.05" && break
done
calc "${then:-0} > 0 && $then <= $before * 1.05"
verdict costs_nothing $? "$before ns, then $then; $(cat out)"
drive -c jlmstop
[ $? = 0 ] && ! grep -q 'java/lang/Object@' "log-jlm.1_$vm"
verdict costs_nothing_unseen $? "$(cat out log-jlm.1_$vm)"
exec {to}>&-
wait $vm
vm=
exit $((failures > 0))
