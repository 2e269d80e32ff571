#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The agent libjprof in a real VM: calls are counted to the last one (the program says how many there
# are), entries are exits, also where stacks overflow and threads come and go; what is measured is
# BASE and DELTA; options, and what they refuse; javac under the verifier with all classes changed.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tools/jprof/calls_log
. "$here/calls_log"
javac -d "$work" "$here/Calls.java" || exit 1
cd "$work" || exit 1

java -Xss512k Calls >want
traced STATDYN,CLASSMETHODS='Calls*' Calls
code=$?
[ $code = 0 ] && cmp -s want out && [ ! -s err ]
verdict same $? "$(cat err)"
is leaves $(($(calls 'i:Calls.leaf(I)I') + $(calls 'j:Calls.leaf(I)I'))) 200000
is both_types "$(awk '$NF ~ /^[ij]:Calls.leaf/ { n[substr($NF, 1, 1)] += $2 } END { print (n["i"] > 0), (n["j"] > 0) }' log-rt.*)" '1 1'
traced CLASSMETHODS='Calls*' Calls
is recursion "$(calls 'Calls.odd(I)I') $(calls 'Calls.even(I)I')" '2500 2550'
is constructors "$(calls 'Calls.<init>(I)V') $(calls 'Calls.<init>(II)V') $(calls 'Calls.fails(I)I')" '3000 2000 3000'
is locked "$(calls 'Calls.locked()V')" 100000
[ "$(grep -c '^  0 .* Thread-[0-9]*_' log-rt.*)" = 200 ]
verdict all_threads $? "$(grep '^  0 ' log-rt.* | tail -3)"
awk '/^entries/ { gsub(",", ""); e = $2; x = $4; u = $7; s = $11 } END { exit !(e > 300000 && e == x + u + s && u >= 4000 && s <= 1) }' log-rt.*
verdict entries_are_exits $? "$(sed -n 3p log-rt.*)"
# The columns: a parent's CEE are its children's CALLS; nothing is negative.
awk 'function close_to(level) {
		for (; top >= level; top--)
			if (made[top] != wants[top])
				bad++
	}
	BEGIN { top = -1 }
	/^ LV/ { on = 1; next }
	on && NF == 8 {
		close_to($1)
		if ($1 > 0)
			made[$1 - 1] += $2
		top = $1; wants[top] = $3; made[top] = 0; n++
		if ($4 < 0 || $5 < 0)
			bad++
	}
	END { close_to(0); print n, bad + 0; exit !(n > 100 && !bad) }' log-rt.* >out
verdict columns $?
traced CALLTREE,CLASSMETHODS='-*+Calls.leaf*' Calls
is tree_alone "$(calls 'Calls.leaf(I)I') $(grep -c Calls.odd log-rt.*)" '200000 0'
grep -q '^ LV *CALLS *CEE NAME$' log-rt.* && ! grep -q BASE log-rt.*
verdict no_values $?

mkdir logs
traced CLASSMETHODS='Calls*',LOGPATH=logs,LOGPREFIX=mine,START Calls halt
code=$?
[ $code = 3 ] && grep -q Calls.leaf logs/mine.1_* && ! ls log-rt.* 2>/dev/null
verdict halted $?
# Each log has the prefix, and is a log of its own.
rm -f logs/*
traced CALLTRACE,OBJECTINFO,CLASSMETHODS='Calls.l*',LOGPATH=logs,LOGPREFIX=mine Calls
is prefixed "$(head -qn 1 logs/mine.1_* logs/mine-objects.1_* | tr '\n' ' ')$(head -c 15 logs/mine-gen.1_*) $(ls logs | wc -l)" \
	'pitrace log-rt pitrace log-objects pitrace log-gen 3'
# A letter for how a method was called, a small one for static methods on request.
letters() { # OPTION: the letters of a static method, and of one that is not
	traced "CALLTREE,CLASSMETHODS=Calls.leaf*+Calls.<init>(I)V,$1" -Xint Calls
	sed -nE 's/.* (.*)Calls\.(leaf|<init>)\(.*/\1/p' log-rt.* | sort -u | tr '\n' ' '
}
is no_letters "$(letters START)" ' '
is METHODTYPES "$(letters METHODTYPES)" 'I: '
is STATDYN "$(letters STATDYN)" 'I: i: '
# Frames above the one that exits have ended by an exception, with EXITPOP or without.
cat >Pops.java <<'END'
public class Pops {
	static int deep(int n) { return deep(n + 1) + 1; }
	public static void main(String[] args) { for (int i = 0; i < 3; i++) try { deep(0); } catch (StackOverflowError e) { } }
}
END
javac Pops.java || exit 1
for option in EXITPOP START; do
	traced "CALLTREE,CLASSMETHODS=Pops*,$option" Pops
	entries_are_exits 1000 0 && awk '/^entries/ { gsub(",", ""); exit !($4 == 1 && $7 == $2 - 1) }' log-rt.*
	verdict "exitpop_$option" $? "$(sed -n 3p log-rt.*)"
