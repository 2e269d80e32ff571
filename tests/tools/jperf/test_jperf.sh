#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# JPerf.jar in a real VM: it has all functions, codes and fields of the headers; sessions, records,
# spans, named events, PTT and cycles; codes for whatever is wrong; javadoc; a JAR that was moved.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/lib/jdk_lib.sh
. "$(dirname "$0")/../../lib/jdk_lib.sh"
if ! command -v javac >/dev/null || [ ! -f "$build/lib/pitrace/JPerf.jar" ]; then
	echo "skip jperf no JDK is installed"
	exit 77
fi
jar=$build/lib/pitrace/JPerf.jar
unset JAVA_TOOL_OPTIONS
# A session of its own.
export PITRACE_SOCKET=$work/socket
cd "$work" || exit 1
javac -Xlint:all,-try -Werror -cp "$jar" -d . "$top/tests/tools/jperf/JPerfCalls.java" || exit 1
# JDK 24 and newer warn of libraries of programs that were not allowed any.
native=()
[ "$(javac -version 2>&1 | sed -E 's/^javac ([0-9]+).*/\1/')" -lt 24 ] || native=(--enable-native-access=ALL-UNNAMED)
# The VM's complaints about the native methods appear among the results.
calls() {
	timeout 120 java -Xcheck:jni "${native[@]}" -cp "$jar:." JPerfCalls "$@" 2>&1
}

# ---- the same names, codes and fields as in C

calls constants >constants
{
	echo '#include <stdio.h>'
	for header in perfutil itrace ptt; do
		echo "#include <$header.h>"
	done
	echo 'int main(void) {'
	awk '{ printf "printf(\"%s %%d\\n\", (int)%s);\n", $1, $1 }' constants
	echo '}'
} >constants.c
if gcc -I "$top/libperfutil/include" -I "$top/driver/uapi" -o constants.of_c constants.c; then
	./constants.of_c | cmp - constants
	verdict constants $? "$(./constants.of_c | diff - constants)"
else
	not_ok constants "Java has other names"
fi
sed -nE 's/^\t(PI_[A-Z_]+) = .*/\1/p' "$top/libperfutil/include/perfutil.h" | sort >codes
is all_codes "$(grep -c . codes) $(grep -oE '^PI_[A-Z_]+' constants | sort | comm -23 codes -)" '21 '
# Counters and AboveIdle are not Java's; PttReadByCall is a part of PttReadInline, TraceEventPut of a macro.
{
	nm -D --defined-only "$build/lib/libperfutil.so" | awk '{ sub(/@.*/, "", $3); print $3 }' |
		grep -E '^(Trace|ITrace|Ptt|Cycles|Is|SetProfilerRate|RcToString)' |
		grep -vE '_sized$|^(PttReadByCall|TraceEventPut|TraceListening|PttOwn|PttSpan)$'
	printf '%s\n' GetCycles ReadCycles PttReadInline PttSpanBegin PttSpanEnd TraceSpanBegin TraceSpanEnd TraceEnabled \
		TraceEventsEnabled
} | sort -u >functions
is functions "$(calls methods | sort | comm -3 functions -)" ''
is many_functions "$(($(grep -c . functions) > 75))" 1
fields_of_c() { # STRUCT HEADER
	sed -n "/^struct $1 {/,/^};/p" "$2" | sed 's,/\*.*\*/,,; /\/\*/,/\*\//d; 1d; $d' | tr '\n' ' ' | tr ';' '\n' |
		sed -E 's/^[ \t]*(u?int[0-9]+_t|char|int|__u[0-9]+) //; s/\[[^]]*\]//g' | tr ',' '\n' | tr -d ' \t*' |
		grep -vxE 'size|version|' | sort
}
for pair in trace_info:TraceInfo:perfutil trace_check:TraceCheck:perfutil ptt_info:PttInfo:ptt \
	ptt_thread_data:PttThreadData:ptt pitrace_event_args:TraceEventArgs:pitrace; do
	IFS=: read -r struct class header <<<"$pair"
	file=$top/libperfutil/include/$header.h
	[ "$header" != pitrace ] || file=$top/driver/uapi/pitrace.h
	fields_of_c "$struct" "$file" >fields
	is "fields_of_$struct" "$(calls fields "$class" | sort | comm -3 fields -)" ''
	is "fields_of_${struct}_found" "$(($(grep -c . fields) > 5))" 1
done

# ---- what they do

calls session trace.nrm2 >out
is session "$(grep -vE '^(init|nobody|early|active|queried|is_on|enabled|declared|few_[a-z]*|undeclared|interval|file|holder|lost|pid|majors|over) ' out |
	awk '$2 != 0')" ''
