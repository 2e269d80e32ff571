#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Calls of a program of C in post, in each form that libhookit writes: log-rt, log-gen and records of a trace (major 0xB0).
# Each report and each format has as many calls as the program makes; ticks of a trace of the same run stand beside them,
# under the same names.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset HOOKITOPTS LD_PRELOAD
post=$bin/post
if [ ! -f "$build/lib/libhookit.so" ]; then
	echo "skip compiled_calls it is not built with sanitizers"
	exit 77
fi
export XDG_CACHE_HOME=$work/cache
cd "$work" || exit 1

cat >calls.c <<'END'
static volatile unsigned sum;
#define ONE __attribute__((noinline)) void
ONE leaf(int n) { for (int i = 0; i < n; i++) sum++; }
ONE inner(int n) { for (int i = 0; i < 5; i++) leaf(n); }
ONE outer(int n) { inner(n); inner(n); }
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 3; i++)
		outer(argc > 1 ? 20000000 : 1000);
	return 0;
}
END
gcc -O2 -g -finstrument-functions calls.c -o calls || exit 1
want='1 main
3 outer
30 leaf
6 inner'
stacks='main 1
main;outer 3
main;outer;inner 6
main;outer;inner;leaf 30'
sorted() {
	LC_ALL=C sort
}
plain() { # folded stacks: functions alone
	sed 's/^[^;]*;//; s/_\[j\]//g; s/F://g' | sorted
}

HOOKITOPTS=CALIBRATION=none,CALLTRACE "$bin/swtrace" run --calls -q -o t.nrm2 -- ./calls 2>err || exit 1
rt=$(echo log-rt.1_*) gen=$(echo log-gen.1_*)
for form in "$rt" "$gen"; do
	name=${form%%.*}
	name=${name/-/_}
	is "${name}_functions" "$("$post" -functions -csv "$form" |
		awk -F, '{ sub(/^F:/, "", $5); if ($1 + 0 > 0) print $1, $5 }' | sorted)" "$want"
	is "${name}_folded" "$("$post" -e calls -folded "$form" | plain)" "$stacks"
	is "${name}_calltree" "$("$post" -e calls -calltree -csv "$form" | awk -F, '/leaf/ { n++ } END { print n }')" 1
	is "${name}_callers" "$("$post" -q -e calls -callers=leaf -json "$form" |
		jq -c '[.symbols[].callers[] | [.name, .ticks]]')" '[["inner",30]]'
	is "${name}_callees" "$("$post" -q -e calls -callees=inner -json "$form" |
		jq -c '[.symbols[].callees[] | [.name, .ticks]]')" '[["leaf",30]]'
	"$post" -q -e calls -format pprof -o again.pprof "$form"
	is "${name}_pprof" "$("$post" -folded again.pprof | plain)" "$stacks"
	# These two have addresses, and files that hold the names: code has none here.
	"$post" -q -e calls -format gperftools -o again.prof "$form"
	is "${name}_gperftools" "$("$post" -folded again.prof |
		awk '{ print gsub(/;/, ""), $NF }' | LC_ALL=C sort -n | xargs)" '1 1 2 3 3 6 4 30'
	"$post" -q -format perf.data -o again.perf.data "$form"
	is "${name}_perf_data" "$("$post" -json again.perf.data | jq -c '[.events[] | select(.name == "calls") | .counted]')" '[40]'
	"$post" -q -e calls -format speedscope -o s.json "$form"
	is "${name}_speedscope" "$(jq '[.profiles[].weights | add] | add' s.json)" 40
	"$post" -q -e calls -format firefox -o f.json "$form"
	is "${name}_firefox" "$(jq '[.threads[].samples.weight[]] | add' f.json)" 40
done
"$post" -q -calls "$gen"
is log_gen_calls "$(awk '/ > F:leaf/ { n++ } / < F:leaf/ { m++ } END { print n, m }' calls.out)" '30 30'
# Each function's values in the order of calls are those of its stacks.
"$post" -q -o - -flow "$gen" | awk '$2 == "U" { sub(/:.*/, "", $NF); n[$NF] += $3 } END { for (f in n) print f, n[f] }' |
	sort >flow.sums
"$post" -q -folded "$gen" | awk '{ sub(/.*;/, "", $(NF - 1)); n[$(NF - 1)] += $NF } END { for (f in n) print f, n[f] }' |
	sort >folded.sums
grep -q ' [1-9]' flow.sums && diff folded.sums flow.sums >err
verdict log_gen_flow $? "$(head -n 20 err)"
"$post" -q -o - -flow "$rt" | grep -q '^# The log has sums of calls, not their order'
verdict log_rt_flow $?

# Formats without names say that names are lost.
for format in perf.data gperftools pprof; do
	"$post" -q -format $format -o named "$gen" 2>err
	is "log_gen_named_$format" "$(grep -c 'lose their names' err)" $((1 - (${#format} == 5)))
done

# Records of a trace: pairs by time.
rm -f log-*
HOOKITOPTS=CALIBRATION=none,TRACEHOOK "$bin/swtrace" run --calls -M tprof,user -q -o b0.nrm2 -- ./calls long 2>err || exit 1
"$post" -q -marks -r b0.nrm2
is b0_marks "$(awk '$NF ~ /^(main|outer|inner|leaf)$/ { print $1, $NF }' marks.out | head -n 4 | sorted)" "$want"
for format in chrome perfetto ctf speedscope firefox; do
	"$post" -q -format $format -o b0.$format -r b0.nrm2 2>err
	grep -rqa leaf b0.$format
	verdict "b0_$format" $? "$(cat err)"
done
is b0_chrome_pairs "$(jq '[.. | objects | select(.name? == "leaf" and .ph == "b")] | length' b0.chrome)" 30

# The ticks of the same run beside the calls: each name once.
log=$(echo log-rt.1_*)
"$post" -q -functions -csv b0.nrm2 "$log" >both.csv 2>err
is beside "$(
	awk -F, 'NR > 1 { sub(/^F:/, "", $(NF - 1)); if ($(NF - 1) ~ /^(leaf|inner|outer)$/) print $(NF - 1) }' both.csv |
		sorted | uniq -c | xargs
)" \
	'1 inner 1 leaf 1 outer'
awk -F, 'NR > 1 && $(NF - 1) == "leaf" { good = $1 > 10 && $3 == 30 } END { exit !good }' both.csv
verdict beside_leaf $? "$(head -5 both.csv; cat err)"
exit $((failures != 0))
