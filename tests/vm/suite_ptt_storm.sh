#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_ptt_storm.sh KERNEL ARCH RI RD: a thread's own value stays what it is while a timer interrupts it
# 10,000 times a second, and while a disk does: each interrupt leaves at most RI instructions with it,
# each dispatch RD, all together 0.5 %. What interrupts took stands beside it, or in it if they are
# charged. The kernel's own clock of the thread has them in it.
. "$(dirname "$0")/suite.sh"
ri=$1 rd=$2

booted guest --icount --get /tmp/storm.txt -- tests/vm/guest/ptt_storm.sh || exit 1
sed 's/^/# /' "$out/storm.txt"

# each NAME KIND LEAST CONDITION: of each line of this kind, of three; q: what the loop takes alone; k, d:
# more interrupts and dispatches than then; v, i, c: more in the value, of interrupts, on the clock
each() {
	awk -v kind="$2" -v least="$3" -v ri="$ri" -v rd="$rd" '
		$1 == "quiet" { q = $5; qi = $7; qc = $9; qk = $11; qd = $13 }
		$1 == kind {
			v = $5 - q; i = $7 - qi; c = $9 - qc; k = $11 - qk; d = $13 - qd; n++
			printf "# %s: value %+.3f %%, clock %+.3f %%, %d interrupts more, %.0f each\n", kind,
				100 * v / q, 100 * c / q, k, k ? v / k : 0
			if (k < least || !('"$4"')) bad = bad " [" $0 "]"
		}
		END { if (bad) print bad; exit bad != "" || n != 3 }' "$out/storm.txt" >"$out/each"
	verdict "$1" $? "$(tail -n 1 "$out/each")"
	grep '^#' "$out/each"
}
clock='($5 + $7) / $9 < 1.001 && ($5 + $7) / $9 > 0.999'
stays='v <= k * ri + d * rd && v < 0.005 * q && v > -0.0005 * q'

each quiet_is_the_loop quiet -5 "\$5 > \$3 && \$5 < 1.002 * \$3 && $clock"
each value_stays_under_timers timer 1000 "$stays"
each interrupts_have_the_rest timer 1000 "i > v && (v + i) / c < 1.01 && (v + i) / c > 0.99 && $clock"
# Were it not so, nothing of the above would show anything.
each clock_does_not_stay timer 1000 "c > 0.005 * q"
each charged_is_in_it charged 1000 "v > 0.005 * q && \$7 == 0 && $clock"
each value_stays_under_a_disk disk 30 "$stays && i > 0 && $clock"
exit $code
