#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of instruction traces: instructions added to a traced one and to a taken branch, compared with a debugger
# that only single-steps, and with the ptrace collector; the slowdown of gzip, also compared with callgrind (user code
# only, counts without order, no kernel, no JIT code); the size of the file. In one guest with one CPU.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/guest.sh"
# Each is compared with gzip of the same amount: for small amounts, start-up dominates, which costs them less.
kb=${BENCH_KB:-1024} driver_kb=${BENCH_DRIVER_KB:-$kb} ptrace_kb=${BENCH_PTRACE_KB:-4}

more=(--add "$O/tests/bench/guest/itrace_work:/usr/local/bin/itrace_work")
with_callgrind
BENCH_NO_LTTNG=1 BENCH_TIMEOUT=1800 in_guest itrace $kb $driver_kb $ptrace_kb

added() { # WHO WHAT: instructions
	calc "($(value cost "$1" "$2") - $(value cost alone "$2")) / 100"
}
for what in steps branches; do
	each="an instruction" goal="16 x, aim 20 x"
	[ $what = steps ] || each="a taken branch" goal=
	compare "added to $each" "$(added driver $what)" instructions "$(added ptrace $what)" \
		"a debugger's single step" "$goal"
	compare "  ..." "$(added driver $what)" instructions "$(added collector $what)" \
		"the ptrace collector" ""
done
# A program's debugger does not step the kernel: compared with its step of the program's own code.
for what in steps branches; do
	each="an instruction"
	[ $what = steps ] || each="a taken branch"
	compare "added to $each of the kernel" "$(added driver kernel-$what)" instructions "$(added ptrace $what)" \
		"a debugger's single step of user code" ""
done
slower() { # WHO KB: as many times
	calc "$(value gzip "$1" "$2") / $(value gzip alone "$2")"
}
compare "gzip, $driver_kb KB: slower by" "$(slower driver $driver_kb)" "times" "$(slower ptrace $ptrace_kb)" \
	"single steps ($ptrace_kb KB)" ""
compare "  ..." "$(slower driver $driver_kb)" "times" "$(slower collector $ptrace_kb)" \
	"the ptrace collector ($ptrace_kb KB)" ""
compare "  ..." "$(slower driver $driver_kb)" "times" "$(slower callgrind $kb)" "callgrind ($kb KB)" ""
n=$(value file branches) empty=$(value file empty)
printf '%-44s %8s bytes (goal 8; %s million branches in %s million instructions)\n' "the file, a branch" \
	"$(calc "($(value file packed) - $empty) / $n")" "$(calc "$n / 1e6")" \
	"$(calc "$(value file instructions) / 1e6")"
