#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Spans with PTT's metrics: TraceSpanBegin(3)'s second example, traced, and what post says of it.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export PITRACE_SOCKET=$work/socket PITRACE_HOLDER=$build/lib/pitrace/pitrace-holder
mkdir pitrace
cp "$top"/libperfutil/include/*.h pitrace/
awk '/^\.EX/ { n++; next } /^\.EE/ { inside = 0 } n == 2 && !ended { print } /^\.EE/ && n == 2 { ended = 1 }' \
	"$top/libperfutil/man/TraceSpanBegin.3" | sed '/^\.EE/d; s/\\e/\\/g; s/\\-/-/g' >sorts.c
ln -s "$build/lib/libperfutil.so" libperfutil.so.0
gcc -std=gnu11 -Wall -Wextra -Werror -O2 -I . -I pitrace -I "$top/driver/uapi" -o sorts sorts.c -L . -l:libperfutil.so.0 >out 2>&1
verdict builds $?
sorts() { LD_LIBRARY_PATH=$work ./sorts; }
sorts >out 2>&1
verdict runs_untraced $?
if grep -q 'without metrics' out; then
	echo "skip ${suite}_has_metrics $(cat out)"
	exit
fi
LD_LIBRARY_PATH=$work "$bin/swtrace" run -q -B timer -M 0xB0 -o a.nrm2 -- ./sorts >out 2>&1
verdict traced $?
"$bin/post" -q -marks -json a.nrm2 >out 2>err && jq -e '
	(.marks.names[] | select(.name == "sort").time.count) == 3 and
	([.marks.metrics[] | [.name, .field, .unit, .records]] == [["sort", "task-clock", "ns", 3],
		["sort", "page-faults", "events", 3]]) and
	# Each took time, and not more than it lasted.
	(.marks.metrics[0] | .min > 0 and .sum <= 1.5 * ([$all[] | .took_ns] | add))' \
	--argjson all "$(jq '[.marks.slowest[] | select(.name == "sort")]' out)" out >why
verdict has_metrics $? "$(jq -c '.marks.metrics' out)"
"$bin/post" -q -marks a.nrm2 >out 2>&1 && grep -q 'sort\.task-clock (ns)$' marks.out
verdict shows_them $? "$(cat out)"
[ $failures = 0 ]
