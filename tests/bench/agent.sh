#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the Java agent costs (names only): javac with and without it in turn, beside the perf map that
# the VM writes at its end itself; also a program that makes new code all the time. CPU time of all
# threads, the least of each counts.
. "$(dirname "$0")/lib.sh"

agent=$PWD/$O/lib/pitrace/libpijit.so
case $O in /*) agent=$O/lib/pitrace/libpijit.so ;; esac
[ -e "$agent" ] || { echo "bench: no libpijit.so: it is built where a JDK is (default-jdk-headless): left out"; exit 0; }
at=$work/agent
rm -rf "$at"
trap 'rm -rf "$at"' EXIT
mkdir -p "$at/classes"
javac -d "$at/classes" tests/java/Reuse.java || exit 1

# took LIST WITH COMMAND...: what it takes of CPU time with the VM's options WITH, into LIST
took() {
	list=$1
	export JAVA_TOOL_OPTIONS="$2"
	shift 2
	cost 1 sh -c 'echo $$ >"$0"; exec "$@"' "$at/pid" "$@"
	unset JAVA_TOOL_OPTIONS
	echo "$cpu" >>"$at/$list"
}
least() {
	sort -n "$at/$1" | head -1
}
# turns NAME TURNS WHAT COMMAND...
turns() {
	name=$1 n=$2 what=$3
	shift 3
	while [ "$n" -gt 0 ]; do
		took "$name.without" -Dpitrace=none "$@"
		took "$name.agent" "-agentpath:$agent=dir=$at" "$@"
		took "$name.peer" "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit" "$@"
		rm -f "$at"/jit-*.dump "/tmp/perf-$(cat "$at/pid").map"
		n=$((n - 1))
	done
	base=$(least "$name.without")
	# Each alone: what differs by chance is as much, so their ratio says nothing.
	echo "$what: CPU time added by the agent $(calc "100 * ($(least "$name.agent") / $base - 1)") %" \
		"(goal <= 3 %), by DumpPerfMapAtExit $(calc "100 * ($(least "$name.peer") / $base - 1)") %"
	echo "  of $base s"
}

# A program that is mostly start; one that makes code, and gives it up, a hundred times.
turns short "${1:-9}" "javac of 200 lines" javac -d "$at/classes" tests/java/Reuse.java
turns long "${1:-9}" "a hundred classes in turn" java -cp "$at/classes" Reuse 100 30
