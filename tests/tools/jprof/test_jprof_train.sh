#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# jprof-train: the trainer in a real VM makes each possible sequence; which values count and when
# passes end, by a VM that only leaves such files as the agent does; what stops it; whose minima it takes.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
if [ ! -f "$build/lib/pitrace/libjprof.so" ]; then
	echo "skip jprof_train no JDK is installed"
	exit 77
fi
cd "$work" || exit 1
unset JAVA_HOME JAVA_TOOL_OPTIONS
export XDG_CACHE_HOME=$work/cache TMPDIR=$work/tmp
mkdir cache tmp
train="$bin/jprof-train"

"$train" -n 1 -l >out 2>err
code=$?
is unsettled "$code $(cat err)" "1 jprof-train: not settled: one of the last 2 of 1 passes changed more than one of 200 minima (in the last: new $(
	sed -n 's/^pass 1: minima \([0-9]*\),.*/\1/p' out), other 0); all are kept: more passes (-n) continue from them"
says first out '^pass 1: minima \([0-9]*\), of them new \1, other 0, the same but for a step of the metric or 2 % 0$'
says cache out "^$work/cache/pitrace/jprof-[0-9a-f]*.calibration\$"
# All that the six types of Java methods can make; natives call natives and methods of both kinds, are left
# by exceptions, clear those of others.
is all "$(grep '^sequences' out)" 'sequences: 1444 of the 1444 possible ones'
is each_pair "$(sed -nE 's/^  ([a-z]+), ([a-z]+): ([0-9]+) of ([0-9]+)$/\3 \4/p' out |
	awk '{ n++; miss += $2 - $1 } END { print n, miss }')" '16 0'
is none_missing "$(grep ' never$' out | head -3)" ''
is listed "$(grep -cE '^[IiJjNn]-(En|Ex|Xx|Ca)-[IiJjNn]-(En|Ex|Xx|Ca)-[IiJjNn] [0-9]+ [0-9]+$' out)" 1444
is why_not "$(sed -n '/^impossible/,/do not report catches/p' out)" "impossible: 2012 of 3456
  a called method ends in its caller: 360
  a handler continues in its own method: 1290
  an exception is caught or propagates: 288
  native methods do not report catches: 74"
# Below what is not measured: six are entered, leave, throw, one after each other, by natives too.
[ "$(sed -n 's/^with type O, .*: \([0-9]*\) trained$/\1/p' out)" -ge 200 ]
verdict outermost $? "$(cat out)"
says types out '^types of methods: I i J j N n; none:$'
is nothing_left "$(ls tmp)" ''
# With the probes, too: exceptions of native methods are seen only in every second pass.
"$train" -p -n 1 -l -c probes >out 2>err
is probes_first "$(grep -c '^[Nn]-Xx-.* never$' out) $(sed -n 's/^sequences: .* of the \([0-9]*\) .*/\1/p' out)" '136 1144'
rm probes
"$train" -p -n 2 -l -c probes >out 2>err
is probes_all "$(sed -n 's/^\(sequences: .* possible ones\).*/\1/p' out)" 'sequences: 1144 of the 1144 possible ones'
is probes_none_missing "$(grep ' never$' out | head -3)" ''
is probes_listed "$(grep -cE '^[IiJjNn]-(En|Ex|Xx)-[IiJjNn]-(En|Ex|Xx)-[IiJjNn] [0-9]+ [0-9]+$' out)" 1144
# The agent uses them: a program of the same VM finds its sequences trained.
cat >One.java <<'END'
public class One {
	static int leaf(int n) { return n + 1; }
	public static void main(String[] args) {
		int sum = 0;
		for (int i = 0; i < 200000; i++) sum += leaf(i);
		System.out.println(sum);
	}
}
END
javac One.java || exit 1
java "-agentpath:$build/lib/pitrace/libjprof.so=CLASSMETHODS=One.leaf*" One >log 2>&1
grep -Eq '^calibration by wall: sequences trained ([3-9]|[1-9][0-9]+),' log-rt.1_*
verdict used $? "$(grep ^calibration log-rt.1_*)"

# Without its classes it is compiled.
mkdir -p moved/bin moved/lib/pitrace/trainer
cp "$train" moved/bin && cp "$build/lib/pitrace/libjprof.so" moved/lib/pitrace &&
	cp "$build/lib/pitrace/trainer/"{Trainer.java,libtrainer.so} moved/lib/pitrace/trainer
