#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks what is preserved when a trace is written in another format and read again: each cell of the manual's table
# is compared with the result of writing and reading, yes or no.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
script=${TESTS:-$build/tests}/programs/post_script
formats='perf.data gperftools pprof xray'

"$make_trace" stacks stacks.nrm2 && "$make_trace" events events.nrm2 || exit 1
"$script" sched.nrm2 <"$top/tests/post/report/post_sched.story" || exit 1
"$script" calls.nrm2 <"$top/tests/post/report/post_calls.story" || exit 1
"$top/tests/post/input/perf_details_image" little >details.data || exit 1
generate=${TESTS:-$build/tests}/programs/gen_trace
"$generate" --lost=3 --samples=500 lossy.nrm2 >out && "$generate" --samples=2000 --stacks=60 --depth=12 \
	--cpus=2 --processes=3 --threads=2 --clock=monotonic usual.nrm2 >out || exit 1
cp "$top/tests/data/xray/edge/00_ok.xray" calls.xray || exit 1
cp "$top/tests/data/xray/fdr-log-arg1.xray" arguments.xray || exit 1
cp "$top/tests/data/xray/edge/52_v5_typed_ok.xray" typed.xray || exit 1

show() { # FILE JQ: of each record
	"$post" -q -show -json -o - "$1" 2>err | jq -r "$2" 2>/dev/null | sort
}
report() { # FILE JQ; control characters as text, which is how some formats have them
	"$post" -q -json "$1" 2>err | jq -r "$2" 2>/dev/null | sed 's/\t/\\x09/g; s/\x1b/\\x1b/g; s/\x80/\\x80/g' | sort
}
# Samples, one line for each sample that they stand for, without those of idle CPUs.
samples='select(.record == "tprof" and .kind != "idle" and .pid != 0) | . as $s |
	range(1 + (.repeats // 0)) | $s |'
stack='(.stack_kernel + .stack_user) | select(length > 1) |'
modules='[.processes[] | select(.pid != 0).threads[].modules[]]'
sum='group_by(.name)[] | "\(.[0].name) \(map(.ticks) | add)"'
program='map(select(.name != "vmlinux"))'
kernel='map(select(.name == "vmlinux"))'
# Prints the facts of a file that a row of the manual names.
part() { # ROW FILE
	case $1 in
	'samples') show "$2" "$samples 1" ;;
	'idle ticks') report "$2" '[.processes[] | select(.pid == 0).ticks] | add // 0 | select(. > 0)' ;;
	'times of samples') show "$2" "$samples .time" ;;
	'events by name') report "$2" '.events[] | select(.ticks > 0).name' ;;
	'what samples counted') show "$2" "$samples .period" ;;
	'CPUs') show "$2" "$samples .cpu" ;;
	'process ids') show "$2" "$samples .pid" ;;
	'thread ids') show "$2" "$samples .tid" ;;
	'names of processes') report "$2" '[.processes[] | select(.pid != 0)] | '"$sum" ;;
	'names of threads') report "$2" '[.processes[] | select(.pid != 0).threads[]] | '"$sum" ;;
	'modules') report "$2" "$modules | $program | $sum" ;;
	'symbols of the kernel') report "$2" "$modules | $kernel | map(.symbols[]) | $sum" ;;
	'addresses') show "$2" "$samples .address" ;;
	'kernel or user') show "$2" "$samples .kind" ;;
	'addresses of call stacks') show "$2" "$samples $stack join(\" \")" ;;
	'depths of call stacks') show "$2" "$samples $stack length" ;;
	'dispatches') show "$2" 'select(.record == "dispatch") | "\(.time) \(.cpu) \(.old_tid) \(.new_tid)"' ;;
	'why threads left') show "$2" 'select(.record == "dispatch") | .kind' ;;
	'wake-ups') show "$2" 'select(.record == "wakeup") | "\(.time) \(.tid)"' ;;
	'interrupts') show "$2" 'select(.record == "interrupt") | .kind' ;;
	'system calls') show "$2" 'select(.record == "syscall") | .kind' ;;
	'page faults') show "$2" 'select(.record == "fault") | .address' ;;
	'losses') show "$2" 'select(.record == "lost") | .count' ;;
	'what perf tells besides') show "$2" 'select(.record == "perf" and .kind != "event") |
		"\(.time) \(.kind) \(.path) \(.address) \(.branches) \(.data) \(.namespaces) \(.before) \(.after)"' ;;
	'calls of functions') show "$2" 'select(.record == "call") | "\(.tid) \(.function) \(.kind)"' ;;
	'times between calls') "$post" -q -show -json -o - "$2" 2>err |
		jq -r -s 'map(select(.record == "call").time) | sort | .[0] as $first | .[] - $first' ;;
	'arguments of functions') show "$2" 'select(.record == "call" and .arguments != []) | "\(.function) \(.arguments)"' ;;
	'events of programs') show "$2" 'select(.strings) | "\(.major) \(.kind) \(.strings)"' ;;
	esac
}
source_of() { # ROW
	case $1 in
	'what samples counted' | 'events by name') echo events.nrm2 ;;
	'symbols of the kernel' | 'kernel or user') echo stacks.nrm2 ;;
	'dispatches' | 'why threads left' | 'wake-ups' | 'interrupts') echo sched.nrm2 ;;
	'system calls' | 'page faults') echo calls.nrm2 ;;
	'losses') echo lossy.nrm2 ;;
	'what perf tells besides') echo details.data ;;
	'calls of functions' | 'times between calls') echo calls.xray ;;
	'arguments of functions') echo arguments.xray ;;
	'events of programs') echo typed.xray ;;
	*) echo usual.nrm2 ;;
	esac
}
mapfile -t wanted < <(declare -f part | sed -n "s/^ *'\(.*\)')\$/\1/p")
: >have
for row in "${wanted[@]}"; do
	from=$(source_of "$row")
	part "$row" "$from" >before
	[ -s before ] || {
		echo "$from has no $row" >>why
		continue
	}
	line=$row
	for format in $formats; do
		cell=no
		[ -e "$from.$format" ] || [ -e "$from.$format.not" ] ||
			"$post" -q -format "$format" -o "$from.$format" "$from" 2>err || [ $? = 1 ] ||
			touch "$from.$format.not"
		if [ -e "$from.$format" ] && [ ! -e "$from.$format.not" ]; then
			part "$row" "$from.$format" >after
			cmp -s before after && cell=yes
		fi
		line="$line	$cell"
	done
	echo "$line" >>have
done
[ ! -s why ]
verdict sources
page=$top/post/pitrace-formats.7
awk -F '\t' '/^Kept\t/ { on = 1; next } /^\.TE/ { on = 0 } on && NF == 5' "$page" >want
[ -s have ] && [ "$(wc -l <have)" -ge 20 ] && diff want have >why
verdict manual
finish
