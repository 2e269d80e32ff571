#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_calls.sh KERNEL ARCH: libhookit on another architecture's kernel. Programs are built there in each way that it has
# (-finstrument-functions; where code can be patched also -fpatchable-function-entry, XRay's sleds by clang): they print what they print without, each call
# that begins ends, and calls of each function are as many as here.
# shellcheck disable=SC2034 # of suite.sh
guest_programs=(lib/libhookit.so)
. "$(dirname "$0")/suite.sh"

what="getters fib even sort jumps values threads signals own_stack leaves forks"
made=$out/calls
sysroot=$([ -z "$cross" ] || scripts/vm/sysroot "$arch")
how='-O2 -fno-inline -w'
# The C library's functions are not traced; the same C for both compilers.
same='-fno-ipa-cp -fno-ipa-icf -fno-ipa-ra -fno-ipa-sra -fno-optimize-sibling-calls'
source=tests/tools/hookit/calls.c
mkdir -p "$made/lib"
# shellcheck disable=SC2086
{
	${cross}gcc ${cross:+--sysroot="$sysroot"} $how $same "$source" -o "$made/plain" -lpthread -ldl &&
		${cross}gcc ${cross:+--sysroot="$sysroot"} $how $same -finstrument-functions "$source" -o "$made/instrumented" -lpthread -ldl &&
		${cross}gcc ${cross:+--sysroot="$sysroot"} $how $same -fpatchable-function-entry=5 "$source" -o "$made/patchable" -lpthread -ldl
	gcc $how $same -finstrument-functions "$source" -o "$out/here" -lpthread -ldl
} >"$out/make.log" 2>&1 || die "no programs: $(tail -n 3 "$out/make.log")"
kinds=instrumented
[[ ! $arch =~ ^(x86_64|arm64)$ ]] || kinds+=' patchable'
if [ "$arch" = arm64 ] && command -v clang >/dev/null && clang --target=aarch64-linux-gnu --sysroot="$sysroot" -O2 -w -fno-inline \
	-fno-optimize-sibling-calls -fxray-instrument -fxray-instruction-threshold=1 -c "$source" -o "$out/xray.o" >>"$out/make.log" 2>&1 &&
	${cross}gcc --sysroot="$sysroot" "$out/xray.o" -o "$made/xray" -lpthread -ldl >>"$out/make.log" 2>&1; then
	kinds+=" xray"
elif [ "$arch" = arm64 ]; then
	echo "skip calls_xray no clang for $arch"
fi
library=$build/lib/libhookit.so
[ -z "$cross" ] || library=$build/$arch/lib/libhookit.so
cp "$library" "$made/lib/"

booted guest --timeout 500 --mem 1024 --no-module --add "$made:/calls" --get "/tmp/*.*" -- tests/vm/guest/calls.sh "$kinds" "$what" ||
	exit 1

listed() { # calls of each function, of all logs in a file
	awk '/^ LV/ { on = 1; next } /^$|^pitrace/ { on = 0 } on && $1 > 0 { n[substr($0, index($0, $8))] += $2 }
		END { for (i in n) print n[i], i }' "$1" | LC_ALL=C sort -k 2
}
for program in $what; do
	(cd "$out" && rm -f log-rt.* && HOOKITOPTS=CALIBRATION=none LD_PRELOAD=$build/lib/libhookit.so ./here "$program" >"here.$program")
	cat "$out"/log-rt.* >"$out/here.$program.log"
	for kind in $kinds; do
		log=$out/$kind.$program.log
		# The clock decides how often a handler runs. A run that is not counted has lost its entry and its exit, and
		# the log says how many events were lost.
		if [ "$program" = signals ] || [ "$program" = own_stack ]; then
			ran=$(awk '/^handled / { print $2 }' "$out/$kind.$program")
			counted=$(listed "$log" | awk '$2 == "handler" { print $1 }')
			lost=$(awk '/found no room:/ { print $NF }' "$log")
			if [ "${counted:-0}" -gt 100 ] && [ "$counted" -le "$ran" ] && [ $((2 * (ran - counted))) -le "${lost:-0}" ]; then
				ok "${kind}_handled_$program"
			else
				not_ok "${kind}_handled_$program" "ran $ran, counted ${counted:-0}, lost events ${lost:-0}"
			fi
		else
			equal "${kind}_prints_$program" "$(cat "$out/$kind.$program")" "$(cat "$out/plain.$program")"
		fi
		# Handlers that leave by siglongjmp() come and go as the clock has it: what comes after them stands where it was.
		if [ "$program" = leaves ]; then
			equal "${kind}_level_$program" "$(awk '$NF == "fib" { print $1 }' "$log")" \
				"$(awk '$NF == "leaves" { print $1 + 1 }' "$log")"
			continue
		fi
		equal "${kind}_calls_$program" "$(listed "$log" | grep -v ' handler$\| note$')" \
			"$(listed "$out/here.$program.log" | grep -v ' handler$\| note$')"
		# A child has its parent's calls on its stack that it has not begun.
		unended=$(awk '/^entries/ { gsub(",", ""); n += $2 - $4 - $7; for (i = 12; i < NF; i++) if ($i == "popped") n -= $(i + 1) }
			END { print n + 0 }' "$log")
		equal "${kind}_ends_$program" "$unended" 0
	done
done
exit $code
