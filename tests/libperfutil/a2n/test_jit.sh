#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Code that programs make while they run, on this machine, by whichever collector serves: functions
# that come, are overwritten, move, and lie where others lay; each name's share of the ticks is what
# the program's own CPU clock says. And what post says where the jitdump is damaged or gone.
set -u

top=$(cd "$(dirname "$0")/../../.." && pwd)
build=${PITRACE_BUILD:-$top/build}
bin=${BIN:-$build/bin} programs=$build/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SUDO_UID SUDO_GID SUDO_USER JITDUMPDIR
failures=0

verdict() { # NAME CODE [WHY]
	if [ "$2" = 0 ]; then
		echo "ok jit_$1"
	else
		echo "not ok jit_$1 ${*:3}"
		failures=$((failures + 1))
	fi
}
traced() { # JITTING-ARGUMENT...: its log in `log`, the report as a table in `csv`
	"$bin/swtrace" run -q -- "$programs/jitting" "$@" >log || return 1
	"$bin/post" -csv >csv 2>err
}
# NAME TICKS of the JIT code, the unannounced as "-"
have() {
	awk -F, '$5 == "JITCODE" { print $6 == "JitUnannounced" ? "-" : $6, $7 }' csv
}
# The same by lines: NAME:FILE:LINE TICKS
have_lines() {
	awk -F, '$5 == "JITCODE" { print ($6 == "JitUnannounced" ? "-" : $6) ":" $7 ":" $8, $9 }' csv
}
# Each name's ticks against its share of the CPU time.
shares() { # [LOG [HAVE]]
	"${2:-have}" | "$top/tests/vm/judge" shares "${1:-log}" >told 2>&1
}

# ---- moved: f_old 28.6 %, f_new 57.1 %, nobody knows what 14.3 %
traced move 700
shares
verdict move $? "$(cat told)"
cat told
verdict move_says_nothing "$([ ! -s err ]; echo $?)" "$(cat err)"
# Checks that the test can fail: the ticks at the move's other end belong only to f_new.
sed 's/f_old/f_new/' log >shifted
! shares shifted
verdict move_judged $?

# ---- why: where f_old was when it ran, when f_new did, when it had moved
explained() { # PART: post -explain, in `why`, of the tick so far into those on the page with the most
	"$bin/post" -show -json -o - | jq -r 'select(.record == "tprof" and .kind == "user") |
		"\(.pid):\(.address):\(.time)"' | sed -E 's/(.{9})$/.\1/' | awk -F : -v part="$1" '{
			page = substr($2, 1, length($2) - 3)
			at[page, n[page]++] = $0
			if (n[page] > n[most])
				most = page
		}
		END { print at[most, int(part * n[most])] }' >at
	"$bin/post" -explain "$(cat at)" >why 2>err
}
explained 0.2
grep -q '^Why  *the program had announced this code by then' why &&
	grep -q '^\* .* code: f_old, ' why && grep -q '^  .* code: f_new, ' why &&
	grep -q "^ *by jitdump $PWD/jit-.*\.dump, byte 123$" why && grep -q 'mapped: anonymous memory' why
verdict explained $? "$(cat why err)"
explained 0.95
grep -q '^  *its program had not announced code in it by then' why &&
	grep -q '^\* .* code moved away' why && [ "$(grep -c ' code: ' why)" = 2 ]
verdict explained_moved $? "$(cat why err)"

# ---- damaged after it was traced: what stands before is used, the rest has no name
dump=$(echo jit-*.dump)
cp "$dump" whole
# The records of the second function begin where the first one's end: header, line table, LOAD.
second=$((40 + 32 + 16 + 17 + 16 + 2 + 56 + 6 + 64))
head -c $((second + 20)) whole >"$dump"
"$bin/post" -csv >csv 2>err
[ $? = 1 ] && [ "$(have | sort | cut -d' ' -f1 | xargs)" = "- f_old" ]
verdict cut $? "$(have)"
grep -q "$dump: at byte $second: the file ends inside a record" err
verdict cut_told $? "$(cat err)"
{
	head -c $second whole
	printf '\0\0\0\0\1\0\0\0'
	tail -c +$((second + 9)) whole
} >"$dump"
"$bin/post" -csv >csv 2>err
grep -q "$dump: at byte $second: a record smaller than its header" err
verdict damaged $? "$(cat err)"

# ---- gone, or another one in its place; then a copy that the user names
mv "$dump" kept
"$bin/post" -csv >csv 2>err
[ "$(have | cut -d' ' -f1)" = - ] && grep -q "$dump: it no longer exists" err
verdict gone $? "$(have; cat err)"
: >"$dump"
"$bin/post" -csv >csv 2>err
grep -q "$dump: the file of this name is not the one that was mapped" err
verdict other $? "$(cat err)"
mkdir copies
cp whole "copies/$dump"
"$bin/post" -jdir nowhere:copies -csv >csv 2>err
shares
verdict jdir $? "$(cat told err)"
rm "$dump"

# ---- reused: 60 functions of 12 names at 32 overlapping places
traced reuse 1500
shares
verdict reuse $? "$(cat told)"
cat told

