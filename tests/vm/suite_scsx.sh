#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_scs.sh KERNEL ARCH: sampled stacks of Java under an instruction counter. Time is instructions there, so that
# what a thread's clock says of work of known weight is the truth: interpreted, by both compilers, inlined, native and
# the collector's of garbage. Shares of samples are within a point of it, and stacks are whole. The same work takes more
# CPU time if it is sampled: what that is at 1,000 stacks a second.
. "$(dirname "$0")/suite.sh"

agent=$build/lib/pitrace/libpijit.so
if [ ! -f "$agent" ] || ! command -v jlink >/dev/null; then
	echo "skip scs no JDK is installed"
	exit 77
fi
made=$out/java
mkdir -p "$made"
jlink --add-modules java.base,jdk.management --output "$made/jre" --strip-java-debug-attributes --no-header-files \
	--no-man-pages --vm server >"$out/jlink.log" 2>&1 &&
	javac -d "$made/classes" tests/tools/jprof/Weights.java || die "no Java image: $(tail -n 3 "$out/jlink.log")"
booted guest --icount --mem 1024 --timeout 900 --no-module --add "$made/jre:/jre" --add "$made/classes:/classes" \
	--add "$agent:/usr/local/lib/pitrace/libpijit.so" --get '/tmp/*.out' -- tests/vm/guest/scsx.sh || exit 1
rm -rf "$made"

exit 0
