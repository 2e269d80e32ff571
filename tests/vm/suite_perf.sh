#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_perf.sh KERNEL ARCH: a stock Debian kernel without the module: the same commands and the same
# file by the kernel's perf events; names held against the truth as far as perf can know it.
. "$(dirname "$0")/suite.sh"
booted guest --no-module --smp 2 --timeout 500 --get '/tmp/*.nrm2' --get '/tmp/*.nrm2.[0-9]' --get '/tmp/*.txt' \
	--get /tmp/check.json -- tests/vm/guest/perf.sh 50 || code=1
[ -e "$out/lives.nrm2" ] || exit 1

equal check_json "$(jq -c '[.serves.process, .serves.system, .collectors[0].name,
	.collectors[0].process.state]' "$out/check.json")" '["perf","perf","driver","absent"]'

rows() {
	jq -r '.processes[] | .name as $p | .threads[] | .name as $t | .modules[] | .name as $m |
		.symbols[] | [$p, $t, $m, .name, .ticks] | @tsv' "$1"
}
# Older files: rotate.nrm2.1 is rotate.1.nrm2 here.
older=
for file in "$out"/*.nrm2.[0-9]; do
	name=${file##*/}
	older="$older ${name/.nrm2/}"
	mv "$file" "$out/${name/.nrm2/}.nrm2" || exit 1
done
rotated=$(printf '%s\n' $older | grep '^rotate')
[ "$(wc -l <<<"$rotated")" -ge 2 ] && [[ $older = *size* ]]
verdict rotated $? "$older"
for name in lives brief reuse early stacks dispatch points points-all lossy wrap newest off usr2 crash child session snap \
	norm norm-one faults events rotate size $older; do
	report "$out/$name.nrm2" || exit 1
	rows "$out/$name.nrm2.json" >"$out/$name.rows"
	records "$out/$name.nrm2" || exit 1
	jq -r .collector "$out/$name.nrm2.json"
done >"$out/collectors"
equal collectors "$(sort -u "$out/collectors")" perf
ticks() { # FILE PROCESS MODULE SYMBOL: whole-word regular expressions
	awk -F '\t' -v p="^($2)$" -v m="^($3)$" -v s="^($4)$" \
		'$1 ~ p && $3 ~ m && $4 ~ s { n += $5 } END { print n + 0 }' "$out/$1.rows"
}
some() { # NAME FILE PROCESS MODULE SYMBOL
	calc "$(ticks "${@:2}") > 0"
	verdict "$1" $? "no tick of '$3' in '$4' '$5'"
}

lives='.*/lives'
some rename_before lives 'old-name|new-name' "$lives" before_rename
some rename_after lives new-name "$lives" after_rename
some threadexec_thread lives 'leader|lives' "$lives" thread_work
some threadexec_after lives lives "$lives" spin_work
some vfork_parent lives vforker "$lives" vfork_parent
some fork_own_code lives forked "$lives" fork_child
some fork_inherited_library lives forked '.*/libreuse_a.so' first_a
equal no_code_of_others "$(ticks lives 'old-name|new-name|vforker|forked' "$lives" \
	'thread_work|leader_work|spin_work')" 0
threads=$(awk -F '\t' '$2 ~ /^worker-[0-9]+$/ && $4 == "thread_work" { print $2 }' "$out/lives.rows" |
	sort -u | wc -l)
echo "# $threads of 500 threads had ticks in their work"
calc "$threads > 200"
verdict threads_named $? "$threads only"
for name in lives brief reuse; do
	equal "${name}_no_tick_unknown" "$(jq -c '[.unknown.no_module, .unknown.unsure]' \
		"$out/$name.nrm2.json")" '[0,0]'
done

read -r born longest < <($judge lifetimes "$out/brief.nrm2.show" brief)
echo "# $born brief processes from fork to exit, at most $longest ms"
[ "$born" -ge 50 ]
verdict brief_lives_told $? "$born only"
some brief_symbol brief brief '.*/brief' brief_work

# perf does not tell of unmapping: the next library retires the one before it.
$judge windows "$out/reuse.nrm2.show" "$out/reuse.txt" >"$out/reuse.judged"
while read -r which right wrong; do
	echo "# library $which: $right ticks in its time, $wrong not"
	calc "$right > 50 && $wrong == 0"
	verdict "reuse_lib_$which" $? "$right ticks in its time, $wrong not"
done <"$out/reuse.judged"
equal reuse_libraries "$(wc -l <"$out/reuse.judged")" 2

