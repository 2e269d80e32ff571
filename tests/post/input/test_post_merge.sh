#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Several traces read as one: sums over all, each one's share as in a separate report, pids and kernels kept separate,
# one order of time, and damage affects only its own trace.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
script=${TESTS:-$build/tests}/programs/post_script
data=$top/tests/data

"$make_trace" stacks stacks.nrm2 || exit 1
"$make_trace" story story.nrm2 || exit 1
"$make_trace" events events.nrm2 || exit 1
"$script" sched.nrm2 <"$top/tests/post/report/post_sched.story" || exit 1
cat >one.story <<-END
	0 on
	0 task walk 100 1 job
	10 sample 0 100 0xffffffff81001010
	20 sample 0 100 0xffffffff81001020
	30 sample 1 0 0xffffffff81001020
	900000 sample 0 100 0x1000
	1000000 off
END
"$script" --spin=old_lock old.nrm2 <one.story || exit 1
"$script" --spin=new_lock --later=10 new.nrm2 <one.story || exit 1

json() {
	"$post" -q -json "$@" 2>err
	[ $? -le 1 ]
}
total() {
	json "$@" | jq .total_ticks
}
equal() { # WHAT A B
	[ -n "$2" ] && [ "$2" = "$3" ] && return 0
	printf '%s: not equal:\n%s\n%s\n' "$1" "$2" "$3" | head -n 60 >why
	return 1
}

# ---- sums, and each one's share
adds_up() { # FILE...
	local sum=0 file
	for file; do
		sum=$((sum + $(total "$file")))
	done
	equal "$*" "$(total "$@")" "$sum"
}
adds_up story.nrm2 stacks.nrm2
verdict total
adds_up "$data"/perf/perf.data.callgraph-3.8 "$data"/perf/perf.data.singleprocess-3.8 \
	"$data"/perf/perf.data.ctx_switch_namespaces-4.14
verdict total_perf
adds_up "$data"/gperftools/cppbench.cpu story.nrm2
verdict total_formats

# Processes with modules, symbols and ticks, without the label; where several modules have as many ticks
# their order is no one's promise.
tree='def f: if type == "object" then (del(.percent, .serial) | map_values(f)) elif type == "array"
	then (map(f) | sort_by(tojson)) else . end; .processes'
share() { # LABEL FILE...: what a report of all has of this one
	json "${@:2}" | jq -S --arg l "$1:" "$tree | map(select(.name | startswith(\$l))
		| .name |= ltrimstr(\$l)) | f"
}
alone() {
	json "$1" | jq -S "$tree | f"
}
for name in story stacks; do
	equal "$name" "$(share $name story.nrm2 stacks.nrm2)" "$(alone $name.nrm2)"
	verdict "share_of_$name"
done
# Losses of one's names say nothing about the other's.
"$post" -q -json stacks.nrm2 "$data"/gperftools/cppbench.cpu >out 2>err
equal unsure "$(jq .unknown.unsure out)" "$(json stacks.nrm2 | jq .unknown.unsure)"
verdict unsure_is_its_own

# ---- one pid, two processes
code 0 "$post" -q -json old.nrm2 new.nrm2 && equal pids \
	"$(jq -c '[.processes[] | select(.pid == 100) | [.name, .ticks]] | sort' out)" \
	'[["new:job",3],["old:job",3]]'
verdict same_pid
# ---- two kernels: each has its own name at the same address
code 0 "$post" -q -csv old.nrm2 new.nrm2 && awk -F, '/old:/ && /new_lock/ || /new:/ && /old_lock/ { bad = 1 }
	/old_lock/ { o += $7 } /new_lock/ { n += $7 } END { exit bad || o != 3 || n != 3 }' out ||
	{ cp out why; false; }
verdict own_kernels

# ---- the order of time: 10 seconds by the wall clock, and -time of all
code 0 "$post" -q -json old.nrm2 new.nrm2 && equal length "$(jq .duration_ns out)" 11000000000
verdict wall_clock
equal before "$(total -time 10-11 old.nrm2 new.nrm2)" 4 &&
	equal after "$(total -time 20-21 old.nrm2 new.nrm2)" 4 &&
	equal inside "$(total -time 10.5-20.5 old.nrm2 new.nrm2)" 4
verdict time_filter
# A profile has no wall-clock time: all begin at 0, and the report says so.
"$post" -q -info old.nrm2 "$data"/gperftools/cppbench.cpu >out 2>err
has out 'each input from 0' && equal first "$(total -time 0-0.5 old.nrm2 new.nrm2 "$data"/gperftools/cppbench.cpu)" \
	"$((6 + $(total -time 0-0.5 "$data"/gperftools/cppbench.cpu)))"
verdict from_0

# Two that ran at the same time: their records take turns.
sed 's/^10 /15 /; s/^20 /25 /; s/^900000 /800000 /' one.story | "$script" --spin=new_lock beside.nrm2 &&
	code 0 "$post" -q -format chrome -o turns.json old.nrm2 beside.nrm2 &&
	equal turns "$(jq -c '[.traceEvents[] | select(.ph == "i").ts | round]' turns.json)" \
		'[10000010,10000015,10000020,10000025,10000030,10000030,10800000,10900000]'
verdict turns
# Only facts that all inputs share are reported.
code 0 "$post" -q -info story.nrm2 old.nrm2 && has out 'os: Test OS 1' && ! grep -q 'room: 5' out &&
	"$post" -q -info story.nrm2 >out 2>err && has out 'room: 5'
verdict common_facts

