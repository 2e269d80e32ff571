#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_ptt_tool.sh KERNEL ARCH: the program ptt: what is held for it, shown, charged, ended; that
# each dump balances to the cycle and tells of each thread what the kernel's clocks do; who may not.
. "$(dirname "$0")/suite.sh"
suite=ptt
# A thread takes a page: here pages of 64 KB.
room=4096
[ "$arch" != ppc64le ] || room=1024
booted guest --smp 2 --get '/tmp/*.json' --get '/tmp/*.txt' --get '/tmp/*.csv' \
	--get /tmp/member -- tests/vm/guest/ptt_tool.sh $room || code=1

# holds NAME FILE FILTER [ARGUMENT]...: of this JSON it is true
holds() {
	jq -e "${@:4}" "$3" "$out/$2" >"$out/holds" 2>&1
	verdict "$1" $? "$(head -c 300 "$out/holds"), $(jq -c '{balanced, n: (.threads | length), earlier, not_counted}' \
		"$out/$2" 2>&1 | head -c 400)"
}

# ---- books: to the cycle, in each dump
books='def books: . as $d | [.metrics[].name] | all(. as $m | $d.cpus |
	all(.all[$m] == .threads[$m] + .other[$m] + .idle[$m] + .interrupts[$m]));'
for i in 1 2 3 4 5; do
	# Other threads' part is that of the moment between the begin and all threads' being watched.
	holds books_$i dump$i.json "$books"' books and .balanced and (.cpus | length == 2) and
		.not_counted == 0 and [.cpus[].other] == $first' --argjson first \
		"$(jq -c '[.cpus[].other]' "$out/dump1.json")"
	grep -E '^threads [0-9]+ \+ other [0-9]+ \+ idle [0-9]+ \+ interrupts [0-9]+ = [0-9]+, all of the CPUs. tsc$' \
		"$out/dump$i.txt" >"$out/line"
	verdict line_$i $? "$(tail -n 4 "$out/dump$i.txt")"
	calc "$(sed 's/,.*//; s/[a-z]//g; s/=/==/' "$out/line")"
	verdict line_adds_up_$i $? "$(cat "$out/line")"
done
# The programs that were forked are in it, ended and earlier ones, too.
holds forks dump5.json '([.threads[] | select(.name == "load-child" and .ended)] | length) > 20'
# A CPU's time is the time that went by, by another clock: the same ratio in all dumps.
hz=$(jq .cycles_per_second "$out/dump5.json")
for c in 0 1; do
	r=$(jq -s "(.[1].cpus[$c].all.tsc - .[0].cpus[$c].all.tsc) / (.[1].elapsed_ns - .[0].elapsed_ns)" \
		"$out/dump1.json" "$out/dump5.json")
	calc "$r * 1e9 / $hz > 0.99 && $r * 1e9 / $hz < 1.01"
	verdict time_cpu$c $? "$r a ns, $hz a second"
done

# ---- info
holds info info.json '.all_threads and .interrupts_apart and .sees_cpus and .room == '$room' and
	.metrics == ["tsc", "page-faults"] and .watched > 20 and .users == 1 and .uid == 0 and
	(.cpus | length == 2) and .not_counted == 0'
grep -qE '^Threads: +all there are and will be: [0-9]+ watched, [0-9]+ ended, room for '$room'$' "$out/info.txt"
verdict info_words $? "$(cat "$out/info.txt")"

# ---- choice and order
for by in pid name; do
	holds by_$by by$by.json '[.threads[].name] == ["chosen"] and .threads[0].values.tsc > 0 and
		(has("earlier") | not)'
done
# sorted FILE KEY...: by these options of sort
sorted() {
	tail -n +2 "$out/$1.csv" | grep -v ,earlier, >"$out/$1.is"
	sort -s -t, "${@:2}" "$out/$1.is" | cmp -s - "$out/$1.is"
	verdict sorted_"$1" $? "$(head -n 4 "$out/$1.is")"
	calc "$(wc -l <"$out/$1.is") > 20"
	verdict sorted_"$1"_rows $?
}
sorted sp -k1,1n
sorted st -k2,2n
sorted sd -k5,5nr
sorted si -k6,6nr
sorted sm1 -k7,7nr
sorted sm2 -k9,9nr
awk '$2 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ { if (n++ && $5 > last) bad = 1; last = $5 } END { exit bad || n < 20 }' "$out/sm1.txt"
verdict sorted_text $? "$(head -n 5 "$out/sm1.txt")"

