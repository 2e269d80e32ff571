#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_java.sh KERNEL ARCH rewrite|probes PROGRAM...: what the Java agent takes off is what it has added.
# Under an instruction counter programs of different shape run under the agent, in one of its modes: what its
# log says a call of their `work` takes, in all and by method, without the agent's part, is compared with a
# trace of all instructions of the same program without the agent.
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
installed=()
for file in trainer libjprof.so libpijit.so; do
	installed+=(--add "$build/lib/pitrace/$file:/usr/local/lib/pitrace/$file")
done
booted guest --icount --mem 1024 --timeout 1700 --no-module --add "$made/jre:/jre" --add "$made/classes:/classes" \
	"${installed[@]}" --get "/tmp/*.*" -- tests/vm/guest/java.sh "$@" || exit 1
rm -rf "$made"

# The goals that are reached (2 % of the total; for each method with a hundredth of it 5 % by the VM's probes, 10 % by
# changed classes): MODE.PROGRAM MOST-OF-TOTAL MOST-OF-A-METHOD, "-": no promise. docs/benchmarks.md explains them.
reached=(
	"probes.Hellop 2 30"
	"probes.Getters 2 5"
	"probes.Recursion 2 5"
	"probes.Virtuals 6 28"
	"probes.Exceptions 2 35"
	"probes.Natives 5 17"
	"probes.Strings 5 61"
	"probes.Streams 28 -"
	"probes.Locks 6 11"
	"rewrite.Hellop 24 40"
	"rewrite.Getters 292 292"
	"rewrite.Recursion 6 -"
	"rewrite.Virtuals 3 -"
	"rewrite.Exceptions 2 -"
	"rewrite.Natives 3 3"
	"rewrite.Strings 22 54"
	"rewrite.Streams 192 192"
	"rewrite.Locks 21 21"
)
# off HAVE WANT: in percent
off() {
	awk "BEGIN { printf \"%.1f\", $2 ? 100 * ($1 / $2 - 1) : 999 }"
}
# within NAME OFF MOST
within() {
	[ "$3" = - ] && return
	calc "$2 <= $3 && $2 >= -$3"
	verdict "$1" $? "$2 %"
}
mode=$1
[ "$mode" = rewrite ] && truth=plain || truth=apart
shift
for program in "$@"; do
	# Both say what came out: the program is the same one.
	read -r _ sum _ <"$out/$truth.$program"
	read -r _ same _ <"$out/$mode.$program"
	equal "${mode}_result_$program" "$same" "$sum"
	if ! tests/vm/java/judge "$out/$truth.$program.arc" "$(echo "$out/$mode.$program".1_*)" "Truth\$$program" \
		>"$out/$mode.$program.judged"; then
		not_ok "${mode}_$program" "cannot be judged"
		continue
	fi
	total=- method=-
	for line in "${reached[@]}"; do
		read -r of most each <<<"$line"
		[ "$of" != "$mode.$program" ] || total=$most method=$each
	done
	worst=0
	while read -r what want have raw name; do
		error=$(off "$have" "$want")
		echo "# $mode $program ${name:-in all}: $want, calibrated $have ($error %), raw $raw ($(off "$raw" "$want") %)"
		if [ "$what" = total ]; then
			within "${mode}_$program" "$error" "$total"
		elif calc "${error#-} > $worst"; then
			worst=${error#-}
		fi
	done <"$out/$mode.$program.judged"
	within "${mode}_methods_$program" "$worst" "$method"
done
exit $code
