#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory that is refused, once, at each place of hdump's code that asks for it (tests/lib/no_memory.sh).
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/lib/no_memory.sh
. "$top/tests/lib/no_memory.sh"
cp "$top"/tests/data/heaps/* "$work" && cd "$work" || exit 1

each classes "$bin/hdump" -q heap1.hprof.gz
each classes_json "$bin/hdump" -q --json heap4.hprof
each biggest "$bin/hdump" -q --csv -n 0 -biggest heap5.hprof
id=$(grep -m 1 -o '0x[0-9a-f]*' good.biggest)
each ways "$bin/hdump" -q -r "$id" heap5.hprof
each dominators "$bin/hdump" -q -dominators heap6.hprof
each pprof "$bin/hdump" -q -pprof heap5.hprof
each strings "$bin/hdump" -q -strings heap11.hprof
each strings_json "$bin/hdump" -q --json -strings heap4.hprof
each diff "$bin/hdump" -q -diff heap4.hprof heap5.hprof
each rdiff "$bin/hdump" -q -rdiff heap1.hprof heap11.hprof
each suspects "$bin/hdump" -q -suspects heap1.hprof heap4.hprof heap5.hprof heap6.hprof
each written "$bin/hdump" -q -o out.file heap6.hprof
each damaged "$bin/hdump" -q cut.hprof.gz
[ $failures = 0 ]
