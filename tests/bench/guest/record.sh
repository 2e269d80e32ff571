# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: record.sh RECORDS: lines "NAME TRACER VALUE", instructions or bytes of one record.
. /rig/bench/lib.sh
records=$1
insmod /rig/bench/pitrace_bench.ko || fail insmod

hundredths() { # of a/b
	awk "BEGIN { printf \"%.1f\", $1 }"
}
measure() { # sets `cost` and `bytes`
	echo "$1 $2" >$run || fail "$1"
	read -r cost bytes <$run
}
# Into a buffer without a consumer.
for each in floor ring ring-monotonic kernel; do
	measure $each "$records"
	echo "raw $each $(hundredths "$cost / 100")"
	echo "rawbytes $each $(hundredths "$bytes / 100")"
done

# A tracepoint that is fired from a loop: what it costs with a tracer less what it costs without;
# what the tracer stored less what it stores when it is not fired.
fire() { # TRACEPOINT COUNT: the command under the tracer
	echo "sleep 0.1; [ $2 = 0 ] || echo $1 $2 >$run; sleep 0.1" >/tmp/fire.sh
}
under() { # TRACEPOINT TRACER OPTIONS
	local empty
	case " $peers " in *" $2 "*) ;; *) return ;; esac
	fire "$1" 0
	"with_$2" "$3" sh /tmp/fire.sh
	empty=$bytes
	fire "$1" "$records"
	"with_$2" "$3" sh /tmp/fire.sh
	read -r cost _ <$run
	echo "$1 $2 $(hundredths "($cost - $base) / 100")"
	echo "$1-bytes $2 $(hundredths "($bytes - $empty) / $records")"
}
each_tracer() { # TRACEPOINT PITRACE'S FTRACE'S LTTNG'S
	measure "$1" "$records"
	base=$cost
	under "$1" pitrace "-M $2 -s 32"
	under "$1" ftrace "$3"
	under "$1" perf "-a -m 32M -e $(echo "$3" | tr '/ ' ':,')"
	under "$1" lttng "$4"
}
lttng_start
each_tracer sched_switch dispatch sched/sched_switch sched_switch
each_tracer sched_waking wakeup sched/sched_waking sched_waking
each_tracer softirq_entry interrupt "irq/softirq_entry irq/softirq_exit" \
	"irq_softirq_entry irq_softirq_exit"

# System calls: entry and exit, a record each. Any tracer sends all calls the kernel's long way:
# that way with two probes that do nothing is what is taken off, and is told.
calls() {
	bench_work /tmp/ns calls 50000 && hundredths "$(cat /tmp/ns) / 50000" >/tmp/call
}
calls
echo "call none $(cat /tmp/call)"
ab() { # TRACER OPTIONS
	case " $peers " in *" $1 "*) ;; *) return ;; esac
	local empty
	"with_$1" "$2" bench_work /tmp/ns calls 1
	empty=$bytes
	"with_$1" "$2" bench_work /tmp/ns calls 50000
	echo "call $1 $(hundredths "($(cat /tmp/ns) / 50000 - $base) / 2")"
	echo "call-bytes $1 $(hundredths "($bytes - $empty) / (2 * 49999)")"
}
echo "probe sys_enter" >$run && echo "probe sys_exit" >$run || fail probe
calls
base=$(cat /tmp/call)
echo "call slow $base"
rmmod pitrace_bench
ab pitrace "-t norm -M syscall -s 32"
ab ftrace "raw_syscalls/sys_enter raw_syscalls/sys_exit"
ab perf "-a -m 32M -e raw_syscalls:sys_enter,raw_syscalls:sys_exit"
ab lttng "--syscall=getppid"

# Page faults of user code: their bytes.
faults() { # TRACER OPTIONS
	local empty
	"with_$1" "$2" books faults 1 >/dev/null
	empty=$bytes
	"with_$1" "$2" books faults 10001 >/dev/null
	echo "fault-bytes $1 $(hundredths "($bytes - $empty) / 10000")"
}
faults pitrace "-t norm -M fault -s 32"
faults ftrace exceptions/page_fault_user
faults perf "-a -m 32M -e exceptions:page_fault_user"

# A program's own record: two integers, compared with ftrace's marker and LTTng's logger with them as text. It is not
# drained meanwhile, like the marker's ring.
echo 1 >$tracing/tracing_on
echo 100 >/sys/module/pitrace/parameters/user_budget
with_pitrace "-t norm -M 0xD1 -s 32" sh -c "marks cost 10000 $tracing/trace_marker >/tmp/cost"
empty=$bytes
with_pitrace "-t norm -M 0xD1 -s 32" sh -c "marks cost 20000 $tracing/trace_marker >/tmp/cost"
echo "mark-bytes record $(hundredths "($bytes - $empty) / 10000")"
awk '{ print "mark", $1, $2 }' /tmp/cost
case $peers in *lttng) with_lttng lttng_logger sh -c "marks cost 20000 /proc/lttng-logger >/tmp/cost"
	awk '$1 == "marker" { print "mark logger", $2 }' /tmp/cost ;;
esac

# A sample of the timer: the same period, the same program; into memory, without a drain.
turns=300000000
bench_work /tmp/ns spin $turns
base=$(cat /tmp/ns)
sample() { # TRACER OPTIONS
	local empty short
	"with_$1" "$2" bench_work /tmp/ns spin $((turns / 10))
	empty=$bytes short=$(cat /tmp/ns)
	"with_$1" "$2" bench_work /tmp/ns spin $turns
	echo "sample-bytes $1 $(hundredths "($bytes - $empty) / (($(cat /tmp/ns) - $short) / 100000)")"
	echo "sample $1 $(hundredths "($(cat /tmp/ns) - $base) / ($(cat /tmp/ns) / 100000)")"
}
sample pitrace "-t norm -s 32 -F 10000"
sample perf "-a -m 32M -e cpu-clock -c 100000"
killall lttng-sessiond 2>/dev/null
exit 0
