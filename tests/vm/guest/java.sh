# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: java.sh MODE PROGRAM.... Minima are trained; then each program of Truth runs without the agent,
# for MODE rewrite as it is (plain), for probes without inlined methods (apart), its instructions traced to
# WAY.PROGRAM.arc; and under the agent, whose log is MODE.PROGRAM.1_PID.
cd /tmp || exit
mode=$1
shift
java=/jre/bin/java
agent=$(find /usr/lib /usr/local/lib -name libjprof.so | head -n 1)
# Compiled only by the better compiler, at once when it is hot.
better="-XX:-TieredCompilation -Xbatch -XX:+UseSerialGC -Xmx64m"
fixed="$better -XX:CompileThreshold=300 -cp /classes"
# As the VM's probes leave it: no method is inlined, not even a getter, and no native is an intrinsic.
apart="-XX:-Inline -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,*.* -XX:+UnlockDiagnosticVMOptions
-XX:-InlineNatives -XX:DisableIntrinsic=_arraycopy,_equalsL,_equalsU,_equalsB,_equalsC,_compareToL,_compareToU
-XX:DisableIntrinsic=_indexOfL,_indexOfIL,_indexOfL_char,_hashCode,_getClass,_clone,_hasNegatives,_copyOf
-XX:DisableIntrinsic=_inflateStringB,_compressStringB,_copyOfRange,_min,_max,_getCharStringU,_putCharStringU
-XX:DisableIntrinsic=_isInstance,_Preconditions_checkIndex,_Object_init,_currentThread"
turns=120
steady=64
export XDG_CACHE_HOME=/tmp/cache
mkdir -p cache
set -f
said() {
	echo "# $(cut -d' ' -f1 /proc/uptime) s: $*"
}

# A pass each, in which all that is compiled is so by the same compiler.
train() { # OPTION...
	jprof-train -n 1 -j "$java" "$@" -- $better -XX:CompileThreshold=500 >train.log 2>&1 || [ $? = 1 ] ||
		{ cat train.log && exit 1; }
}
if [ "$mode" = rewrite ]; then
	train
else
	# Here the time stamp counter counts instructions: floors are kept for it, too.
	train -p -f
	minima=$(grep '\.calibration$' train.log)
	{
		sed '/^end /d' "$minima"
		sed -n 's/^\(floor .*\) instructions$/\1/p' train.log
	} >floored
	[ "$(grep -c '^floor ' floored)" -ge 64 ] || { echo "floors are missing" && cat train.log && exit 1; }
	echo "end $(grep -c '^floor \|^sequence ' floored)" >>floored
	cat floored >"$minima"
fi
cp "$(grep '\.calibration$' train.log)" "minima.$mode"
said "trained for $mode"

# trace WAY PROGRAM OPTION...: of steady() between its two marks
trace() {
	local way=$1 program=$2 lib=/jre/lib/libjava.so
	shift 2
	swtrace run -q --itrace --jit --no-children --from $lib:Java_java_lang_Runtime_totalMemory \
		--until $lib:Java_java_lang_Runtime_freeMemory -o trace.nrm2 -- "$java" $fixed "$@" \
		Truth "$program" $turns 8 >"$way.$program" 2>trace.log &&
		post -arc -c -q -r trace.nrm2 -o "$way.$program.arc" >>trace.log 2>&1 ||
		{ cat trace.log && exit 1; }
	rm -f trace.nrm2
	find . -name 'jit-*' -exec rm -f {} +
}
for program in "$@"; do
	if [ "$mode" = rewrite ]; then
		trace plain "$program"
	else
		trace apart "$program" $apart
	fi
	"$java" $fixed "-agentpath:$agent=STATDYN,MODE=$mode,LOGPREFIX=$mode.$program" \
		Truth "$program" $turns $steady >"$mode.$program" || exit 1
	said "$program"
done
