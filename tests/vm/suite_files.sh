#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_files.sh KERNEL ARCH icount|smp: files that rotate hold each tick once and name what they hold;
# a file that was asked for while tracing went on is complete; a full disk, short memory and a clock that
# is set harm nothing.
. "$(dirname "$0")/suite.sh"

if [ "$1" = icount ]; then
	machine=--icount factor=1 cpus=0 least=150 most=3
	# A kernel that looks for mistakes has half of the time for itself.
	! is_debug || factor=2 least=70 most=6
else
	machine='--smp 2' factor=4 cpus='0 1' least=10 most=3	# a busy host: ticks come late or not at all
fi
booted guest $machine --timeout 400 --get '/tmp/*.nrm2' --get '/tmp/*.nrm2.[0-9]*' --get '/tmp/*.txt' -- \
	tests/vm/guest/files.sh $factor || code=1

# holds NAME TRACE FILTER
holds() {
	report "$out/$2" && jq -e "$3" "$out/$2.json" >/dev/null
	verdict "$1" $? "$(jq -c '[.complete, .total_ticks, .duration_ns, .unknown, .lost,
		(.processes | map({name, ticks}))]' "$out/$2.json" 2>&1 | head -c 500)"
}
named='(.unknown.no_module == 0 and .unknown.unsure == 0 and
	all(.processes[]; .name != "Unknown"))'
kept='([.lost[] | select(.kind != "overruns")] == [])'
worked() {
	echo "([.processes[] | select(.name == \"$1\") | .threads[].modules[].symbols[] |
		select(.name == \"plain_work\") | .ticks] | add // 0)"
}
absent() {
	echo "(all(.processes[]; .name != \"$1\"))"
}
# said FILE: ticks of swtrace's closing line
said() {
	sed -nE 's/^swtrace: .* ([0-9]+) ticks.*/\1/p' "$out/$1.txt"
}

# Rotation: each file is complete and named; together they have each tick once.
sum=0 files=0
last=(0 0)
for file in $(cd "$out" && ls -v time.nrm2.*[0-9]) time.nrm2; do
	holds "rotated_${file#time.}" "$file" ".complete and $named and $kept and $(worked long) > 0 and
		.total_ticks > $least"
	sum=$((sum + $(jq .total_ticks "$out/$file.json")))
	files=$((files + 1))
	records "$out/$file"
	for cpu in $cpus; do
		read -r first end < <(jq -r --argjson cpu $cpu \
			'select(.ring == "trace" and .cpu == $cpu) | .stamp' "$out/$file.show" |
			sed -n '1p;$p' | xargs)
		[ "$first" -gt "${last[cpu]}" ] && [ "$end" -ge "$first" ]
		verdict "rotated_${file#time.}_cpu${cpu}_after_the_last" $? \
			"begins at $first, the one before ended at ${last[cpu]}"
		last[cpu]=$end
	done
done
echo "# $files files, $sum ticks, $(said time) counted"
[ "$files" -ge 3 ]
verdict rotated_often $? "$files files"
equal rotated_each_tick_once "$sum" "$(said time)"
older=$(sed -nE 's/.* with ([0-9]+) older files?.*/\1/p' "$out/time.txt")
equal rotated_told "$older" $((files - 1))
for file in $(cd "$out" && ls -v size.nrm2.*[0-9]) size.nrm2; do
	holds "sized_${file#size.}" "$file" ".complete and $named and $kept and $(worked sized) > $least"
done
size=$(stat -c %s "$(ls "$out"/size.nrm2.*[0-9] | tail -n 1)")
limit=$((1024 * $(cat "$out/rotate.txt")))
[ "$size" -ge $limit ] && [ "$size" -lt $((most * limit)) ]
verdict rotated_at_size $? "$size bytes"

holds get_flushed cont-then.nrm2 ".complete == false and $named and $(worked one) > $least"
holds get_cont_one cont-one.nrm2 ".complete and $named and $(worked one) > $least and $(absent two)"
holds get_cont_all cont.nrm2 ".complete and $named and $(worked one) > $least and $(worked two) > $least"
holds get_norm_one norm-one.nrm2 ".complete and $named and $(worked one) > $least and $(absent two)"
holds get_norm_discarded norm.nrm2 ".complete and $named and $(worked three) > $least and
	$(absent one) and $(absent two)"

for name in full held; do
	holds "disk_${name}_readable" $name.nrm2 ".complete == false and $named and $(worked $name) > 6 * $least"
done
holds snapshot_without_room roomy.nrm2 ".complete and $named and $(worked roomy) > 6 * $least"

holds short_of_memory short.nrm2 ".complete and $named and $kept and $(worked short) > 3 * $least"

# Four hours of stepping in about four seconds.
holds clock_set clock.nrm2 ".complete and $named and $kept and .duration_ns < 60e9 and
	$(worked clock) > 10 * $least"
records "$out/clock.nrm2"
steps=$(jq -s '[.[] | select(.record == "sync") | (.realtime - .monotonic) / 3600e9 | round] |
	(max - min)' "$out/clock.nrm2.show")
equal clock_told_in_syncs "$steps" 4
back=$($judge counts "$out/clock.nrm2.show" | sed -n 's/^back //p')
equal clock_times_in_order "$back" 0
exit $code
