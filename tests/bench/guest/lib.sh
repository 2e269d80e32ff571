# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest, for the benches: the same events into each tracer while a command runs. Each leaves
# in `bytes` what it stored. The whole system is traced, if not said otherwise.
tracing=/sys/kernel/tracing
run=/sys/module/pitrace_bench/parameters/run
# With Debian's udev there would be no need of these.
export HOME=/root LTTNG_HOME=/root
cd /tmp || exit 1

fail() {
	echo "failed $*"
	exit 1
}
size() {
	stat -c %s "$@" | awk '{ n += $1 } END { print n + 0 }'
}

# The driver as on a machine with an invariant TSC, which this CPU of QEMU's does not claim to have.
with_pitrace() { # "OPTIONS" COMMAND...
	local options=$1
	shift
	swtrace run -q -a --clock tsc $options -o /tmp/pitrace.nrm2 -- "$@" || fail pitrace "$@"
	bytes=$(size /tmp/pitrace.nrm2)
}

with_perf() { # "OPTIONS" COMMAND...
	local options=$1
	shift
	perf record -q $options -o /tmp/perf.data -- "$@" >/tmp/perf.out 2>&1 || { cat /tmp/perf.out; fail perf "$@"; }
	bytes=$(size /tmp/perf.data)
}

# Into memory only: a program that reads its pipe by read(2) as fast as records arrive causes events of system calls,
# and further ones by reading those.
with_ftrace() { # "EVENTS" COMMAND...
	local events=$1 each
	shift
	echo 0 >$tracing/tracing_on
	echo 65536 >$tracing/buffer_size_kb
	echo >$tracing/trace
	for each in $events; do
		echo 1 >$tracing/events/$each/enable || fail ftrace "$each"
	done
	echo 1 >$tracing/tracing_on
	"$@" || fail ftrace "$@"
	echo 0 >$tracing/tracing_on
	for each in $events; do
		echo 0 >$tracing/events/$each/enable
	done
	bytes=$(sed -n 's/^bytes: //p' $tracing/per_cpu/cpu0/stats)
}

# Without LTTng (BENCH_NO_LTTNG) its figures are left out: $peers.
peers="pitrace ftrace perf"
lttng_start() {
	command -v lttng-sessiond >/dev/null || return 0
	mkdir -p /var/run
	peers="$peers lttng"
	lttng-sessiond --daemonize --no-kernel-tracepoints-statedump 2>/dev/null ||
		lttng-sessiond --daemonize || fail lttng-sessiond
}
with_lttng() { # "EVENTS" COMMAND...; EVENTS may be --syscall=NAME
	local events=$1 each
	shift
	lttng -n create bench --output=/tmp/lttng >/tmp/lttng.out 2>&1 &&
		lttng -n enable-channel -k --subbuf-size 4M --num-subbuf 4 ch >>/tmp/lttng.out 2>&1 ||
		{ cat /tmp/lttng.out; fail lttng create; }
	for each in $events; do
		case $each in
		--syscall=all) lttng -n enable-event -k -c ch --syscall --all ;;
		--syscall=*) lttng -n enable-event -k -c ch --syscall "${each#*=}" ;;
		*) lttng -n enable-event -k -c ch "$each" ;;
		esac >>/tmp/lttng.out 2>&1 || { cat /tmp/lttng.out; fail lttng "$each"; }
	done
	lttng -n start >>/tmp/lttng.out 2>&1 || fail lttng start
	"$@" || fail lttng "$@"
	lttng -n stop >>/tmp/lttng.out 2>&1
	grep -i 'discard\|lost' /tmp/lttng.out
	lttng -n destroy >>/tmp/lttng.out 2>&1
	bytes=$(size /tmp/lttng/kernel/ch_*)
	rm -rf /tmp/lttng
}