# The header, in whatever order they are named: what all share, when the first began, and whether one kept only
# its newest records.
header() { # FILE...
	json "$@" | jq -c '[.collector, .machine, .kernel, .start_realtime_ns, .held != []]'
}
"$script" --later=10 --wrap --collector=perf --machine=box other.nrm2 <one.story || exit 1
began=$(json old.nrm2 | jq .start_realtime_ns)
differs='["several","","6.1.0-test",'$began,true]
equal alike "$(header old.nrm2 new.nrm2)" "$(header old.nrm2)" &&
	equal alike_later_first "$(header new.nrm2 old.nrm2)" "$(header old.nrm2)" &&
	equal later "$(header other.nrm2)" '["perf","box","6.1.0-test",'$((began + 10000000000)),true] &&
	equal two "$(header old.nrm2 other.nrm2)" "$differs" &&
	equal later_first "$(header other.nrm2 old.nrm2)" "$differs" &&
	equal three "$(header new.nrm2 other.nrm2 old.nrm2)" "$differs"
verdict header

# ---- filters mean the traces' own numbers
equal pid "$(total -pid 100 old.nrm2 new.nrm2)" 6 && equal comm "$(total -comm job old.nrm2 new.nrm2)" 6 &&
	equal cpus "$(total -cpus 0,1 old.nrm2 new.nrm2)" 4
verdict filters

# ---- threads' and CPUs' times
cp sched.nrm2 twin.nrm2
code 0 "$post" -q -json -sched sched.nrm2 twin.nrm2 && equal cpus "$(jq -c '[.sched.cpus[].busy_ns] | add' out)" \
	"$(json -sched sched.nrm2 | jq '2 * ([.sched.cpus[].busy_ns] | add)')" &&
	equal threads "$(jq '[.sched.threads[].run_ns] | add' out)" \
		"$(json -sched sched.nrm2 | jq '2 * ([.sched.threads[].run_ns] | add)')"
verdict sched
# Ten seconds apart: a CPU is its trace's while that is on.
"$script" --later=10 later.nrm2 <"$top/tests/post/report/post_sched.story"
code 0 "$post" -q -json -sched sched.nrm2 later.nrm2 &&
	equal busy "$(jq '[.sched.cpus[].busy_ns] | add' out)" \
		"$(json -sched sched.nrm2 | jq '2 * ([.sched.cpus[].busy_ns] | add)')"
verdict sched_apart

# ---- more events than there are numbers: those of the second trace that found none are nobody else's
for ((i = 0; i < 124; i++)); do
	echo "0 counter $i 0 1000 first$i"
done >counters
{
	printf '%s\n' '0 on' '0 task walk 100 1 job'
	cat counters
	printf '%s\n' '10 count 0 100 0 1000 0x1000' '20 count 0 100 123 1000 0x1000' '30 off'
} | "$make_script" first.nrm2 || exit 1
{
	printf '%s\n' '0 on' '0 task walk 100 1 job'
	sed -n '1,5s/first/second/p' counters
	echo '0 counter 5 0 1000 first7'
	for ((i = 0; i < 7; i++)); do
		echo "1$i count 0 100 $i 1000 0x1000"
	done
	echo '30 off'
} | "$make_script" second.nrm2 || exit 1
"$post" -q -json first.nrm2 second.nrm2 >out 2>err
equal events "$(jq -c '[.events[] | select(.ticks > 0) | [.name, .ticks]] | sort' out)" \
	'[["first0",1],["first123",1],["first7",1],["second0",1],["second1",1],["second2",1],["unnamed",3]]'
verdict more_events_than_numbers

# ---- files of one name, and one file twice
mkdir web1 web2
cp story.nrm2 web1/t.nrm2
cp stacks.nrm2 web2/t.nrm2
code 1 "$post" -q -json web1/t.nrm2 web2/t.nrm2 && equal labels \
	"$(jq -c '[.processes[].name | split(":")[0]] | unique' out)" '["web1","web2"]'
verdict labels_by_folder
code 0 "$post" -q -json stacks.nrm2 stacks.nrm2 && equal labels \
	"$(jq -c '[.processes[].name | split(":")[0]] | unique' out)" '["stacks","stacks#2"]'
verdict labels_by_number

# ---- damage: the rest is used
head -c 3000 story.nrm2 >cut.nrm2
code 1 "$post" -q -json old.nrm2 cut.nrm2 new.nrm2 && has err 'cut: cut' &&
	equal share "$(jq '[.processes[] | select(.pid == 100).ticks] | add' out)" 6
verdict damaged
code 1 "$post" -q -json old.nrm2 nothing.nrm2 new.nrm2 && has err 'nothing.nrm2: No such file' &&
	equal total "$(jq .total_ticks out)" 8
verdict missing
code 2 "$post" -q nothing.nrm2 neither.nrm2
verdict none
code 2 "$post" -show old.nrm2 new.nrm2 && has err 'accept a single trace only'
verdict one_trace

# ---- written, and read again
for format in pprof perf.data; do
	"$post" -q -format $format -o all.$format old.nrm2 new.nrm2 2>err
	equal $format "$(total all.$format)" 8
	verdict "written_$format"
done
"$post" -q -json all.perf.data >out 2>err
equal pids "$(jq -c '[.processes[] | select(.name | endswith("job")) | [.name, .pid, .ticks]] | sort' out)" \
	'[["new:job",4194404,3],["old:job",100,3]]'
verdict pids_written
if command -v protoc >/dev/null; then
	gzip -dc <all.pprof | protoc --decode=Profile --proto_path="$top/tests/post/export" "$top/tests/post/export/pprof.proto" >out 2>err
	has out '"origin"' && has out '"old"'
	verdict pprof_label
else
	echo "skip post_merge_pprof_label protoc is not installed"
fi

# ---- by a pipe, beside a file
code 0 "$post" -q -json - new.nrm2 <old.nrm2 && equal total "$(jq .total_ticks out)" 8
verdict pipe

finish
