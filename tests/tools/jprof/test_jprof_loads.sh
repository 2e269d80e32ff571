#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of the size of real ones, under the agent with all methods, in both modes: the JDK's HTTP server
# with many threads, stacks that are deep and that overflow, exceptions; loops as benchmarks have them.
# They say what they say otherwise, and entries are exits, exits by exception and the frames that live, to
# the last one.
# shellcheck disable=SC2016 # names of inner classes
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tools/jprof/calls_log
. "$here/calls_log"
unset JPROFOPTS JAVA_TOOL_OPTIONS
javac -d "$work" "$here/Served.java" "$here/Loops.java" || exit 1
cd "$work" || exit 1
java -Xss512k Loops >want.Loops
java -Xss512k Served >want.Served

whole() { # NAME: it ran, said what it says otherwise, and nothing is missing
	local code=$?
	[ $code = 0 ] && cmp -s "want.${1%_*}" out && [ ! -s err ]
	verdict "same_$1" $? "$(cat out err)"
	# Frames that live: of the threads that the VM ends by itself.
	entries_are_exits 500000 99 && ! grep '^not kept' log-rt.* | grep -qEv 'before [0-9]{1,2}, calls deeper than [0-9]* 0, .* room 0, .* 0$'
	verdict "entries_are_exits_$1" $? "$(sed -n 3,4p log-rt.*)"
}
# What they call how often, by their own arithmetic.
loops() { # MODE
	is "bodies_$1" "$(calls 'Loops$Body.attract(LLoops$Body;)V') $(calls 'Loops$Body.move()V') $(calls 'Loops$Body.energy()D')" '200000 100000 5'
	is "tasks_$1" "$(($(calls 'Loops$Worker.run(LLoops$Scheduler;)LLoops$Task;') + $(calls 'Loops$Sink.run(LLoops$Scheduler;)LLoops$Task;')))" 12007
	is "text_$1" "$(calls 'Loops$Parser.<init>(Ljava/lang/String;)V')" 3000
}
served() { # MODE: 960 requests; of their depths all that are not 11, 31, 51, 71, 91
	is "requests_$1" "$(calls 'Served.handle(Lcom/sun/net/httpserver/HttpExchange;)V') $(calls 'Served.ask(II)Ljava/lang/String;') $(
		calls 'Served.fails(I)I')" '960 960 912'
	is "depths_$1" "$(calls 'Served.depth(I)I')" "$(for ((n = 0; n < 960; n++)); do
		((n % 20 == 11)) || echo $((n % 100 * 20 + 1))
	done | awk '{ n += $1 } END { print n }')"
}
for mode in rewrite probes; do
	traced CALLTREE,MODE=$mode Loops
	whole Loops_$mode
	loops $mode
	traced CALLTREE,MODE=$mode Served
	whole Served_$mode
	served $mode
done
exit $((failures != 0))
