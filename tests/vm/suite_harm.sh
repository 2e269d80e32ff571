#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_harm.sh KERNEL ARCH CALLS QUOTA [ROOT_CALLS [SEED]...]: every call of the driver, right and
# wrong, by an ordinary user and by root, in a machine of two CPUs and little memory; the rig looks at
# the kernel log. A machine for each seed, one after the other, each with CALLS calls; their sum is told.
. "$(dirname "$0")/suite.sh"
calls=$1 quota=$2 root_calls=${3:-$1}
shift $(($# < 3 ? 2 : 3))

for seed in "${@:-1}"; do
	booted "guest_$seed" --smp 2 --mem 320 --timeout 1700 -- \
		tests/vm/guest/harm.sh "$calls" "$quota" "$root_calls" "$seed" >"$out/$seed.txt" || code=1
	cat "$out/$seed.txt"
done
[ $# -gt 1 ] || exit $code

# Of all machines, for each user: calls, then what failed and succeeded of each kind.
awk '/^# uid/ { uid = $3; calls[uid] += $4; next }
	/^# meanwhile/ { uid = ""; next }
	uid != "" && /^# [a-z_]+ +[0-9]+ +[0-9]+$/ { failed[uid " " $2] += $3; done[uid " " $2] += $4 }
	END {
		for (u in calls) print "# all machines, uid " u " " calls[u] " calls"
		for (k in failed) print "# all machines, uid " k, failed[k], done[k]
	}' "$out"/*.txt | LC_ALL=C sort -k5 | tee "$out/sum"
for uid in 0 1000; do
	want=$((uid ? calls * $# : root_calls * $#))
	have=$(sed -n "s/^# all machines, uid $uid, \([0-9]*\) calls$/\1/p" "$out/sum")
	[ "${have:-0}" -ge $want ]
	verdict "calls_of_uid_$uid" $? "${have:-none} of $want"
done
exit $code
