#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_perf.sh KERNEL ARCH: a stock Debian kernel without the module: the same commands and the same
# file by the kernel's perf events; names held against the truth as far as perf can know it.
. "$(dirname "$0")/suite.sh"
booted guest --no-module --smp 2 --timeout 250 --get '/tmp/*.nrm2' --get '/tmp/*.txt' \
	--get /tmp/check.json -- tests/vm/guest/perf.sh 50 || code=1
[ -e "$out/lives.nrm2" ] || exit 1

equal check_json "$(jq -c '[.serves.process, .serves.system, .collectors[0].name,
	.collectors[0].process.state]' "$out/check.json")" '["perf","perf","driver","absent"]'

rows() {
	jq -r '.processes[] | .name as $p | .threads[] | .name as $t | .modules[] | .name as $m |
		.symbols[] | [$p, $t, $m, .name, .ticks] | @tsv' "$1"
}
for name in lives brief reuse early stacks dispatch lossy wrap; do
	report "$out/$name.nrm2" || exit 1
	rows "$out/$name.nrm2.json" >"$out/$name.rows"
	records "$out/$name.nrm2" || exit 1
	equal "${name}_collector" "$(jq -r .collector "$out/$name.nrm2.json")" perf
done
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

# Of a long run a small buffer that wraps keeps the end.
some wrap_symbol wrap wrap '.*/plain' plain_work
exit $code
