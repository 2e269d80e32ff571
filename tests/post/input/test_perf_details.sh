#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The data of a perf.data beyond samples and names, compared with perf script and perf report, and again after post
# has written it: tracepoints' fields, control groups, namespaces, branch stacks, accessed memory, registers, changes
# of the kernel's code; dispatches and wake-ups of the scheduler's tracepoints.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export TZ=UTC LC_ALL=C

post() {
	"$bin/post" -q "$@" 2>err
	[ $? -le 1 ]
}
same() { # NAME: want and have, of which neither may be empty
	[ -s want ] && diff want have | head -n 20 | cut -c 1-300 >out
	[ "${PIPESTATUS[*]}" = "0 0 0" ] && [ -s want ]
	verdict "$1" $?
}
lines() { # FILE: perf's output, without times and CPUs of records that have none
	post -show -json -o - -r "$1" | jq -c 'select(.record == "perf") |
		del(.stamp, .minor, .ring) | if .kind == "event" then del(.time, .cpu, .event, .sample_type, .flags)
		else . end'
}
# Flags of the events. A written file has those that limit what an event counts (pinned, exclusive, exclude_*,
# precise_ip); the others follow from the records in it.
flags() { # FILE
	post -show -json -o - -r "$1" | jq -r 'select(.record == "perf" and .kind == "event") | .flags // "0"'
}
keeps_flags() { # FILE WRITTEN
	local was is n=0
	while read -r was is; do
		[ $((was & 0x1980fc)) = $((is & 0x1980fc)) ] || return 1
		n=$((n + 1))
	done < <(paste <(flags "$1") <(flags "$2"))
	[ $n != 0 ]
}
written() { # NAME FILE: written and read again, it has the same output
	lines "$2" >want
	post -format perf.data -o "$1.file" -r "$2"
	lines "$1.file" >have
	same "$1_written"
	keeps_flags "$2" "$1.file"
	verdict "$1_written_flags" $?
	post -format perf.data -o - -r "$2" | cat >"$1.pipe"
	lines "$1.pipe" >have
	same "$1_written_pipe"
}

# ---- all of it, in a file that was made for this, of either byte order
for order in little big; do
	"$top/tests/post/input/perf_details_image" $order >$order.data
	post -show -json -o - -r $order.data | jq -c 'del(.stamp)' >$order.json
	written $order $order.data