moved/bin/jprof-train -n 1 >out 2>err
[ $? = 1 ] && grep -q '^sequences: 1444 of' out && [ -z "$(ls tmp)" ]
verdict compiled_at_use $? "$(cat err)"

# ---- which values count, and when passes end: a VM that leaves a value a pass
cat >says <<'END'
#!/bin/bash
case "$*" in
*-XshowSettings*) echo "    java.home = $WORK/home"; exit ;;
esac
read -r first rest <"$WORK/numbers"
echo "$rest" >"$WORK/numbers"
for word; do
	case $word in -agentpath:*) agent=$word ;; esac
done
folder=${agent#*LOGPATH=}
folder=${folder%%,*}
echo "$*" >>"$WORK/words"
case $first in
fails) echo 'such words' >&2; exit 3 ;;
crashes) echo 'no more'; kill -SEGV $$ ;;
mute) exit ;;
waits) trap 'first=30' TERM; touch "$WORK/waits"; while [ $first = waits ]; do sleep 0.05; done ;;
esac
to="$folder/pass, minima that are new or less: 1"
[ "$first" = alone ] && to='of this run alone; the folder is not ours'
printf 'pitrace log-rt\nmetric: x (cycles) by y, resolution 24 cycles (10 ns)\ncalibration: %s\n' "$to" >"$folder/log-rt.1_$$"
[ "$first" = alone ] || printf 'pitrace calibration 1\n%s\n\nsequence %s 7 %s\nend 1\n' "$(cat "$WORK/key")" \
	"${SEQUENCE:-J-En-J-Ex-J}" "$first$(grep '^metric' "$WORK/key" | sed "1d; s/.*/ $first/" | tr -d '\n')" >"$folder/pass"
[ "$first" != 30 ] || exit 143
END
chmod +x says
export WORK=$work
cat >key <<'END'
agent: 0.1.0
vm: A
cpu: B
metric: x (cycles) by y
events: changed classes
END
numbers() {
	echo "$1" >numbers
	: >words
}
kept() {
	sed -n 's/^sequence J-En-J-Ex-J //p' file 2>/dev/null
}
passes() { # NAME NUMBERS CODE PASSES KEPT OPTION...
	local name=$1 want="$3 $4 $5"
	numbers "$2"
	rm -f file
	shift 5
	"$train" -j "$work/says" -c file "$@" >out 2>err
	is "$name" "$? $(wc -l <words) $(kept)" "$want"
}
passes settles '61 61 61 61' 0 3 '21 61'
says told out '^pass 2: minima 1, of them new 0, other 0, the same but for a step of the metric or 2 % 0$'
passes came_once '220 24 220 220' 0 3 '21 220'
passes came_again '220 24 24 24 24' 0 5 '35 24'
says other out '^pass 3: minima 1, of them new 0, other 1, '
passes a_step '49 49 24 24 24' 0 3 '21 49'
passes later '300 250 200 24 49 24 24' 0 7 '49 24'
says near out '^pass 6: minima 1, of them new 0, other 0, the same .* 1$'
passes at_most '900 700 500 300 100' 1 4 '28 500' -n 4
says unsettled_words err 'not settled: one of the last 2 of 4 passes changed more than one of 200 minima (in the last: new 0, other 1); all are kept: more passes (-n) continue from them'
passes options '61 61 61' 0 3 '21 61' -m instructions,wall -- -Xint
[ "$(grep -c '^-XX:.*-Xint -agentpath:.*,CALIBRATION=[^ ]*/pass,.*,METRICS=instructions+wall -cp [^ ]* Trainer [^ ]* [^ ]* [^ ]*/libtrainer.so$' words)" = 3 ]
verdict words $? "$(cat words)"
is counted "$(grep -E '^sequences|^  enter, leave:' out)" "sequences: 1 of the 1444 possible ones; 1 of them less than 100 times, which is untrained
  enter, leave: 1 of 36"