# ---- charged or apart
for c in 0 1; do
	jq -s ".[0].cpus[$c].interrupts.tsc == .[1].cpus[$c].interrupts.tsc and
		.[1].cpus[$c].interrupts.tsc < .[2].cpus[$c].interrupts.tsc and
		.[0].cpus[$c].interrupts.tsc > 0 and .[0].interrupts_charged and
		(.[2].interrupts_charged | not)" "$out/charged1.json" "$out/charged2.json" "$out/apart.json" \
		>"$out/charged"
	equal charged_cpu$c "$(cat "$out/charged")" true
done
holds charged_books charged2.json "$books books"
holds apart_books apart.json "$books books"

# ---- intervals: what worked used in all of them is what it used, in each metric; two threads and more
jq -s '[.[].threads[] | select(.name == "worked")] | group_by(.tid) | map({tid: .[0].tid,
	dispatches: (map(.dispatches) | add), interrupts: (map(.interrupts) | add),
	tsc: (map(.values.tsc) | add), faults: (map(.values["page-faults"]) | add),
	within: (map(.in_interrupts.tsc) | add), intervals: length})' "$out/intervals.json" >"$out/sums"
jq '[.threads[] | {tid, dispatches, interrupts, tsc: .values.tsc, faults: .values["page-faults"],
	within: .in_interrupts.tsc}] | sort_by(.tid)' "$out/total.json" >"$out/total"
equal intervals_add_up "$(jq -c 'map(del(.intervals))' "$out/sums")" "$(jq -c . "$out/total")"
equal intervals_threads "$(jq 'length == 4 and (map(.intervals) | max) > 1' "$out/sums")" true
# At a quiet moment the threads' values add up to the CPUs' part.
holds threads_add_up total.json '.threads_add_up'
grep -q "^All threads' own values add up to the threads' part" "$out/total.txt"
verdict threads_add_up_words $? "$(tail -n 4 "$out/total.txt")"
equal intervals_number "$(jq -s -c 'map(.interval)' "$out/intervals.json")" '[1,2,3,4,5,6,7,8,9,10]'
jq -s "$books all(books and .balanced) and (map(.elapsed_ns) | add) >= 4e9" "$out/intervals.json" >"$out/line"
equal intervals_books "$(cat "$out/line")" true
equal intervals_csv "$(cut -d, -f1 "$out/intervals.csv" | uniq | paste -sd' ')" 'interval 1 2'
equal intervals_text "$(grep -c '^Interval [12]: what came in it$' "$out/intervals.txt")" 2
equal cut_short "$(jq -s -c 'map([.interval, .elapsed_ns < 100000000000])' "$out/cut.json")" '[[1,true]]'

# ---- top
equal top_blocks "$(grep -c '^ptt top' "$out/top.txt")" 3
# A thread that only works has a CPU, as far as the machine lets it.
awk '$NF == "chosen" { n++; if ($3 > 60 && $3 + $4 < 101) ok++ } END { exit !(n == 3 && ok == 3) }' "$out/top.txt"
verdict top_shares $? "$(grep chosen "$out/top.txt")"
grep -qE '^2 CPUs:  threads [0-9.]+ % other 0.00 % idle [0-9.]+ % interrupts [0-9.]+ %$' "$out/top.txt"
verdict top_cpus $? "$(head -n 3 "$out/top.txt")"
for order in CPU dispatches interrupts process thread; do
	grep -qa " threads ran, by $order" "$out/screen.txt"
	verdict "screen_$order" $? "$(tr '\033' '~' <"$out/screen.txt" | grep -a ran, | head -c 500)"
done
# ends NAME: the terminal as it was, with its page, cursor and wrapping, and no error
ends() {
	equal "$1_end" "$(tail -n 2 "$out/$1.txt" | paste -sd' ')" 'terminal as before end 0'
	equal "$1_given_back" "$(grep -ao $'\033\[?[0-9]*[hl]' "$out/$1.txt" | tr -d '\033' | paste -sd' ')" \
		'[?1049h [?25l [?7l [?7h [?25h [?1049l'
}
ends screen
ends ctrlc
# Never more lines than the terminal has: 12, then 6.
tr '\033' '\n' <"$out/screen.txt" | awk '/^\[H/ { n = 1 } /^\[K\r/ { n++ } /^\[J/ { print n }' >"$out/heights"
awk '$1 > 12 { bad = 1 } $1 > 6 { high++ } END { exit bad || !(NR > 5 && high && $1 <= 6) }' "$out/heights"
verdict screen_heights $? "$(paste -sd' ' "$out/heights")"
grep -q ' page-faults .*NAME' "$out/own.txt" && grep -q ' chosen$' "$out/own.txt"
verdict top_own $? "$(cat "$out/own.txt")"
equal top_own_alone "$(grep -cE '^ +[0-9]+ ' "$out/own.txt")" 1
grep -q ' chosen$' "$out/alone.txt"
verdict top_alone $? "$(head -n 5 "$out/alone.txt")"

