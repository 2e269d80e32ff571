#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_java.sh KERNEL ARCH PROGRAM...: what the Java agent takes off is what it has added. Under an
# instruction counter programs of different shape run as they are; then under the agent, and what its
# log says a call of their `work` takes, without the agent's part, is compared with that. Not in the
# gate: the goals are not reached yet.
. "$(dirname "$0")/suite.sh"

if [ ! -f "$build/lib/pitrace/libjprof.so" ] || ! command -v jlink >/dev/null; then
	echo "skip java no JDK is installed"
	exit 77
fi
# A VM as small as it gets, and the programs.
made=$out/java
mkdir -p "$made"
jlink --add-modules java.base --output "$made/jre" --strip-java-debug-attributes --no-header-files \
	--no-man-pages --vm server >"$out/jlink.log" 2>&1 &&
	javac -d "$made/classes" tests/vm/java/Truth.java || die "no Java image: $(tail -n 3 "$out/jlink.log")"
booted guest --icount --mem 1024 --timeout 1500 --no-module --add "$made/jre:/jre" --add "$made/classes:/classes" \
	--add "$build/lib/pitrace/trainer:/usr/local/lib/pitrace/trainer" \
	--add "$build/lib/pitrace/libjprof.so:/usr/local/lib/pitrace/libjprof.so" \
	--get '/tmp/*.*' -- tests/vm/guest/java.sh "$@" || exit 1
rm -rf "$made"

# taken LOG PROGRAM: of the tree below work(), compiled: BASE and what was measured, a call
taken() {
	awk -v "work=J:Truth\$$2.work(I)I" '
		/^ LV/ { tree = 1; next }
		!NF { tree = 0 }
		!tree { next }
		on && $1 <= level { on = 0 }
		$NF == work && !on { on = 1; level = $1; calls += $2 }
		on { base += $4; raw += $4 + $5 }
		END { if (calls) printf "%.2f %.2f\n", base / calls, raw / calls }' "$1"
}
# off HAVE WANT: in percent
off() {
	awk "BEGIN { printf \"%.1f\", 100 * ($1 / $2 - 1) }"
}
for program in "$@"; do
	read -r _ plain result <"$out/plain.$program"
	read -r _ apart _ <"$out/apart.$program"
	for mode in rewrite probes; do
		read -r _ _ same <"$out/$mode.$program"
		equal "${mode}_result_$program" "$same" "$result"
		[ $mode = rewrite ] && truth=$plain most=10 || truth=$apart most=5
		read -r base raw < <(taken "$out/$mode.$program".1_* "$program")
		if [ -z "${base:-}" ]; then
			not_ok "${mode}_$program" "it has no compiled work()"
			continue
		fi
		error=$(off "$base" "$truth")
		echo "# $mode, $program: $truth instructions, $base calibrated ($error %), $raw measured ($(off "$raw" "$truth") %)"
		calc "$error < $most && $error > -$most"
		verdict "${mode}_$program" $? "$base, not $truth: $error %"
	done
done
# The same run gives the same log, but for what the compiler did at another time.
tree() { sed '1,/^ LV/d; s/_[0-9]*$//' "$1"; }
diff <(tree "$(echo "$out/rewrite.$1".1_*)") <(tree "$(echo "$out/again.$1".1_*)") >"$out/differ"
echo "# two runs of $1: $(grep -c '^<' "$out/differ") lines of $(wc -l <"$(echo "$out/rewrite.$1".1_*)") differ"
exit $code
