#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of a call that libhookit sees, for a function of a few instructions, compared with uftrace, XRay's flight
# recorder, gprof and callgrind; the time of the function according to each, compared with the true one; bytes per
# call; instructions per call, as counted by valgrind. CPU time of the thread.
. "$(dirname "$0")/lib.sh"

library=$PWD/$O/lib/libhookit.so
case $O in /*) library=$O/lib/libhookit.so ;; esac
at=$work/hookit
rm -rf "$at"
trap 'rm -rf "$at"' EXIT
mkdir -p "$at/log"
from=$PWD/tests/bench/hookit/pairs.c
ln -s "$library" "$at/libhookit.so.0"
calls=${CALLS:-3000000}
gcc -O2 "$from" -o "$at/plain" &&
	gcc -O2 -finstrument-functions "$from" -o "$at/instrumented" &&
	gcc -O2 -fpatchable-function-entry=5 "$from" -o "$at/patchable" || exit 1
[ "$(uname -m)" != x86_64 ] ||
	{ gcc -O2 -pg -mfentry -minstrument-return=call -c "$from" -o "$at/entry.o" &&
		gcc "$at/entry.o" -o "$at/entry" "$library" -Wl,-rpath,"$at" &&
		gcc -O2 -pg -mfentry -c "$from" -o "$at/mfentry.o" && gcc -pg "$at/mfentry.o" -o "$at/mfentry"; } || exit 1

# ns NAME COMMAND...: a call's, the least of five, into $each
ns() {
	shift
	each=
	for turn in 1 2 3 4 5; do
		(cd "$at" && rm -rf log/* ./*.data && "$@" "$calls" >out 2>err) || { cat "$at/err" >&2; exit 1; }
		each=$(awk -v "had=$each" '/^[0-9]+ [0-9]+$/ { n = $2 / $1; print had == "" || n < had ? n : had }' "$at/out")
	done
}
ns plain ./plain
plain=$each
echo "a call of a tiny function and its end: $(calc "$plain") ns as it is"
# row WHAT OPTIONS PROGRAM: $pair, and of the log $self (ns) and $bytes a call
row() {
	ns "$1" env HOOKITOPTS="LOGPATH=log,CALIBRATION=none,$2" LD_PRELOAD="$library" "$3"
	pair=$(calc "$each - $plain")
	self=$(awk '/resolution/ && match($0, /[0-9.]+ ns/) { split($0, r, /resolution |cycles \(| ns/); hz = r[2] / r[3] }
		$NF == "tiny" { n += $2; base += $4 } END { printf "%.2f", n && hz ? base / n / hz : 0 }' "$at"/log/log-rt.*)
	bytes=$(find "$at/log" -name 'log-gen.*' -printf '%s\n' | awk "{ printf \"%.1f\", \$1 / ($calls * 1.1) }")
}
peer() { # NAME COMMAND...: $uftrace, $shown (ns), $size (bytes a call)
	kind=$1
	shift
	ns "$kind" uftrace record --no-libcall -d u.data "$@"
	uftrace=$(calc "$each - $plain")
	shown=$(cd "$at" && uftrace report -d u.data -f self,call 2>/dev/null |
		awk '$NF == "tiny" { m = $2 == "s" ? 1e9 : $2 == "ms" ? 1e6 : $2 == "us" ? 1e3 : 1; printf "%.1f", $1 * m / $3 }')
	size=$(cd "$at" && cat u.data/*.dat | wc -c | awk "{ printf \"%.1f\", \$1 / ($calls * 1.1) }")
}
if [ -e "$at/entry" ] && command -v uftrace >/dev/null; then
	peer mfentry ./mfentry
else
	echo "bench: no uftrace here: hookit's figures stand alone"
	uftrace=$plain shown=$plain size=1
fi
kinds=instrumented
[ ! -e "$at/entry" ] || kinds="$kinds entry patchable"
for kind in $kinds; do
	sites=
	[ $kind != patchable ] || sites=PATCH,
	row "$kind" "${sites}CALLFLOW" "./$kind"
	beside "$kind: tree and cycles" "$pair" ns "$uftrace" "uftrace -mfentry" "<= 25 ns"
	beside "  what the function takes, $(calc "$plain") ns" "$self" ns "$shown" uftrace
	row "$kind" "${sites}CALLTREE" "./$kind"
	beside "$kind: tree of counts" "$pair" ns "$uftrace" "uftrace -mfentry"
	row "$kind" "${sites}CALLTRACE" "./$kind"
	beside "$kind: each entry and exit" "$pair" ns "$uftrace" "uftrace -mfentry" "<= 40 ns"
	beside "  bytes a call" "$bytes" B "$size" uftrace "<= 8 B"
done
if [ "$size" != 1 ]; then
	peer patched -P . ./patchable
	echo "uftrace -P, patched entries: $uftrace ns, $size B"
fi

# gprof, which counts calls and samples times; callgrind, which counts instructions
gcc -O2 -pg "$from" -o "$at/gprof" || exit 1
ns gprof ./gprof
shown=$(cd "$at" && gprof -b -p ./gprof gmon.out 2>/dev/null | awk '$NF == "tiny" { printf "%.2f", $3 * 1e9 / $4 }')
echo "gprof: $(calc "$each - $plain") ns; it says that the function takes ${shown:-nothing} ns"
if command -v valgrind >/dev/null; then
	ns callgrind valgrind -q --tool=callgrind --callgrind-out-file=/dev/null ./plain
	echo "callgrind: $(calc "$each - $plain") ns"
fi

# XRay's flight recorder
cat >"$at/xray.cc" <<'END'
#include "xray/xray_log_interface.h"
#include "xray/xray_interface.h"
__attribute__((constructor)) static void begin()
{
	__xray_log_select_mode("xray-fdr");
	__xray_log_init_mode("xray-fdr", "buffer_size=200000000:buffer_max=2:func_duration_threshold_us=0");
	__xray_patch();
}
END
if clang++ -O2 -fxray-instrument -fxray-instruction-threshold=1 -x c++ "$at/xray.cc" "$from" -o "$at/xray" -pthread 2>"$at/err"; then
	ns xray ./xray
	echo "XRay's flight recorder: $(calc "$each - $plain") ns"
else
	echo "bench: no XRay here: $(head -1 "$at/err")"
fi

# Instructions, by the difference of two runs
count() { # CALLS PROGRAM [OPTION]
	(cd "$at" && HOOKITOPTS="LOGPATH=log,CALIBRATION=none${3:-}" LD_PRELOAD="$library" \
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$2" "$1" 2>&1 |
		awk '/Collected/ { print $NF }')
}
if command -v valgrind >/dev/null; then
	for kind in $kinds; do
		sites=
		[ $kind != patchable ] || sites=,PATCH
		all=$(($(count 300000 "./$kind" $sites) - $(count 100000 "./$kind" $sites)))
		bare=$(($(count 300000 ./plain) - $(count 100000 ./plain)))
		echo "$kind: instructions a call and its end: $(calc "($all - $bare) / 220000")"
	done
fi
