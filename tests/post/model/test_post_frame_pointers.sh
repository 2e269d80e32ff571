#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Stacks by frame pointers of programs with and without them, compared with unwinding tables: callers that cannot be
# right are cut and counted, the rest agrees with the tables; -g without a word has all.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
for tool in g++ jq; do
	command -v $tool >/dev/null && continue
	echo "skip post_frame_pointers $tool is not installed"
	exit 77
done
if [ "$(uname -m)" != x86_64 ]; then
	echo "skip post_frame_pointers unwinding tables are judged on x86-64"
	exit 77
fi
for collector in perf timer; do
	"$bin/swtrace" run -q -B $collector -g=fp -o probe.nrm2 -- true >out 2>&1 && break
done

cat >strings.cpp <<'END_OF_FILE'
#include <cstdlib>
#include <string>
#include <time.h>
#include <vector>
__attribute__((noinline)) size_t strings(int n)
{
	size_t sum = 0;

	for (int i = 0; i < n; i++) {
		std::string s(40 + i % 100, 'x');
		char *p = (char *)malloc(100 + i % 1000);

		s += std::to_string(i);
		p[0] = s[1];
		std::vector<std::string> v(3, s);
		sum += v[2].size() + p[0];
		free(p);
	}
	return sum;
}
int main()
{
	struct timespec t;
	size_t sum = 0;

	do {
		sum += strings(1000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec < 1);
	return sum == 1;
}
END_OF_FILE
cat >framed.c <<'END_OF_FILE'
#include <time.h>
#define F __attribute__((noinline, noclone, noipa))
F int leaf(volatile int *p)
{
	int s = 0;

	/* gcc gives functions that call none no frame otherwise. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	for (int i = 0; i < 20000; i++)
		s += *p * i;
	return s;
}
F int inner(volatile int *p) { return leaf(p) + leaf(p + 1) * 3; }
F int outer(volatile int *p) { return inner(p) ^ inner(p); }
int main(void)
{
	volatile int v[2] = { 3, 4 };
	struct timespec t;
	int s = 0;

	/* The clock has no frame: its caller is passed over. On some machines it takes long. */
	do {
		for (int i = 0; i < 50; i++)
			s += outer(v);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (!t.tv_sec && t.tv_nsec < 500000000);
	return s == 77;
}
END_OF_FILE
g++ -O2 -g -o strings strings.cpp && gcc -O1 -fno-omit-frame-pointer -o framed framed.c || exit 1

record() { # NAME PROGRAM OPTION...
	"$bin/swtrace" run -q -B $collector "${@:3}" -o "$1.nrm2" -- "./$2" >out 2>&1 &&
		"$bin/post" -calltree -json "$1.nrm2" >"$1.json" 2>>out
	verdict "recorded_$1" $?
}
# Prints "CALLER>FUNCTION" and ticks of each call in user code; the caller is - if there is none.
edges() { # NAME
	jq -r '(.calls | map({ key: (.id | tostring), value: . }) | from_entries) as $by |
		.calls[] | select(.depth > 0 and (.kernel | not)) |
		($by[.parent | tostring] | if .depth == 0 then "-" else .name end) + ">" + .name + "\t" +
		(.total | tostring)' "$1.json"
}
part() { # NAME JQ: percent of the ticks
	jq ".total_ticks as \$all | $2 * 100 / \$all | floor" "$1.json"
}
ended() { # NAME WORDS: percent
	part "$1" "([.stacks.ended_early[] | select(.why | contains(\"$2\")).ticks] | add // 0)"
}

record frames strings -g=fp
record tables strings -g=dwarf
record plain strings -g

# ---- without frame pointers
edges tables | cut -f1 | sort -u >right
edges frames | grep -v '^->' >have
awk -F'\t' 'NR == FNR { right[$1]; next } !($1 in right) { wrong += $2; print } END { print wrong + 0 > "wrong" }' \
	right have >out
# A few ticks may be in calls that the other run did not meet.
calc "$(cat wrong) <= 0.02 * $(jq .total_ticks frames.json)"
verdict wrong_callers $?
# A thread may be hit where nothing is known to be mapped yet; nothing is called from there.
is no_module "$(edges frames | grep '^NoModule>')" ''
# All but nothing of it can have its callers.
calc "$(ended frames cut) >= 10 && $(ended frames cut) + $(ended frames 'callers are missing') >= 90"
verdict counted $? "cut $(ended frames cut) %, missing $(ended frames 'callers are missing') %"
"$bin/post" -calltree frames.nrm2 >screen 2>&1
says says_what_to_do screen 'Callers are missing in .* swtrace run -g=dwarf records them'
says says_so_in_the_report calltree.out 'Callers are missing in .* swtrace run -g=dwarf records them'
"$bin/post" -callers frames.nrm2 >screen 2>&1
says says_so_of_callers screen 'Callers are missing in .* swtrace run -g=dwarf records them'

# ---- -g: all of them
below_main='([.calls[] | select(.name == "main").total] | add // 0)'
calc "$(part plain "$below_main") >= 90"
verdict plain_has_main $? "$(part plain "$below_main") % are in main"
calc "$(part plain '([.calls[] | select(.name == "strings(int)").total] | add // 0)') >= 90"
verdict plain_has_caller $?
is plain_cuts_nothing "$(ended plain cut)" 0
"$bin/post" -calltree plain.nrm2 >screen 2>&1
is plain_says_nothing "$(grep -c 'Callers are missing' screen)" 0

# ---- with frame pointers they are as they were
record framed framed -g=fp
[ "$(edges framed | grep -cE '^(main>outer|outer>inner|inner>leaf)	')" -ge 3 ]
verdict framed_calls $? "$(edges framed | head -n 8)"
calc "$(ended framed cut) == 0"
verdict framed_not_cut $? "$(ended framed cut) %"
calc "$(part framed "$below_main") >= 90"
verdict framed_whole $? "$(part framed "$below_main") % are in main"

# ---- what is cut is the same beside another trace, with a filter that leaves nothing out, and of a perf.data
whole() { # FILE OPTION...: to the file, how the program's stacks ended, and its calls
	"$bin/post" -calltree -json "${@:2}" 2>out | jq -c '(.stacks.ended_early[] | select(.why | test("frame pointers"))),
		(.calls[] | select(.depth > 0) | [.depth, .name, .self])' | sort >"$1"
	grep -q '"why":"cut' "$1" || echo "nothing is cut" >"$1"
}
same() { # NAME
	diff alone have >out && ! grep 'nothing is cut' alone >>out
	verdict "$1" $?
}
whole alone -comm strings frames.nrm2
whole have -comm strings frames.nrm2 framed.nrm2
same beside_another
whole alone frames.nrm2
whole have -comm '*' frames.nrm2
same with_a_filter
"$bin/post" -q -format perf.data -o frames.data frames.nrm2 2>out
whole have frames.data
same of_perf_data

# ---- -g where copies would fill the buffer, which is written at the end: frame pointers alone
record normal strings -g -t norm
calc "$(ended normal cut) >= 10"
verdict normal_has_no_copies $? "$(ended normal cut) %"
exit $((failures != 0))
