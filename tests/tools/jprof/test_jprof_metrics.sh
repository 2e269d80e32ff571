#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The agent libjprof in a real VM, what it measures by: the time of a thread and time that passes,
# page faults where they happen; minima that are kept from run to run, in the cache or a file, and what
# of a file is refused; what the log's head says of all that.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
agent=$build/lib/pitrace/libjprof.so
if [ ! -f "$agent" ]; then
	echo "skip jprof_metrics no JDK is installed"
	exit 77
fi
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache
mkdir cache
cat >Parts.java <<'END'
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
public class Parts {
	static int leaf(int n) { return n + 1; }
	static void rests() throws Exception { Thread.sleep(300); }
	static int works() { int sum = 0; for (int i = 0; i < 200000; i++) sum += leaf(i); return sum; }
	static int touches(MappedByteBuffer b) {
		int sum = 0;
		for (int i = 0; i < b.capacity(); i += 4096) sum += b.get(i);
		return sum;
	}
	public static void main(String[] args) throws Exception {
		MappedByteBuffer b;
		try (FileChannel c = FileChannel.open(Paths.get("pages"))) {
			b = c.map(FileChannel.MapMode.READ_ONLY, 0, c.size());
		}
		rests();
		Thread other = new Thread(() -> works(), "other");
		other.start();
		int sum = works() + touches(b);
		other.join();
		System.out.println(sum);
	}
}
END
javac Parts.java || exit 1
head -c 16M /dev/zero >pages
traced() { # OPTIONS
	rm -f log-rt.*
	java "-agentpath:$agent=CLASSMETHODS=Parts*${1:+,$1}" Parts >out 2>err
}
column() { # NUMBER METHOD: the sum over all nodes
	awk -v "c=$1" -v "name=Parts.$2" '/^ LV/ { on = 1; next } on && $NF == name { n += $c } END { print n + 0 }' log-rt.*
}

java Parts >want
traced ''
[ $? = 0 ] && cmp -s want out && [ ! -s err ]
verdict usual $? "$(cat err)"
says wall log-rt.* '^metric: wall (cycles) by time stamp counter, resolution [0-9]* cycles ([0-9.]* ns)'
kept=$(echo cache/pitrace/jprof-*.calibration)
grep -q "^calibration: $work/$kept, minima that are new or less: [1-9]" log-rt.*
verdict in_the_cache $? "$(head -20 log-rt.*)"
says untrained log-rt.* '^calibration by wall: sequences trained 0, untrained [1-9][0-9]*, which hold'
id=$(readelf -n "$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")/lib/server/libjvm.so" 2>/dev/null |
	awk '/Build ID/ { print $3 }')
grep -qx "calibration of vm build id: ${id:-none}" log-rt.* && grep -qx "vm build id: ${id:-none}" "$kept"
verdict build_id $? "$id"
id=$(readelf -n "$agent" | awk '/Build ID/ { print $3 }')
[ -n "$id" ] && grep -qx "agent build id: $id" "$kept"
verdict agents_build_id $? "$id"
traced ''
grep -Eq '^calibration by wall: sequences trained [1-9][0-9]*, untrained [0-9]+, .* nodes over-calibrated 0; residual uncertainty [0-9.]+ %' log-rt.*
verdict trained $? "$(grep '^calibration' log-rt.*)"
# It passes while the thread rests: 300 ms, by the counter's own rate.
rate=$(sed -nE 's/^metric.* resolution ([0-9]+) cycles \(([0-9.]+) ns\).*/\1 \2/p' log-rt.* | awk '{ print $1 / $2 }')
calc "$(column 4 'rests()V') > 0.29e9 * $rate && $(column 4 'rests()V') < 5e9 * $rate"
verdict rests $? "$(column 4 'rests()V') of $rate a ns"

# ---- several at once
traced METRICS=task-clock+wall+page-faults
if grep -q 'page-faults' err; then
	echo "skip jprof_metrics_threads this machine lets nobody count"