is states "$(grep -E '^(nobody|early|active|queried|is_on|enabled|interval|lost|pid|majors|over) ' out | tr '\n' ' ')" \
	'nobody 1 early -2 active 1 queried 1 0 is_on 1 0 0 enabled true false interval 1 1 lost 0 pid true majors 10100 over 0 '
is too_few "$(grep -E '^(few|undeclared)' out | sed 's/.*argument: //' | sort -u)" "a named event without its values
no such event: TraceEventNew gives their ids"
"$bin/post" -r trace.nrm2 -show >post.out 2>&1
verdict shown $? "$(tail -1 post.out)"
is records "$(grep -c ' user .* d0/' post.show) $(grep -cE 'd0/0*7 ' post.show) $(grep -cE 'd0/0*8 ' post.show)" '1002 1000 1'
grep -q '0x1 0xfffffffffffffffe "grüß" "a' post.show
verdict text $? "$(grep -E 'd0/0*9 ' post.show)"
grep -q 'order_done.*number=4711.*amount=250.*me' post.show
verdict named_event $? "$(grep order_done post.show)"
"$bin/post" -r trace.nrm2 -marks >post.out 2>&1
is spans "$(awk '$NF ~ /^(moved|request)$/ && NF == 10 { print $1, $2, $NF }' marks.out)" "1 0 moved
1 0 request"
# The request took 20 ms of work, and so much more as the machine let it wait.
awk 'NF == 10 && $NF == "request" && $3 >= 20 && $3 < 20000 { ok = 1 } END { exit !ok }' marks.out
verdict span_took $? "$(grep request marks.out)"
"$bin/post" -r trace.nrm2 >post.out 2>&1 && grep -q 'libjvm\|JITCODE\|anon' tprof.out
verdict sampled $? "$(tail -2 post.out)"

calls ptt task-clock >out
is ptt "$(tr '\n' ' ' <out)" 'early -2 twice -19 many -18 threads 0 init 0 add 0 info 0 metrics 2 task-clock context-switches 64 first 0 second 0 grew true plausible true one 0 one_grew true none -10 -10 data 0 own true remove 0 end 0 '
is cycles "$(calls cycles | tr '\n' ' ')" 'rate true seconds true units 1000 1000000 grows true '
calls lists >out
is lists "$(grep -v '^collector' out | tr '\n' ' ')" \
	'events true found 2 args page-faults 1 2 100 cpu-clock null can 1 checks 4 driver true null major dispatch null lost true '
is collectors "$(sed -n 's/^collector //p' out | cut -d' ' -f1 | tr '\n' ' ')" 'driver perf timer ptrace '
calls wrong >out
is wrong "$(sed 's/invalid argument/-/' out | tr '\n' ' ')" 'nul - long - default 0 collector - info - ints hook record too long strs -16 major - ptt - ptt_null - ptt_nul - list - before not initialized: call its init function first event - event_null - ids -, -10, -10 found - has 0 0 null null can 0 0 span 1 span_twice ok thrown true '

# ITraceOn around a loop, by ptrace: its arc has the loop's name.
if [ "$(uname -m)" = x86_64 ]; then
	javac -cp "$jar" -d . "$top/tests/vm/java/JPerfLoop.java" || exit 1
	timeout 300 java -XX:-TieredCompilation -Xbatch -XX:CompileThreshold=300 \
		"-agentpath:$build/lib/pitrace/libpijit.so" -cp "$jar:." JPerfLoop 300 >out 2>&1
	verdict traces_itself $? "$(tail -3 out)"
	"$bin/post" -r loop.nrm2 -arc -q -o loop.arc >out 2>&1
	[ "$(grep -c 'JPerfLoop.spin(int):JITCODE' loop.arc)" -gt 9 ]
	verdict loop_named $? "$(tail -3 out; head -40 loop.arc | tail -5)"
fi

# ---- the JAR

is release "$(unzip -p "$jar" pitrace/jperf/Trace.class | od -An -tu1 -j7 -N1 | tr -d ' ')" 55
javadoc -quiet -Xdoclint:all,-missing -Werror -d doc "$top"/tools/jperf/pitrace/jperf/*.java >out 2>&1
verdict javadoc $? "$(head -5 out)"
mkdir -p moved/sub && cp "$jar" moved/sub && cp "$build/lib/libjperf.so" moved
moved() {
	java "${native[@]}" "$@" -cp moved/sub/JPerf.jar:. JPerfCalls cycles 2>&1
}
is above "$(moved | head -1)" 'rate true'
mv moved/libjperf.so moved/sub
is beside "$(moved | head -1)" 'rate true'
mv moved/sub/libjperf.so other.so
is named "$(moved -Dpitrace.jperf.library=other.so | head -1)" 'rate true'
moved | grep -q 'UnsatisfiedLinkError: no jperf in java.library.path'
verdict absent $?
exit $((failures != 0))
