#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# rtdriver and real VMs: an agent that is loaded by attaching, one that is there already; each command;
# a stopped VM, one that ends, one that refuses; TCP with a token; 10,000 hostile requests; another
# user; a VM in namespaces of its own.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset JPROFOPTS JITDUMPDIR JAVA_TOOL_OPTIONS
agent=$build/lib/pitrace/libjprof.so
if [ ! -f "$agent" ] || ! command -v javac >/dev/null; then
	echo "skip rtdriver no JDK is installed"
	exit 77
fi
rtdriver=$bin/rtdriver vm=
trap '[ -z "$vm" ] || kill -KILL $vm 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
chmod 711 .
javac -nowarn -d . "$top/tests/tools/rtdriver/Busy.java" || exit 1

begin() { # OPTION...: a VM in $vm
	rm -f log-* heapdump.* answers err
	java -Xshare:auto -XX:TieredStopAtLevel=1 "$@" -cp "$work" Busy >answers 2>err &
	vm=$!
	up
}
up() {
	local i
	for ((i = 0; i < 600; i++)); do
		grep -q ready answers 2>/dev/null && return
		sleep 0.1
	done
	return 1
}
await() { # COMMAND...: until it succeeds
	local i
	for ((i = 0; i < 1200; i++)); do
		"$@" 2>/dev/null && return
		sleep 0.05
	done
}
end() {
	kill -KILL $vm 2>/dev/null
	wait $vm 2>/dev/null
	rm -f "/tmp/.java_pid$vm" "/tmp/.pitrace_rt.$vm"
	vm=
}
drive() { # ARGUMENT...: to $work/out; the exit code
	timeout 60 "$rtdriver" "$@" >out 2>&1
}
refused() { # CODE WANTED NAME WORDS
	[ "$1" = "$2" ] && grep -q -e "$4" out
	verdict "$3" $?
}
calls() { # METHOD LOG: summed over its nodes
	awk -v name="$1" '$NF == name { n += $2 } END { print n + 0 }' "$2"
}

# ---- an agent by attaching: each command; a VM whose locale only knows ASCII
LC_ALL=C begin
drive -o 'CLASSMETHODS=Busy*' -c 'start 500ms' -c 'flush 500ms' -c stop $vm
verdict attached $?
[ "$(grep -c . out)" = 3 ] && grep -qx 'start: calls count' out && grep -qx "flush: written: $work/log-rt.1_$vm" out &&
	grep -qx "stop: written: $work/log-rt.2_$vm" out
verdict answers $?
one=$(calls 'Busy.leaf(I)I' log-rt.1_$vm) two=$(calls 'Busy.leaf(I)I' log-rt.2_$vm)
[ "$one" -gt 100 ] && [ "$two" -gt "$one" ]
verdict flush_goes_on $? "$one, $two"
[ "$(calls 'Busy.round(I)V' log-rt.2_$vm)" -ge $((two / 100)) ] && [ ! -e log-rt.3_$vm ]
verdict stop_is_whole $? "$(tail -5 log-rt.2_$vm)"
drive -c stop $vm
refused $? 1 stop_twice 'rtdriver: stop: it is not counting'
drive -c 'start 300ms' -c 'reset' -c flush -c end $vm
three=$(calls 'Busy.leaf(I)I' log-rt.3_$vm)
[ -e log-rt.4_$vm ] && [ "$three" -lt "$one" ]
verdict reset_empties $? "$one, then $three"
drive -c start -c start $vm
refused $? 1 start_twice 'it is already counting'
! grep -q 'pitrace control' log-rt.*
verdict nobody_counts_the_agent $?
[ "$(stat -c %a:%u "/tmp/.pitrace_rt.$vm")" = "600:$(id -u)" ] && [ ! -e "/tmp/.attach_pid$vm" ]
verdict socket_is_private $? "$(ls -la /tmp/.pitrace_rt.* /tmp/.attach_pid* 2>&1)"
drive --json -c reset $vm
is json "$(cat out)" '{"json_version":1,"command":"reset","ok":true,"answer":"the trees are empty"}'
printf 'flush\n\nhelp\nquit\nreset\n' | timeout 60 "$rtdriver" $vm >out 2>&1
[ $? = 0 ] && grep -q '^flush: written' out && grep -q '^  heapdump' out && ! grep -q '^reset:' out
verdict by_lines $?

for thread in /proc/$vm/task/*; do :; done
drive -c reset "${thread##*/}"
refused $? 2 thread_number "is a thread of process $vm:"

