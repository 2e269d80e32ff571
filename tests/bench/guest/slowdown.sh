# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: slowdown.sh: lines "PROGRAM TRACER INSTRUCTIONS", each program without and under each tracer. One CPU:
# draining the buffers also slows down the program.
. /rig/bench/lib.sh
events="sched/sched_switch sched/sched_waking sched/sched_wakeup_new irq/irq_handler_entry
	irq/irq_handler_exit irq/softirq_entry irq/softirq_exit raw_syscalls/sys_enter
	raw_syscalls/sys_exit exceptions/page_fault_user exceptions/page_fault_kernel
	irq_vectors/local_timer_entry irq_vectors/local_timer_exit"
perf_events=$(echo $events | tr '/ ' ':,')
# LTTng's names of the same.
lttng_events="sched_switch sched_waking sched_wakeup_new irq_handler_entry irq_handler_exit
	irq_softirq_entry irq_softirq_exit x86_exceptions_page_fault_user
	x86_exceptions_page_fault_kernel x86_irq_vectors_local_timer_entry
	x86_irq_vectors_local_timer_exit --syscall=all"
majors=tprof,dispatch,wakeup,interrupt,syscall,fault

cat >/tmp/compile.sh <<'END'
for each in /rig/bench/*.i; do
	gcc -O1 -c -o /tmp/bench.o "$each" || exit 1
done
END
program() { # NAME: sets `work`
	case $1 in
	spin) work="bench_work /tmp/ns spin 250000000" ;;
	yield) work="bench_work /tmp/ns yield 50000" ;;
	echo) work="bench_work /tmp/ns echo 20000" ;;
	compile) work="bench_work /tmp/ns run sh /tmp/compile.sh" ;;
	esac
}
under() { # TRACER-NAME TRACER OPTIONS
	case " $peers " in *" $2 "*) ;; *) return ;; esac
	rm -f /tmp/ns
	"with_$2" "$3" $work
	echo "$name $1 $(cat /tmp/ns) $bytes"
}
lttng_start
for name in spin yield echo compile; do
	program $name
	# The first one brings its files into memory.
	$work && $work || fail "$work"
	echo "$name none $(cat /tmp/ns) 0"
	under tprof pitrace "-F 1000"
	under all pitrace "-F 1000 -M $majors -s 32"
	under perf-clock perf "-a -F 1000 -e cpu-clock"
	under perf-all perf "-a -m 32M -e cpu-clock/freq=1000/ -e $perf_events"
	under perf-command perf "-m 32M -e cpu-clock/freq=1000/ -e $perf_events"
	under ftrace ftrace "$events"
	under lttng lttng "$lttng_events"
done
killall lttng-sessiond
exit 0
