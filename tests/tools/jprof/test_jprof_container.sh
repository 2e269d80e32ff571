#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The agent in a VM whose root, processes and /tmp are a container's: started there, and loaded from outside; logs are
# in the container, under the pid that the VM has there; files that are only outside are not found.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
agent=$build/lib/pitrace/libjprof.so
if [ ! -f "$agent" ] || ! command -v javac >/dev/null; then
	echo "skip jprof_container no JDK is installed"
	exit 77
fi
new=(unshare --mount --pid --fork --kill-child --propagation unchanged)
[ "$(id -u)" = 0 ] || new+=(--map-root-user)
if ! "${new[@]}" sh -c 'mount --make-rprivate / && mount -t tmpfs none /tmp' 2>/dev/null; then
	echo "skip jprof_container no namespaces can be made"
	exit 77
fi
unset JPROFOPTS JITDUMPDIR JAVA_TOOL_OPTIONS JAVA_HOME XDG_CACHE_HOME
rtdriver=$bin/rtdriver shell=
trap '[ -z "$shell" ] || kill -KILL $shell 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir root logs
cat >Work.java <<'END_OF_JAVA'
public class Work {
	static volatile long sink;
	static int leaf(int n) { return n * 31 + 7; }
	static int round(int n) { int sum = 0; for (int i = 0; i < 1000; i++) sum += leaf(i + n); return sum; }
	public static void main(String[] args) throws Exception {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1000000;
		System.out.println("ready " + ProcessHandle.current().pid());
		while (System.nanoTime() < end) sink += round((int) sink);
	}
}
END_OF_JAVA
javac Work.java || exit 1
# The VM's files in the same place, but nothing else of this machine: the agent is in another place than here.
cat >inside <<'END_OF_SHELL'
set -e
mount --make-rprivate /
mount -t tmpfs none root
mkdir -p root/proc root/tmp root/dev root/logs root/sealed root/app root/old root/root root/opt/pitrace
for d in usr etc; do mkdir root/$d && mount --rbind -o ro /$d root/$d; done
for d in bin sbin lib lib32 lib64; do [ ! -L /$d ] || ln -s "$(readlink /$d)" root/$d; done
for d in null zero random urandom; do : >root/dev/$d && mount --bind /dev/$d root/dev/$d; done
cp Work.class root/app
cp "$AGENT" root/opt/pitrace
mount -t tmpfs -o ro none root/sealed
cd root
pivot_root . old
cd /
mount -t proc proc /proc
umount -l /old
cd /app
unset TMPDIR AGENT
export HOME=/root
"$@" && code=0 || code=$?
echo "ended $code"
# Until all of it was looked at.
exec sleep 100
END_OF_SHELL
# Its first process is $first, its root /proc/$first/root.
container() { # COMMAND...
	end
	AGENT=$agent "${new[@]}" sh inside "$@" >said 2>err &
	shell=$!
	for ((i = 0; i < 100; i++)); do
		first=$(pgrep -P $shell) && return
		sleep 0.1
	done
	return 1
}
end() {
	[ -z "$shell" ] || { kill -KILL $shell; wait $shell; } 2>/dev/null
	shell=
}
until_it_says() { # WORDS
	for ((i = 0; i < 600; i++)); do
		grep -q "$1" said && return
		kill -0 $shell 2>/dev/null || return
		sleep 0.1
	done
	return 1
}
column() { # NUMBER METHOD LOG
	awk -v "c=$1" -v "name=Work.$2" '/^ LV/ { on = 1; next } on && $NF == name { n += $c } END { print n + 0 }' "$3"
}

# ---- from the VM's begin on
container java "-agentpath:/opt/pitrace/libjprof.so=CALLFLOW,JITA2N,JINSTS,THREADINFO,LOGPATH=/logs,CLASSMETHODS=Work*" \
	Work 1000
until_it_says '^ended'
there=/proc/$first/root inner=$(sed -n 's/^ready //p' said)
is ends "$(grep ended said)" 'ended 0'
[ -n "$inner" ] && (cd "$there/logs" && [ "$(echo *)" = "log-jita2n_$inner log-jtnm_$inner log-rt.1_$inner" ])
verdict its_own_number $? "$inner: $(ls "$there/logs")"
calc "$(column 2 'leaf(I)I' "$there/logs/log-rt.1_$inner") == 1000 * $(column 2 'round(I)I' "$there/logs/log-rt.1_$inner")"
verdict calls $? "$(tail -n 20 "$there/logs/log-rt.1_$inner")"
is minima "$(sed -nE 's/^calibration: (.*)\/jprof-[0-9a-f]+\.calibration, minima that are new or less: [1-9].*/\1/p' \
	"$there/logs/log-rt.1_$inner")" /root/.cache/pitrace
# Code and its bytes, which are where the line says.
awk -F'\t' '$4 == "LOAD" && $5 ~ /^Work\.(main|round|leaf)\(/ { n++; bad += length($6) < 16 } END { exit !n || bad }' \
	"$there/logs/log-jita2n_$inner"
