#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of a new Python, whose interpreter has no frame pointers, in the call stacks of each collector: by its
# jitdump's unwinding tables (-g, -g=dwarf, run.tprof --jit). Python itself counts what it spends where.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
python=$("$top/scripts/vm/python") || {
	echo "skip post_python Debian sid's Python is not to be had"
	exit 77
}
cd "$work" || exit 1
unset SUDO_UID SUDO_GID SUDO_USER

# One function takes three quarters of 1.5 s of processor time, each call of a random length.
cat >shares.py <<'END'
import random, time

def work(n):
    s = 0
    for i in range(n):
        s += i * i % 7
    return s

def three_quarters(n):
    return work(3 * n)

def one_quarter(n):
    return work(n)

begin = time.process_time()
while time.process_time() < begin + 1.5:
    n = random.randrange(2000, 6000)
    three_quarters(n)
    one_quarter(n)
END
check() { # NAME TRACE
	"$bin/post" -folded -q -r "$2" -o stacks || [ $? = 1 ]
	awk '{ n = $NF; all += n } /py::<module>:/ { module += n } /py::three_quarters:.*py::work:/ { three += n }
		/py::one_quarter:.*py::work:/ { one += n }
		END { printf "%d ticks: %.3f in the module, %.3f of its work\n", all, module / all, three / (three + one)
			exit !(all > 200 && module > 0.85 * all && three > 0.68 * (three + one) && three < 0.82 * (three + one)) }' stacks >out
	verdict "$1" $? "$(cat out)"
}
for collector in perf timer; do
	for how in -g -g=dwarf; do
		"$bin/swtrace" run -q -B $collector --jit $how -o py.nrm2 -- "$python" shares.py 2>err || cat err
		check "$collector$how" py.nrm2
	done
done
"$bin/run.tprof" --jit -- "$python" shares.py >out 2>&1
check run_tprof swtrace.nrm2
