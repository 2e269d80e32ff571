#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Reads the files that post writes with the viewers' own importers: speedscope's for its own format, pprof, folded
# stacks and trace events, Firefox Profiler's for its own. Totals and own values of functions agree with the report,
# to the last tick. The viewers come from npm (tests/viewers/get).
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
script=${TESTS:-$build/tests}/programs/post_script
viewers=$top/tests/viewers
packages=$("$viewers/get") || exit 1
node=$packages/node/bin/node

for scene in stacks story times; do
	"$make_trace" $scene $scene.nrm2 || exit 1
done
for story in sched calls; do
	"$script" $story.nrm2 <"$top/tests/post/report/post_$story.story" || exit 1
done

report() { # TRACE OPTION...
	"$post" -q -json "${@:2}" "$1"
	[ $? -le 1 ]
}
convert() { # FORMAT TRACE FILE
	"$post" -q -format "$1" -o "$3" "$2" 2>err
	[ $? -le 1 ]
}
speedscope() { # FILE: what it sees, to `seen`; its complaints to `err`
	"$node" "$viewers/speedscope.js" "$packages/speedscope" "$1" >seen 2>err || {
		cp err why
		return 1
	}
}
# Rows "ticks name": what functions have themselves, of all threads, as the report has it; and in what
# is worth that many of the importer's units. Those that have nothing are in no report.
own() { # TRACE
	report "$1" | jq -r '[.processes[].threads[].modules[].symbols[]] | group_by(.name)[] |
		"\(map(.ticks) | add) \(.[0].name | @json)"' | sort
}
seen_own() { # UNITS-A-TICK
	jq -r --argjson tick "$1" '[.[].own | to_entries[] | select(.value > 0)] | group_by(.key)[] |
		"\((map(.value) | add) / $tick) \(.[0].key | @json)"' seen | sort
}
same_rows() {
	[ -s have ] && diff want have >why
}

# ---- speedscope: a profile a thread; its totals
for trace in stacks story times; do
	convert speedscope $trace.nrm2 a.json && speedscope a.json && own $trace.nrm2 >want &&
		seen_own 1000000 >have && same_rows
	verdict speedscope_own_$trace
	report $trace.nrm2 | jq -r '.processes[] as $p | $p.threads[] |
		"\(.ticks) \($p.name) (pid \($p.pid)) \(.name) (tid \(.tid))" | @json' | sort >want
	jq -r '.[] | "\(.total / 1000000) \(.name)" | @json' seen | sort >have
	same_rows
	verdict speedscope_threads_$trace
	convert pprof $trace.nrm2 a.pb.gz && speedscope a.pb.gz && own $trace.nrm2 >want &&
		seen_own 1000000 >have && same_rows
	verdict speedscope_pprof_$trace
	# Names of the kernel's functions end in _[k] there, and nothing is unprintable.
	convert folded $trace.nrm2 a.folded && speedscope a.folded &&
		own $trace.nrm2 | sed 's/\\\\x/\\x/g' >want &&
		seen_own 1 | sed 's/_\[k\]"$/"/' | awk '{ n = $1; $1 = ""; sum[$0] += n }
			END { for (name in sum) print sum[name] name }' | sed 's/\\\\x/\\x/g' | sort >have &&
		same_rows
	verdict speedscope_folded_$trace
done

# ---- of a perf.data with several events, one is written, as reported
"$top/tests/fuzz/seeds" unpack perfdata seeds
for event in 1 2; do
	file=seeds/unfinished
	report "$file" -e $event 2>err | jq '.total_ticks' >want
	"$post" -q -format speedscope -e $event -o a.json "$file" 2>err
	speedscope a.json && jq 'map(.total) | add / 1000' seen >have && same_rows
	verdict speedscope_event_$event
done

# ---- trace events: no end without its beginning, times of interrupts and system calls
for trace in sched calls; do
	convert chrome $trace.nrm2 a.chrome && speedscope a.chrome &&
		! grep 'Doing nothing instead' err >why
	verdict speedscope_events_$trace
done
report sched.nrm2 -irq | jq -r '.irq.sources[] | "\(.self_ns) \((if .source == "device" or
	.source == "softirq" then .source + " " + .name else "\(.source) \(.number)" end) | @json)"' |
	sort >want
convert chrome sched.nrm2 a.chrome && speedscope a.chrome &&
	jq '[.[] | select(.name | startswith("Interrupts"))]' seen >irqs && mv irqs seen &&
	seen_own 0.001 >have && same_rows
verdict speedscope_interrupts
# For calls that always return to their caller: one in which the trace ends is open until then.
report calls.nrm2 -syscalls | jq -r '.syscalls.threads | group_by(.call)[] |
	select((map(.open + .no_return + .cut) | add) == 0) |
	"\(map(.time.total_ns) | add) \(.[0].call | @json)"' | sort >want
convert chrome calls.nrm2 a.chrome && speedscope a.chrome &&
	seen_own 0.001 | grep -wFf <(cut -d' ' -f2 want) >have && same_rows
verdict speedscope_calls

# ---- Firefox Profiler
export PROFILER_CLI_SESSION_DIR=$work/sessions
firefox() {
	"$node" "$packages/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@" --session viewers
}
# The names of threads, and of each what its functions have themselves.
firefox_own() { # FILE
	local threads thread
	threads=$(jq '.threads | length' "$1")
	# It continues to load when it says that it is slow, as on a busy machine.
	firefox load "$1" >out 2>&1
	for ((thread = 0; thread < 60; thread++)); do
		firefox thread list >>out 2>&1 && break
		sleep 0.5
	done
	for ((thread = 0; thread < threads; thread++)); do
		firefox thread functions --thread "t-$thread" --include-idle --limit 1000000 --json || break
	done >seen 2>>out
	firefox stop >>out 2>&1
	[ "$thread" = "$threads" ]
}
trap 'firefox stop >/dev/null 2>&1; rm -rf "$work"' EXIT
for trace in stacks story times; do
	report $trace.nrm2 | jq -r '.processes[].threads[] as $t | $t.modules[].symbols[] |
		[$t.name, .name, .ticks] | @json' >rows
	# The same name in several modules of a thread is several functions, or one.
	sums() {
		jq -rs 'group_by(.[:2])[] | "\(map(.[2]) | add | . * 1000 | round / 1000) \(.[0][:2] | @json)"' | sort
	}
	sums <rows >want
	convert firefox $trace.nrm2 a.json && firefox_own "$PWD/a.json" ||
		cp out why
	jq -c '.friendlyThreadName as $t | .functions[] | select(.selfSamples > 0) |
		[$t, .name, .selfSamples]' seen | sums >have
	same_rows
	verdict firefox_own_$trace
done
finish