# ---- what stops it: what was measured by then is kept
passes vm_fails '61 61 fails 61' 125 3 '14 61'
says exit_code err 'says: exit code 3: such words'
passes vm_crashes '61 crashes' 125 2 '7 61'
says crash err 'says: ended by signal 11 (Segmentation fault): no more'
passes no_log '61 mute' 125 2 '7 61'
says no_log_words err 'says: the agent has left no log there: was it loaded'
passes not_kept 'alone' 125 1 ''
says not_kept_words err 'minima are not kept: of this run alone; the folder is not ours'
for signal in INT TERM HUP; do
	numbers '61 waits 61'
	rm -f file waits
	env --default-signal="$signal" "$train" -j "$work/says" -c file >out 2>err &
	pid=$!
	for ((i = 0; i < 600; i++)); do [ -e waits ] && break; sleep 0.1; done
	kill -"$signal" $pid
	{ wait $pid; } 2>/dev/null
	is "by_$signal" "$? $(kept) $(ls tmp)" "$((128 + $(kill -l $signal))) 14 61 "
	says "words_$signal" err 'jprof-train: ended by signal [0-9]* ([A-Z].*): the measurements so far are kept'
done
# Two at once: what both have seen is there.
numbers '61 61 61'
rm -f file
mkdir second
cp numbers key second
"$train" -j "$work/says" -c file >out 2>err &
pid=$!
SEQUENCE=j-En-j-Ex-j WORK=$work/second "$train" -j "$work/says" -c file >out2 2>err2
one=$?
wait $pid
is two_at_once "$one $? $(grep ^seq file | tr '\n' ' ')" '0 0 sequence J-En-J-Ex-J 21 61 sequence j-En-j-Ex-j 21 61 '

# ---- whose minima it takes: of no other key, from nobody's file. It is tried after the first pass.
refused() { # NAME WORDS OPTION...
	local name=$1 words=$2
	shift 2
	numbers '61 61 61'
	"$train" "$@" >out 2>err
	[ $? = 125 ] && grep -q -e "$words" err && [ -z "$(ls tmp)" ] && [ "$(wc -l <words)" -lt 2 ]
	verdict "$name" $? "$(cat err words)"
}
while IFS=: read -r field _; do
	{ echo 'pitrace calibration 1' && sed "s/^$field: /&other /" key && printf '\nend 0\n'; } >foreign
	cp foreign before
	refused "foreign_${field// /_}" "foreign: line [0-9]*, byte [0-9]*: it was recorded with another $field: other .*; here it is" -j "$work/says" -c foreign
	cmp -s foreign before
	verdict "foreign_${field// /_}_kept" $?
done <key
damaged() { # NAME TEXT WORDS
	printf 'pitrace calibration 1\n%s\n\n%b' "$(cat key)" "$2" >damaged
	refused "$1" "damaged: $3" -j "$work/says" -c damaged
}
damaged cut 'sequence J-En' 'line 8, byte [0-9]*: the file is truncated after 0 entries'
damaged wrong_end 'sequence J-En-J-Ex-J 7 61\nend 2\n' 'line 9, .*1 entries, but its end line has another number'
damaged no_value 'sequence J-En-J-Ex-J 7 x\nend 1\n' 'line 8, .*neither a floor nor a sequence, after 0 entries'
ln -sf before link
refused link 'link: it is a link' -j "$work/says" -c link
mkdir all && chmod 777 all
refused others_folder 'all/file: its folder can be written by other users' -j "$work/says" -c all/file
refused no_such_folder 'nowhere/file: No such file' -j "$work/says" -c nowhere/file
cp before theirs && chmod 666 theirs
refused others_file 'theirs: it can be written by other users' -j "$work/says" -c theirs
if [ "$(id -u)" = 0 ]; then
	chmod 644 theirs && chown 65534 theirs
	refused anothers 'theirs: it belongs to another user' -j "$work/says" -c theirs
	refused unwritable '/proc/file: ' -j "$work/says" -c /proc/file
else
	mkdir fixed && chmod 555 fixed
	refused unwritable 'fixed/file: Permission denied' -j "$work/says" -c fixed/file
