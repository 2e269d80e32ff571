#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Real JITs that write jitdumps, recorded by perf record -k mono and by swtrace at the same time: node,
# PHP, Erlang, LLVM's MCJIT. Names and counts that post gives perf's very samples (from_perf) are those
# of perf inject --jit and perf report; swtrace's own samples agree with them by a two-sample test.
# Needs perf and leave to use it (77: not here).
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset SUDO_UID SUDO_GID SUDO_USER NODE_OPTIONS ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS
# JITDUMPDIR is for LLVM; PHP and Erlang write to /tmp. perf's jitted-PID-N.so are beside the dumps.
export JITDUMPDIR=$work
pids=
cleanup() {
	for pid in $pids; do
		rm -f "/tmp/jit-$pid.dump" "/tmp/perf-$pid.map"
		find /tmp -maxdepth 1 -name "jitted-$pid-*.so" -delete
	done
	rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1

perf record -q -e cpu-clock -o probe.data true 2>/dev/null && [ -s probe.data ] &&
	"$bin/swtrace" run -q -B perf -o probe.nrm2 -- true || {
	echo "skip jit_real perf record does not work here"
	exit 77
}

# ---- programs: some functions that take unlike shares of one and a half seconds of CPU, each call of
# a random length: no sampler keeps in step with them
cat >busy.js <<'END'
const vm = require('vm');
const compile = (work, file) => vm.runInThisContext(
	`(function hot(n) { let s = 1; for (let i = 1; i < n; i++) { ${work}; } return s; })`, file);
const works = ['s = (s * 31 + i) % 65521', 's += Math.sqrt(i) * 3', 's ^= i << 3', 's += i % 7 / 3'];
const f = works.map((work, k) => compile(work, `hot${k}.js`));
let x = 0;
for (let round = 0; process.cpuUsage().user < 1.5e6; round++) {
	for (let i = 0; i < 4; i++) f.forEach((g, k) => { x += g(40000 * (k + 1) * Math.random()); });
	// Code that is given up: other code comes to lie there.
	if (round % 4 === 0) {
		const short = compile(`s += i & ${round}`, `short${round}.js`);
		for (let i = 0; i < 20; i++) x += short(20000);
	}
	if (round % 40 === 39) globalThis.gc();
}
process.exit(x === 42 ? 1 : 0);
END
cat >busy.php <<'END'
<?php
function one($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s += ($i * 3) ^ $i; return $s; }
function two($n) { $s = 1; for ($i = 1; $i < $n; $i++) $s = ($s * 31 + $i) % 65521; return $s; }
function three($n) { $s = 1; for ($i = 1; $i < $n; $i++) $s = ($s << 1) ^ $i; return $s; }
function four($n) { $s = 0.5; for ($i = 1; $i < $n; $i++) $s = $s / 3 + $i; return $s; }
function five($n) { $s = 1; for ($i = 1; $i < $n; $i++) $s = $s & $i | 5; return $s; }
$x = 0;
for (;;) {
	$used = getrusage();
	if ($used['ru_utime.tv_sec'] + $used['ru_utime.tv_usec'] / 1e6 >= 1.5)
		break;
	$x += one(mt_rand(0, 80000)) + two(mt_rand(0, 40000)) + three(mt_rand(0, 100000)) +
		four(mt_rand(0, 120000)) + five(mt_rand(0, 60000));
}
END
cat >busy.erl <<'END'
-module(busy).
-export([main/0]).
one(0, S) -> S;
one(N, S) -> one(N - 1, S bxor (N * 3)).
two(0, S) -> S;
two(N, S) -> two(N - 1, (S * 31 + N) rem 65521).
three(0, S) -> S;
three(N, S) -> three(N - 1, (S + N) band 16#ffff).
four(0, S) -> S;
four(N, S) -> four(N - 1, (S bor N) div 3).
five(0, S) -> S;
five(N, S) -> five(N - 1, [N | S]).
some(N) -> rand:uniform(N).
main() -> one(some(120000), 1), two(some(80000), 1), three(some(160000), 1), four(some(60000), 1),
	five(some(40000), []),
	case erlang:statistics(runtime) of
		{Ms, _} when Ms < 2000 -> main();
		_ -> halt()
	end.
END
cat >busy.c <<'END'
#include <stdlib.h>
#include <time.h>
#define FUNCTION(name, work) \
	__attribute__((noinline)) long name(long n) { \
		volatile long s = 1; for (long i = 0; i < n; i++) { work; } return s; }
FUNCTION(one, s += i * 3)
FUNCTION(two, s = (s * 31 + i) % 65521)
FUNCTION(three, s = s << 1 ^ i)
FUNCTION(four, s = s / 3 + i)
FUNCTION(five, s = (s & i) | 5)
int main(void)
{
	long x = 0;
	while (clock() < 3 * CLOCKS_PER_SEC / 2)
		for (int i = 0; i < 50; i++)
			x += one(rand() % 40000) + two(rand() % 18000) + three(rand() % 20000) +
			     four(rand() % 16000) + five(rand() % 40000);
	return x == 42;
}
END

# Prints post's counts of JIT code in a trace: NAME|COUNT
ours() { # TRACE [OPTION]...
	"$bin/post" -q -json -r "$@" 2>err | jq -r '.processes[].threads[].modules[] |
		select(.name == "JITCODE") | .symbols[] | "\(.name)|\(.ticks)"' | summed
}
# Prints perf's counts: one module per function, and several of the same name
theirs() { # PERF.DATA
	perf report -i "$1" --stdio -n -s sym,dso -t '|' 2>/dev/null | grep 'jitted-' |
		sed -E 's/^[^|]*\| *([0-9]+) *\|\[\.\] (.*[^ ]) *\| *jitted-.*/\2|\1/' | summed
}
summed() {
	awk -F'|' '{ n[$1] += $2 } END { for (name in n) print name "|" n[name] }' | sort
}

# compare NAME PROCESS COMMAND...
compare() {
	local name=$1 process=$2 pid dump
	shift 2
	# At unlike rates, so that neither follows the other's ticks.
	perf record -q -k mono -e cpu-clock -F 1009 -o "$name.data" -- \
		"$bin/swtrace" run -q -B perf -F 997 -o "$name.nrm2" -- "$@" >out 2>&1
	verdict "${name}_runs" $?
	pid=$("$bin/post" -q -json -r "$name.nrm2" 2>out |
		jq -r ".processes[] | select(.name == \"$process\") | .pid" | head -n 1)
	pids="$pids $pid"
	perf inject --jit -i "$name.data" -o "$name.injected" >out 2>&1
	"$programs/bench/from_perf" "$name.data" "$name.same" >out 2>&1
	verdict "${name}_same_samples" $?

	theirs "$name.injected" >"$name.theirs"
	ours "$name.same" >"$name.ours"
	diff "$name.theirs" "$name.ours" >out
	verdict "${name}_equal" $?
	awk -F'|' '{ n += $2; if ($2 >= 20) hot++ }
		END { printf "%d ticks in %d functions, %d of them hot\n", n, NR, hot; exit n < 300 || hot < 4 }' \
		"$name.ours" >told
	verdict "${name}_names" $? "$(cat told "$name.ours")"
	sed "s/^/# $name: /" told

	# The two recordings, all of the process's code.
	"$bin/post" -q -json -r "$name.nrm2" >"$name.json" 2>out
	perf script -i "$name.injected" -F pid,ip,sym,dso 2>/dev/null |
		sed -nE "s/^ *$pid +/$process /p" >"$name.perf"
	"$top/tests/peers/two_samples" "$process" "$name.json" "$name.perf" >out 2>&1
	sed -n "s/^p /# $name, two recordings: p /p" out
	awk '$1 == "p" { p = $2 } END { exit !(p > 1e-4) }' out
	verdict "${name}_two_recordings" $?

	# Checks that the test can fail: the beginning of the jitdump is not sufficient (nor the map that PHP also
	# writes).
	dump=$("$bin/post" -q -show -r "$name.nrm2" -o - 2>/dev/null |
		grep -o "/[^ ]*jit-$pid.dump" | head -n 1)
	mkdir -p part
	head -c $(($(stat -c %s "$dump") / 10)) "$dump" >"part/jit-$pid.dump"
	: >"part/perf-$pid.map"
	! diff "$name.theirs" <(ours "$name.same" -jdir part) >/dev/null
	verdict "${name}_judged" $?
}

has() { # NAME COMMAND...
	local name=$1 command
	shift
	for command in "$@"; do
		command -v "$command" >/dev/null || {
			echo "skip jit_real_$name $command is not installed"
			return 1
		}
	done
}

if has node node; then
	compare node node node --perf-prof --interpreted-frames-native-stack --expose-gc busy.js
fi
if has php php; then
	# A file as new as this is not compiled otherwise.
	compare php php php -d opcache.enable_cli=1 -d opcache.file_update_protection=0 \
		-d opcache.jit=tracing -d opcache.jit_buffer_size=16M -d opcache.jit_debug=0x20 busy.php
fi
if has erlang erl erlc; then
	erlc busy.erl >out 2>&1
	verdict erlang_compiles $?
	compare erlang beam.smp erl +JPperf true +S 1 -noinput -s busy main
fi
if has mcjit lli clang; then
	clang -O1 -S -emit-llvm -o busy.ll busy.c >out 2>&1
	verdict mcjit_compiles $?
	compare mcjit lli lli -jit-kind=mcjit busy.ll
fi
[ $failures = 0 ]