# ---- run: thread by thread, value and what interrupts took of it, beside the kernel's clock
# The time after a thread's last reading of its clock is that of its exit; the first thread's clock also includes the
# time before the command, and the start of its first line counts for the command. An emulated machine that waits for
# its host in the middle of a switch has that time before it here, after it there: one of three runs must be free of
# that. suite_abi.sh compares them to the cycle.
for i in 1 2 3; do
	read -r _ first begun <"$out/run$i.txt"
	while read -r tid clock; do
		before=0
		[ "$tid" != 0 ] && [ "$tid" != "$first" ] || before=$begun
		jq -c --argjson tid "$tid" --argjson clock "$clock" --argjson before "$before" --argjson hz "$hz" \
			'[.threads[] | select(.tid == $tid or $tid == 0) | (.values.tsc + .in_interrupts.tsc) * 1e9 / $hz] | add |
			. - $clock | [. > -$before - 0.01 * $clock - 2e6 and . < 0.01 * $clock + 30e6, .]' "$out/run$i.json"
	done < <(tail -n +2 "$out/run$i.txt") >"$out/clocks$i"
	sed "s/^/# run $i: ns more than the clock: /" "$out/clocks$i"
done
equal run_clocks "$(grep -c true "$out"/clocks[123] | cut -d: -f2 | sort -n | tail -n 1)" 5
# The scheduler knows all of the time of threads that sleep, to the last switch, except what the host takes between
# its reading of the clock and ours. The debug kernel has no such account.
if ! is_debug; then
	for i in 1 2 3; do
		while read -r tid clock _; do
			jq -c --argjson tid "$tid" --argjson clock "$clock" --argjson hz "$hz" \
				'.threads[] | select(.tid == $tid) | (.values.tsc + .in_interrupts.tsc) * 1e9 / $hz - $clock |
				[fabs < 0.01 * $clock + 20e6, . / $clock]' "$out/waiting$i.json"
		done <"$out/schedstat$i.txt" >"$out/accounts$i"
		sed "s/^/# beside schedstat $i: /" "$out/accounts$i"
	done
	equal schedstat "$(grep -c true "$out"/accounts[123] | cut -d: -f2 | sort -n | tail -n 1)" 4
fi
holds run_books run1.json "$books"' books and .threads_add_up and ([.cpus[].threads.tsc] | add) ==
	([.threads[].values.tsc] | add) + .earlier.values.tsc'

# ---- cycles per instruction: emulated ppc64le counts both
equal cpi_machine "$(cat "$out/cpi_code.txt")" "$([ "$arch" = ppc64le ] && echo 0 || echo 125)"
if [ "$arch" = ppc64le ]; then
	holds cpi cpi.json 'any(.threads[]; .cpi) and all(.threads[]; (.cpi == null) == (.values.instructions == 0) and
		(.cpi == null or (.cpi - .values.cycles / .values.instructions | fabs) < 0.0001))'
	holds cpi_run cpi_run.json 'all(.threads[]; .cpi > 0)'
	grep -q ' CPI  NAME$' "$out/cpi.txt" && grep -q ',cpi$' "$out/cpi.csv"
	verdict cpi_columns $? "$(head -n 3 "$out/cpi.txt" "$out/cpi.csv")"
fi

# ---- a member's
[ "$arch" = ppc64le ] || holds member_little_memory member/few.json '.room == 64 and .not_counted == 0'
holds member_own_alone member/own.json '[.threads[].name] == ["mine"] and .cpus == [] and
	.threads[0].values.tsc > 0'
grep -q 'CAP_PERFMON is needed to see' "$out/member/own.txt"
verdict member_no_cpus $? "$(cat "$out/member/own.txt")"
grep -q "^Rights: *the user's own processes" "$out/member/info.txt"
verdict member_info $? "$(cat "$out/member/info.txt")"
exit $code
