#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sampled stacks (SCS) of a program whose stacks are known, however its code runs and whichever collector
# the VM uses: each must be exactly what the source says. With -Xcomp the VM's own AsyncGetCallTrace has other
# stacks, for two reasons that are counted.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/lib/jdk_lib.sh
. "$top/tests/lib/jdk_lib.sh"
unset JPROFOPTS JAVA_TOOL_OPTIONS
agent=$build/lib/pitrace/libpijit.so
if [ ! -f "$agent" ]; then
	echo "skip jprof_known no JDK is installed"
	exit 77
fi
if [ "$(uname -m)" != x86_64 ]; then
	echo "skip jprof_known stacks are sampled on x86-64 only"
	exit 77
fi
cd "$work" || exit 1
mkdir classes
javac -d classes "$top/tests/tools/jprof/Known.java" 2>err || cat err

main='Known[.]main[(][^;]*[)];'
turn='Known[.]a[(]int, int[)];Known[.]b[(]int, int[)];Known[.]c[(]int, int[)];'
turns=$(printf "%.0s$turn" {1..20})
sums=$(printf '%.0sKnown[.]sum[(]int, Known[$]Shape, boolean[)];' {1..31})
# A phase's ticks: all of them; those of exactly this stack, in whatever native code it ends; those that say
# that they are not whole.
phase() { # MODE NAME STACK [LEAST]
	local all right left

	read -r all right left < <(awk -v "phase=;$main""Known[.]$2[(][)];" -v "is=;$main""Known[.]$2[(][)];$3" '
		$0 ~ phase { all += $NF; if ($0 ~ /not walked/) left += $NF; else if ($0 ~ is) right += $NF }
		END { print all + 0, right + 0, left + 0 }' stacks)
	[ "$all" -gt 200 ] && [ $((100 * right)) -ge $((${4:-97} * all)) ] && [ $((100 * (all - right - left))) -le $(((103 - ${4:-97}) * all)) ]
	verdict "$2_$1" $? "of $all $right right, $left not walked; $(cat err; grep "Known.$2(" stacks | head -2 | cut -c1-3000)"
}
known() { # NAME OPTION...
	local mode=$1
	shift
	if ! java "$@" -version >out 2>&1; then
		echo "note: this JDK has no $*"
		return
	fi
	JPROFOPTS=SCSRATE=2000 timeout 120 "$build/bin/swtrace" run --jit -g -q -o known.nrm2 -- java "$@" -cp classes Known 250 >out 2>err
	"$build/bin/post" -q -r known.nrm2 -folded -o - >stacks 2>>err
	phase "$mode" deep "${turns}Known[.]spin[(][)][; ]"
	phase "$mode" fresh "$turns([^K;][^;]*;)*Known[$]Fresh[.]<clinit>[(][)];Known[.]spin[(][)][; ]"
	phase "$mode" replaced "${sums}Known[$]Round[.]area[(][)];Known[.]spin[(][)][; ]"
	# The rest reads the clock and drops the array.
	phase "$mode" tail 'Known[.]outer[(]int[)];Known[.]allocate[(]int[)][; ]' 90
}
known mixed
known compiled -Xcomp
known interpreted -Xint
known not_inlined -XX:-Inline
known c1 -XX:TieredStopAtLevel=1
known c1_compiled -Xcomp -XX:TieredStopAtLevel=1
known c2_compiled -Xcomp -XX:-TieredCompilation
known serial -XX:+UseSerialGC
known parallel -XX:+UseParallelGC
known z -XX:+UseZGC
known shenandoah -XX:+UseShenandoahGC

# ---- what differs from AsyncGetCallTrace with -Xcomp
for how in '' -J-XX:TieredStopAtLevel=1; do
	# shellcheck disable=SC2086 # no word or one
	javac -J-Xcomp $how "-J-agentpath:$agent=SCSCHECK,SCSRATE=2000,dir=$work" -d classes "$top/tests/tools/jprof/Known.java" 2>err || cat err
	read -r same differ < <(sed -nE 's/.*same ([0-9]+), different ([0-9]+), .*/\1 \2/p' err)
	read -r inner first < <(sed -nE 's/.*of the different ones ([0-9]+) are .*, ([0-9]+) differ .*/\1 \2/p' err)
	[ "${same:-0}" -gt 200 ] && [ "${inner:-0}" -gt 50 ] && [ $((100 * (differ - inner - first))) -le $((3 * same)) ]
	verdict "explained${how:+_c1}" $? "same ${same:-none}, different ${differ:-none}, of them explained ${inner:-none} and ${first:-none}; $(cat err)"
done

exit $((failures != 0))
