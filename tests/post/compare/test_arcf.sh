#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# arcf and post -diff: a trace that can be counted by hand, beside perf diff and go tool pprof, a budget of
# traced instructions, wrong usage.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export LC_ALL=C
arcf=$bin/arcf post=$bin/post

"$programs/programs/post_trace" stacks stacks.nrm2 || exit 1
"$post" -folded stacks.nrm2 | grep -v '^Idle;' >stacks.folded

# A trace and its own folded stacks are the same.
"$arcf" -folded stacks.nrm2 | sort >out
diff out <(sort stacks.folded) >why
verdict folded $? "$(cat why)"
is diff_of_both "$("$post" -diff -json stacks.nrm2 stacks.folded | jq -c '[.significant, ([.lines[].delta] | add), .inputs[].total]')" '[0,0,90,90]'
is from_a_pipe "$("$post" -diff -folded - stacks.nrm2 <stacks.folded | awk '$(NF - 1) != $NF' | wc -l)" 0
is added "$("$arcf" -add -csv stacks.nrm2 stacks.folded | awk -F, 'NR > 1 { n += $(NF - 1) } END { print n }')" 180
is subtracted "$("$arcf" -subtract -csv stacks.nrm2 stacks.folded | wc -l)" 1
is least "$("$arcf" -min -json stacks.nrm2 stacks.folded | jq '.inputs[0].total')" 90
is beside "$("$arcf" --json stacks.nrm2 stacks.folded | jq -c '.lines[] | select(.name == "copy_to_user_[k]") | [.self, .total]')" '[[20,20],[50,50]]'

# Budgets.
"$arcf" -new-budget stacks.nrm2 >budget && "$arcf" -budget budget stacks.nrm2 >out
is new_budget_is_kept "$? $(tail -n 1 out)" '0 budget: 0 of 5 budgets are broken'
printf 'copy* self 19\nvfs_read_[k];copy* total 20\n' >budget
"$arcf" -budget budget stacks.nrm2 -csv >out
is broken "$? $(cut -d, -f 1,5,9 out | tail -n +2 | tr '\n' ' ')" '1 1,20,true 2,20,false '
printf 'f self 1\nf self\n' >budget
"$arcf" -budget budget stacks.nrm2 >out 2>&1
is wrong_budget "$? $(cat out)" '2 arcf: budget: line 2: it has too few words: PATTERN METRIC LIMIT [TOLERANCE] are expected'
"$post" -diff stacks.nrm2 >out 2>&1
is diff_of_one "$? $(cat out)" '2 post: -diff takes two traces, the older one first'
printf 'p;f\n' >wrong.folded
"$arcf" wrong.folded >out 2>&1
is no_input $? 2

# Instructions: the same program keeps its budget, 1 % more in one function does not.
cat >work.c <<'END'
#include <stdlib.h>
static volatile long sum;
__attribute__((noinline)) void work(long n) { while (n-- > 0) sum += n; }
__attribute__((noinline)) void rest(long n) { while (n-- > 0) sum ^= n; }
int main(int argc, char **argv) { (void)argc; work(atol(argv[1])); rest(1000); return 0; }
END
if gcc -O1 -g -o work work.c && "$bin/swtrace" run --itrace -B ptrace --from main -q -o a.nrm2 -- ./work 1000 >/dev/null 2>&1; then
	for n in 1000 1010; do
		"$bin/swtrace" run --itrace -B ptrace --from main -q -o $n.nrm2 -- ./work $n >/dev/null 2>&1
	done
	"$arcf" -tree -new-budget a.nrm2 | grep -E '^"(work|rest)"' >budget
	"$arcf" -tree -budget budget 1000.nrm2 >out
	is instructions_kept "$? $(wc -l <budget)" '0 2'
	"$arcf" -tree -budget budget 1010.nrm2 -csv >out
	is instructions_broken "$? $(grep -c ',true,true$' out) $(grep 'true,true$' out | cut -d, -f 2)" '1 1 work'
	"$arcf" -tree -diff a.nrm2 1010.nrm2 -csv >out
	is instructions_differ "$(grep -E '^(work|rest),' out | awk -F, '{ print $1, $NF, ($3 > $2) }' | sort | tr '\n' ' ')" 'rest 0 0 work 1 1 '
else
	echo "skip ${suite}_instructions no instruction traces here"
fi

# Beside perf diff: each function's part, and its change.
if perf record -q -c 1000000 -e cpu-clock:u -o a.data ./work 30000000 2>/dev/null && [ -s a.data ] &&
	perf record -q -c 1000000 -e cpu-clock:u -o b.data ./work 60000000 2>/dev/null; then
	perf diff -s sym a.data b.data 2>/dev/null | awk '$NF == "work" { print $1, $2 }' | tr -d '%+' >want
	"$arcf" -q -diff -csv a.data b.data | awk -F, '$1 == "work" { printf "%.2f %.2f\n", $4, $6 }' >have
	is as_perf_diff "$(cat have)" "$(cat want)"
else
	echo "skip ${suite}_as_perf_diff perf record does not work here"
fi

# Beside pprof: the sum of each function's difference.
if command -v go >/dev/null && [ -s b.data ]; then
	for f in a b; do "$post" -q -format pprof -o $f.pb.gz $f.data; done
	HOME=$work go tool pprof -top -sample_index=0 -nodecount=1000 -nodefraction=0 -diff_base a.pb.gz b.pb.gz 2>/dev/null |
		awk '$NF == "work" || $NF == "rest" { print $NF, $1 + 0 }' | sort >want
	"$arcf" -q -absolute -diff -csv a.pb.gz b.pb.gz | awk -F, '$1 == "work" || $1 == "rest" { print $1, $3 - $2 }' | sort >have
	[ -s want ]
	verdict pprof_has_differences $?
	is as_pprof "$(grep -v ' 0$' have)" "$(grep -v ' 0$' want)"
else
	echo "skip ${suite}_as_pprof no go here"
fi
[ $failures = 0 ]