else
	head -4 log-rt.* | cut -d' ' -f1-4 >out
	printf 'pitrace log-rt\nmetric 1: task-clock (ns)\nmetric 2: wall (cycles)\nmetric 3: page-faults (events)\n' | cmp -s - out
	verdict heads $?
	is columns "$(grep '^ LV' log-rt.* | xargs)" 'LV CALLS CEE BASE1 DELTA1 BASE2 DELTA2 BASE3 DELTA3 DS IN NAME'
	calc "$(column 6 'rests()V') > 0.29e9 * $rate && $(column 4 'rests()V') < 0.1e9"
	verdict threads_time $? "$(column 6 'rests()V') cycles, $(column 4 'rests()V') ns"
	# The kernel maps at most 16 pages at a time.
	n=$(column 8 'touches(Ljava/nio/MappedByteBuffer;)I')
	calc "$n >= 200 && $n < 4200 && $(column 8 'works()I') < 100"
	verdict page_faults $? "$n $(column 8 'works()I')"
	is calls "$(column 2 'leaf(I)I')" 400000
	awk '/^ LV/ { on = 1; next } on && !NF { on = 0 } on && (NF < 12 || $0 ~ / -[0-9]/) { bad++ } on { n++ } END { exit n < 10 || bad }' log-rt.*
	verdict none_negative $? "$(grep -e ' -[0-9]' log-rt.* | head -3)"
	is other_file "$(printf '%s\n' cache/pitrace/*.calibration | wc -l)" 2
fi

# ---- what there is not
refused() { # NAME OPTIONS WORDS
	traced "$2"
	[ $? != 0 ] && grep -q -e "$3" err && [ "$(head -c 5 out)" != "$(head -c 5 want)" ]
	verdict "$1" $? "$(cat err)"
}
refused no_such METRICS=wall+nonesuch "nonesuch.*; available: wall"
refused twice METRICS=wall+wall "'wall' is given twice"
refused too_many METRICS=a+b+c+d+e+f+g+h+i 'at most 8'
refused empty METRICS= 'names of metrics'
refused no_file CALIBRATION= 'a name is needed'

# ---- the file
traced CALIBRATION=none
[ $? = 0 ] && grep -qx 'calibration: of this run alone' log-rt.*
verdict none $? "$(head log-rt.*)"
traced CALIBRATION=mine && traced CALIBRATION=mine
[ ! -s err ] && [ "$(stat -c %a mine)" = 600 ] && grep -q '^calibration: mine,' log-rt.* &&
	grep -q 'sequences trained [1-9]' log-rt.*
verdict mine $? "$(cat err)"
left_alone() { # NAME FILE WORDS: it is reported, the program runs, minima are of this run; the file is kept
	cp -P "$2" before
	traced "CALIBRATION=$2"
	[ $? = 0 ] && cmp -s want out && grep -q "^jprof: $2: .*$3" err && grep -q "only this run's minima are used$" err &&
		grep -q "^calibration: of this run alone; $2: .*$3" log-rt.* &&
		grep -q 'sequences trained 0' log-rt.* && cmp -s "$2" before
	verdict "$1" $? "$(cat err)"
}
sed 's/^cpu: .*/cpu: of another kind/' mine >foreign
left_alone foreign foreign 'it was recorded with another cpu: of another kind; here it is '
sed 's/^vm build id: .*/vm build id: 00/' mine >foreign
left_alone foreign_build foreign 'it was recorded with another vm build id: 00; here it is '
head -c -10 mine >cut
left_alone cut cut 'byte [0-9]*: .*after [0-9]* entries'
ln -s mine link
left_alone link link 'it is a link'
traced METRICS=tsc+wall,CALIBRATION=mine
[ $? = 0 ] && grep -q '^jprof: mine: .*it was recorded with another' err
verdict other_metrics $? "$(cat err)"
# A missing cache is not an error.
XDG_CACHE_HOME=/dev/null/x traced ''
[ $? = 0 ] && [ ! -s err ] && grep -q '^calibration: of this run alone; /dev/null/x' log-rt.*
verdict no_cache $? "$(cat err; head -5 log-rt.*)"
# Four VMs at once: each adds its calls.
times() {
	awk '/^sequence/ { n += $3 } END { print n + 0 }' all
}
traced CALIBRATION=all
one=$(times)
mkdir logs
pids=
for i in 1 2 3 4; do
	java "-agentpath:$agent=CLASSMETHODS=Parts*,LOGPATH=logs,CALIBRATION=all" Parts >out$i 2>&1 &
	pids="$pids $!"
done
# shellcheck disable=SC2086
wait $pids
calc "$(times) > 4.9 * $one && $(times) < 5.1 * $one" && cmp -s want out4
verdict at_once $? "$one, then $(times)"
exit $((failures != 0))