# ---- the heap
drive -c heapdump $vm
[ $? = 0 ] && "$bin/hdump" -q heapdump.1_$vm.hprof >classes 2>&1 && grep -q 'java.lang.String$' classes
verdict heapdump $? "$(cat out; head -3 classes)"
drive -c "heapdump $work/own.hprof" $vm && [ -s own.hprof ]
verdict heapdump_by_name $?
drive -c "heapdump $work/own.hprof" $vm
[ $? = 1 ] && grep -q 'heapdump: the Java VM: java.io.IOException: .*exist' out
verdict heapdump_replaces_nothing $?
# Links are not followed, to nothing or to a file; what the VM cannot write is said.
ln -s "$work/behind.hprof" to_none.hprof && ln -s own.hprof to_one.hprof && size=$(stat -c %s own.hprof)
for name in to_none to_one; do
	drive -c "heapdump $work/$name.hprof" $vm
	[ $? = 1 ] && grep -q 'heapdump: the Java VM: .*exist' out && [ ! -e behind.hprof ] && [ "$(stat -c %s own.hprof)" = "$size" ]
	verdict "heapdump_link_$name" $? "$(cat out; ls -la ./*.hprof)"
done
mkdir folder.hprof
for path in /nowhere/x.hprof /proc/x.hprof "$work/folder.hprof"; do
	drive -c "heapdump $path" $vm
	if [ $? != 1 ] || ! grep -q 'heapdump: the Java VM: ' out; then break; fi
	path=
done
[ -z "$path" ]
verdict heapdump_refused $? "$path: $(cat out)"
# A name is that file's, whatever the VM's locale can say; nothing else is left.
mkdir named
for name in 'two blanks .hprof' $'\xff.hprof' $'\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80.hprof' "q'\".hprof"; do
	if ! drive -c "heapdump $work/named/$name" $vm || [ ! -s "named/$name" ] || ! "$bin/hdump" -q "named/$name" >classes 2>&1; then break; fi
	name=
done
[ -z "$name" ] && [ "$(find named -type f | wc -l)" = 4 ]
verdict heapdump_names $? "$name: $(cat out; ls -la named | cat -v)"
ln -s "$work/behind.hprof" $'named/\xc3\xbc.hprof' && size=$(stat -c %s $'named/\xff.hprof')
for name in $'\xff' $'\xc3\xbc'; do
	drive -c "heapdump $work/named/$name.hprof" $vm
	if [ $? != 1 ] || ! grep -q 'hprof: File exists' out; then break; fi
	name=
done
[ -z "$name" ] && [ ! -e behind.hprof ] && [ "$(stat -c %s $'named/\xff.hprof')" = "$size" ] && [ "$(ls -A named | wc -l)" = 5 ]
verdict heapdump_names_replace_nothing $? "$(cat out; ls -laA named | cat -v)"
drive -c $'heapdump /nowhere/\xc3\xbc.hprof' $vm
refused $? 1 heapdump_nowhere 'No such file or directory'
rm -r named
drive -c shutdown $vm && [ ! -e "/tmp/.pitrace_rt.$vm" ]
verdict shutdown $?
drive -c reset $vm
verdict listens_again $?

# ---- a VM whose working folder is gone, or is not its user's: another one is asked for, and taken then
begin_in() { # FOLDER COMMAND...: a VM there
	rm -f answers err
	(cd "$1" && exec "${@:2}" java -Xshare:auto -XX:TieredStopAtLevel=1 -cp "$work" Busy) >answers 2>err &
	vm=$!
	up
}
end
mkdir gone logs
begin_in gone
rmdir gone
drive -c start $vm
refused $? 2 folder_is_gone 'cannot write logs to its working folder: No such file or directory: -o LOGPATH='
grep -q jprof err
[ $? = 1 ] && drive -o "CLASSMETHODS=Busy*,LOGPATH=$work/logs" -c 'start 300ms' -c stop $vm && [ "$(calls 'Busy.leaf(I)I' logs/log-rt.1_$vm)" -gt 100 ]
verdict folder_is_given $? "$(cat out err)"
end
# What the agent itself finds out is no reason to refuse the next try.
begin
drive -o LOGPATH=/dev/null -c start $vm
refused $? 2 agent_refuses 'refused: the VM.s own messages say why'
drive -o LOGPATH=. -c start -c flush $vm
verdict agent_again $? "$(cat out err)"

