#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Logs of a Java VM's calls in post: log-rt as shown by each report and format, to the last count; together with a
# trace of the same run; for a real VM as many calls as the program makes; log-gen, which has each of them.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
post=$bin/post
agent=$build/lib/pitrace/libjprof.so
cd "$work" || exit 1
same() { # NAME: out is want
	diff want out >differs
	verdict "$1" $? "$(cat differs)"
}

# The paper's figure 6, an excerpt: levels begin at 2 there.
{
	printf 'pitrace log-rt\nmetric: instructions completed\n\n LV CALLS CEE BASE DELTA DS IN NAME\n'
	cat <<'END'
 0     0    1       1       0  -  - main_77
 1     1 4000     100     200  0  3 J:hellop.main([Ljava/lang/String;)V
 2  1000 1000   11888 2378000  1  6 J:hellop.myA()V
 3  1000    0 7004919 1225000  0 12 J:hellop.myC()V
 2  1000 1000    9200 2384000  0  7 J:java/lang/StringBuffer.<init>()V
 3  1000 1000   48529 2382000  0  8 J:java/lang/StringBuffer.<init>(I)V
 4  1000    0    3880 1221000  0  5 J:java/lang/Object.<init>()V
 2  1000 2000   37855 3543000  1  6 J:java/lang/StringBuffer.append(J)Ljava/lang/StringBuffer;
 3  1000 3000  114912 4709000  5 14 J:java/lang/Long.toString(J)Ljava/lang/String;
 4  1000    0  108379 1225000  1  5 J:java/lang/Long.stringSize(J)I
 4  1000    0  178282 1225000  0  4 J:java/lang/Long.getChars(JI[C)V
 4  1000 1000   10800 2384000  0  5 J:java/lang/String.<init>(II[C)V
 5  1000    0    3320 1221000  0  2 J:java/lang/Object.<init>()V
END
} >log-rt.1_4242
"$post" -calls log-rt.1_4242 >out 2>err
is calls_of_log_rt "$? $(grep -c 'no entries and exits, which a log-gen has' err)" '2 1'
"$post" -functions -csv log-rt.1_4242 >out
cat >want <<'END'
calls,base,delta,base_per_call,name,module
1000,7004919,1225000,7004.9,hellop.myC(),java
1000,178282,1225000,178.3,"java.lang.Long.getChars(long, int, char[])",java
1000,114912,4709000,114.9,java.lang.Long.toString(long),java
1000,108379,1225000,108.4,java.lang.Long.stringSize(long),java
1000,48529,2382000,48.5,java.lang.StringBuffer.<init>(int),java
1000,37855,3543000,37.9,java.lang.StringBuffer.append(long),java
1000,11888,2378000,11.9,hellop.myA(),java
1000,10800,2384000,10.8,"java.lang.String.<init>(int, int, char[])",java
1000,9200,2384000,9.2,java.lang.StringBuffer.<init>(),java
2000,7200,2442000,3.6,java.lang.Object.<init>(),java
1,100,200,100.0,hellop.main(java.lang.String[]),java
0,1,0,,(no method),java
END
same functions
"$post" -functions -json log-rt.1_4242 |
	jq -r '[.calls, .ticks], (.methods[] | select(.name == "java.lang.Object.<init>()") | [.calls, .base, .delta, .base_per_call]) | @csv' >out
printf '11001,0\n2000,7200,2442000,3.6\n' >want
same functions_json
"$post" -descriptors -folded log-rt.1_4242 | tail -n 1 >out
echo 'java;hellop.main([Ljava/lang/String:)V;java/lang/StringBuffer.append(J)Ljava/lang/StringBuffer:;java/lang/Long.toString(J)Ljava/lang/String:;java/lang/String.<init>(II[C)V;java/lang/Object.<init>()V 3320' >want
same descriptors
for event in calls:11001 base:7532065 raw:31429265 delta:23897200 dispatches:8 interrupts:77; do
	is "${event%:*}" "$("$post" -e "${event%:*}" -folded log-rt.1_4242 | awk '{ n += $NF } END { print n }')" "${event#*:}"
done
# Values are called by their metric's name; there is no word of ticks.
"$post" -o - log-rt.1_4242 | grep -E '^TOTAL|^Mode|^TKS|ticks' | sed 's/  */ /g' >out
"$post" -e calls -calltree -o - log-rt.1_4242 | grep ^TOTAL | sed 's/  */ /g' >>out
"$post" -r log-rt.1_4242 2>&1 | grep -E 'log-rt|not in this|PROCESS' | sed 's/  */ /g' >>out
cat >want <<'END'
Mode event base, instructions completed; 7532065 counted in all
TOTAL INSTRUCTIONS COMPLETED 7532065
TKS instructions completed
TOTAL CALLS 11001
log-rt.1_4242: log-rt, base, 0.007 s, 7532065 instructions completed
not in this report (-e NAME): raw 31429265 instructions completed, delta 23897200 instructions completed, dispatches 8, interrupts 77, calls 11001
 %%% INSTRUCTION PROCESS (PID)
END
same metric_names
"$post" -tree -csv -e calls log-rt.1_4242 | awk '/Object/ { k++ } END { print k, NR }' >out
echo '2 14' >want
same tree
"$post" -csv log-rt.1_4242 | awk -F, '$3 == 77 && $4 == "main" && $1 == 4242 { n++ } END { print n }' >out
echo 12 >want
same threads
"$post" -callers='java.lang.Object.<init>()' -json log-rt.1_4242 | jq -r '.symbols[].callers[] | "\(.name) \(.ticks)"' >out
printf '%s\n' 'java.lang.StringBuffer.<init>(int) 3880' 'java.lang.String.<init>(int, int, char[]) 3320' >want
same callers

# As other formats, and read again.
"$post" -folded log-rt.1_4242 | sort >want
for format in pprof perf.data; do
	"$post" -q -format $format -o again.$format log-rt.1_4242
done
"$post" -folded again.pprof | sort >out
same pprof
is perf_data "$("$post" -json again.perf.data | jq -c '[.events[] | select(.ticks > 0) | [.name, .counted]]')" \
	'[["base",7532065],["raw",31429265],["delta",23897200],["dispatches",8],["interrupts",77],["calls",11001]]'
"$post" -q -format speedscope -o again.json log-rt.1_4242
is speedscope "$(jq -c '[.profiles[] | .endValue, (.weights | add)]' again.json)" '[7532065,7532065]'
"$post" -q -format firefox -o again.json log-rt.1_4242
is firefox "$(jq '[.threads[].samples.weight[]] | add' again.json)" 7532065
"$post" -q -format perfetto -o again.perfetto log-rt.1_4242 2>err
is perfetto_refused "$? $(grep -c 'has no value' err)" '2 1'

# Several metrics; names as they are escaped; two threads of one number.
printf 'pitrace log-rt\n LV CALLS CEE BASE1 DELTA1 BASE2 DELTA2 DS IN NAME\n' >log-rt.2_7
printf '%s\n' '0 0 1 1 2 3 4 - - a\x0ab\\_5' '1 7 0 10 20 30 40 - - I:a/B.c()V' '0 0 1 0 0 0 0 - - later_5' \
	'1 8 0 1 0 0 1 - - J:a/B.c()V' >>log-rt.2_7
"$post" -functions -e base2 -csv log-rt.2_7 | sed -n 2p >out
echo '15,30,41,2.0,a.B.c(),java' >want
same second_metric
"$post" -e raw1 -csv log-rt.2_7 | cut -d, -f1,4,6,7 >out
printf '%s\n' 'pid,thread,symbol,ticks' '7,"a\x0ab\\",a.B.c(),30' '7,"a\x0ab\\",(no method),3' '7,later,a.B.c(),1' >want
same names

# A filter leaves out samples, not the callers of the others; of a single log, and of several.
"$post" -folded log-rt.1_4242 >want
"$post" -folded -pid 4242 log-rt.1_4242 >out
same filtered_callers
"$post" -folded log-rt.1_4242 log-rt.2_7 | grep 'log-rt.1_4242' >want
"$post" -folded -comm 'main*' log-rt.1_4242 log-rt.2_7 >out
[ -s want ] && cmp -s want out
verdict filtered_callers_of_several $? "$(diff want out | head -n 20)"

# Faults of a log are reported, with what was read before.
head -c 700 log-rt.1_4242 >cut.1_4242
"$post" -q -o - cut.1_4242 >out 2>err
is cut "$? $(grep -c 'at byte 700: incomplete: the log ends within line [0-9]*: the lines before it are read' err)" '1 1'
printf 'pitrace log-rt\nnothing\n' >empty
"$post" empty >out 2>err
is no_columns "$? $(grep -c 'the log ends before its columns are named: nothing is read' err)" '2 1'

# Beside a trace of the same run: a profile with the VM's compiled code, as libpijit names it.
cat >profile.py <<'END'
import sys
def varint(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128]); n >>= 7
    return out + bytes([n])
def field(n, v):
    if isinstance(v, int):
        return varint(n << 3) + varint(v)
    return varint(n << 3 | 2) + varint(len(v)) + v
strings = ['', 'samples', 'count', 'JITCODE', '/lib/libjvm.so', 'hellop.myC()', 'java.lang.Object.<init>()', 'native']
out = field(1, field(1, 1) + field(2, 2))
for i, n in enumerate((30, 20, 50)):
    out += field(2, field(1, varint(i + 1)) + field(2, varint(n)))
out += field(3, field(1, 1) + field(5, 3)) + field(3, field(1, 2) + field(5, 4))
for i in range(3):
    out += field(4, field(1, i + 1) + field(2, 2 if i == 2 else 1) + field(4, field(1, i + 1)))
    out += field(5, field(1, i + 1) + field(2, 5 + i))
for s in strings:
    out += field(6, s.encode())
sys.stdout.buffer.write(out)
END
python3 profile.py | gzip >trace.pb.gz
"$post" -functions -csv trace.pb.gz log-rt.1_4242 | sed -n '1,5p' >out
cat >want <<'END'
ticks,percent,calls,base,delta,base_per_call,name,module
50,50.0000,0,0,0,,native,/lib/libjvm.so
30,30.0000,1000,7004919,1225000,7004.9,hellop.myC(),JITCODE
20,20.0000,2000,7200,2442000,3.6,java.lang.Object.<init>(),JITCODE
0,0.0000,1000,178282,1225000,178.3,"java.lang.Long.getChars(long, int, char[])",java
END
same beside_a_trace

# Recursion as deep as the agent keeps it (131,072 calls), and ten times as deep: each call where it is, with all
# below it, in little memory; each on its own line, with all its callers where stacks are listed whole.
deep() { # DEPTH
	awk -v n="$1" 'BEGIN { print "pitrace log-rt\n LV CALLS CEE BASE NAME\n0 0 1 0 main_77"
		for (i = 1; i <= n; i++) print i, 1, 1, 2, "a/B.c()V" }'
}
deep 10000 >log-rt.1_10
deep 131072 >log-rt.1_131
deep 1000000 >log-rt.1_1000
for log in 10:10000 131:131072 1000:1000000; do
	deepest=${log#*:} log=log-rt.1_${log%:*}
	(ulimit -v 1000000 && exec "$post" -calltree -csv "$log") | awk -F, -v n="$deepest" \
		'NR > 2 { if ($3 != NR - 2 || $(NF - 1) != 2 * (n - NR + 3)) bad++ } END { print NR - 2, bad + 0 }' >out
	echo "$deepest 0" >want
	same "deep_tree_$deepest"
	is "deep_callers_$deepest" "$( (ulimit -v 1000000 && exec "$post" -callers -json "$log") |
		jq -r '.symbols[0] | "\(.total) \(.self) \(.recursive)"')" \
		"$((2 * deepest)) $((2 * deepest)) $((2 * deepest - 2))"
done
is deep_functions "$("$post" -functions -csv log-rt.1_1000 | sed -n 2p)" '1000000,2000000,0,2.0,a.B.c(),java'
is deep_folded "$("$post" -folded log-rt.1_10 | tail -n 1 | tr -dc ';' | wc -c)" 10000
is deep_together "$("$post" -calltree -csv log-rt.1_131 log-rt.1_10 | awk -F, '{ n += $3 == 131072 } END { print n, NR }')" \
	'1 141075'
is deep_shown "$("$post" -show -o - log-rt.1_10 | tail -n 1 | grep -o 'flags=.*' | wc -w)" 131
# Listed whole they would be as many as the square of that.
"$post" -q --format pprof -o deep.pb.gz log-rt.1_131 2>err
is deep_whole "$? $(sed 's/[0-9][0-9]*/N/' err)" \
	'1 post: pprof: too many calls to list each stack whole: of N stacks only the innermost call is there'
# One sample, a million calls deep: in each format.
awk -v n=1000000 '/^[1-9]/ { $4 = $1 == n ? 2 : 0 } { print }' log-rt.1_1000 >log-rt.1_1
for format in speedscope firefox chrome ctf pprof perf.data; do
	"$post" -q --format "$format" -o deep.out log-rt.1_1 2>err
	code=$?
	[ $code -le 1 ] && [ -e deep.out ]
	verdict "deep_$format" $? "$code $(head -c 400 err)"
	[ "$format" != firefox ] ||
		is deep_firefox_stacks "$(grep -o '"length":1000000}' deep.out | wc -l)" 1
	rm -rf deep.out
done
"$post" -q -diff log-rt.1_131 log-rt.1_131 -tree -csv -o out
is deep_diff "$(tail -n 1 out | cut -d, -f2-6)" '131070,131071,a.B.c(),2,2'
rm -f deep.pb.gz log-rt.1_1 log-rt.1_10 log-rt.1_131 log-rt.1_1000

if [ ! -f "$agent" ]; then
	exit $((failures != 0))
fi
cat >Fib.java <<'END'
public class Fib {
	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	static int fails(int n) { if (n % 3 == 0) throw new IllegalStateException(); return n; }
	static int tries(int n) { try { return fails(n); } catch (IllegalStateException e) { return 0; } }
	public static void main(String[] args) throws Exception {
		int[] sum = new int[1];
		sum[0] = fib(22);
		Thread t = new Thread(() -> { for (int i = 0; i < 300; i++) sum[0] += tries(i); }, "a worker of a long name");
		t.start();
		t.join();
		System.out.println(sum[0]);
	}
}
END
javac Fib.java || exit 1
rm -f log-*
java "-agentpath:$agent=METHODTYPES,CLASSMETHODS=Fib*" Fib >printed || exit 1
"$post" -functions -csv log-rt.1_* | awk -F, '/Fib/ { print $1, $5 }' | sort >out
# fib(22) makes 2 * F(23) - 1 calls, where F(23) is 28657.
# shellcheck disable=SC2016 # the compiler's name of a lambda
printf '%s\n' "$((2 * 28657 - 1)) Fib.fib(int)" '300 Fib.fails(int)' '300 Fib.tries(int)' '1 Fib.main(java.lang.String[])' \
	'1 Fib.lambda$main$0(int[])' | sort >want
same vm_calls
is vm_thread "$("$post" -e calls -csv log-rt.1_* | awk -F, '$4 == "a worker of a long name" { n += $7 } END { print n }')" 601
# The sums of the log's own lines.
is vm_base "$("$post" -json log-rt.1_* | jq .total_ticks)" "$(awk '/^ LV/ { on = 1; next } !NF { on = 0 } on { n += $4 } END { printf "%.0f", n }' log-rt.1_*)"

# log-gen: the same run as its log-rt, to the last cycle; each entry with its exit, in order.
rm -f log-*
java "-agentpath:$agent=METHODTYPES,CLASSMETHODS=Fib*,CALLTRACE" Fib >printed || exit 1
for event in raw calls; do
	is gen_$event "$("$post" -json -e $event log-gen.1_* | jq .total_ticks)" "$("$post" -json -e $event log-rt.1_* | jq .total_ticks)"
done
"$post" -e calls -folded log-rt.1_* | sort >want
# It is as long as the run: records before its first event are not of the clock's begin, the machine's.
length=$("$post" -functions log-gen.1_* -o - | awk '/^Trace length/ { print $3 }')
calc "$length > 0 && $length < $(cut -d' ' -f1 /proc/uptime) - $length / 2"
verdict gen_length $? "$length s"
"$post" -e calls -folded log-gen.1_* | sort >out
same gen_tree
"$post" -functions -csv log-gen.1_* | awk -F, '/Fib/ { print $1, $5 }' | sort >out
# shellcheck disable=SC2016 # the compiler's name of a lambda
printf '%s\n' "$((2 * 28657 - 1)) Fib.fib(int)" '300 Fib.fails(int)' '300 Fib.tries(int)' '1 Fib.main(java.lang.String[])' \
	'1 Fib.lambda$main$0(int[])' | sort >want
same gen_functions
"$post" -q -calls -descriptors -o calls log-gen.1_*
grep -c '! [ij]:Fib.fails(I)I [0-9a-f]*_a worker of a long name$' calls >out
awk '{ t = $4; k[$2]++; if ($2 == ">") { depth[t]++; name[t, depth[t]] = substr($3, 3) }
	else if (name[t, depth[t]--] != substr($3, 3)) bad++ }
	END { print k[">"], k["<"] + k["!"], bad + 0 }' calls >>out
