#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# two_judges.sh SECONDS: the collector perf and `perf record` sample the same processes at the same
# time, on this machine: python3, a compiler, gzip. The shares of the ten hottest symbols must agree
# by a two-sample test, and must not with symbols that are moved up by 4 KB. Needs perf and leave to
# use it (77: not here).
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
bin=${O:-$top/build}/bin
seconds=${1:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
code=0

perf record -q -e cpu-clock -o probe.data true 2>/dev/null && [ -s probe.data ] || {
	echo "# perf record does not work here"
	exit 77
}
"$bin/swtrace" run -q -B perf -o probe.nrm2 -- true || exit 77

# Each works about as long as it is told, in functions with names.
cat >python.sh <<END
exec /usr/bin/python3 -c '
import time
end = time.process_time() + $seconds
words = {}
while time.process_time() < end:
	for i in range(20000):
		w = str(i * 7919 % 5003)
		words[w] = words.get(w, 0) + len(w)
	text = ",".join(sorted(words))
	text.split(",")
'
END
for i in $(seq 1 3000); do
	echo "int f$i(int a, int *b) { int s = $i; for (int i = 0; i < a; i++) s += b[i] * $i ^ s >> 3; return s; }"
done >long.c
cat >gcc.sh <<END
end=\$((\$(date +%s) + $seconds))
while [ \$(date +%s) -lt \$end ]; do gcc -O1 -S -o /dev/null long.c; done
END
seq 1 4000000 >data
cat >gzip.sh <<END
end=\$((\$(date +%s) + $seconds))
while [ \$(date +%s) -lt \$end ]; do gzip -5 -c data >/dev/null; done
END

value() { # WORD of the verdict
	sed -n "s/^p .*\b$1 \([^ ]*\).*/\1/p; s/^$1 \([^ ]*\).*/\1/p" "$2" | head -n 1
}
judge() { # NAME PROCESS [FOLDER]: p of post's profile against perf's
	"$bin/post" -q -json -r "$1.nrm2" ${3:+-sympath "$3"} >"$1.json"
	[ $? -le 1 ] || return 1
	"$top/tests/peers/two_samples" "$2" "$1.json" "$1.perf" >"$1.judged"
}

for each in python:python3 gcc:cc1 gzip:gzip; do
	name=${each%:*} process=${each#*:}
	# At unlike rates, so that neither follows the other's ticks.
	perf record -q -e cpu-clock -F 1009 -o "$name.data" -- \
		"$bin/swtrace" run -q -B perf -F 997 -o "$name.nrm2" -- sh "$name.sh" || {
		echo "not ok two_judges_$name did not run"
		code=1
		continue
	}
	perf script -i "$name.data" -F comm,ip,sym,dso 2>/dev/null >"$name.perf"
	if judge "$name" "$process"; then
		sed 's/^p /# p /' "$name.judged"
		p=$(value p "$name.judged")
		if awk "BEGIN { exit !($p > 1e-4) }"; then
			echo "ok two_judges_$name"
		else
			echo "not ok two_judges_$name p is $p: two profiles of one run differ"
			code=1
		fi
	else
		echo "not ok two_judges_$name cannot be compared"
		code=1
	fi
done

# The test sees what it should: the same traces, named by symbols that are one page off.
for each in python:python3:/usr/bin/python3 gcc:cc1:cc1; do
	name=${each%%:*} process=${each#*:} file=${each##*:}
	process=${process%:*}
	[ "$file" != cc1 ] || file=$(gcc -print-prog-name=cc1)
	file=$(realpath "$file")
	mkdir -p "shifted$(dirname "$file")"
	"$top/tests/vm/judge" shift "$file" "shifted$file" 4096 || exit 1
	judge "$name" "$process" "$work/shifted" || { echo "not ok two_judges_shifted_$name"; code=1; continue; }
	p=$(value p "$name.judged")
	echo "# symbols of $process moved up by 4 KB: p $p"
	if awk "BEGIN { exit !($p < 1e-6) }"; then
		echo "ok two_judges_shifted_$name"
	else
		echo "not ok two_judges_shifted_$name p is $p: symbols one page off are not noticed"
		code=1
	fi
done
exit $code
