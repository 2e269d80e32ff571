#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of a call that the Java agent sees: a pair of entry and exit in hot compiled code, compared with JVMTI's
# own events and an agent made with ASM that only counts; likewise the slowdown of javac. CPU time of the thread. Also
# the instructions of a pair without a Java VM, which other load does not affect.
. "$(dirname "$0")/lib.sh"

agent=$PWD/$O/lib/pitrace/libjprof.so
events=$O/tests/bench/call_events
case $O in /*) agent=$O/lib/pitrace/libjprof.so ;; esac
[ -e "$agent" ] || { echo "bench: no libjprof.so: it is built where a JDK is (default-jdk-headless): left out"; exit 0; }
at=$work/calls
rm -rf "$at"
trap 'rm -rf "$at"' EXIT
mkdir -p "$at/classes" "$at/log"
from=tests/bench/calls
asm=/usr/share/java/asm.jar:/usr/share/java/asm-commons.jar:/usr/share/java/asm-tree.jar:/usr/share/java/asm-analysis.jar
home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
javac -d "$at/classes" "$from/Pairs.java" &&
	javac -cp "$asm" -d "$at" "$from/CountingAgent.java" &&
	printf 'Premain-Class: CountingAgent\nBoot-Class-Path: %s\n' "$(echo "$asm" | tr : ' ')" >"$at/manifest" &&
	(cd "$at" && jar cfm counting.jar manifest CountingAgent*.class) &&
	${CC:-gcc} -O2 -shared -fPIC -I"$home/include" -I"$home/include/linux" -o "$at/jvmti.so" "$from/jvmti_events.c" ||
	exit 1

# pair NAME OPTION...: ns that a pair adds to a call, into $pair
pair() {
	kind=$1
	shift
	java "$@" -cp "$at/classes" Pairs "$fib" >"$at/$kind" 2>"$at/err" || { cat "$at/err" >&2; exit 1; }
	read -r calls took _ <"$at/$kind"
	each=$(awk "BEGIN { print $took / $calls }")
	[ "$kind" = plain ] || pair=$(calc "$each - $plain")
}
fib=32
pair plain -Dplain
plain=$each
fib=27
pair jvmti "-agentpath:$at/jvmti.so"
jvmti=$pair
fib=32
pair asm "-javaagent:$at/counting.jar"
asm_pair=$pair
echo "a call and its end in compiled code, fib: $(calc "$plain") ns without an agent"
row() { # NAME OPTIONS GOAL
	pair "$1" "-agentpath:$agent=LOGPATH=$at/log,CLASSMETHODS=Pairs*,$2"
	beside "  $1" "$pair" ns "$jvmti" "JVMTI's events" "$3"
	beside "" "$pair" ns "$asm_pair" "ASM, counts alone" "$4"
}
row "rewritten classes, counts" CALLTREE '>= x15' '>= x1'
row "rewritten classes, tree and cycles" CALLFLOW '>= x6'
row "the VM's probes, counts" MODE=probes,CALLTREE '>= x15'
row "the VM's probes, tree and cycles" MODE=probes,CALLFLOW '>= x6'

# run HOW VALUES N: the instructions of one run of call_events
run() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$events" "$@" one 2>&1 |
		sed -n 's/.*Collected : //p'
}
# The difference of two runs, without the calls themselves.
few=20 many=22
calls=$(($("$events" none counts $many | cut -d' ' -f1) - $("$events" none counts $few | cut -d' ' -f1)))
themselves=$(($(run none counts $many) - $(run none counts $few)))
echo "instructions of a begin and an end in the agent, and in what calls it:"
for how in natives probes; do
	for values in counts cycles wall+tsc; do
		more=$(($(run $how $values $many) - $(run $how $values $few) - themselves))
		printf '%-44s %8s\n' "  $how, $values" "$(calc "$more / $calls")"
	done
done

# slow NAME OPTION...: CPU seconds of javac, into $cpu
slow() {
	shift
	JAVA_TOOL_OPTIONS="$*" cost 3 javac -d "$at/classes" tests/tools/jprof/Reuse.java
}
slow plain -Dplain
plain=$cpu
slow asm "-javaagent:$at/counting.jar"
asm_cpu=$cpu
slow jvmti "-agentpath:$at/jvmti.so"
jvmti_cpu=$cpu
slow rewrite "-agentpath:$agent=LOGPATH=$at/log"
echo "javac of 200 lines, all its methods and Java's: $(calc "$cpu / $plain") times as slow by rewritten classes," \
	"$(calc "$jvmti_cpu / $plain") by JVMTI's events, $(calc "$asm_cpu / $plain") by ASM (javac's methods alone)"
slow probes "-agentpath:$agent=LOGPATH=$at/log,MODE=probes"
echo "  $(calc "$cpu / $plain") by the VM's probes"