fi
# The VM's options that select its compilers, wherever they are given, belong to the key.
of_compilers() { # NAME WANT VMOPTION...
	local name=$1 want=$2
	shift 2
	java "$@" "-agentpath:$build/lib/pitrace/libjprof.so=CALIBRATION=none,LOGPREFIX=options,CLASSMETHODS=One.leaf*" One >log 2>&1
	is "$name" "$(sed -n 's/^calibration of vm compilers: //p' options.1_*)" "$want"
	rm -f options.1_*
}
of_compilers compilers_own 'its own choice' -XX:+UseSerialGC -XX:-TieredCompilation
of_compilers compilers_told '-XX:TieredStopAtLevel=1' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
JAVA_TOOL_OPTIONS='-XX:+UseSerialGC -XX:CompilationMode=quick-only' of_compilers compilers_of_environment '-XX:CompilationMode=quick-only'
# Reports of a log about untrained sequences: a file in which those of the thread itself were seen 99 times, the
# others 100 times; the thread's line has their sum. Interpreted, so that each run is the same. There are three: two
# occur repeatedly, the one before the first call once. With a clock that advances in steps, the file has only
# sequences that were seen often enough to be averaged.
judged() {
	rm -f judged.1_*
	java -Xint "-agentpath:$build/lib/pitrace/libjprof.so=CALIBRATION=own,LOGPREFIX=judged,CLASSMETHODS=One.leaf*" One >log 2>&1
	sed -n 's/^calibration by wall: sequences \(.*\) of BASE; nodes.*/\1/p' judged.1_*
}
first=$(judged)
is sequences_there "$(sed -n 's/^sequence \([^ ]*\) \([0-9]*\) .*/\1 \2/p' own | grep -v ' 1$' | sort | tr '\n' ' ')" \
	'O-En-i-Ex-O 200000 i-Ex-O-En-i 199999 '
once=$(grep -c '^sequence O-En-O-En-i 1 ' own)
is once_there "$once" "$(grep -vc '; minima evened' <(grep '^calibration by' judged.1_*))"
is none_trained "$first" 'trained 0, untrained 3, which hold 100.0 %'
awk '/^sequence/ { split($2, part, "-"); $3 = part[3] == "O" ? 99 : 100 } { print }' own >counted
cp counted own
chmod 600 own
have=$(judged)
is some_trained "$have" "$(awk '
	$1 == "LV" { body = 1; next }
	body && NF { base[$1 == 0] += $4 }
	END { printf "trained 1, untrained 2, which hold %.1f %%", 100 * base[1] / (base[0] + base[1]) }
	' judged.1_*)"
# Two runs of a program: the same tree, but for what the compilers have changed, which the page's example names.
run_once() { # NAME VMOPTION...
	java "${@:2}" "-agentpath:$build/lib/pitrace/libjprof.so=CALLTREE,METHODTYPES,LOGPREFIX=$1,CLASSMETHODS=One.*" One >log 2>&1
	sed '1,/^ LV/d; /^$/,$d; s/ main_[0-9]*$/ main/; /^ *0 .*_[0-9]*$/d' "$1".1_* >"$1.tree"
}
run_once one -Xint
run_once two -Xint
run_once compiled -Xcomp
[ "$(wc -l <one.tree)" -ge 3 ] && cmp one.tree two.tree
verdict two_runs $? "$(diff one.tree two.tree)"
sed -n '/^types() {/,/^comm/s/\\//gp' "$top/tools/jprof/libjprof.1" >changed
bash -c "$(sed 's/log-rt.1_71/one.1_*/; s/log-rt.1_72/two.1_*/' changed)" >out 2>&1
is types_same "$(cat out)" ''
bash -c "$(sed 's/log-rt.1_71/one.1_*/; s/log-rt.1_72/compiled.1_*/' changed)" >out 2>&1
is types_changed "$(grep leaf out)" "One.leaf(I)I I
	One.leaf(I)I J"
# The agent itself: each line of a key that is another's.
cached=$(echo cache/pitrace/jprof-*.calibration)
while IFS=: read -r field _; do
	[ -n "$field" ] || break
	sed "s/^$field: /&other /" "$cached" >foreign
	java "-agentpath:$build/lib/pitrace/libjprof.so=CALIBRATION=foreign,CLASSMETHODS=One.leaf*" One >log 2>&1
	says "agent_foreign_${field// /_}" log "jprof: foreign: line [0-9]*, byte [0-9]*: it was recorded with another $field: other .*: only this run's minima are used"
done < <(sed -n '2,/^$/p' "$cached")

