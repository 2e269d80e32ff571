#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_jperf.sh KERNEL ARCH: JPerf.jar with the module. ITraceOn around a loop of Java gives an arc with
# that loop's name and its branches, one a turn; PTT is read without a system call.
. "$(dirname "$0")/suite.sh"

if [ ! -f "$build/lib/pitrace/JPerf.jar" ] || ! command -v jlink >/dev/null; then
	echo "skip jperf no JDK is installed"
	exit 77
fi
made=$out/java
mkdir -p "$made"
jlink --add-modules java.base --output "$made/jre" --strip-java-debug-attributes --no-header-files \
	--no-man-pages --vm server >"$out/jlink.log" 2>&1 &&
	javac -cp "$build/lib/pitrace/JPerf.jar" -d "$made/classes" tests/vm/java/JPerfLoop.java ||
	die "no Java image: $(tail -n 3 "$out/jlink.log")"
lib=/usr/local/lib
booted guest --icount --mem 1024 --timeout 900 --add "$made/jre:/jre" --add "$made/classes:/classes" \
	--add "$build/lib/libjperf.so:$lib/libjperf.so" --add "$build/lib/pitrace/JPerf.jar:$lib/pitrace/JPerf.jar" \
	--add "$build/lib/pitrace/libpijit.so:$lib/pitrace/libpijit.so" \
	--add "$build/lib/pitrace/pitrace-holder:$lib/pitrace/pitrace-holder" \
	--get '/tmp/jit-*.dump' --get '/tmp/*.txt' --get '/tmp/*.nrm2' -- tests/vm/guest/jperf.sh || exit 1
rm -rf "$made"

post=$build/bin/post
"$post" -arc -q -r "$out/loop.nrm2" -jdir "$out" -sympath "$sympath" -o "$out/loop.arc"
verdict arc $?
# C2 unrolls the loop: of its 5,000 turns at least each 32nd is a branch.
awk '/JPerfLoop.spin\(int\):JITCODE/ { n++; i += $4 } END { print n + 0, i + 0 }' "$out/loop.arc" >"$out/loop"
read -r branches instructions <"$out/loop"
calc "$branches > 5000 / 33 && $instructions > 5000"
verdict loop_named $? "$branches branches, $instructions instructions"
# From its first branch to its last there is nothing else; the interpreter and the VM are before and behind.
equal nothing_else_within "$(awk '/^#/ { next } /JPerfLoop.spin/ { n += other; other = 0; on = 1; next } on { other++ }
	END { print n + 0 }' "$out/loop.arc")" 0
read -r _ collector fast cycles <"$out/jperf.txt"
equal ptt "$collector $fast" 'driver 1'
# The counter counts instructions here: some of each of 100,000 turns.
calc "$cycles > 50000 && $cycles < 1000000"
verdict ptt_reads $? "$cycles"
exit $code
