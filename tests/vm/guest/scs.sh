# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: scs.sh ROUNDS: work of known weight, its stacks sampled: weights.out, stacks.out; and the CPU time of
# the same work without samples, with stacks of frame pointers, and with the agent's: plain.out, ticks.out, sampled.out.
cd /tmp || exit
cat >directives.json <<'LIST'
[ { match: "Weights.interpreted", c1: { Exclude: true }, c2: { Exclude: true } },
  { match: "Weights.simple", c2: { Exclude: true } },
  { match: "Weights.outer", inline: "+Weights.inlined" } ]
LIST
java="/jre/bin/java -XX:+UnlockDiagnosticVMOptions -Xmx256m -XX:CompilerDirectivesFile=directives.json -XX:+UseSerialGC
	-cp /classes Weights 200"
# shellcheck disable=SC2086 # a command of several words
JPROFOPTS=SCSKINDS swtrace run --jit -g -q -o weights.nrm2 -- $java >weights.out 2>swtrace.out || { cat swtrace.out && exit 1; }
post -q -r weights.nrm2 -folded -o - >stacks.out 2>post.out || [ $? = 1 ] || { cat post.out && exit 1; }
# shellcheck disable=SC2086
$java "$1" >plain.out && swtrace run -g -q -o ticks.nrm2 -- $java "$1" >ticks.out 2>swtrace.out &&
	swtrace run --jit -g -q -o cost.nrm2 -- $java "$1" >sampled.out 2>swtrace.out || { cat swtrace.out && exit 1; }
post -q -r cost.nrm2 -folded -o - >cost.folded 2>post.out || [ $? = 1 ] || { cat post.out && exit 1; }
awk '/;Weights\.rounds/ { n += $NF } END { print "stacks " n + 0 }' cost.folded >>sampled.out
