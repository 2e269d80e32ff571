#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# lines.sh [SAMPLES [MODULES]]: source lines and inlined functions of samples in many modules, whose
# C++ DWARF: post -line -inline compared with perf script with source lines (end to end, as many samples as perf can
# handle in time: PERF_SAMPLES), and the additional cost in post's report compared with llvm-symbolizer over the
# distinct addresses.
. "$(dirname "$0")/lib.sh"

samples=${1:-10000000} modules=${2:-200} few=${PERF_SAMPLES:-20000}
trap 'rm -f "$work"/large.*' EXIT
room 1000 || exit 0
for tool in g++ llvm-symbolizer jq; do
	command -v $tool >/dev/null || { echo "bench: no $tool: left out"; exit 0; }
done

# Each module sorts, prints and looks up: some hundred functions are inlined. They are one program
# under as many names, compiled once.
if ! [ -e "$work/modules/main" ]; then
	rm -rf "$work/modules"
	mkdir -p "$work/modules"
	cat >"$work/modules/one.cc" <<'END'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
extern "C" int one(int n)
{
	std::vector<int> v;
	std::map<std::string, int> m;
	for (int i = 0; i < n; i++)
		v.push_back(i * 7919 % 1009);
	std::sort(v.begin(), v.end());
	for (int x : v)
		m[std::to_string(x % 97)] += x;
	int sum = 0;
	for (auto &p : m)
		sum += p.second + (int)p.first.size();
	return sum;
}
END
	{
		i=0
		while [ $i -lt "$modules" ]; do
			echo "int f$i(int);"
			i=$((i + 1))
		done
		echo 'int main(void) { int s = 0; for (int k = 0; k < 8000 / MODULES; k++) { '
		i=0
		while [ $i -lt "$modules" ]; do
			echo "s += f$i(2000);"
			i=$((i + 1))
		done
		echo '} return s & 1; }'
	} >"$work/modules/main.c"
	g++ -O2 -g -fno-omit-frame-pointer -fPIC -c -o "$work/modules/one.o" "$work/modules/one.cc" || exit 1
	i=0
	while [ $i -lt "$modules" ]; do
		objcopy --redefine-sym one=f$i "$work/modules/one.o" "$work/modules/f.o" &&
			g++ -shared -o "$work/modules/lib$i.so" "$work/modules/f.o" || exit 1
		i=$((i + 1))
	done
	gcc -O2 -g -DMODULES="$modules" -o "$work/modules/main" "$work/modules/main.c" "$work"/modules/lib*.so \
		-Wl,-rpath,"$(cd "$work/modules" && pwd)" || exit 1
fi

recording lines -g sh -c "'$work/modules/main'; true"
"$O/tests/bench/repeat" "$work/lines.nrm2" "$work/large.nrm2" "$samples" >"$work/out" || exit 1
"$O/tests/bench/repeat" "$work/lines.nrm2" "$work/large.few" "$few" >"$work/out" || exit 1
"$O/tests/bench/repeat_perf" "$work/lines.data" "$work/large.data" "$few" >"$work/out" || exit 1
cat "$work"/large.* >/dev/null

cost 2 "$O/bin/post" -q -csv -r "$work/large.nrm2" -o "$work/large.out"
plain=$cpu plain_memory=$rss
cost 2 "$O/bin/post" -q -csv -line -inline -r "$work/large.nrm2" -o "$work/large.out"
ours=$cpu memory=$rss
cost 1 "$O/bin/post" -q -csv -line -inline -r "$work/large.few" -o "$work/large.out"
ours_few=$cpu
cost 1 "$PERF" script -i "$work/large.data" -G -F comm,pid,tid,time,ip,sym,dso,srcline
beside "lines of $few samples, $modules modules" "$ours_few" s "$cpu" "perf script +srcline"

# The distinct addresses, as llvm-symbolizer reads them: its input is made of post's own report.
"$O/bin/post" -q -json -off -r "$work/large.nrm2" -o "$work/large.json"
jq -r '.processes[].threads[].modules[] | .name as $m | select($m | startswith("/")) |
	.symbols[] | select(.value) | .value as $v | .offsets[] | "\($m) \($v) \(.offset)"' \
	"$work/large.json" | awk 'function hex(s, n, i) {
			n = 0
			for (i = 3; i <= length(s); i++)
				n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
			return n
		}
		{ printf "%s 0x%x\n", $1, hex($2) + hex($3) }' | sort -u >"$work/large.addresses"
distinct=$(wc -l <"$work/large.addresses")
cost 1 sh -c "llvm-symbolizer --inlines --functions=linkage <'$work/large.addresses' >'$work/large.llvm'"
beside "what lines add to $((samples / 1000)) k samples, $distinct addresses" "$(calc "$ours - $plain")" s \
	"$cpu" "llvm-symbolizer --inlines"
beside "  peak memory" "$memory" MB "$rss" "llvm-symbolizer --inlines"
echo "  without lines: $plain s, $plain_memory MB; with: $ours s, $memory MB"
