#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_modes.sh KERNEL ARCH SECONDS: normal mode stops itself and says which buffer of which CPU
# filled; continuous mode under a load of forks keeps every tick, counts every one that could not be,
# and does not grow; an idle machine's ticks are computed.
. "$(dirname "$0")/suite.sh"
seconds=$1

booted guest --smp 2 --timeout $((seconds + 200)) --get '/tmp/*.nrm2' --get '/tmp/*.txt' -- \
	tests/vm/guest/modes.sh "$seconds" || exit 1

# said FILE NAME: a number of swtrace's closing line
said() {
	sed -nE "s/^swtrace: .*[ (]([0-9]+) $2.*/\1/p; s/^swtrace: .*[ (]$2 ([0-9]+).*/\1/p" "$out/$1.txt" |
		head -n 1
}

for name in trace-full mte-full cont idle; do
	sed 's/^/# /' "$out/$name.txt"
	equal "${name}_exit" "$(tail -n 1 "$out/$name.txt")" "exit 0"
done

# Which buffer, which CPU: the very one whose losses the file counts.
for ring in trace mte; do
	filled=$(sed -nE 's/^swtrace: stopped early: the ([A-Za-z]+) buffer of CPU ([01]) filled.*/\1 \2/p' \
		"$out/$ring-full.txt")
	echo "$filled" | grep -qiE "^$ring [01]$"
	verdict "normal_${ring}_says_which" $? "says '$filled'"
	if report "$out/$ring-full.nrm2" && records "$out/$ring-full.nrm2"; then
		kind=samples
		[ $ring = trace ] || kind=names
		equal "normal_${ring}_loss_in_file" \
			"$(jq -r --arg k $kind '.lost[] | select(.kind == $k) | .cpu' "$out/$ring-full.nrm2.json" |
				sort -u | tail -n 1)" "${filled#* }"
		grep -q '^all [1-9][0-9][0-9][0-9]' <($judge counts "$out/$ring-full.nrm2.show")
		verdict "normal_${ring}_kept" $? "the file holds next to nothing"
	else
		not_ok "normal_${ring}_kept" "there is no file"
	fi
done

for name in cont idle; do
	report "$out/$name.nrm2" && records "$out/$name.nrm2" &&
		$judge counts "$out/$name.nrm2.show" >"$out/$name.judged" || exit 1
	sed 's/^/# /' "$out/$name.judged"
	n() { sed -n "s/^$1 //p" "$out/$name.judged"; }
	equal "${name}_records" "$(n all)" "$(said $name records)"
	equal "${name}_ticks" "$(($(n samples) + $(n idle)))" "$(said $name ticks)"
	equal "${name}_each_once" "$(n twice)" 0
	equal "${name}_in_order" "$(n back)" 0
	equal "${name}_nothing_lost_but_overruns" \
		"$(jq -c '[.lost[] | select(.kind != "overruns")]' "$out/$name.nrm2.json")" '[]'
	# In the stream, each loss is where it happened; those after the last record cannot be.
	counted=$(jq '[.lost[] | select(.kind == "overruns") | .count] | add // 0' "$out/$name.nrm2.json")
	calc "$(n lost) <= $counted && $(n lost) >= $counted - 2 - 0.001 * $counted"
	verdict "${name}_overruns_told_in_stream" $? "$(n lost) told, $counted counted"
	for cpu in 0 1; do
		read -r _ _ _ expected _ had _ permille _ begin _ end < <(grep "^cpu $cpu " "$out/$name.judged")
		calc "$expected > 1000 && ($had - $expected) ^ 2 < (2 + 0.001 * $expected) ^ 2"
		verdict "${name}_cpu${cpu}_ticks_are_time" $? "$had instead of $expected"
		# The first tick soon after *on*, the last until shortly before *off*.
		calc "$begin < 500 && $end < 100 && $end >= 0"
		verdict "${name}_cpu${cpu}_from_on_to_off" $? "$begin ms after on, $end ms before off"
	done
done
calc "$(sed -n 's/^idle //p' "$out/idle.judged") > $(sed -n 's/^samples //p' "$out/idle.judged")"
verdict idle_is_computed $? "more samples than computed ticks on an idle machine"

read -r begin end < <(sed -n "s/^begin \\|^end //p" "$out/memory.txt" | tr "\n" " ")
echo "# swtrace's memory: $begin kB, at the end $end kB"
# A drain that comes late has more to read, and keeps the room that it took: some steps, below what the
# buffers hold. A leak grows with each second.
steps=$(sed -n 's/^each //p' "$out/memory.txt" | tr -s ' ' '\n' | awk 'n && $1 > n { s++ } $1 { n = $1 } END { print s + 0 }')
calc "$begin > 0 && $end > 0 && $end - $begin < 8192 && $steps <= 2"
verdict cont_memory_flat $? "from $begin to $end kB: $(sed -n 's/^each //p' "$out/memory.txt")"
exit $code
