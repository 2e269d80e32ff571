#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Java with the agent, by whichever collector serves: code of one class after another at the same
# addresses, each sample judged by the program's own log; the agent's options; a VM that runs already;
# what swtrace run --jit sets, and what post says without it.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset SUDO_UID SUDO_GID SUDO_USER JITDUMPDIR JAVA_TOOL_OPTIONS NODE_OPTIONS
agent=$build/lib/pitrace/libpijit.so
cd "$work" || exit 1
mkdir classes traces
javac -d classes "$top/tests/tools/jprof/Reuse.java" >out 2>&1
verdict compiles $?
cache="-XX:ReservedCodeCacheSize=2496k -XX:InitialCodeCacheSize=2496k -XX:-SegmentedCodeCache"

# ---- the same addresses again and again. A round takes 40 ms of CPU: what is ambiguous are a millisecond
# or two of each, more on a busy machine.
# shellcheck disable=SC2086
"$bin/swtrace" run --jit -o traces/reuse.nrm2 -- java $cache -cp classes Reuse 60 40 >log 2>err
verdict traced $? "$(cat err)"
says jit_told err "^swtrace: --jit: Java loads libpijit.so (jitdumps in $work/traces), node runs with"
[ -n "$(ls traces/jit-*.dump)" ]
verdict jitdump_beside_the_trace $? "$(ls . traces)"
"$programs/samples" traces/reuse.nrm2 >samples 2>err
"$top/tests/tools/jprof/judge_reuse" log samples >out 2>&1
verdict reuse $?
cat out
# Checks that the test can fail: the log of other rounds.
sed -E 's/^7/8/; s/^6/7/; s/^5/6/; s/^[0-4]/5/' log >shifted
! "$top/tests/tools/jprof/judge_reuse" shifted samples >out 2>&1
verdict reuse_judged $?

# ---- source lines: of each method those that it has in its source. LINE CLASS METHOD of each
awk '/^class Gen/ { class = $2 } /static int work|int applyAsInt/ { sub(/\(.*/, ""); method = $NF }
	class { print NR, class, method }' "$top/tests/tools/jprof/Reuse.java" >source
"$bin/swtrace" run -q -o lines.nrm2 -- java "-agentpath:$agent=dir=$work,lines,code" -cp classes Reuse 30 40 >log 2>err
verdict lines_traced $? "$(cat err)"
"$bin/post" -line -csv -q -r lines.nrm2 -o lines.csv 2>err
awk -F, 'FILENAME == "source" { split($0, f, " "); method[f[1]] = f[2] "." f[3]; next }
	match($0, /Gen[0-7]\.work[0-7]\(int\)/) {
		name = substr($0, RSTART, RLENGTH - 5)
		all += $(NF - 2)
		if ($(NF - 3) == "")
			next
		with += $(NF - 2)
		if ($(NF - 4) != "Reuse.java" || method[$(NF - 3)] != name) {
			wrong += $(NF - 2)
			print
		} else if (!seen[$(NF - 3)]++) {
			lines++
		}
	}
	END {
		print all, "ticks in methods,", with, "with lines,", wrong + 0, "with wrong ones,",
			lines, "distinct"
		exit !(all > 200 && with > 0.9 * all && !wrong && lines > 16)
	}' source lines.csv >out
verdict lines $?
tail -n 1 out

# ---- instructions: of the hottest method, with its lines
hottest=$("$bin/post" -csv -q -r lines.nrm2 | awk -F, '$6 ~ /^Gen[0-7]\.work/ && $7 > n { n = $7; s = $6 } END { print s }')
"$bin/post" -q -json -annotate "$hottest" -r lines.nrm2 >out 2>err
jq -e '.annotated | length > 0 and ([.[].ticks] | add) > 20 and
	([.[] | .astray] | add) < 0.1 * ([.[].ticks] | add) and
	all(.[]; all(.instructions[]; .text != null)) and
	([.[].lines[] | select(.source == "Reuse.java") | .ticks] | add) > 0.8 * ([.[].ticks] | add)' out >why
verdict instructions $? "$hottest: $(cat err) $(jq -c '.annotated | map({ticks, astray, lines})' out | head -c 400)"

# ---- without the agent
"$bin/swtrace" run -q -o silent.nrm2 -- java -cp classes Reuse 20 40 >log 2>err
"$bin/post" -r silent.nrm2 -o silent.out >screen 2>err
says cure screen 'of all ticks are in unannounced JIT code of Java: restart it with'
says cure_how screen '^  swtrace run --jit -- COMMAND'

# ---- the agent's options
java -agentpath:"$agent=help" -version >out 2>&1 && grep -q '^  dir=FOLDER' out
verdict help $?
! java -agentpath:"$agent=nonsense" -version >out 2>&1 && grep -q "nonsense: unknown option" out
verdict unknown_option $?
java -agentpath:"$agent=dir=/nowhere/at/all" -version >out 2>&1 &&
	grep -q 'cannot be made in /nowhere/at/all: No such file' out
verdict no_folder $?
JAVA_TOOL_OPTIONS="-agentpath:$agent=dir=." java -agentpath:"$agent=dir=." -cp classes Reuse 2 20 >out 2>&1
verdict twice $?

# ---- a VM that runs already
java -cp classes Reuse 150 20 >log &
vm=$!
sleep 1
jcmd $vm JVMTI.agent_load "$agent" "\"dir=$work,lines\"" >out 2>&1
verdict attached $?
wait $vm
verdict attached_vm_ends $?
strings "jit-$vm.dump" >out
says attached_stubs out 'Interpreter'
says attached_code out 'Gen[0-7].work[0-7](int)'
says attached_lines out 'Reuse.java'

# ---- what is refused, what is set
"$bin/swtrace" run --jit -p $$ -d 1 >out 2>&1
is for_a_command $? 125
says for_a_command_told out '--jit is for a command'
"$bin/run.tprof" --jit -r 1 >out 2>&1
is tprof_for_a_command $? 125
says tprof_for_a_command_told out '^run.tprof: --jit is for a command'
NODE_OPTIONS=--no-warnings "$bin/swtrace" run -q --jit -o env.nrm2 -- env >env 2>err
says node env '^NODE_OPTIONS=--no-warnings --perf-prof$'
says python env '^PYTHONPERFSUPPORT=1$'

# ---- traced and reported in one go
"$bin/run.tprof" --jit -- java $cache -cp classes Reuse 20 40 >out 2>err
verdict tprof $? "$(tail -n 3 err)"
says tprof_named tprof.out ' SYM .* Gen[0-7]\.work[0-7](int)$'

[ $failures = 0 ]
