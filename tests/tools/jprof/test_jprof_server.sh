#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sampled stacks (SCS) of servers under load from another VM: at least 97 % of the stacks of Java's threads are
# whole, both by swtrace run --jit -g and by the agent's option: a server of the JDK's parts with a pool of
# threads, and from Java 21 on with virtual threads, and the JDK's own file server as it is.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/lib/jdk_lib.sh
. "$top/tests/lib/jdk_lib.sh"
unset JPROFOPTS JAVA_TOOL_OPTIONS
agent=$build/lib/pitrace/libpijit.so
if [ ! -f "$agent" ]; then
	echo "skip jprof_server no JDK is installed"
	exit 77
fi
if [ "$(uname -m)" != x86_64 ]; then
	echo "skip jprof_server stacks are sampled on x86-64 only"
	exit 77
fi
cd "$work" || exit 1
mkdir classes files
javac -d classes "$top/tests/tools/jprof/Server.java" 2>err || cat err
head -c 300000 /dev/urandom >files/some
release=$(jdk_release "$(dirname "$(dirname "$(readlink -f "$(type -P javac)")")")")

# Starts a server in the background, and waits for its port.
begin() { # COMMAND...
	: >out
	timeout 150 "$@" >out 2>err &
	server=$! port=''
	for _ in {1..150}; do
		port=$(sed -nE 's/^port ([0-9]+)$/\1/p; s/^URL .*:([0-9]+)\/$/\1/p' out)
		[ -n "$port" ] && return
		sleep 0.2
	done
	verdict "port" 1 "$(cat out err)"
	exit 1
}
ask() { # THREADS PATH TIMES
	timeout 120 java -Xmx64m -cp classes Server ask "$port" "$@" >asked 2>&1 || cat asked
}
# In a trace all ticks are counted, those of the compilers' threads, too. Those of Java's threads have a method
# (package.Class.method(arguments), not the VM's Class::method()), or began as such a thread.
walked() { # NAME LEAST: what the trace says
	local java left all

	"$build/bin/post" -q -r server.nrm2 -folded -o - >stacks 2>>err
	read -r java left all < <(awk '
		{ all += $NF }
		/;[A-Za-z_$0-9]+([.][A-Za-z_$0-9<>]+)+[(]/ || /;JavaThread::thread_main_inner[(]/ && !/CompileBroker/ {
			java += $NF
			if ($0 ~ /not walked/) left += $NF
		}
		END { print java + 0, left + 0, all + 0 }' stacks)
	echo "note: $1: $left of $java ticks not whole ($(awk -v a="$left" -v b="$java" 'BEGIN { printf "%.2f", b ? 100 - 100 * a / b : 0 }') % walked), $all ticks in all"
	[ "$java" -ge "$2" ] && [ $((100 * left)) -le $((3 * java)) ]
	verdict "$1" $? "$left of $java not whole, of $all; $(cat err; grep 'not walked' stacks | head -5 | cut -c1-600)"
}
# Handlers are seen from the server's threads to the collector of garbage's helpers.
seen() { # NAME PATTERN LEAST
	local n

	n=$(grep -E "$2" stacks | awk '{ n += $NF } END { print n + 0 }')
	[ "$n" -ge "$3" ]
	verdict "$1" $? "$n ticks, not $3; $(head -c 2000 stacks)"
}
handler='sun\.net\.httpserver\.ServerImpl\$Exchange\.run\(\);.*Server\.handle\(.*;Server\$Work\.apply\('

for how in pool virtual; do
	[ "$how" = pool ] || [ "$release" -ge 21 ] || continue
	begin "$build/bin/swtrace" run --jit -g -q -o server.nrm2 -- java -Xmx96m -cp classes Server "$how" 4000
	ask 12 / 1000000
	wait "$server"
	verdict "${how}_traced" $? "$(cat out err asked)"
	walked "${how}_walked" 800
	seen "${how}_handler" "$handler.*Server\\\$Json\\.value\\(" 20
	begin java -Xmx96m "-agentpath:$agent=SCSCHECK,SCSRATE=1000,dir=$work" -cp classes Server "$how" 4000
	ask 12 / 1000000
	wait "$server"
	verdict "${how}_by_option" $? "$(cat out err asked)"
	read -r java whole share < <(sed -nE 's/.* ([0-9]+) of them of Java.s threads, walked whole ([0-9]+) \(([0-9.]+) %\)$/\1 \2 \3/p' err)
	echo "note: $how, by the agent's option: $whole of $java ticks of Java's threads whole ($share %)"
	[ "${java:-0}" -ge 800 ] && [ $((100 * whole)) -ge $((97 * java)) ]
	verdict "${how}_option_walked" $? "$(cat err)"
done

if [ "$release" -ge 18 ]; then
	begin "$build/bin/swtrace" run --jit -g -q -o server.nrm2 -- java -Xmx96m -m jdk.httpserver -b 127.0.0.1 -p 0 -d "$work/files" -o info
	ask 12 /some 300
	read -r child _ <"/proc/$server/task/$server/children"
	read -r child _ <"/proc/$child/task/$child/children"
	kill "$child"
	wait "$server"
	walked file_server_walked 300
	seen file_server_handler 'FileServerHandler\.handle\(' 20
fi

exit $((failures != 0))
