cd /tmp || exit
cat >directives.json <<'LIST'
[ { match: "Weights.interpreted", c1: { Exclude: true }, c2: { Exclude: true } },
  { match: "Weights.simple", c2: { Exclude: true } },
  { match: "Weights.outer", inline: "+Weights.inlined" } ]
LIST
J="-XX:+UnlockDiagnosticVMOptions -Xmx256m -XX:CompilerDirectivesFile=directives.json -XX:+UseSerialGC -cp /classes Weights 200 8"
A=/usr/local/lib/pitrace/libpijit.so
{
for i in 1 2; do
echo plain; /jre/bin/java $J
echo names only; /jre/bin/java -agentpath:$A=dir=/tmp $J
echo scs alone; /jre/bin/java -agentpath:$A=dir=/tmp,SCS,SCSRATE=997 $J
echo perf without agent; swtrace run -g -q -o p.nrm2 -- /jre/bin/java $J
echo perf no stacks; swtrace run -q -o p.nrm2 -- /jre/bin/java $J
echo jit -g; swtrace run --jit -g -q -o q.nrm2 -- /jre/bin/java $J
done; } >cost.out 2>&1
