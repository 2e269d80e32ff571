#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make demo` from a copy of the source, and nobody at the terminal. It builds the module, boots a guest,
# traces and reports. The copy has what this build compiled and linked, from nothing, but for one program.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
[ "$(uname -m)" = x86_64 ] || { echo "skip demo the guest needs an x86-64 machine"; exit 0; }
cd "$(dirname "$0")/../.." || exit 1
mkdir "$work/tree"
tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$work/tree"
cd "$work/tree" || exit 1
mkdir build && cp -a "$build"/{obj,inner,lib,bin,places,manual-checked} build/ || exit 1
[ ! -d "$build/jperf" ] || cp -a "$build/jperf" build/ || exit 1
rm build/bin/post

env -u MAKEFLAGS -u MAKELEVEL -u O make demo >"$work/out" 2>&1 </dev/null
is exit_code $? 0
# Ticks that fell due while the kernel kept interrupts off are its own (seen: 3.4 million instructions
# where it gives back the pages of a large program that has ended); no record is lost.
grep -Eq '^swtrace: demo.nrm2: .* ticks by the timer, (none lost|LOST ([0-9]+) \(overruns \2\)) \(collector driver\)$' \
	"$work/out"
verdict traced $?
grep -Eq '^lost: (nothing|CPU 0: overruns [0-9]+)$' "$work/out"
verdict nothing_lost_but_overruns $?
# Most of the work is perl's, and its functions have names.
grep -Eq '^ *[0-9.]+ +[0-9]+  perl +Perl_[a-z_]+$' "$work/out"
verdict named $?
build/bin/post -q -json -r build/demo/demo.nrm2 -o "$work/again"
is trace_kept $? 0
grep -q '^TOTAL TICKS' build/demo/tprof.out
verdict report_kept $?
[ $failures = 0 ] || tail -n 40 "$work/out"
exit $((failures != 0))