done
diff little.json big.json >out
verdict byte_orders $?
jq -r 'select(.kind == "in-cgroup") | [.time, .id, .path] | @tsv' little.json >have
printf '2000\t4711\t/outer/inner\n3000\t1\t/\n4000\t99\t\n' >want
same cgroup_by_name
jq -r 'select(.kind == "text-poke") | [.time, .address, .before, .after] | @tsv' little.json >have
printf '2500\t0xffffffff81000040\t0f1f440000\te801020304\n' >want
same text_poke
jq -r 'select(.record == "perf" and (.kind == "kernel-map" or .kind == "ksymbol")) |
	[.time, .start, .length, (.path // .name), .offset // "", .flags // ""] | @tsv' little.json >have
{
	printf '900\t0xffffffff81000000\t0x1000000\t[kernel.kallsyms]_text\t0xffffffff81000000\t\n'
	printf '901\t0xffffffffc0000000\t0x4000\t/lib/modules/6.1.0/kernel/fs/some-fs.ko\t0x0\t\n'
	printf '902\t0xffffffffc0100000\t0x40\tbpf_prog_0123_one\t\t0x0\n'
	printf '2600\t0xffffffffc0100000\t0x40\tbpf_prog_0123_one\t\t0x1\n'
} >want
same kernel_names
jq -r 'select(.kind == "raw") | .data' little.json >have
printf '7477656c7665206279746573\n666f7572\n666f7572\n' >want
same raw_data
jq -r 'select(.kind == "user-registers" or .kind == "registers") |
	[.time, .kind, .abi, (.registers | to_entries[] | .key + "=" + .value)] | @tsv' little.json >have
printf '%s\t%s\t%s\n' 2000 user-registers '2	r7=0x7ffc00001000	r8=0x402267' 2000 registers '2	r0=0xaaaa	r8=0x403267	r9=0x246' \
	3000 user-registers 0 3000 registers '2	r0=0xaaaa	r8=0x402001	r9=0x246' \
	4000 user-registers '2	r7=0x7ffc00001000	r8=0x401063' 4000 registers '2	r0=0xaaaa	r8=0x402063	r9=0x246' >want
same registers
# Counters of branches are between these and the registers, and move their places.
for order in little big; do
	"$top/tests/post/input/perf_details_image" $order counters >$order.counters
	lines $order.counters >counters.$order
	jq -c 'if .branches then del(.branches[].counters) else . end' counters.$order | grep -v '"kind":"event"' >have
	lines $order.data | grep -v '"kind":"event"' >want
	same counters_move_nothing_$order
	jq -c 'select(.kind == "branches") | [.branches[].counters]' counters.$order >have
	printf '[[1,2,0],[1,3,0]]\n[]\n[[1,2,0]]\n' >want
	same counters_$order
	# How wide they are is not written.
	post -format perf.data -o $order.counters.file -r $order.counters
	lines $order.counters.file | jq -c 'select(.kind == "branches") | [.branches[].counters]' >have
	printf '["0x21","0x31"]\n[]\n["0x21"]\n' >want
	same counters_written_$order
	lines $order.counters.file | grep -v '"kind":"branches"' >have
	grep -v '"kind":"branches"' counters.$order >want
	same counters_written_beside_$order
done
post -show -o - -r little.counters >out
says counters_in_words out '0x401010->0x402020:predicted:cycles=17:CALL:counters=1,2,0'
# Unknown bits are reported once, not guessed; names are still there.
"$top/tests/post/input/perf_details_image" little unknown >unknown.data
"$bin/post" -q -show -json -o out -r unknown.data 2>err
is unknown_bits_code $? 1
is unknown_bits_told "$(grep -c 'branch_sample_type has bits 0x100000 that are not known' err)" 1
is unknown_bits_samples "$(jq -r .record out | grep -c tprof)" 0
is unknown_bits_names "$(jq -r 'select(.comm == "work") | .comm' out | sort -u)" work

# Groups of events: the leader, and the number of members. Members beyond the list of events are ignored.
cp "$top/tests/data/perf/perf.data.group_desc-4.14" group.data
group() { # LEADER MEMBERS: the reported group
	perl -e 'print pack "V2", @ARGV' "$1" "$2" | dd of=group.data bs=1 seek=8364 conv=notrunc status=none
	"$bin/post" -q -info -r group.data 2>err | sed -n 's/^group: //p'
}
is group_of_two "$(group 0 2)" '{cache-references,branch-misses}'
is group_of_the_last "$(group 1 1)" '{branch-misses}'
for beyond in '0 3' '1 2' '2 0' '2 1' '0 4294967295' '4294967295 1' '4294967295 2'; do
	# shellcheck disable=SC2086 # two numbers
	is "group_beyond_${beyond/ /_}" "$(group $beyond)" ''
done

# A record that is too long when it is written is left out, and said so.
"$top/tests/post/input/perf_long_image" >long.data
for to in long.file -; do
	"$bin/post" -q -format perf.data -o $to -r long.data >long.pipe 2>err
	is too_long_code_$to $? 1
	says too_long_told_$to err ': 1 record left out: longer than 64 KB'
	[ $to = - ] && cat long.pipe >long.file
	post -show -json -o - -r long.file | jq -r 'select(.kind == "branches") | .branches | length' >have
	printf '2\n1\n' >want
	same too_long_others_$to
done

post -info -r little.data >out
says text_poke_told out '^kernel code changed : 1 times'

if ! perf script -i little.data >/dev/null 2>&1; then
	echo "skip ${suite}_perf perf does not work here"
	[ $failures = 0 ]
	exit
fi
# As perf has it, and of the file that post wrote, too.
told_by_perf() {
	perf script -i "$1" -F comm,pid,tid,cpu,time,addr,ip,weight,data_src,phys_addr,data_page_size,code_page_size,brstack,iregs,uregs 2>/dev/null
	perf script -D -i "$1" 2>/dev/null | grep -A 3 'PERF_RECORD_TEXT_POKE\|PERF_RECORD_CGROUP\|PERF_RECORD_NAMESPACES' |
		sed 's/ 0x[0-9a-f]* \[0x[0-9a-f]*\]//' | grep -v '^--\|^$\|@'
}
for form in file pipe; do
	told_by_perf little.data >want
	told_by_perf little.$form >have
	sed -i 's/ \[unknown\]//' have	# of pipes perf prints more
	same "perf_reads_$form"
done

# ---- registers of this machine
if perf record -q -e cpu-clock -F 2000 --intr-regs --user-regs -o regs.data sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done' 2>out; then
	registers_by_perf() {
		perf script -i "$1" --ns -F time,"$2" 2>/dev/null | sed -E 's/^ +//; s/ +/ /g; s/ $//; s/^([0-9]+)\.([0-9]+):/\1\2/'
	}
	registers() { # FILE KIND
		post -show -json -o - -r "$1" | jq -r 'select(.record == "perf" and .kind == "'"$2"'") |
			[(.time | tostring), "ABI:" + (.abi | tostring), (.registers | to_entries[] | .key + ":" + .value)] | join(" ")'
	}
	for kind in iregs:registers uregs:user-registers; do
		registers_by_perf regs.data "${kind%:*}" >want
		registers regs.data "${kind#*:}" >have
		same "${kind#*:}_as_perf"
		cp want "want.${kind%:*}"
	done
	post -format perf.data -o regs.file -r regs.data
	for kind in iregs uregs; do
		registers_by_perf regs.file $kind >have
		cp want.$kind want
		same ${kind}_perf_reads
	done
else
	echo "skip ${suite}_registers perf record --intr-regs: $(head -n 1 out)"
fi

# ---- branch stacks of a real processor
file=$top/tests/data/perf/perf.data.branch-4.14
stacks() { # FILE
	perf script -i "$1" --ns -F pid,time,brstack 2>/dev/null |
		sed -E 's/^ +//; s/ +/ /g; s/ $//; s/^([0-9]+) ([0-9]+)\.([0-9]+):/\1 \2\3/'
}
stacks "$file" >want
post -show -json -o - -r "$file" | jq -r 'select(.kind == "branches") | [.pid, .time] + [.branches[] |
	"\(.from)/\(.to)/\(if .mispredicted then "M" elif .predicted then "P" else "-" end)/" +
	"\(if .in_tx then "X" else "-" end)/\(if .abort then "A" else "-" end)/\(.cycles)/\(.type // "")"] |
	join(" ")' >have
same branches_of_perf_script
written branches "$file"
stacks "$file" >want
stacks branches.file >have
same branches_written_for_perf

# ---- namespaces as perf recorded them long ago
file=$top/tests/data/perf/perf.data.ctx_switch_namespaces-4.14
perf script -D -i "$file" 2>/dev/null | sed -n 's/.*PERF_RECORD_NAMESPACES \([0-9]*\/[0-9]*\).*/\1/p' >want
lines "$file" | jq -r 'select(.kind == "namespaces") | "\(.pid)/\(.tid)"' >have
same namespaces
written namespaces "$file"

# ---- tracepoints
if ! perf record -q -a -e sched:sched_switch,sched:sched_wakeup,syscalls:sys_enter_openat --all-cgroups \
	--namespaces -o trace.data -- sh -c 'ls / >/dev/null; sleep 0.1; ls / >/dev/null' 2>err; then
	echo "skip ${suite}_tracepoints perf record: $(head -n 1 err)"
	[ $failures = 0 ]
	exit
fi
if "$bin/post" -version | grep -q 'without libtraceevent'; then
	echo "skip ${suite}_fields post was built without libtraceevent"
else
	fields() {
		perf script -i "$1" -F trace 2>/dev/null | sed 's/^ *//; s/ *$//'
	}
	fields trace.data >want
	post -show -json -o - -r trace.data | jq -r 'select(.kind == "raw") | .fields' >have
	same fields
	written trace trace.data
	fields trace.data >want
	fields trace.file >have
	same fields_written_for_perf
	cat trace.pipe | perf script -i - -F trace 2>/dev/null | sed 's/^ *//; s/ *$//' >have
	same fields_written_pipe_for_perf

	perf script -i trace.data --ns 2>/dev/null | sed -nE 's/.*\[0*([0-9]+)\] +([0-9]+)\.([0-9]+): +sched:sched_switch: .*prev_pid=([0-9]+) prev_prio=([0-9-]+) prev_state=([A-Za-z+|]+) ==> .*next_pid=([0-9]+) next_prio=([0-9-]+).*/\2\3 \1 \4 \5 \7 \8 \6/p' |
		awk '{ if ($3 == 0) $7 = "running"
			sub(/^R\+$/, "preempted", $7); sub(/^R$/, "running", $7); sub(/^S$/, "sleep", $7)
			sub(/^D$/, "blocked", $7); sub(/^[XZ]$/, "dead", $7); sub(/^I$/, "idle", $7)
			sub(/^T$/, "stopped", $7); sub(/^t$/, "traced", $7); sub(/^P$/, "other", $7); print }' >want
	post -show -json -o - -r trace.data | jq -r 'select(.record == "dispatch") |
		"\(.time) \(.cpu) \(.old_tid) \(.old_priority) \(.new_tid) \(.new_priority) \(.kind)"' >have
	same dispatches
	perf script -i trace.data --ns 2>/dev/null | sed -nE 's/.* (-?[0-9]+) +\[0*([0-9]+)\] +([0-9]+)\.([0-9]+): +sched:sched_wakeup: .* pid=([0-9]+) prio=([0-9-]+) target_cpu=0*([0-9]+).*/\3\4 \1 \5 \6 \7/p' >want
	post -show -json -o - -r trace.data | jq -r 'select(.record == "wakeup") |
		"\(.time) \(.waker_tid) \(.tid) \(.priority) \(.on_cpu)"' >have
	same wakeups
	# The processes of threads are those of the name records.
	post -show -json -o - -r trace.data | jq -r 'select(.record == "tprof") | "\(.tid) \(.pid)"' | sort -u >known
	post -show -json -o - -r trace.data | jq -r 'select(.record == "dispatch") | "\(.old_tid) \(.old_pid)"' |
		sort -u | awk 'NR == FNR { pid[$1] = $2; next } $1 in pid && pid[$1] != $2' known - >out
	[ -s known ] && [ ! -s out ]
	verdict dispatched_processes $?
	# Formats that the library falls over: all but the fields is there, and it is said.
	LC_ALL=C perl -0777 -pe 's{REC->target_cpu}{REC->pid/0     }g' trace.data >fell.data
	! cmp -s trace.data fell.data && post -show -json -o - -r trace.data | jq -r '.record' | sort | uniq -c >want
	"$bin/post" -show -json -o - -r fell.data 2>err | jq -r '.record' | sort | uniq -c >have
	same records_beside_bad_formats
	says bad_formats_are_told err 'libtraceevent crashed on'
	# For a single command it is unknown when it ran again: there are no dispatches.
	perf record -q -e sched:sched_switch -o narrow.data -- sh -c 'ls / >/dev/null; ls / >/dev/null' 2>err
	post -show -json -o - -r narrow.data | jq -r '[.record] | join(" ")' | sort | uniq -c >out
	grep -q tprof out && ! grep -q dispatch out
	verdict dispatches_of_all_alone $?
