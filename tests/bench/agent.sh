#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of the Java agent (names only): javac with and without it in turn, compared with the perf map that the VM
# itself writes at its end; also a program that generates new code all the time. CPU time of all threads, the means of
# as many turns as necessary to detect a percent: two runs differ by ten.
. "$(dirname "$0")/lib.sh"

agent=$PWD/$O/lib/pitrace/libpijit.so
case $O in /*) agent=$O/lib/pitrace/libpijit.so ;; esac
[ -e "$agent" ] || { echo "bench: no libpijit.so: it is built where a JDK is (default-jdk-headless): left out"; exit 0; }
at=$work/agent
rm -rf "$at"
trap 'rm -rf "$at"' EXIT
mkdir -p "$at/classes"
javac -d "$at/classes" tests/tools/jprof/Reuse.java || exit 1

# took LIST WITH COMMAND...: what it takes of CPU time with the VM's options WITH, into LIST
took() {
	list=$1
	export JAVA_TOOL_OPTIONS="$2"
	shift 2
	cost 1 sh -c 'echo $$ >"$0"; exec "$@"' "$at/pid" "$@"
	unset JAVA_TOOL_OPTIONS
	echo "$cpu" >>"$at/$list"
}
# added NAME KIND: what KIND adds to the mean, and its standard error
added() {
	awk 'FNR == NR { a += $1; aa += $1 * $1; n++; next } { b += $1; bb += $1 * $1 }
		END {
			a /= n; b /= n
			e = sqrt((aa / n - a * a) / (n - 1) / a ^ 2 + (bb / n - b * b) / (n - 1) / b ^ 2)
			printf "%.1f %% (+- %.1f)", 100 * (b / a - 1), 100 * e * b / a
		}' "$at/$1.without" "$at/$1.$2"
}
# As swtrace run --jit starts it.
names_only='-XX:+UnlockDiagnosticVMOptions -XX:-DebugNonSafepoints'
# turns NAME TURNS WHAT COMMAND...
turns() {
	name=$1 n=$2 count=$2 what=$3
	shift 3
	while [ "$n" -gt 0 ]; do
		took "$name.without" -Dpitrace=none "$@"
		took "$name.agent" "-agentpath:$agent=dir=$at $names_only" "$@"
		took "$name.peer" "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit" "$@"
		rm -f "$at"/jit-*.dump "/tmp/perf-$(cat "$at/pid").map"
		n=$((n - 1))
	done
	mean=$(awk '{ s += $1 } END { printf "%.2f", s / NR }' "$at/$name.without")
	echo "$what: CPU time added by the agent $(added "$name" agent) (goal <= 3 %)," \
		"by DumpPerfMapAtExit $(added "$name" peer)"
	echo "  of $mean s; means of $count turns, and their standard errors"
}

# A program that is mostly start; one that makes code, and gives it up, a hundred times.
turns short "${1:-200}" "javac of 200 lines" javac -d "$at/classes" tests/tools/jprof/Reuse.java
turns long "${1:-20}" "a hundred classes in turn" java -cp "$at/classes" Reuse 100 30
