#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_scs.sh KERNEL ARCH: sampled stacks of Java under an instruction counter. Time is instructions there, so that
# what a thread's clock says of work of known weight is the truth: interpreted, by both compilers, inlined, native and
# the collector's of garbage. Shares of samples are within a point of it, and stacks are whole. The same work takes more
# CPU time if it is sampled: what that is at 1,000 stacks a second, beyond the ticks of the session.
. "$(dirname "$0")/suite.sh"

agent=$build/lib/pitrace/libpijit.so
if [ ! -f "$agent" ] || ! command -v jlink >/dev/null; then
	echo "skip scs no JDK is installed"
	exit 77
fi
made=$out/java
mkdir -p "$made"
jlink --add-modules java.base,jdk.management --output "$made/jre" --strip-java-debug-attributes --no-header-files \
	--no-man-pages --vm server >"$out/jlink.log" 2>&1 &&
	javac -d "$made/classes" tests/tools/jprof/Weights.java || die "no Java image: $(tail -n 3 "$out/jlink.log")"
booted guest --icount --mem 1024 --timeout 900 --no-module --add "$made/jre:/jre" --add "$made/classes:/classes" \
	--add "$agent:/usr/local/lib/pitrace/libpijit.so" --get '/tmp/*.out' -- tests/vm/guest/scs.sh 15 || exit 1
rm -rf "$made"

# Of all work that was measured: its share of the CPU time, and of the ticks.
awk '
	FNR == NR { if ($1 ~ /^[a-z]+$/ && $2 ~ /^[0-9]+$/) { own[$1] = $2; all += $2 } next }
	/;VM_GenCollectFull::doit/ { have["gc"] += $NF; n += $NF; next } # System.gc()
	/;Weights\.measured\(/ {
		for (name in own)
			if (index($0, ";Weights." name "(")) { have[name] += $NF; n += $NF }
	}
	END {
		for (name in own)
			printf "%s %.2f %.2f %d\n", name, 100 * own[name] / all, n ? 100 * have[name] / n : 0, n
	}' "$out/weights.out" "$out/stacks.out" >"$out/shares"
for name in interpreted simple optimized many compressed gc; do
	read -r _ want have n < <(grep "^$name " "$out/shares")
	echo "# $name: ${want:-none} % of CPU time, ${have:-none} % of ${n:-0} ticks"
	calc "${n:-0} > 500 && ${have:-0} - ${want:-99} < 1 && ${want:-99} - ${have:-0} < 1"
	verdict "share_$name" $? "${have:-none} %, not ${want:-none} %"
done
whole=$(awk '/;Weights\./ { n += $NF } /not walked/ { bad += $NF }
	END { printf "%.2f", n ? 100 * (n - bad) / n : 0 }' "$out/stacks.out")
calc "$whole >= 97"
verdict walked $? "$whole %"
# nanoseconds NAME: CPU time of the thread for the rounds after the first ones, which warm up.
# Not %d: some awks end at 2^31.
nanoseconds() {
	awk '/^thread/ { n = $2 } END { printf "%.0f", n }' "$out/$1.out"
}
plain=$(nanoseconds plain) ticks=$(nanoseconds ticks) with=$(nanoseconds sampled)
stacks=$(sed -n 's/^stacks //p' "$out/sampled.out")
more=$(awk "BEGIN { printf \"%.2f\", 100 * ($ticks - $plain) / $plain }")
cost=$(awk "BEGIN { printf \"%.2f\", 100 * ($with - $ticks) / $plain }")
echo "# CPU time of the work: $plain ns; the session's own ticks add $more %, $stacks stacks of the agent $cost %"
calc "${stacks:-0} > 900 * $plain / 1e9 && $plain > 1e9 && $more > 0 && $more < 2 && $cost > 0 && $cost < 2"
verdict cost $? "$cost %"
exit $code