printf '100\n57915 57915 0\n' >want
same gen_calls
is gen_calls_json "$("$post" -calls -json log-gen.1_* | jq -r '[(.calls | length), ([.calls[] | .base + .delta] | add)] | @csv')" \
	"$("$post" -calls -csv log-gen.1_* | awk -F, 'NR > 1 { n++; s += $1 + $2 } END { printf "%d,%.0f", n, s }')"
"$post" -q -format pprof -o gen.pb.gz log-gen.1_*
"$post" -folded log-gen.1_* | sort >want
"$post" -folded gen.pb.gz | sort >out
same gen_pprof
calc "$(stat -c %s log-gen.1_*) < 8 * 115930"
verdict gen_bytes $? "$(stat -c %s log-gen.1_*) bytes"

# A VM that is killed leaves what it wrote; a file that may not grow says so, at exit and in post.
cat >Forever.java <<'END'
public class Forever {
	static int leaf(int n) { return n + 1; }
	public static void main(String[] args) throws Exception {
		int sum = 0;
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1000000000L;
		while (System.nanoTime() < end) { sum = leaf(sum); Thread.sleep(0, 100); }
		System.out.println("done");
	}
}
END
javac Forever.java || exit 1
rm -f log-*
java "-agentpath:$agent=CLASSMETHODS=Forever*,CALLTRACE" Forever 60 >printed 2>&1 &
vm=$!
for ((i = 0; i < 300; i++)); do
	size=$(stat -c %s log-gen.1_* 2>/dev/null)
	[ "${size:-0}" -gt 3000 ] && break
	sleep 0.1
done
kill -KILL $vm
wait $vm 2>/dev/null
"$post" -functions -csv log-gen.1_$vm >out 2>err
is killed "$? $(grep -c 'incomplete: the program ended before its log did' err) $(awk -F, '/Forever.leaf/ { print ($1 > 20) }' out)" '1 1 1'
rm -f log-*
(ulimit -f 8 && exec java "-agentpath:$agent=CALLTRACE,CLASSMETHODS=Fib*" -XX:-UsePerfData Fib) >printed 2>said
grep -q 'log-gen.1_[0-9]*: File too large: incomplete: the last [0-9]* events are not in it' said
verdict full_told $? "$(cat said)"
"$post" -functions -csv log-gen.1_* >out 2>err
is full "$? $(grep -c 'incomplete: File too large: the last [0-9]* events are not in it; [0-9]* are read' err)" '1 1'
exit $((failures != 0))
