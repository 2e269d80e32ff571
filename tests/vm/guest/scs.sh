# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: scs.sh: work of known weight, its stacks sampled: weights.out, stacks.out.
cd /tmp || exit
cat >directives.json <<'LIST'
[ { match: "Weights.interpreted", c1: { Exclude: true }, c2: { Exclude: true } },
  { match: "Weights.simple", c2: { Exclude: true } },
  { match: "Weights.outer", inline: "+Weights.inlined" } ]
LIST
JPROFOPTS=SCSKINDS swtrace run --jit -g -q -o weights.nrm2 -- /jre/bin/java -XX:+UnlockDiagnosticVMOptions -Xmx256m \
	-XX:CompilerDirectivesFile=directives.json -XX:+UseSerialGC -cp /classes Weights 200 >weights.out 2>swtrace.out ||
	{ cat swtrace.out && exit 1; }
post -q -r weights.nrm2 -folded -o - >stacks.out 2>post.out || [ $? = 1 ] || { cat post.out && exit 1; }
