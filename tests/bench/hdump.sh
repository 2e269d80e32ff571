#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A heap of more than five million objects, dumped by a real VM: classes with what they retain, by seconds of
# CPU, and by memory as a part of the dump.
. "$(dirname "$0")/lib.sh"

trap 'rm -rf "$work"/objects*' EXIT
room 600 || exit 0
mkdir -p "$work/objects"
javac -nowarn -d "$work/objects" tests/bench/Objects.java || exit 1
rm -f "$work/objects.hprof"
java -Xmx2g -cp "$work/objects" Objects 5500000 "$work/objects.hprof" || exit 1
cat "$work/objects.hprof" >/dev/null
size=$(stat -c %s "$work/objects.hprof")
cost 3 "$O/bin/hdump" -q --json -o "$work/objects.json" "$work/objects.hprof"
printf '%-44s %8s s, wall %s s (goal 1.5)\n' "heap dump of $(sed -n 's/.*"objects": \([0-9]*\).*/\1/p' \
	"$work/objects.json" | head -1) objects" "$cpu" "$wall"
printf '%-44s %8s %% of %s MB (goal 25)\n' '  peak memory' "$(calc "$rss * 1048576 * 100 / $size")" "$(calc "$size / 1e6")"