# ---- 10,000 hostile requests, and some who say nothing; then all is as before
perl -e '
	use IO::Socket::UNIX; srand(1); my ($path, @mute) = shift;
	my @parts = ("pitrace-rt", " ", "1", "-", "stop", "heapdump", "\n", "\0", "\xff" x 64, "A" x 5000, "0" x 32, "start", "%s%n");
	my $tries = 0;
	for my $n (1 .. 10000) {
		my $s = IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => $path) or do {
			die "nobody listens: $!\n" if ++$tries > 20000; select undef, undef, undef, 0.01; redo };
		my $text = join "", map { $parts[rand @parts] } 1 .. rand 8;
		$text =~ s/(pitrace-rt 1 - (?:stop|start|heapdump))/x$1/g;
		local $SIG{PIPE} = "IGNORE";
		syswrite $s, $text;
		push @mute, $s if $n % 20 == 0 && @mute < 200;
	}
	print "sent\n";' "/tmp/.pitrace_rt.$vm" >sent 2>&1
is hostile_sent "$(cat sent)" sent
drive -c flush $vm && kill -0 $vm
verdict hostile_requests $? "$(cat out err)"

# ---- a stopped VM: by the agent's socket, and by attaching; nothing is left behind
kill -STOP $vm
await grep -q '^State:.T' "/proc/$vm/status"
before=$SECONDS
drive -t 1 -c reset $vm
[ $? = 2 ] && [ $((SECONDS - before)) -lt 20 ] && grep -q 'it is stopped (SIGCONT' out
verdict stopped $?
kill -CONT $vm
drive -c flush $vm
verdict goes_on $?
# It is killed while rtdriver waits for its answer.
(await grep -q '^reset: ' out; kill -STOP $vm; sleep 2; kill -KILL $vm) &
drive -t 30 -c 'reset 1' -c reset $vm
refused $? 2 killed "process $vm has ended"
end
begin
kill -STOP $vm
await grep -q '^State:.T' "/proc/$vm/status"
drive -t 1 -c start $vm
[ $? = 2 ] && grep -q 'is stopped: SIGCONT' out && [ ! -e "/tmp/.attach_pid$vm" ]
verdict stopped_before $?
kill -CONT $vm
end
# Several at once load one agent.
begin
for i in 1 2 3 4; do
	timeout 60 "$rtdriver" -o "CLASSMETHODS=Busy*" -c reset $vm >"out.$i" 2>&1 &
	all[i]=$!
done
wait "${all[@]}"
is all_at_once "$(cat out.?)" "$(for i in 1 2 3 4; do echo 'reset: the trees are empty'; done)"
end
drive -c start 2147483647
refused $? 2 no_process 'process 2147483647: '
# An invalid command is reported before the process is checked, and before any other is sent.
drive -c start -c nosuch 2147483647
refused $? 2 no_command "no such command: 'nosuch'"
for wrong in 'START' 'start -5' 'start 1e9' 'start 99999999999999999999' 'stop now' 'heapdump a b c' 'heapdump a.hprof 5 x' 'heapdump a' 'heapdump /dev/null' "heapdump $(printf '%05000d' 1)x" \
	'start;stop' '%s%n' $'start\tnow'; do
	drive -c "$wrong" $$
	if [ $? != 2 ] || grep -q 'Java VM' out; then break; fi
	wrong=
