#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sampled stacks of Java (SCS) of eight programs that take known shares of the time: how far the shares are
# off, beside the VM's own samplers (JFR), by this JDK and by 25; how many stacks of a server under load are walked; and what a thousand samples a second cost, by CPU time of the whole
# tree, in turn without, with names alone, and with stacks.
. "$(dirname "$0")/lib.sh"

agent=$PWD/$O/lib/pitrace/libpijit.so
case $O in /*) agent=$O/lib/pitrace/libpijit.so ;; esac
[ -e "$agent" ] || { echo "bench: no libpijit.so: it is built where a JDK is (default-jdk-headless): left out"; exit 0; }
at=$work/scs
rm -rf "$at"
trap 'rm -rf "$at"' EXIT
mkdir -p "$at/classes"
javac -nowarn -d "$at/classes" tests/bench/Programs.java tests/tools/jprof/Server.java || exit 1
ms=${2:-400}

off() { # WHAT: by $at/own and $at/have the largest difference in points, and how many samples there are
	awk -v "what=$1" 'FNR == NR { own[$1] = $2; all += $2; next } { have[$1] += $2; n += $2 }
		END {
			for (name in own) {
				d = n ? 100 * have[name] / n - 100 * own[name] / all : 100
				if (d < 0) d = -d
				if (d > most) { most = d; at = name }
			}
			printf "%-44s %8.2f points at most (%s), of %d samples\n", what, most, at, n
		}' "$at/own" "$at/have"
}
of_jfr() { # EVENT OPTIONS WHAT: the same by a sampler of the VM
	rm -f "$at/t.jfr"
	java -XX:+UseSerialGC -XX:StartFlightRecording:filename="$at/t.jfr,settings=profile$2" -cp "$at/classes" Programs "$ms" \
		>"$at/jfr.own" 2>&1 || exit 1
	grep -E "^($programs) [0-9]+\$" "$at/jfr.own" >"$at/own"
	jfr print --events "$1" --stack-depth 64 "$at/t.jfr" | awk -v "names=$programs" '
		BEGIN { split(names, name, "|") }
		/^jdk.[A-Za-z]*Sample/ { program = ""; measured = 0 }
		/Programs\.measured\(/ { measured = 1 }
		{ for (i in name) if (index($0, "Programs." name[i] "(")) program = name[i] }
		/^}/ { if (measured && program != "") print program, 1 }' >"$at/have"
	off "  by $3"
}
shares() { # of the JDK that is first on the PATH
	echo "$(java -version 2>&1 | sed -n 's/.*(build \(.*\)).*/JDK \1/p' | head -1):"
	JAVA_TOOL_OPTIONS='' JPROFOPTS=SCSRATE=1000 "$O/bin/swtrace" run --jit -g -q -o "$at/t.nrm2" -- \
		java -XX:+UseSerialGC -cp "$at/classes" Programs "$ms" >"$at/own" 2>"$work/out" || { cat "$work/out"; exit 1; }
	"$O/bin/post" -q -r "$at/t.nrm2" -folded -o - >"$at/stacks" 2>/dev/null
	programs=$(cut -d' ' -f1 "$at/own" | paste -sd'|')
	sed -nE "s/.*;Programs\.measured\(.*;Programs\.($programs)\(\).* ([0-9]+)\$/\1 \2/p" "$at/stacks" >"$at/have"
	off "shares of eight programs by SCS"
	walked=$(awk '{ n += $NF } /not walked/ { bad += $NF } END { printf "%.2f", n ? 100 * (n - bad) / n : 0 }' "$at/stacks")
	echo "  walked: $walked % of all ticks (goal 97)"
	rm -f "$at/t.nrm2"
	of_jfr jdk.ExecutionSample '' "JFR's sampler (20 ms)"
	# JEP 509, from JDK 25 on
	! jfr metadata 2>/dev/null | grep -q 'class CPUTimeSample ' ||
		of_jfr jdk.CPUTimeSample ',jdk.CPUTimeSample#enabled=true,jdk.CPUTimeSample#throttle=1ms' "JFR's sampler of CPU time (1 ms)"
}
served() { # the same: a server that another VM asks
	JAVA_TOOL_OPTIONS='' JPROFOPTS=SCSRATE=1000 timeout 150 "$O/bin/swtrace" run --jit -g -q -o "$at/t.nrm2" -- \
		java -Xmx96m -cp "$at/classes" Server pool 4000 >"$at/server" 2>"$work/out" &
	server=$! n=0
	while ! grep -q '^port ' "$at/server" 2>/dev/null && [ "$n" -lt 100 ]; do
		sleep 0.2
		n=$((n + 1))
	done
	timeout 120 java -Xmx64m -cp "$at/classes" Server ask "$(sed -n 's/^port //p' "$at/server")" 12 / 1000000 >/dev/null 2>&1
	wait "$server" || { cat "$work/out"; exit 1; }
	"$O/bin/post" -q -r "$at/t.nrm2" -folded -o - 2>/dev/null | awk '
		/;[A-Za-z_$0-9]+([.][A-Za-z_$0-9<>]+)+[(]/ || /;JavaThread::thread_main_inner[(]/ && !/CompileBroker/ {
			n += $NF
			if ($0 ~ /not walked/) bad += $NF
		}
		END {
			printf "  walked in a server under load: %.2f %% of %d ticks of Java'"'"'s threads (goal 97)\n",
				n ? 100 * (n - bad) / n : 0, n
		}'
	rm -f "$at/t.nrm2"
}
shares
served
# A later JDK, which has both of JFR's samplers.
if later=$(scripts/vm/jdk 25 2>/dev/null); then
	(PATH=$later/bin:$PATH && shares && served)
fi

took() { # LIST COMMAND...
	list=$1
	shift
	cost 1 "$@"
	echo "$cpu" >>"$at/cpu.$list"
}
added() { # LIST BEYOND: what it adds to the mean, with the standard error of the pairs
	paste "$at/cpu.$2" "$at/cpu.$1" | awk '{ d = 100 * ($2 / $1 - 1); s += d; ss += d * d; n++ }
		END { m = s / n; printf "%.1f %% (+- %.1f)", m, (n > 1 ? sqrt((ss / n - m * m) / (n - 1)) : 0) }'
}
turns=${1:-20} n=$turns
while [ "$n" -gt 0 ]; do
	took without java -XX:+UseSerialGC -cp "$at/classes" Programs 200 fixed
	JPROFOPTS=SCSRATE=1 took names "$O/bin/swtrace" run --jit -g -q -o "$at/n.nrm2" -- \
		java -XX:+UseSerialGC -cp "$at/classes" Programs 200 fixed
	JPROFOPTS=SCSRATE=1000 took stacks "$O/bin/swtrace" run --jit -g -q -o "$at/s.nrm2" -- \
		java -XX:+UseSerialGC -cp "$at/classes" Programs 200 fixed
	rm -f "$at"/*.nrm2
	n=$((n - 1))
done
mean=$(awk '{ s += $1 } END { printf "%.2f", s / NR }' "$at/cpu.without")
echo "CPU time added by 1,000 stacks a second $(added stacks names) (goal <= 2 %);" \
	"by swtrace, the agent and names $(added names without)"
echo "  of $mean s; means of $turns pairs, and their standard errors"
