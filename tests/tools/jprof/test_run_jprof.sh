#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# swtrace run --calls and run.jprof: the trees of calls lie beside the trace, names and calls come from
# one agent, options pass by JPROFOPTS; what is refused, and what is said when no Java VM took part.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset SUDO_UID SUDO_GID SUDO_USER JITDUMPDIR JAVA_TOOL_OPTIONS NODE_OPTIONS JPROFOPTS
if [ ! -f "$build/lib/pitrace/libjprof.so" ]; then
	echo "skip run_jprof no JDK is installed"
	exit 77
fi
cd "$work" || exit 1
mkdir classes traces
cat >Busy.java <<'END'
public class Busy {
	static long work(long n) { long s = n; for (int i = 0; i < 20000; i++) s = s * 31 + i; return s; }
	public static void main(String[] args) {
		long s = 0, end = System.nanoTime() + 700_000_000L;
		int n = 0;
		for (; n < 1000 || System.nanoTime() < end; n++) s += work(n);
		System.out.println("n " + n + (s == 7 ? "!" : ""));
		System.exit(9);
	}
}
END
javac -d classes Busy.java || exit 1
counted() { # FILE...: the calls of work are as many as the program says
	[ "$(awk '$NF ~ /^[IJ]:Busy.work/ { n += $2 } END { print n + 0 }' "$@")" = "$(awk '/^n/ { print $2 }' out)" ]
}

JPROFOPTS='CLASSMETHODS=Busy*' "$bin/swtrace" run --calls -o traces/a.nrm2 -- java -cp classes Busy >out 2>err
code=$?
[ $code = 9 ] && counted traces/log-rt.1_* && [ -s traces/a.nrm2 ] && [ -z "$(ls traces/jit-* jit-* log-* 2>/dev/null)" ]
verdict calls $? "$code $(ls . traces) $(cat out err)"
says told err "^swtrace: --calls: the calls are in $work/traces/$(cd traces && echo log-rt.1_*)\$"
! grep -q 'no Java VM' err
verdict not_missed $? "$(cat err)"
rm -f traces/*
JPROFOPTS='CLASSMETHODS=Busy*' "$bin/swtrace" run -q --calls --jit -o traces/b.nrm2 -- java -cp classes Busy >out 2>err
counted traces/log-rt.1_* && [ "$(ls traces/jit-*.dump | wc -l)" = 1 ] && ! grep -q libpijit err
verdict both $? "$(ls . traces) $(cat out err)"
# Both in one report: one line for the method, with the ticks that only the trace has of its compiled code, and the
# calls and values that only the log has.
"$bin/post" -functions -csv -q -o - traces/b.nrm2 traces/log-rt.1_* 2>err | grep 'Busy\.work(long)' >joined
ticks=$("$bin/post" -csv -q -o - -r traces/b.nrm2 2>>err | awk -F, '/JITCODE,Busy\.work\(long\)/ { n += $(NF - 2) } END { print n + 0 }')
base=$("$bin/post" -functions -csv -q -o - traces/log-rt.1_* 2>>err | awk -F, '/Busy\.work/ { print $2 }')
is joined "$(awk -F, '{ print $1, $3, $4 }' joined)" "$ticks $(awk '/^n/ { print $2 }' out) $base"
calc "$ticks > 20 && $base > 0"
verdict joined_has_both $? "$ticks ticks, BASE $base"
"$bin/swtrace" run -q --calls --jit -o traces/c.nrm2 -- env >env 2>err
[ "$(grep -c agentpath env)" = 1 ] && grep -q '^JAVA_TOOL_OPTIONS=-agentpath:.*/libjprof.so=METHODTYPES,LOGPATH=.*,dir=' env
verdict one_agent $? "$(cat env)"
JAVA_TOOL_OPTIONS=-Dx=y "$bin/swtrace" run --calls -o traces/d.nrm2 -- env >env 2>err
says options_stay env '^JAVA_TOOL_OPTIONS=-Dx=y -agentpath:'
! grep -q perf-prof env
verdict no_other_programs $?
# A word of the user's is kept, and is not taken for another one that begins with it.
for had in --perf-prof-unwinding-info '--perf-prof --x' '--x --perf-prof'; do
	NODE_OPTIONS=$had "$bin/swtrace" run -q --jit -o traces/d.nrm2 -- env 2>err | grep ^NODE_OPTIONS=
done >env
is node_words "$(cat env)" 'NODE_OPTIONS=--perf-prof-unwinding-info --perf-prof
NODE_OPTIONS=--perf-prof --x
NODE_OPTIONS=--x --perf-prof'
rm -f traces/*
"$bin/swtrace" run --calls -o traces/d.nrm2 -- true 2>err
says missed err 'no Java VM has written calls'
"$bin/swtrace" run --calls -p $$ -d 1 >out 2>&1
is for_a_command $? 125
says for_a_command_told out '--calls is for a command'
mkdir 'a b'
"$bin/swtrace" run --calls -o 'a b/d.nrm2' -- touch ran >out 2>&1
is blank $? 125
[ ! -e ran ] && grep -q 'has a blank' out
verdict blank_told $? "$(cat out)"

# ---- in one go
JPROFOPTS='CLASSMETHODS=Busy*' "$bin/run.jprof" -- java -cp classes Busy >out 2>err
is run_code $? 9
counted log-rt.1_*
verdict run_calls $? "$(ls; cat err)"
says run_report tprof.out ' SYM .* Busy\.work(long)$'
"$bin/run.jprof" -t -- true >out 2>err
says run_missed err '^run.jprof: --calls: no Java VM has written calls'
"$bin/run.jprof" >out 2>&1
is run_needs_a_command $? 125
says run_needs_a_command_told out '^run.jprof: give a command: a Java VM that runs takes the agent by jcmd'
exit $((failures != 0))
