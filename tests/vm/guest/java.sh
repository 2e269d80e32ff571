# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: java.sh PROGRAM.... Each program of Truth as it is, and without inlined methods; then
# under the agent, whose logs are rewrite.PROGRAM.1_PID and probes.PROGRAM.1_PID; twice for the first.
cd /tmp || exit
java=/jre/bin/java
agent=$(find /usr/lib -name libjprof.so | head -n 1)
# Compiled by the better compiler alone, at once when it is hot; the log is of steady code.
fixed="-XX:-TieredCompilation -Xbatch -XX:+UseSerialGC -Xmx64m -cp /classes"
turns=4000
export XDG_CACHE_HOME=/tmp/cache
mkdir -p cache
# Two passes for each way to see calls: they may go on to change a minimum by little.
for way in '' -p; do
	jprof-train $way -n 2 -j "$java" -- -XX:+UseSerialGC -Xmx64m >train.log 2>&1 || [ $? = 1 ] || exit 1
done
run() { # OPTION...
	"$java" $fixed "$@" $turns
}
for program in "$@"; do
	run Truth "$program" >"plain.$program" || exit 1
	run -XX:-Inline Truth "$program" >"apart.$program" || exit 1
	run "-agentpath:$agent=STATDYN,LOGPREFIX=rewrite.$program" Truth "$program" >"rewrite.$program" || exit 1
	run "-agentpath:$agent=STATDYN,MODE=probes,LOGPREFIX=probes.$program" Truth "$program" >"probes.$program" || exit 1
done
run "-agentpath:$agent=STATDYN,LOGPREFIX=again.$1" Truth "$1" >"again.$1" || exit 1