# Lived before, and its file is gone.
some early_known early early '/tmp/early.*' '.*'
equal early_alone "$(cut -f1 "$out/early.rows" | sort -u)" early
equal early_buildid "$(jq -rs '[.[] | select(.kind == "build id" or .kind == "build-id")] | length > 0' \
	"$out/early.nrm2.show")" true

# Both parts of a stack, each headed by where the CPU was.
jq -s '[.[] | select(.record == "tprof" and .kind != "idle")] | length' "$out/stacks.nrm2.show" \
	>"$out/stacks.all"
some stacks_symbol stacks early '/tmp/early.*' '.*'
equal stacks_with_all "$(jq -s '[.[] | select(.record == "tprof" and .kind != "idle" and
	(.minor / 512 | floor) % 2 == 1)] | length' "$out/stacks.nrm2.show")" "$(cat "$out/stacks.all")"

# Each CPU's dispatches are a chain: who comes is who leaves next.
read -r _ dispatches _ broken _ to_idle < <($judge chain "$out/dispatch.nrm2.show")
echo "# $dispatches dispatches, $to_idle of them to idle"
[ "$dispatches" -gt 20 ] && [ "$to_idle" -gt 5 ]
verdict dispatches_told $? "$dispatches, $to_idle to idle"
equal dispatch_chain "$broken" 0
"$build/bin/post" -q -sched -json -r "$out/pause.nrm2" >"$out/pause.json" 2>&1
jq -e '.sched.cpus | length == 2 and all(.unknown_ns > 900000000 and .unknown_ns < .wall_ns)' \
	"$out/pause.json" >"$out/pause.judged"
verdict pause_is_unknown $? "$(jq -c '.sched.cpus | map([.wall_ns, .unknown_ns])' "$out/pause.json" 2>&1)"