# ---- floors: the trainer in the real VM, traced instruction by instruction; the fake one has a metric
# of instructions, to whose column they go
cp says fake
cat >says <<'END'
#!/bin/bash
case "$*" in
*-XshowSettings*) exec java "$@" ;;
*) exec "$WORK/fake" "$@" ;;
esac
END
printf 'vm: A\nmetric: wall (cycles) by x\nmetric: instructions (events) by x\n' >key
rm -f file
numbers '61 61 61'
"$train" -j "$work/says" -c file -p -f >out 2>err
code=$?
if grep -q 'no collector\|not permitted' err; then
	echo "skip jprof_train_floors this machine lets nobody trace"
else
	is floors "$code $(cat err)" '0 '
	# Each two events of compiled methods, static or not, without exceptions: at least the branch.
	is each_floor "$(grep -cE '^floor E[nx]-[Jj]-E[nx]-[Jj] ([1-9]|[1-3][0-9]) instructions$' out)" 16
	# Natives with what the VM does around them: each two of enter and leave.
	is natives "$(grep -E '^floor E[nx]-[JjNn]-E[nx]-[JjNn] ' out | wc -l) $(grep -cE '^floor En-[Nn]-Ex-[Jj] ([2-9]|1[0-9])[0-9] ' out)" '64 4'
	# Exceptions that leave compiled methods and natives, and are caught or go farther.
	is exceptions "$(grep -cE '^floor En-[JjNn]-Xx-[JjNn] ' out) $(grep -cE '^floor Xx-[Jj]-Ca-[Jj] ' out) $(grep -cE '^floor Xx-[Nn]-Ex-[Jj] ' out)" '16 2 4'
	sed -n 's/^\(floor .*\) \([0-9]*\) instructions$/\1 - \2/p' out >want
	grep '^floor' file >have
	cmp -s want have && grep -qx 'sequence J-En-J-Ex-J 21 61 61' file
	verdict floors_kept $? "$(cat file)"
	# Floors are tested with a trainer of three methods: a trace of the full one takes a minute or two.
	mkdir -p small/bin small/lib/pitrace/trainer
	cat >small/Trainer.java <<'END'
final class TrainJ {
	static final TrainJ o = new TrainJ();
	int leaf_J(int x) { return x; }
	int enters_J_J(int x) { return o.leaf_J(x); }
	int enters_JJ_J(int x) { return o.enters_J_J(x); }
}
public class Trainer {
	static int quiet(int times) { int x = 0; for (int i = 0; i < times; i++) x += TrainJ.o.enters_JJ_J(i); return x; }
	public static void main(String[] args) {
		for (int turn = 0; turn < 8; turn++) quiet(5000);
		Runtime.getRuntime().totalMemory();
		quiet(2);
		Runtime.getRuntime().freeMemory();
	}
}
END
	javac -d small/lib/pitrace/trainer small/Trainer.java && cp "$train" "$bin/swtrace" "$bin/post" small/bin &&
		cp "$build/lib/pitrace/"*.so small/lib/pitrace && cp "$build/lib/"*.so* small/lib &&
		cp "$build/lib/pitrace/trainer/libtrainer.so" small/lib/pitrace/trainer || exit 1
	small() { # OPTION...
		rm -f file
		numbers '61 61 61'
		small/bin/jprof-train -j "$work/says" -c file "$@" -f >out 2>err && [ "$(grep -c '^floor E[nx]-J-E[nx]-J [1-9]' out)" -ge 2 ]
	}
	small -p && grep -q '^floor .* - [1-9]' file
	verdict floors_small $? "$(cat out err file)"
	# Minima of changed classes are of inlined methods.
	small && ! grep -q floor file
	verdict floors_inlined $? "$(cat out err file)"
	sed -i '/^metric: instr/d' key
	small -p && grep -qx 'no metric is instructions: floors are not kept' out && ! grep -q floor file
	verdict floors_of_none $? "$(cat out err file)"
fi
mv fake says

# ---- no VM
refused no_java 'nowhere/java: No such file' -j nowhere/java
refused no_vm '/bin/true: not a Java VM: -XshowSettings:properties does not print java.home' -j /bin/true
refused vm_cannot '/bin/false: exit code 1' -j /bin/false
: >cannot
refused cannot_run "cannot: Permission denied" -j "$work/cannot"
refused comma 'a,b: a path with a comma' -c a,b
refused no_such_metric 'jprof: METRICS=nonesuch: ' -m nonesuch
refused no_such_option 'Unrecognized option: -nonesuch' -- -nonesuch
TMPDIR=/nowhere refused no_folder '/nowhere/jprof-train.*: No such file'
exit $((failures != 0))
