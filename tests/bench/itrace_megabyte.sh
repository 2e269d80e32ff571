#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How much slower gzip of a whole megabyte is under the driver, callgrind and a debugger that single-steps:
# of zeros, for single steps of text take five hours. An hour or two (BENCH_PEER=collector: the ptrace collector
# instead of the debugger): not in `make bench`, which takes a few KB.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/guest.sh"
peer=${BENCH_PEER:-debugger}
more=(--prog gzip --add "$O/tests/bench/guest/itrace_work:/usr/local/bin/itrace_work")
with_callgrind
BENCH_NO_LTTNG=1 BENCH_TIMEOUT=10000 in_guest itrace_megabyte "$peer"

slower() { # WHO: as many times
	calc "$(value gzip "$1") / $(value gzip alone)"
}
compare "gzip -1 of 1 MB: slower by" "$(slower driver)" times "$(slower "$peer")" "the $peer" ""
compare "  ..." "$(slower driver)" times "$(slower callgrind)" callgrind ""
