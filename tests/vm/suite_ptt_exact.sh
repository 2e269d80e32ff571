#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_ptt_exact.sh KERNEL ARCH METRIC C0 RI RD: what a thread reads of itself, to the instruction. A loop
# of known length takes its instructions and a constant (at most C0) when nothing falls into it; each
# interrupt in it adds at most RI, each dispatch RD. Two boots say the same. Where the metric is a
# counter of the hardware's own, user code's alone is exact whatever happens.
. "$(dirname "$0")/suite.sh"
metric=$1 c0=$2 ri=$3 rd=$4
suite=ptt_exact
# ppc64le's counters are each CPU's own: two CPUs, without an instruction counter, so that only what
# nothing disturbed is the same in two boots.
options=(--icount) same=.
case $arch in
arm64) options+=(--pmu) ;;
ppc64le) options=(--smp 2) same='^\(quiet\|cpu\)' ;;
esac
files=(--get '/tmp/*.txt')
mkdir -p "$out/again"

booted guest "${options[@]}" "${files[@]}" -- tests/vm/guest/ptt_exact.sh "$metric" || exit 1
booted again "${options[@]}" "${files[@]}" --out "$out/again" -- \
	tests/vm/guest/ptt_exact.sh "$metric" || exit 1
table=$out/exact.txt

# constant NAME KIND TABLE MOST: of these windows, which nothing disturbed, one excess, of all lengths
constant() {
	awk -v kind="$2" -v most="$4" '
		$1 == kind {
			lengths++
			if ($5 < 20) bad = bad " " $5 " windows of " $3
			if ($7 != $9 || (lengths > 1 && $7 != first)) bad = bad " " $7 "-" $9 " at " $3
			first = $7
		}
		END {
			if (lengths != 4) bad = bad " " lengths " lengths"
			if (first > most) bad = bad " " first " is more than " most
			print (bad == "" ? first : bad)
			exit bad != ""
		}' "$3" >"$out/constant.$2"
	verdict "$1" $? "$(cat "$out/constant.$2")"
}
constant undisturbed_is_constant quiet "$table" "$c0"
c=$(cat "$out/constant.quiet")
echo "# c0 $c instructions"
if grep -q ^inline "$table"; then
	constant read_in_place_is_constant inline "$table" "$c0"
	echo "# c0 $(cat "$out/constant.inline") in place"
fi

for cpu in $(grep -o '^cpu[0-9]*' "$table" | sort -u); do
	constant "on_every_cpu_at_once_$cpu" "$cpu" "$table" "$c0"
	equal "same_constant_$cpu" "$(cat "$out/constant.$cpu")" "$c"
done

# Windows that were disturbed: what an interrupt adds, then what a dispatch adds beyond that.
awk -v c="$c" -v ri="$ri" -v rd="$rd" '
	/^(alone|preempted|shared|forking) / {
		k = $5; d = $7; excess = $9 - c
		windows++; interrupts += k; dispatches += d
		if (excess < 0 || excess > k * ri + d * rd) bad = bad " [" $0 "]"
		if (!d && k && excess / k > any_i) any_i = excess / k
		if ($1 == "alone" && k && !d && excess / k > tick) tick = excess / k
		line[windows] = $0
	}
	END {
		for (i = 1; i <= windows; i++) {
			split(line[i], f)
			if (!f[7]) continue
			over = (f[9] - c - f[5] * tick) / f[7]
			sum += over; n++
			if (over > most_d) most_d = over
		}
		printf "Ri %.0f (with a wake-up %.0f) Rd %.0f (mean %.0f) windows %d interrupts %d dispatches %d%s\n",
			tick, any_i, most_d, n ? sum / n : 0, windows, interrupts, dispatches, bad
		exit bad != "" || windows != 55 || interrupts < 30 || dispatches < 30 || !tick || !most_d
	}' "$table" >"$out/bounds"
verdict disturbed_is_bounded $? "$(cat "$out/bounds")"
echo "# $(cat "$out/bounds")"

# The kernel's work for the thread is its own: n times as many cost n times as much.
# linear NAME KIND TABLE LEAST MOST: what one of them costs
linear() {
	awk -v kind="$2" -v least="$4" -v most="$5" '
		$1 == kind { n++; one[n] = $4 / $2 }
		END {
			printf "%s: %.0f of few, %.0f of many\n", kind, one[1], one[2]
			exit n != 2 || one[2] < least || one[2] > most ||
				one[1] < one[2] - most / 20 || one[1] > one[2] + most / 20
		}' "$3" >"$out/linear"
	verdict "$1" $? "$(cat "$out/linear")"
	echo "# $(cat "$out/linear")"
}
linear calls_are_in_it calls "$table" 50 3000
linear faults_are_in_it faults "$table" 300 20000

# Values that must not differ between boots.
cmp -s <(grep "$same" "$table") <(grep "$same" "$out/again/exact.txt")
verdict two_boots_same $? "$(diff "$table" "$out/again/exact.txt" | head -n 4 | tr '\n' ' ')"

if [ -e "$out/user.txt" ]; then
	constant user_undisturbed quiet "$out/user.txt" "$c0"
	# QEMU's ppc64le counts the kernel regardless of the settings.
	if [ "$arch" = arm64 ]; then
		awk -v c="$(cat "$out/constant.quiet")" '
			/^(alone|preempted|shared|forking) / {
				off = ($9 - c) / (2 * $3)
				n++; k += $5; d += $7
				if (off > 1e-4 || off < -1e-4) bad = bad " [" $0 "]"
			}
			END { print n, k, d, bad; exit bad != "" || n != 55 || k < 30 || d < 30 }
			' "$out/user.txt" >"$out/user.bad"
		verdict user_is_exact $? "$(cat "$out/user.bad")"
		linear user_has_no_faults faults "$out/user.txt" 1 30
	fi
fi
# Only watched threads may read the counter, and not after the end.
if [ "$arch" = arm64 ]; then
	equal counter_for_the_watched_alone "$(grep ^refused "$table" | paste -sd' ')" \
		'refused watched 0 another 1 refused after 1'
fi
# perf's events of other threads and of this one: what it lets stays perf's, and no read fails.
if [ "$metric" != tsc ]; then
	equal beside_perf "$(grep ^beside "$table")" \
		'beside perf: it ran 1 let 1 then ours 1 let 0 steps back 0'
	awk '/^counted / { n++; d += $7; if ($9 < 0) bad = 1 } END { exit bad || n != 10 || !d }' "$table"
	verdict after_perfs_threads $? "$(grep ^counted "$table" | tr '\n' ' ')"
fi
if [ -e "$out/time.txt" ]; then
	read -r _ _ clock _ value _ interrupt <"$out/time.txt"
	echo "# $(cat "$out/time.txt")"
	calc "($value + $interrupt) / $clock < 1.001 && ($value + $interrupt) / $clock > 0.999 &&
		$clock > 0.9 && $interrupt > 0"
	verdict with_interrupts_is_the_clock $? "$(cat "$out/time.txt")"
fi
exit $code