# By tracepoints: as many calls as it made, each dispatch that the kernel counted, where it slept, who woke it.
for name in points points-all; do
	pid=$(sed -n 's/pid: //p' "$out/$name.txt") begun=$(sed -n 's/begun: //p' "$out/$name.txt")
	ends=$(sed -n 's/ends: //p' "$out/$name.txt")
	"$build/bin/post" -q -syscalls -json -pid "$pid" -r "$out/$name.nrm2" >"$out/$name.calls" 2>&1
	equal ${name}_calls "$(jq -c "[.. | objects | select(.pid? == $pid and .call?) |
		select(.call == \"getppid\" or .call == \"close\") | [.call, .time.count >= 57, .error_count]] | sort" \
		"$out/$name.calls")" '[["close",true,57],["getppid",true,0]]'
	equal ${name}_calls_counted "$(jq -c "[.. | objects | select(.pid? == $pid and .call? == \"getppid\") |
		.time.count][0]" "$out/$name.calls")" 1234
	left=$(jq -c "select(.record == \"dispatch\" and .old_tid == $pid)" "$out/$name.nrm2.show" | wc -l)
	echo "# $left dispatches, the kernel counted $begun before main and $ends at the end"
	calc "$left >= $ends - $begun && $left <= $ends + 10"
	verdict ${name}_dispatches $? "$left, the kernel counted $begun to $ends"
	woken=$(jq -c "select(.record == \"wakeup\" and .tid == $pid and .pid == $pid and .waker_pid != $pid and
		.waker_pid != 0)" "$out/$name.nrm2.show" | wc -l)
	calc "$woken >= 20"
	verdict ${name}_woken $? "$woken times"
done
slept=$("$build/bin/post" -q -offcpu -callers -json -r "$out/points.nrm2" -sympath "$sympath" 2>/dev/null |
	jq '.symbols[] | select(.name == "known_place") | .total')
calc "${slept:-0} >= 80000"
verdict points_known_place $? "'$slept' us of 40 times 2 ms"

# Ticks, idle ticks and what was lost add up to time on each CPU.
for name in brief lossy; do
	$judge counts "$out/$name.nrm2.show" >"$out/$name.judged"
	sed 's/^/# /' "$out/$name.judged"
	equal "${name}_cpus" "$(grep -c '^cpu' "$out/$name.judged")" 2
	awk '/^cpu/ && ($8 > 20 || $8 < -20) { exit 1 }' "$out/$name.judged"
	verdict "${name}_adds_up" $? "not within 2 %: $(grep ^cpu "$out/$name.judged" | paste -sd' ')"
done
lost=$(jq -s '[.[] | select(.record == "lost" and .kind == "samples") | .count] | add // 0' \
	"$out/lossy.nrm2.show")
echo "# $lost samples lost while the reader stood still"
calc "$lost > 20"
verdict lossy_lost $? "$lost only"

# Of a trace that is much larger than the buffer, the newest samples are kept, in order, with names: also those of
# exited processes.
of() { # TRACE PROCESS: its ticks in its own function
	ticks "$1" "$2" '.*/plain' plain_work
}
equal newest_named "$(jq -c '[.complete, .unknown.no_module, .unknown.unsure, ([.held[].older_sections] | add > 10)]' \
	"$out/newest.nrm2.json")" '[true,0,0,true]'
equal newest_without_old "$(of newest gone)" 0
calc "$(of newest ending) > 100 && $(of newest last) > 50"
verdict newest_of_who_is_gone $? "ending $(of newest ending), last $(of newest last)"
$judge gaps "$out/newest.nrm2.show" >"$out/newest.gaps"
equal newest_in_order "$(awk '{ n += $8 } END { print n + 0, (NR > 0) }' "$out/newest.gaps")" '0 1'

# The samples before the freeze are there, those after it are not.
for name in off usr2; do
	calc "$(of $name before) > 100 && $(of $name after) == 0"
	verdict "${name}_froze" $? "before $(of $name before), after $(of $name after)"
done
calc "$(of crash before) > 100"
verdict crash_keeps_what_was_before $?
calc "$(of child before) > 100 && $(of child after) > 100"
verdict crash_of_a_child_is_not_told $? "before $(of child before), after $(of child after)"

# Snapshots have what was before them; what was discarded is nowhere.
calc "$(of snap one) > 100 && $(of snap two) == 0"
verdict snapshot_while_on $? "one $(of snap one), two $(of snap two)"
calc "$(of session one) == 0 && $(of session two) == 0 && $(of session three) > 100"
verdict discard_while_on $? "$(of session one) $(of session two) $(of session three)"
calc "$(of norm-one one) > 100 && $(of norm-one two) == 0 && $(of norm one) == 0 && $(of norm two) > 100"
verdict snapshot_and_discard_in_normal_mode $? \
	"$(of norm-one one) $(of norm-one two), $(of norm one) $(of norm two)"

# Rotated: each file has its own names, each sample is in one of them. The number of files depends on the machine.
sum=0 whole=0 worked=0
for name in $rotated rotate; do
	[ "$(jq -c '[.complete, .unknown.no_module, .unknown.unsure]' "$out/$name.nrm2.json")" = '[true,0,0]' ] ||
		whole="$whole $name"
	[ $name = rotate ] || calc "$(ticks $name rotated '.*/plain' plain_work) > 0" || worked="$worked $name"
	sum=$((sum + $(jq .total_ticks "$out/$name.nrm2.json")))
done
equal rotate_whole "$whole" 0
equal rotate_has_ticks "$worked" 0
equal rotate_each_sample_once "$sum" "$(sed -n 's/.* records, \([0-9]*\) ticks.*/\1/p' "$out/rotate.txt")"
equal rotate_in_order "$(for name in $rotated rotate; do
	jq -r 'select(.record == "tprof") | .time' "$out/$name.nrm2.show" | sort -n | sed -n '1p;$p'
done | tee "$out/rotate.times" | sort -nc 2>&1; wc -l <"$out/rotate.times")" $(($(wc -w <<<"$rotated") * 2 + 2))
whole=0
for name in size $(printf '%s\n' $older | grep '^size'); do
	[ "$(jq -c '[.complete, .unknown.no_module, .unknown.unsure]' "$out/$name.nrm2.json")" = '[true,0,0]' ] ||
		whole="$whole $name"
done
equal rotate_size "$whole" 0

# By faults, and by nothing else.
for name in faults events; do
	equal "${name}_alone" "$(jq -c '[.events[] | [.name, .period]]' "$out/$name.nrm2.json")" \
		"[[\"page-faults\",$([ $name = faults ] && echo 10 || echo 1)]]"
done
some faults_named faults 'plain|faulty' '.*' '.*'
calc "$(jq .total_ticks "$out/events.nrm2.json") > 5 * $(jq .total_ticks "$out/faults.nrm2.json")"
verdict faults_counted $? "$(jq .total_ticks "$out/faults.nrm2.json") of tenths, $(jq .total_ticks "$out/events.nrm2.json") of all"

# A small buffer that wraps keeps the end of a long run.
some wrap_symbol wrap wrap '.*/plain' plain_work
exit $code