done
[ -z "$wrong" ]
verdict wrong_commands $? "$wrong: $(cat out)"
drive -c start $$
refused $? 2 no_java 'is no Java VM'
begin -XX:-EnableDynamicAgentLoading
drive -c start $vm
refused $? 2 loading_is_off 'was not loaded: Dynamic agent loading is not enabled[^\\]*$'
end
begin -XX:+DisableAttachMechanism
# It ends, or is stopped, while rtdriver waits for it to listen.
(await test -e "/tmp/.attach_pid$vm"; kill -STOP $vm) &
drive -t 6 -c start $vm
refused $? 2 stopped_meanwhile 'has not answered in time: it is stopped (SIGCONT'
kill -CONT $vm
drive -t 1 -c start $vm
[ $? = 2 ] && grep -q 'DisableAttachMechanism' out && [ ! -e "/tmp/.attach_pid$vm" ] && kill -0 $vm
verdict attaching_is_off $?
(await test -e "/tmp/.attach_pid$vm"; kill -KILL $vm) &
before=$SECONDS
drive -t 50 -c start $vm
refused $? 2 killed_meanwhile "process $vm has ended"
[ $((SECONDS - before)) -lt 30 ]
verdict killed_is_seen $? "$((SECONDS - before)) s"
end
begin -Xrs
drive -c start $vm
verdict without_signals $?
end
# SIGQUIT would end what does not take it: here a program that only has a VM's library.
cat >other.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) { puts(dlopen(argv[argc - 1], RTLD_NOW) ? "ready" : dlerror()); fflush(stdout); pause(); return 0; }
END
home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/.*java.home = //p')
# With the C library that the VM is linked with.
libraries=$(readelf -dW "$home/bin/java" | sed -nE 's/.*R(UN)?PATH.*\[(.*)\]/\2/p')
cc -w -o other other.c "-Wl,--dynamic-linker=$(readelf -lW "$home/bin/java" | sed -n 's/.*interpreter: \(.*\)]/\1/p')" \
	${libraries:+-Wl,--disable-new-dtags "-Wl,-rpath,$libraries"} && {
	./other "$home/lib/server/libjvm.so" >answers 2>err &
	vm=$!
	up
	drive -t 1 -c start $vm
	[ $? = 2 ] && grep -q 'does not handle SIGQUIT' out && kill -0 $vm
	verdict no_signal_that_ends_it $? "$(cat out answers)"
	end
}
# A process without its main thread has no root either, as one that ends.
cat >rest.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *rest(void *unused) { puts("ready"); fflush(stdout); pause(); return unused; }
int main(void) { pthread_t t; pthread_create(&t, NULL, rest, NULL); pthread_exit(NULL); }
END
cc -w -pthread -o rest rest.c
./rest >answers 2>err &
vm=$!
up
await grep -q '^State:.Z' "/proc/$vm/status"
drive -t 1 -c start $vm
refused $? 2 ending "process $vm is ending, or its main thread has ended"
end
begin
drive -l /nowhere/libjprof.so -c start $vm
refused $? 2 no_library 'not found below the root of process'
# A socket that is not the VM's is not spoken to.
perl -e 'use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => shift, Listen => 1) or die; sleep 60' \
	"/tmp/.pitrace_rt.$vm" &
other=$!
for ((i = 0; i < 100; i++)); do [ -S "/tmp/.pitrace_rt.$vm" ] && break; sleep 0.1; done
drive -t 2 -c start $vm
refused $? 2 foreign_socket "it is not this VM's"
kill $other
rm -f "/tmp/.pitrace_rt.$vm"
end

# ---- an agent that is there: from the begin on, started later, by TCP
begin "-agentpath:$agent=START=later,CLASSMETHODS=Busy*,CONTROL"
drive -c 'start 300ms' -c stop $vm && [ "$(calls 'Busy.leaf(I)I' log-rt.1_$vm)" -gt 100 ] &&
	grep -q '^started later: ' log-rt.1_$vm
verdict started_later $?
[ ! -e "/tmp/.java_pid$vm" ]
verdict nobody_attached $?
end
begin "-agentpath:$agent=START=later,CALLTREE,CLASSMETHODS=Busy*,MODE=probes,CONTROL" -XX:+DTraceMethodProbes
drive -c 'start 300ms' -c stop $vm && [ "$(calls 'Busy.leaf(I)I' log-rt.1_$vm)" -gt 100 ]
verdict probes $? "$(cat out err)"
end
begin "-agentpath:$agent=OBJECTINFO"
drive -c start $vm
refused $? 1 measures_no_calls 'this agent measures no calls'
end
begin "-agentpath:$agent=START=later,CLASSMETHODS=Busy*,CONTROL=tcp"
port=$(sed -n 's/.*127.0.0.1 port \([0-9]*\),.*/\1/p' err)
[ "$(stat -c %a rt-token.1_$vm)" = 600 ] && drive -p "$port" -k rt-token.1_$vm -c 'start 300ms' -c stop
verdict tcp $?
printf '%032d\n' 0 >wrong
drive -p "$port" -k wrong -c start
refused $? 1 wrong_token 'the token is not the one'
drive -a 192.0.2.1 -p "$port" -k rt-token.1_$vm -c start
refused $? 2 this_machine_alone 'listens on this machine alone'
drive -p "$port" -k /dev/null -c start
refused $? 2 no_token 'Invalid argument\|is not a token'
# A silent TCP client does not block others.
perl -e 'use IO::Socket::INET; my @s = map { IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => shift // $ARGV[0]) } 1 .. 40; sleep 30' \
	"$port" &
other=$!
sleep 0.3
drive -t 5 -c 'start 100ms' -c stop $vm
verdict silent_ones $?
kill $other
end

# ---- a command line that names no VM
drive
refused $? 2 no_pid 'give the PID of a Java VM'
drive 1 start
refused $? 2 two_words 'one PID only: commands are given by -c'
drive -p 1
refused $? 2 port_without_token '-p needs -k'
drive -k wrong 1
refused $? 2 token_without_port '-a and -k need -p'

