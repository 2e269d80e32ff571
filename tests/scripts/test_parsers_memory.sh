#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs all parsers of untrusted data with the seeds of their fuzz targets: they leak no memory, and if an allocation
# fails, once, at each place that allocates (tests/lib/no_memory.c), they neither leak nor access invalid memory. A
# target that finds its results incomplete then aborts: that is not a fault. Whether the lack of memory is reported is
# tested by the programs' suites (test_*_memory.sh), which also cover the target `post`. These are the first half of
# the targets by name, test_parsers_more_memory.sh has the others.
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
		# The C library prints a message about a corrupt heap before it aborts.
		[[ $code =~ ^(0|1|134)$ ]] && ! grep -Eq '^leak|\(\): |corrupt|smashing' err && continue
		echo "$place refused: exit code $code: $(head -n 3 err)" >>why
	done 2>/dev/null # the shell's words on who aborted
	[ ! -s why ]
	code=$?
	mv why out
	verdict "$name" $code
done
[ $failures = 0 ]
