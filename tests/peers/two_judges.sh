#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# two_judges.sh SECONDS: a collector and `perf record` sample the same processes at the same time, on
# this machine: python3, a compiler, and a program that has zlib in it with all its names (Debian's gzip
# has none: nothing could be told apart). The shares of the ten hottest symbols must agree by a
# two-sample test, and must not with symbols that are moved up by 4 KB. First the collector perf; then
# the collector timer, which sees user code only and books the kernel's time to where it returns to: so
# are perf's samples here, by the first user address of their call chains. Needs perf and leave to use
# it (77: not here).
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
for i in $(seq 1 1000); do
	echo "int f$i(int a, int *b) { int s = $i; for (int i = 0; i < a; i++) s += b[i] * $i ^ s >> 3; return s; }"
done >long.c
# The compiler's time is spread over many small functions, and the collector timer ticks more rarely than
# perf (by the kernel's jiffies): the one gets twice as long, the other four times.
for times in 2 4; do
	cat >gcc-$times.sh <<-END
	exec /usr/bin/python3 -c '
	import resource, subprocess
	while resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime < $((times * seconds)):
	    subprocess.run("gcc -O1 -S -o /dev/null long.c".split(), check=True)
	'
	END
done
gcc -g -O2 -o deflate "$top/tests/peers/deflate.c" -l:libz.a || exit 1
echo "exec ./deflate $seconds" >deflate.sh

value() { # WORD of the verdict
	sed -n "s/^p .*\b$1 \([^ ]*\).*/\1/p; s/^$1 \([^ ]*\).*/\1/p" "$2" | head -n 1
}
judge() { # NAME PROCESS [FOLDER]: p of post's profile against perf's
	"$bin/post" -q -json -r "$1.nrm2" ${3:+-sympath "$3"} >"$1.json"
	[ $? -le 1 ] || return 1
	"$top/tests/peers/two_samples" "$2" "$1.json" "$1.perf" >"$1.judged"
}

# Prints the innermost user code of each sample with a call chain: COMM ADDRESS SYMBOL (MODULE)
innermost_user() {
	awk '/^[^ \t]/ { comm = $0; sub(/[ \t]+$/, "", comm); wanted = 1; next }
		wanted && NF && $1 !~ /^ffff............$/ { print comm $0; wanted = 0 }'
}

# compare NAME PROCESS COLLECTOR SCRIPT
compare() {
	local name=$1 process=$2 p chains='' pick=cat
	[ "$3" != timer ] || chains=-g pick=innermost_user
	# At unlike rates, so that neither follows the other's ticks.
	perf record -q -e cpu-clock $chains -F 1009 -o "$name.data" -- \
		"$bin/swtrace" run -q -B "$3" -F 997 -o "$name.nrm2" -- sh "$4" || {
		echo "not ok two_judges_$name did not run"
		code=1
		return
	}
	perf script -i "$name.data" -F comm,ip,sym,dso 2>/dev/null | $pick >"$name.perf"
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
}

# The test sees what it should: the same trace, named by symbols that are one page off.
shifted() { # NAME PROCESS FILE
	local name=$1 process=$2 file=$3 p
	file=$(realpath "$file")
	mkdir -p "shifted$(dirname "$file")"
	[ -e "shifted$file" ] || "$top/tests/vm/judge" shift "$file" "shifted$file" 4096 || exit 1
	judge "$name" "$process" "$work/shifted" || { echo "not ok two_judges_shifted_$name"; code=1; return; }
	p=$(value p "$name.judged")
	echo "# symbols of $process moved up by 4 KB: p $p"
	if awk "BEGIN { exit !($p < 1e-6) }"; then
		echo "ok two_judges_shifted_$name"
	else
		echo "not ok two_judges_shifted_$name p is $p: symbols one page off are not noticed"
		code=1
	fi
}

cc1=$(gcc -print-prog-name=cc1)
for collector in perf timer; do
	compare ${collector}_python python3 $collector python.sh
	compare ${collector}_gcc cc1 $collector "gcc-$([ $collector = timer ] && echo 4 || echo 2).sh"
	compare ${collector}_deflate deflate $collector deflate.sh
	shifted ${collector}_python python3 /usr/bin/python3
	shifted ${collector}_gcc cc1 "$cc1"
	shifted ${collector}_deflate deflate deflate
done
exit $code
