#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_locks.sh KERNEL ARCH: post -locks, of the driver's records of a program that says how often its threads wait
# for which lock (locks.c): exactly so often, and who had the locks.
. "$(dirname "$0")/suite.sh"
suite=locks

booted guest --icount --get '/tmp/*.nrm2' --get '/tmp/*.txt' -- tests/vm/guest/locks.sh || code=1

"$build/bin/post" -q -locks -json -sympath "$sympath" -r "$out/locks.nrm2" >"$out/locks.json"
verdict reads $? "$(head -c 300 "$out/locks.json")"
waits() { # NAME: its waits, threads, time-outs
	jq -r --arg name "$1" '.locks.locks[] | select(.variable == $name) |
		[.time.count, .threads, .timed_out, .open] | join(" ")' "$out/locks.json"
}
address() { # NAME
	jq -r --arg name "$1" '.locks.locks[] | select(.variable == $name).address' "$out/locks.json"
}
woken() { # VARIABLE BY
	jq --arg name "$1" --arg by "$2" '[.locks.waits[] | select(.variable == $name and .waker_thread == $by and
		.thread != $by).count] | add // 0' "$out/locks.json"
}
for lock in plain_lock heirs_lock signal_word; do
	equal "$lock" "$(waits $lock)" '40 2 0 0'
	equal "${lock}_address" "$(address $lock)" "$(awk -v n="${lock%_*}" '$1 == n { print $2 }' "$out/locks.txt")"
done
equal timeout_word "$(waits timeout_word)" '20 1 20 0'
# The owner wakes one of both, who wakes the other.
equal plain_by_owner "$(woken plain_lock owner)" 20
equal heirs_by_owner "$(woken heirs_lock owner)" 20
equal plain_by_another "$(($(woken plain_lock first) + $(woken plain_lock second)))" 20
equal signal_by_owner "$(woken signal_word owner)" 40
[ "$(jq '[.locks.stacks[].count] | add' "$out/locks.json")" = 140 ]
verdict stacks $? "$(jq -c '[.locks.stacks[] | [.count, .stack]]' "$out/locks.json" | head -c 400)"
exit $code