verdict code $? "$(grep Work "$there/logs/log-jita2n_$inner" | cut -c1-200)"
grep -qP "\tmain\tSTART$" "$there/logs/log-jtnm_$inner"
verdict threads $? "$(cat "$there/logs/log-jtnm_$inner")"
is nothing_outside "$(find . /tmp -maxdepth 2 -name "log-*_$inner" -newer inside 2>/dev/null)" ''

# ---- traced from outside without the module: code and threads, whose numbers there are others, by records
cat >Named.java <<'END_OF_JAVA'
public class Named {
	static volatile long sink;
	static void spin(int ms) { long end = System.nanoTime() + ms * 1000000L; while (System.nanoTime() < end) sink++; }
	public static void main(String[] words) throws Exception {
		Thread t = new Thread(() -> spin(700), "worker whose name is longer than the kernel's");
		t.start();
		t.join();
	}
}
END_OF_JAVA
javac Named.java || exit 1
if "$bin/swtrace" run -q -B perf -o may.nrm2 -- true >/dev/null 2>&1; then
	mkdir away
	"$bin/swtrace" run -q -B perf -o named.nrm2 -- "${new[@]}" --mount-proc \
		java "-agentpath:$agent=JITA2N,JINSTS,THREADINFO,LOGPATH=away" Named >out 2>&1
	"$bin/post" -q -r named.nrm2 -o - >named.out 2>why
	calc "$(sed -nE "s/^ *TID +([0-9]+) .*_worker whose name is longer than the kernel's$/\1/p" named.out | head -n 1) > 50"
	verdict named_threads $? "$(cat out why; ls away; grep TID named.out)"
	calc "$(sed -nE 's/^ *SYM +([0-9]+) .* Named\.spin\(int\)$/\1/p' named.out | head -n 1) > 10"
	verdict named_code $? "$(cat out why; grep -m 9 SYM named.out)"
	rm -r away named.*
else
	echo "skip jprof_container_named this machine lets nobody trace"
fi

# ---- attached from outside, by the number that it has here
container java Work 60000
until_it_says '^ready'
there=/proc/$first/root inner=$(sed -n 's/^ready //p' said) outer=
for pid in $(pgrep -P "$first"); do
	[ "$(awk '/^NSpid/ { print $NF }' "/proc/$pid/status")" != "$inner" ] || outer=$pid
done
[ -n "$outer" ] || outer=$first
drive() { # ARGUMENT...
	timeout 60 "$rtdriver" "$@" "$outer" >out 2>&1
}
drive -l "$agent" -o CALLFLOW -c start
[ $? = 2 ] && grep -q 'not found below the root of process' out
verdict agent_outside $?
drive -l /opt/pitrace/libjprof.so -o "LOGPATH=$work/logs" -c start
[ $? = 2 ] && grep -q "LOGPATH=$work/logs: No such file" err
verdict folder_outside $? "$(cat out err)"
drive -l /opt/pitrace/libjprof.so -o 'LOGPATH=/sealed' -c start
[ $? = 2 ] && grep -q 'LOGPATH=/sealed: Read-only file system' err
verdict sealed $? "$(cat out err)"
drive -l /opt/pitrace/libjprof.so -o 'CALLFLOW,JITA2N,JINSTS,LOGPATH=/logs,CLASSMETHODS=Work*' -c 'start 500ms' -c 'flush 300ms' \
	-c stop
verdict attached $? "$(cat out err)"
is answers "$(cat out)" "start: calls count
flush: written: /logs/log-rt.1_$inner
stop: written: /logs/log-rt.2_$inner"
one=$(column 2 'leaf(I)I' "$there/logs/log-rt.1_$inner") two=$(column 2 'leaf(I)I' "$there/logs/log-rt.2_$inner")
calc "$one > 1000 && $two > $one"
verdict counts $? "$one, $two"
awk -F'\t' '$4 == "LOAD" && $5 ~ /^Work\.(main|round|leaf)\(/ { n++; bad += length($6) < 16 } END { exit !n || bad }' \
	"$there/logs/log-jita2n_$inner"
verdict code_made_before $? "$(cut -c1-100 "$there/logs/log-jita2n_$inner" | head)"
[ -S "$there/tmp/.pitrace_rt.$inner" ] && [ ! -e "$there/tmp/.attach_pid$inner" ] && [ ! -e "/tmp/.pitrace_rt.$inner" ] &&
	[ ! -e "/tmp/.pitrace_rt.$outer" ]
verdict socket $? "$(ls -a "$there/tmp")"
cp "$there/logs/log-rt.2_$inner" . && "$bin/post" -q -functions -r "log-rt.2_$inner" -o - >out 2>&1 && grep -q 'Work.leaf' out
verdict read_from_outside $?
end
exit $((failures != 0))