# ---- their lines, each function's its own: 12 names, 60 lines
by_line() {
	awk '{ print $1 ":" ($3 ? "/src/jitting.src" : "") ":" $3, $2 }' log >by_line
	"$bin/post" -line -csv >csv 2>err
}
by_line
shares by_line have_lines
verdict lines $? "$(cat told)"
[ "$(have_lines | sort -u | wc -l)" -gt 40 ]
verdict lines_many $? "$(have_lines)"
"$bin/post" -line -o - >out 2>err
grep -q 'LIN .*jitting.src:10[0-9]$' out
verdict lines_text $? "$(grep LIN out | head)"
"$bin/post" -inline -csv >csv 2>err
[ "$(awk -F, '$5 == "JITCODE"' csv | wc -l)" -le 13 ]
verdict inline_alone $? "$(cat csv)"
# Through a move, and none that was not announced.
traced move 200
by_line
shares by_line have_lines
verdict lines_moved $? "$(cat told)"
cat told

# ---- instructions of the code, at each place where it was, each with its line
"$bin/post" -annotate f_new -json >out 2>err
jq -e '.annotated | length == 2 and (map(.address) | unique | length == 2) and all(
	.ticks > 20 and .astray == 0 and .name == "f_new" and .module == "JITCODE" and
	(.code_from | test("/jit-[0-9]+[.]dump$")) and
	([.instructions[].ticks] | add) == .ticks and
	(.lines | map([.source, .line])) == [["/src/jitting.src", 20]] and
	all(.instructions[]; .text != null and (.ticks == 0 or .line == 20)))' out >why
verdict annotated $? "$(cat err) $(jq -c .annotated out)"
have_lines | awk -F '[: ]' '$1 == "f_new" { n += $NF } END { print n }' >want
jq '[.annotated[].ticks] | add' out | cmp -s - want
verdict annotated_ticks $? "$(cat want)"
if [ "$(uname -m)" = x86_64 ]; then
	[ "$(jq -r '.annotated[0].instructions[:3][].text' out | sed 's/  */ /; s/ *$//' | xargs)" = \
		"dec %rdi jne +0x0 ret" ]
	verdict annotated_words $? "$(jq -c '.annotated[0].instructions[:3]' out)"
else
	echo "skip jit_annotated_words they are x86-64's"
fi
"$bin/post" -annotate f_new@JITCODE >out 2>err
[ "$(grep -c '^code from .*/jit-[0-9]*\.dump, 0x' out)" = 2 ]
verdict annotated_text $? "$(head -n 20 out)"

# ---- logs beside the trace, with what was given up, and a thread's name
traced log 500
shares
verdict log $? "$(cat told)"
cat told
grep -q JitFreed told && grep -q '^[0-9]*,jitting,[0-9]*,a thread of many words,JITCODE,' csv
verdict log_thread $? "$(cat csv)"
explained 0.5
grep -q '^\* .* code given up' why && grep -q "^ *by log ./log-jita2n_[0-9]*, byte [1-9]" why
verdict log_explained $? "$(cat why err)"
"$bin/post" -csv >csv 2>err
verdict log_says_nothing "$([ ! -s err ]; echo $?)" "$(cat err)"
log=$(echo log-jita2n_*)
# Instructions of what was moved: those that the log has; where it has none, that is said.
"$bin/post" -annotate f_new -json >out 2>err
jq -e '.annotated | length == 2 and (map(.address) | unique | length == 2) and all(
	.ticks > 20 and .name == "f_new" and (.code_from | test("/log-jita2n_[0-9]+$")) and
	all(.instructions[]; .text != null))' out >why
verdict log_annotated $? "$(cat err) $(jq -c .annotated out)"
cp "$log" kept
sed -i 's/\(\tf_new\)\t.*/\1/' "$log"
"$bin/post" -annotate f_new >out 2>err
[ "$(grep -c 'no instructions: its program announced this code without its bytes' out)" = 2 ]
verdict log_without_code $? "$(cat out err)"
mv kept "$log"
mkdir logs
mv log-j* logs
"$bin/post" -csv >csv 2>err
[ "$(have | cut -d' ' -f1)" = - ]
verdict log_gone $? "$(have)"
"$bin/post" -jdir logs -csv >csv 2>err
shares
verdict log_jdir $? "$(cat told)"
sed -i '3s/UNLOAD/UNLAOD/' "logs/$log"
"$bin/post" -jdir logs -csv >csv 2>err
[ $? = 1 ] && grep -q "logs/$log: at byte [0-9]*: unknown flags, not LOAD" err
verdict log_damaged $? "$(cat err)"
[ "$(have | cut -d' ' -f1 | sort | xargs)" = "f_new f_old" ]
verdict log_damaged_names $? "$(have)"
rm -r logs

# ---- in records on the trace's own clock, nothing beside it
traced hook 500
shares
verdict hook $? "$(cat told)"
cat told
grep -q JitFreed told && grep -q '^[0-9]*,jitting,[0-9]*,a thread of many words,JITCODE,' csv
verdict hook_thread $? "$(cat csv)"
explained 0.5
grep -q '^\* .* code given up' why && grep -q '^ *by record mte .*, pid [0-9]*, cpu ' why
verdict hook_explained $? "$(cat why err)"
"$bin/post" -csv >csv 2>err
verdict hook_says_nothing "$([ ! -s err ]; echo $?)" "$(cat err)"

# ---- nobody told: the report says what would help
traced silent 300
[ "$(have | cut -d' ' -f1)" = - ]
verdict silent $? "$(have)"
"$bin/post" >out 2>err
grep -q 'JitUnannounced [1-9]' out && grep -q -e '--perf-prof' out
verdict silent_cure $? "$(tail -n 6 out)"

[ $failures = 0 ]
