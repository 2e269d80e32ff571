#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traced programs that try to kill or block their tracer, or to use up all memory or disk space.
set -u
# shellcheck source=tests/users/lib.sh
. "$(dirname "$0")/lib.sh"

# The control file of the timer collector is cut short, removed, a folder: by the user's own program,
# and under sudo.
for who in "$alice" sudo; do
	folder "control-$who" "$alice" 755
	cd "$work/control-$who" || exit 1
	run=(as "$alice")
	[ "$who" != sudo ] || run=(sudo_by "$alice")
	"${run[@]}" timeout -k 5 60 "$bin/swtrace" run -B timer -o t -- "$programs/unruly" control >"$work/out" 2>&1
	name=user
	[ "$who" != sudo ] || name=sudo
	# The command itself, which has the file mapped, may die of it.
	grep -q 'swtrace: t: .* records' "$work/out" && "${run[@]}" "$bin/post" -validate t >>"$work/out" 2>&1
	verdict "control_${name}_lives" $?
	find /dev/shm /tmp -maxdepth 1 -name 'pitrace-rings-*' -user "$alice" -exec rm -rf {} + 2>/dev/null
done

# Notes without end: the tracer's own CPU time
folder notes "$alice" 755
cd "$work/notes" || exit 1
TIMEFORMAT='%U %S'
spent=$({ time sudo_by "$alice" timeout -k 5 120 "$bin/swtrace" run -B timer -o t -- "$programs/unruly" notes 400 \
	>"$work/out" 2>&1; } 2>&1)
[ -s t ] && awk "BEGIN { split(\"$spent\", s, \" \"); exit !(s[1] + s[2] < 10) }"
verdict notes_cost_little $? "swtrace and its command took $spent s of CPU time: $(tail -n 1 "$work/out")"

# 32 processes that fill their 4 MB each at once
folder hooks "$alice" 755
cd "$work/hooks" || exit 1
as "$alice" timeout -k 5 120 "$bin/swtrace" run -B timer -M 0xB0 -o t -- "$programs/unruly" hooks 32 >said 2>"$work/out"
mb=$(sed -n 's/.*had \([0-9]*\) MB.*/\1/p' said)
[ -n "$mb" ] && [ "$mb" -lt 120 ]
verdict hooks_memory $? "the tracer took ${mb:-?} MB: $(tail -n 1 "$work/out")"
as "$alice" "$bin/post" -validate t >"$work/out" 2>&1
# Records that found no room are counted; that is the only kind of damage.
[ $? -le 1 ]
verdict hooks_readable $?

# Snapshots, one after the other
folder snapshots "$alice" 755
cd "$work/snapshots" || exit 1
sudo_by "$alice" timeout -k 5 120 "$bin/swtrace" run -q -t wrap -o t -- "$programs/unruly" snapshots 60 >said 2>"$work/out"
n=$(find . -name 't.[0-9]*' | wc -l)
read -r written _ refused _ _ seconds _ <said
[ "$n" -ge 1 ] && [ "$n" = "$written" ] && [ "$n" -le $((18 + seconds)) ]
verdict snapshots_are_few $? "$n: $(cat said "$work/out")"
[ "$refused" -gt 0 ] || [ "$seconds" -gt 40 ]
verdict snapshots_are_refused_openly $? "$(cat said), $n files"
cd "$work" || exit 1
[ "$failures" = 0 ]
