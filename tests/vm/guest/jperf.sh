# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: a Java program traces its own loop by JPerf.jar.
cd /tmp || exit
lib=/usr/local/lib
/jre/bin/java -XX:-TieredCompilation -Xbatch -XX:CompileThreshold=300 -XX:+UseSerialGC -Xmx64m \
	-agentpath:$lib/pitrace/libpijit.so -cp $lib/pitrace/JPerf.jar:/classes JPerfLoop 5000 ptt >jperf.txt 2>&1 ||
	{ cat jperf.txt && exit 1; }
cat jperf.txt
