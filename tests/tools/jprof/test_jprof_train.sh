#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# jprof-train: the trainer in a real VM makes each sequence that there can be of the types that the
# agent sees; when passes end, by a VM that only says what it has changed; what is refused.
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
is unsettled "$code $(cat err)" '1 jprof-train: minima still changed in the last two passes (-n is how many there are)'
says first out '^pass 1: minima that are new or less: [1-9][0-9][0-9]$'
says cache out "^$work/cache/pitrace/jprof-[0-9a-f]*.calibration\$"
# By the numbers: n types, so many sequences of each pair of events. Of natives there may be more.
pairs="enter,enter:64 enter,leave:16 enter,unwind:16 enter,caught:16 leave,enter:64 leave,leave:64 leave,unwind:64
	leave,caught:16 unwind,unwind:64 unwind,caught:16 caught,enter:16 caught,leave:16 caught,unwind:16 caught,caught:4"
wrong=
sed 's/, /,/' out >pairs
for pair in $pairs; do
	want=${pair#*:}
	have=$(sed -nE "s/^  ${pair%:*}: ([0-9]+) of [0-9]+$/\1/p" pairs)
	[ "${have:-0}" -ge "$want" ] || wrong="$wrong $pair:$have"
done
is each_pair "$wrong" ''
# Not one of interpreted and compiled methods is missing.
is none_missing "$(grep -E '^[IiJj]-..-[IiJj]-..-[IiJj] never' out | head -3)" ''
is listed "$(grep -cE '^[IiJjNn]-(En|Ex|Xx|Ca)-[IiJjNn]-(En|Ex|Xx|Ca)-[IiJjNn] ' out)" 1374
says of_the_paper out '^of enter, leave and unwind alone: [3-9][0-9][0-9] of 1584 '
says types out '^types of methods: I i J j'
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
is nothing_left "$(ls tmp)" ''

# ---- when passes end: a VM of so many words
cat >says <<'END'
#!/bin/bash
read -r first rest <"$WORK/numbers"
echo "$rest" >"$WORK/numbers"
for word; do
	case $word in -agentpath:*) agent=$word ;; esac
done
echo "$*" >>"$WORK/words"
folder=${agent#*LOGPATH=}
[ "$first" != fails ] || exit 3
printf 'pitrace log-rt\nmetric: x\ncalibration: %s, minima that are new or less: %s\n' "$WORK/file" "$first" >"${folder%%,*}/log-rt.1_$$"
END
chmod +x says
export WORK=$work
printf 'pitrace calibration 1\nmetric: x\n\nsequence J-En-J-Ex-J 7 61\nend 1\n' >file
passes() { # NAME NUMBERS CODE PASSES OPTION...
	local name=$1 code=$3 n=$4
	echo "$2" >numbers
	: >words
	shift 4
	"$train" -j "$work/says" "$@" >out 2>err
	is "$name" "$? $(wc -l <words)" "$code $n"
}
passes two_quiet '5 1 0 0 0' 0 4
passes quiet_in_a_row '5 0 1 0 0 9' 0 5
passes at_most '5 0 1 0 0 9' 1 3 -n 3
passes vm_fails '5 fails 0 0' 125 2
says exit_code err 'says: exit code 3'
passes options '0 0' 0 2 -m instructions,wall -c mine -- -Xint
[ "$(grep -c '^-XX:.*-Xint -agentpath:.*,CALIBRATION=mine,METRICS=instructions+wall -cp [^ ]* Trainer ' words)" = 2 ]
verdict words $? "$(cat words)"
is counted "$(grep -E '^sequences|^  enter, leave:' out)" "sequences: 1 of the 1374 that there can be
  enter, leave: 1 of 36"
# Without its classes it is compiled.
mkdir -p moved/bin moved/lib/pitrace/trainer
cp "$train" moved/bin && cp "$build/lib/pitrace/libjprof.so" moved/lib/pitrace &&
	cp "$build/lib/pitrace/trainer/Trainer.java" moved/lib/pitrace/trainer
moved/bin/jprof-train -n 1 >out 2>err
[ $? = 1 ] && grep -q '^sequences: [4-9][0-9][0-9] of' out && [ -z "$(ls tmp)" ]
verdict compiled_at_use $? "$(cat err)"

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
printf 'pitrace calibration 1\nvm: A\nmetric: wall (cycles) by x\nmetric: instructions (events) by x\n\nsequence J-En-J-Ex-J 7 61 62\nend 1\n' >file
echo '0 0' >numbers
"$train" -j "$work/says" -p -f >out 2>err
code=$?
if grep -q 'no collector\|not permitted' err; then
	echo "skip jprof_train_floors this machine lets nobody trace"
else
	is floors "$code $(cat err)" '0 '
	# Each two transitions of compiled methods, static or not, without exceptions: at least the branch.
	is each_floor "$(sed -n 's/^floor \(.*\) [0-9]* instructions$/\1/p' out | sort | xargs -n1 | wc -l) $(
		grep -cE '^floor E[nx]-[Jj]-E[nx]-[Jj] ([1-9]|[1-3][0-9]) instructions$' out)" '16 16'
	sed -n 's/^\(floor .*\) \([0-9]*\) instructions$/\1 - \2/p' out >want
	grep '^floor' file >have
	[ "$(wc -l <have)" = 16 ] && cmp -s want have && grep -qx 'sequence J-En-J-Ex-J 7 61 62' file
	verdict floors_kept $? "$(cat file)"
	# Minima of changed classes are of inlined methods.
	sed -i '/^floor/d; s/^end.*/end 1/' file
	echo '0 0' >numbers
	"$train" -j "$work/says" -f >out 2>err
	[ $? = 0 ] && [ "$(grep -c '^floor ' out)" = 16 ] && ! grep -q floor file
	verdict floors_inlined $? "$(cat file)"
	sed -i '/^metric: instr/d; /^floor/d; s/ 62$//; s/^end.*/end 1/' file
	echo '0 0' >numbers
	"$train" -j "$work/says" -p -f >out 2>err
	[ $? = 0 ] && grep -qx 'no metric is instructions: floors are not kept' out && ! grep -q floor file
	verdict floors_of_none $? "$(cat err)"
fi
mv fake says

# ---- what is refused
refused() { # NAME WORDS OPTION...
	local name=$1 words=$2
	shift 2
	"$train" "$@" >out 2>err
	[ $? = 125 ] && grep -q -e "$words" err && [ -z "$(ls tmp)" ]
	verdict "$name" $? "$(cat err)"
}
refused no_java 'nowhere/java: No such file' -j nowhere/java
refused comma 'a,b: a comma' -c a,b
refused no_such_metric 'METRICS=nonesuch: ' -m nonesuch
sed 's/^cpu: .*/cpu: other/' cache/pitrace/jprof-*.calibration >foreign
refused foreign 'minima are not kept: of this run alone; foreign: .*another cpu: other' -c foreign
printf 'pitrace calibration 1\nmetric: x\n\nsequence J-En' >file
echo '0 0' >numbers
refused cut "$work/file: line 4, byte 33: the file is cut" -j "$work/says"
TMPDIR=/nowhere refused no_folder '/nowhere/jprof-train.*: No such file'
exit $((failures != 0))