fi

# Each sample's control group: as many of each as perf report has.
perf report -i trace.data --sort cgroup -F sample,cgroup --stdio 2>/dev/null | awk '/^#/ || !NF { next } { n[$2] += $1 }
	END { for (k in n) print k, n[k] }' | sort >want
lines trace.data | jq -r 'select(.kind == "in-cgroup") | .path' | sort | uniq -c | awk '{ print $2, $1 }' | sort >have
same cgroups_of_perf_report
# ---- system calls: each that perf's own tracepoints tell, with its result and the time between
perf record -q -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -o raw.data ls / /nowhere >/dev/null 2>err
if perf script -i raw.data 2>/dev/null | grep -q sys_exit; then
	# Only the exit of the first call is recorded: perf started within it.
	perf script -F event,trace -i raw.data 2>/dev/null | awk '
		match($0, /sys_enter: NR -?[0-9]+/) { split(substr($0, RSTART, RLENGTH), f, " "); open[f[3]]++ }
		match($0, /sys_exit: NR -?[0-9]+ = -?[0-9]+/) { split(substr($0, RSTART, RLENGTH), f, " ")
			if (open[f[3]] > 0) { open[f[3]]--; n[f[3]]++; if (f[5] < 0 && f[5] >= -4095) e[f[3]]++ } }
		END { for (i in n) print i, n[i], e[i] + 0 }' | sort -n >want
	post -syscalls -json -r raw.data | jq -r '.syscalls.calls[] | select(.time.count > 0) |
		"\(.number) \(.time.count) \(.error_count)"' | sort -n >have
	same syscalls_raw
	perf script -F event,trace -i raw.data 2>/dev/null | sed -nE 's/.*sys_enter: NR ([0-9]+) \(([0-9a-f]+), ([0-9a-f]+),.*/\1 0x\2 0x\3/p' >want
	post -show -json -o - -r raw.data | jq -r 'select(.record == "syscall" and .kind == "entry") |
		"\(.number) \(.argument0) \(.argument1)"' >have
	same syscalls_arguments
	perf record -q -e 'syscalls:sys_enter_openat,syscalls:sys_exit_openat,syscalls:sys_enter_close,syscalls:sys_exit_close' \
		-o named.data ls / /nowhere >/dev/null 2>err
	counted() { # FILE: calls of openat and close
		post -syscalls -json -r "$1" | jq -r '.syscalls.calls[] | select(.call == "openat" or .call == "close") |
			"\(.call) \(.time.count)"' | sort
	}
	told() {
		perf script -F event -i "$1" 2>/dev/null | sed -nE 's/.*[ :]sys_exit_(openat|close):.*/\1/p' | sort | uniq -c | awk '{ print $2, $1 }'
	}
	told named.data >want
	counted named.data >have
	same syscalls_named
	# Both of them: not all twice.
	perf record -q -e 'raw_syscalls:*,syscalls:sys_*_openat,syscalls:sys_*_close' -o both.data ls / /nowhere >/dev/null 2>err
	told both.data >want
	counted both.data >have
	same syscalls_both
else
	echo "skip ${suite}_syscalls perf does not record tracepoints here"
fi
[ $failures = 0 ]