done
refused() { # NAME OPTIONS WORDS
	traced "$2" Calls
	[ $? != 0 ] && grep -q -e "$3" err && ! grep -qx -f want out
	verdict "$1" $? "$(cat err)"
}
refused unknown FLOW 'FLOW: unknown option'
refused empty_pattern CLASSMETHODS=a+ 'CLASSMETHODS=a+: patterns'
refused slash LOGPREFIX=a/b 'a slash'
traced HELP Calls
[ $? = 0 ] && grep -q 'CLASSMETHODS=' out && ! ls log-rt.* 2>/dev/null
verdict help $?
refused no_folder CLASSMETHODS='Calls*',LOGPATH=/nowhere 'LOGPATH=/nowhere: No such file'

# A VM that runs: from then on, and once.
cat >Waits.java <<'END'
public class Waits {
	static int turn(int n) { return Calls.leaf(n); }
	public static void main(String[] args) throws Exception {
		System.out.println("up");
		while (System.in.available() == 0) { turn(1); Thread.sleep(1); }
		for (int i = 0; i < 1000; i++) turn(i);
		System.out.println("done");
	}
}
END
javac Waits.java || exit 1
rm -f log-rt.*
mkfifo in && exec {hold}<>in
java -Xverify:all -cp . Waits <&"$hold" >out 2>err &
vm=$!
for ((i = 0; i < 300; i++)); do grep -q up out && break; sleep 0.1; done
jcmd $vm JVMTI.agent_load "$agent" '"CLASSMETHODS=Waits*+Calls*"' >attached 2>&1
attached=$?
jcmd $vm JVMTI.agent_load "$agent" >again 2>&1
echo >&"$hold"
wait $vm
code=$?
exec {hold}>&-
[ $attached = 0 ] && [ $code = 0 ] && grep -q 'done' out && grep -q 'already loaded: loading it again' err &&
	grep -q 'return code: -1' again
verdict attached $? "$(cat attached again out err)"
grep -q 'jprof: attached: methods that ran then are Other' err && grep -q '^attached: methods that ran then are Other' log-rt.*
verdict attached_told $? "$(cat err; tail -n 3 log-rt.*)"
n=$(calls 'Waits.turn(I)I')
calc "$n >= 1000 && $n == $(calls 'Calls.leaf(I)I')" && grep -q '^  0 .* main_' log-rt.*
verdict attached_calls $? "$n"

# The stack overflows in code that leaves a monitor, where each call needs more of it than usual: it ends all the same.
cat >Overflows.java <<'END'
public class Overflows {
	int n;
	void deep() { synchronized (this) { n++; deep(); } }
	public static void main(String[] words) {
		for (int i = 0; i < 5; i++) {
			Overflows o = new Overflows();
			try { o.deep(); } catch (StackOverflowError e) { System.out.println("over " + (o.n > 1000)); }
		}
	}
}
END
javac Overflows.java || exit 1
rm -f log-rt.*
timeout 60 java -Xcheck:jni "-agentpath:$agent=CALLTREE,CLASSMETHODS=Overflows*" -cp . Overflows >out 2>err
[ $? = 0 ] && [ "$(grep -cx 'over true' out)" = 5 ] && calc "$(calls 'Overflows.deep()V') > 5000"
verdict overflow_at_monitors $? "$(grep -v JNI out; cat err; sed -n 3p log-rt.*)"

# Everything, under the verifier: the compiler compiles what it compiles otherwise.
source=$here/Calls.java
javac -d plain "$source" && traced CALLTREE -m jdk.compiler/com.sun.tools.javac.Main -d traced "$source"
[ $? = 0 ] && [ ! -s err ] && diff -r plain traced >out 2>&1
verdict javac $? "$(cat err)"
awk '/^entries/ { gsub(",", ""); e = $2; x = $4; u = $7; s = $11 } /^left as/ { left = $NF } /: it would be longer/ { long++ }
	END { exit !(e > 1000000 && e == x + u + s && s < 100 && left == long + 0) }' log-rt.*
verdict javac_entries_are_exits $? "$(sed -n 3p log-rt.*; grep -A5 '^left' log-rt.*)"
exit $((failures != 0))
