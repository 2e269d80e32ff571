#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What reads what others wrote, given the seeds of its fuzz target: it leaves no memory behind that nobody holds,
# and where memory is refused, once, at each place that asks for it (tests/lib/no_memory.c), it neither does so
# nor accesses what is not its own. A target that finds its answers incomplete then aborts: that is no fault. That a
# lack is told is seen by the suites of the programs (test_*_memory.sh); the target `post` is left to them.
# These are the first half by their names, the others those of test_parsers_more_memory.sh.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
cd "$work" || exit 1
export LD_PRELOAD=$programs/programs/no_memory.so

# shellcheck disable=SC2231 # a pattern
for target in "$programs"/fuzz/fuzz_${parsers:-[a-j]*}; do
	name=${target##*/fuzz_}
	seeds=$top/tests/data/fuzz/$name.tar
	[[ $name = post || $name = *.d ]] && continue
	export NO_MEMORY_OF=fuzz_$name
	NO_MEMORY=tell timeout 60 "$target" "$seeds" >out 2>err || echo "exit code $?: $(tail -n 1 out)" >why
	grep '^leak' err >>why
	mapfile -t places < <(sed -nE 's/^place ([0-9a-f]*):.*/\1/p' err)
	[ ${#places[@]} -gt 1 ] || echo "only ${#places[@]} places" >>why
	for place in "${places[@]}"; do
		NO_MEMORY=$place timeout 60 "$target" "$seeds" >out 2>err
		code=$?
		# What the C library says of a heap, it says before it aborts.
		[[ $code =~ ^(0|1|134)$ ]] && ! grep -Eq '^leak|\(\): |corrupt|smashing' err && continue
		echo "$place refused: exit code $code: $(head -n 3 err)" >>why
	done 2>/dev/null # the shell's words on who aborted
	[ ! -s why ]
	code=$?
	mv why out
	verdict "$name" $code
done
[ $failures = 0 ]
