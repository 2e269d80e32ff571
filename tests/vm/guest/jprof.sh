# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: jprof.sh: what an event costs by PTT, in instructions; then a Java program measured by its
# threads' own cycles, in both modes, some of its threads left out; and traced in a container, where it has another number.
cd /tmp || exit
for how in natives probes; do
	for values in counts cycles tsc wall+tsc tsc+wall tsc+page-faults; do
		for n in 12 14; do
			echo "$how $values $n $(call_events $how $values $n 2>&1)"
		done
	done
done >events
for n in 12 14; do echo "none counts $n $(call_events none counts $n)"; done >>events
for mode in rewrite probes; do
	/jre/bin/java -XX:-TieredCompilation -XX:+UseSerialGC -Xmx64m \
		"-agentpath:/usr/local/lib/pitrace/libjprof.so=METRICS=tsc,MODE=$mode,CLASSMETHODS=Own*,THREADS=-left*,CALIBRATION=none,LOGPREFIX=$mode" \
		-cp /classes Own >"$mode.said" 2>&1 || { cat "$mode.said" && exit 1; }
done
# Its log is in a place that post does not search.
mkdir away
swtrace run -q -B driver -o named.nrm2 -- unshare -m -p -f --mount-proc /jre/bin/java -XX:-TieredCompilation -XX:+UseSerialGC \
	-Xmx64m "-agentpath:/usr/local/lib/pitrace/libjprof.so=JITA2N,LOGPATH=/tmp/away" -cp /classes Own >named.said 2>&1 ||
	{ cat named.said && exit 1; }
mv away/log-jita2n_* code.log