# ---- other users, and namespaces
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	other='setpriv --reuid 61301 --regid 61301 --clear-groups'
	begin "-agentpath:$agent=START=later,CONTROL"
	$other timeout 20 "$rtdriver" -c start $vm >out 2>&1
	refused $? 2 another_user 'belongs to another user'
	$other perl -e 'use IO::Socket::UNIX; exit !IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => shift)' "/tmp/.pitrace_rt.$vm"
	[ $? != 0 ]
	verdict another_user_connects $?
	# A user whom the file's mode would admit is refused by the kernel's credentials.
	chmod 666 "/tmp/.pitrace_rt.$vm"
	said=$($other perl -e 'use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => shift) or die;
		$SIG{PIPE} = "IGNORE"; syswrite $s, "pitrace-rt 1 - start\n"; print <$s>' "/tmp/.pitrace_rt.$vm" 2>&1)
	is another_user_is_not_heard "$said" ''
	end
	mkdir private && chmod 755 private
	if $other test -x "$home/bin/java"; then
		begin_in private $other env HOME=/nowhere
		cp "$agent" private && chmod 755 private/libjprof.so
		drive -l "$work/private/libjprof.so" -c start $vm
		refused $? 2 folder_is_not_writable 'cannot write logs to its working folder: Permission denied'
		end
	fi
	# Root drives another user's VM, with that user's rights.
	mkdir theirs && cp "$agent" . && chmod 755 libjprof.so && chown 61301 theirs
	if $other test -x "$home/bin/java"; then
		rm -f answers err
		(cd theirs && exec $other env HOME=/nowhere java -cp "$work" Busy) >answers 2>err &
		vm=$!
		up
		drive -l "$work/libjprof.so" -o "CALIBRATION=none,CLASSMETHODS=Busy*" -c 'start 300ms' -c stop $vm
		[ $? = 0 ] && [ "$(stat -c %u theirs/log-rt.1_* "/tmp/.pitrace_rt.$vm" | sort -u)" = 61301 ] && [ ! -e "/tmp/.attach_pid$vm" ]
		verdict root_drives_others $? "$(cat out err)"
		end
	else
		echo "skip rtdriver_root_drives_others other users cannot read this JDK"
	fi
	# A private /tmp, but the same numbers.
	if unshare --mount true 2>/dev/null; then
		away=$(mktemp -d /var/tmp/rtdriver.XXXXXX)
		cp Busy.class "$agent" "$away"
		rm -f answers err
		unshare --mount sh -c "mount -t tmpfs none /tmp -o size=64m && cd $away && exec java -cp . Busy" >answers 2>err &
		vm=$!
		up
		drive -l "$away/libjprof.so" -o 'CALIBRATION=none,CLASSMETHODS=Busy*' -c 'start 300ms' -c stop $vm
		[ $? = 0 ] && [ "$(calls 'Busy.leaf(I)I' "$away"/log-rt.1_$vm)" -gt 10 ] && [ ! -e "/tmp/.pitrace_rt.$vm" ] &&
			[ ! -e "/tmp/.java_pid$vm" ]
		verdict private_tmp $? "$(cat out err; ls "$away")"
		end
		rm -rf "$away"
	fi
	# A container: other numbers, another root of /tmp.
	if unshare --pid --fork --mount true 2>/dev/null; then
		# The classes are where the new /tmp does not hide them.
		away=$(mktemp -d /var/tmp/rtdriver.XXXXXX)
		cp Busy.class libjprof.so "$away"
		unshare --pid --fork --kill-child --mount --mount-proc sh -c "mount -t tmpfs none /tmp -o size=64m && cd $away && java -cp . Busy; :" \
			>answers 2>err &
		shell=$!
		up
		inner=$(pgrep -P "$(pgrep -P $shell | head -1)" | head -1)
		drive -l "$away/libjprof.so" -o 'CALIBRATION=none,CLASSMETHODS=Busy*' -c 'start 300ms' -c stop "$inner"
		[ $? = 0 ] && [ "$(calls 'Busy.leaf(I)I' "$away"/log-rt.1_*)" -gt 10 ] && [ ! -e "/tmp/.pitrace_rt.$inner" ] &&
			! [ -e "$away/log-rt.1_$inner" ]
		verdict container $? "$inner: $(cat out err; ls "$away")"
		kill -KILL "$inner" $shell 2>/dev/null
		wait $shell 2>/dev/null
		rm -rf "$away"
	else
		echo "skip rtdriver_container no namespaces can be made"
	fi
else
	echo "skip rtdriver_others this takes root, and setpriv"
fi
exit $((failures > 0))
