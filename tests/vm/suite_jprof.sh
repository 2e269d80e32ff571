#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_jprof.sh KERNEL ARCH: the Java agent with the module. A thread's own cycles are PTT's, read in line: what an
# event takes more than by the counter alone is a few instructions, and far less than by a call of the library; what a
# thread is charged for is its own work, not what others do meanwhile, with its dispatches and interrupts. Code of a VM
# in a container has its names by records.
. "$(dirname "$0")/suite.sh"

events=$build/tests/bench/call_events
if [ ! -f "$build/lib/pitrace/libjprof.so" ] || ! command -v jlink >/dev/null; then
	echo "skip jprof no JDK is installed"
	exit 77
fi
build_judge "$events"
made=$out/java
mkdir -p "$made"
jlink --add-modules java.base --output "$made/jre" --strip-java-debug-attributes --no-header-files \
	--no-man-pages --vm server >"$out/jlink.log" 2>&1 &&
	javac -d "$made/classes" tests/vm/java/Own.java || die "no Java image: $(tail -n 3 "$out/jlink.log")"
booted guest --icount --mem 1024 --timeout 900 --add "$made/jre:/jre" --add "$made/classes:/classes" \
	--add "$events:/usr/local/bin/call_events" --add "$build/lib/libperfutil.so:/usr/local/lib/libperfutil.so" \
	--add "$build/lib/pitrace/libjprof.so:/usr/local/lib/pitrace/libjprof.so" \
	--get '/tmp/*' -- tests/vm/guest/jprof.sh || exit 1
rm -rf "$made"

# instructions HOW VALUES: of a begin and an end, which the counter counts here, without the calls themselves
instructions() {
	awk -v "how=$1" -v "values=$2" '
		$1 == how && $2 == values { calls[$3] = $4; took[$3] = $7 }
		$1 == "none" { none[$3] = $7 }
		END { printf "%.1f", (took[14] - took[12] - none[14] + none[12]) / (calls[14] - calls[12]) }' "$out/events"
}
for how in natives probes; do
	wall=$(instructions $how cycles)
	own=$(instructions $how tsc)
	both=$(instructions $how wall+tsc)
	other=$(instructions $how tsc+wall)
	called=$(instructions $how tsc+page-faults)
	echo "# instructions of a begin and an end by $how: counts $(instructions $how counts), cycles $wall," \
		"own cycles $own, both $both or $other, with the library's call $called"
	# Four reads, each with a sequence number looked at twice, a value and a sum; what was dispatched.
	calc "$own > $wall + 4 && $own < $wall + 110 && $own < $called / 2"
	verdict "in_line_$how" $? "$own, $wall by the counter alone"
	# The second metric is charged twice, and four reads know which is which.
	calc "$both > $own + 4 && $both < $own + 180 && $other > $own + 4 && $other < $own + 180"
	verdict "both_in_line_$how" $? "$both or $other, $own of one"
done

# sum MODE COLUMN METHOD: over all threads
sum() {
	awk -v "c=$2" -v "name=Own.$3" '/^ LV/ { on = 1; next } on && $NF ~ name { n += $c } END { print n + 0 }' "$out/$1".1_*
}
for mode in rewrite probes; do
	equal "${mode}_said" "$(cat "$out/$mode.said")" "done"
	grep -q '^metric: tsc (cycles) by pitrace module, a mapped page' "$out/$mode".1_*
	verdict "${mode}_metric" $? "$(head -n 3 "$out/$mode".1_*)"
	# One of the three threads is excluded.
	equal "${mode}_calls" "$(sum $mode 2 'leaf[(]I[)]I$')" 40000
	read -r _ entries _ exits _ _ thrown _ _ _ left < <(sed -n 's/,//g; s/^entries/&/p' "$out/$mode".1_*)
	calc "$entries == $exits + $thrown + $left"
	verdict "${mode}_all_end" $? "$entries entries, $exits exits, $thrown, $left left"
	# While a thread rests others run: 300 ms are 300 million instructions here.
	calc "$(sum $mode 4 'rests[(][)]V$') < 20e6 && $(sum $mode 6 'rests[(][)]V$') >= 2"
	verdict "${mode}_own" $? "$(sum $mode 4 'rests[(][)]V$') cycles, $(sum $mode 6 'rests[(][)]V$') dispatches"
	calc "$(sum $mode 7 'works[(]I[)]I$') + $(sum $mode 7 'leaf[(]I[)]I$') > 0"
	verdict "${mode}_interrupts" $? "no interrupt while they work"
done

# Each method of the log is a record, too.
equal named_said "$(cat "$out/named.said")" "done"
(cd "$out" && "$build/bin/post" -q -show -json -r named.nrm2) >"$out/post.log" 2>&1 || not_ok named_read "$(head -n 3 "$out/post.log")"
logged=$(grep -c 'LOAD.Own[.]' "$out/code.log")
records=$(grep '"minor":65,' "$out/post.show" | grep -c 'Own[.][a-z]*(')
calc "$logged > 0 && $records == $logged"
verdict named_records $? "$records records of $logged methods: $(head -n 5 "$out/code.log")"
exit $code
