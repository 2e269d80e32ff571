#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The collector `timer` on this machine, which needs to allow nothing for it: programs do what they do
# without it, to the byte; shares, names, threads, children; what it cannot enter is refused in words.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../../lib/lib.sh"
swtrace=$bin/swtrace post=$bin/post
cd "$work" || exit 1
unset LD_PRELOAD PITRACE_TIMER
# Folders of its own, so that what is left there is this suite's. Other users' programs come to them.
mkdir -m 700 runtime && mkdir -m 1777 temporary && chmod 755 . || exit 1
export XDG_RUNTIME_DIR=$work/runtime TMPDIR=$work/temporary

run() { # TRACE [OPTION]... -- COMMAND...: what it says in `out` and `err`
	local trace=$1
	shift
	rm -f "$trace"
	"$swtrace" run -B timer -o "$trace" "$@" >out 2>err
}
records() { # TRACE: all of them in show/post.show
	rm -rf show
	mkdir show
	(cd show && "$post" -q -show -json -r "../$1") || [ $? = 1 ]
}
# Ticks of a symbol, of all.
ticks() { # TRACE SYMBOL
	"$post" -q -o - -r "$1" | awk -v name="$2" '
		/^ \)\) / { on = $2 == "Module_Symbol" }
		on && $1 == "SYM" && $4 == name { n += $2 }
		END { print n + 0 }'
}
total() {
	"$post" -q -json -r "$1" | sed -n 's/^ "total_ticks": \([0-9]*\),/\1/p'
}
field() { # KIND KEY: the values of a key in records of this kind
	sed -n "s/.*\"kind\":\"$1\".*\"$2\":\"\\{0,1\\}\\([^\",}]*\\).*/\\1/p" show/post.show
}

# ---- shares: four standard deviations of so many samples
run shares.nrm2 -- "$programs/sampled" shares 3000
is exit_code $? 0
a=$(ticks shares.nrm2 spin_a) b=$(ticks shares.nrm2 spin_b)
n=$((a + b))
echo "spin_a $a of $n, expected 0.75"
[ $n -ge 100 ] && calc "($a / $n - 0.75) ^ 2 < 16 * 0.75 * 0.25 / $n"
verdict shares $? "$a of $n"
# Together with overruns (ticks that found other threads on the CPU), the samples stand for the CPU time that was
# used.
records shares.nrm2
period=$(field user period | awk '{ n += $1 } END { print n / 1e6 }')
echo "samples stand for $period ms of 3000"
calc "$period > 2900 && $period < 3300"
verdict periods $? "$period ms"
"$post" -q -json -r shares.nrm2 >report
grep -q '"clean": true' report && grep -q '"collector": "timer"' report
verdict clean_file $?

# ---- in step with the kernel's tick are few samples of what computes, most of what often sleeps: it is said
step() { # TRACE: "STEP ALL", as the file says it
	"$post" -q -info -o - "$1" | sed -n 's/^.*ticks in step: \([0-9]*\) of \([0-9]*\),.*/\1 \2/p'
}
read -r in_step all <<<"$(step shares.nrm2)"
is in_step_all "$all" "$(total shares.nrm2)"
calc "${in_step:-$n} * 4 < $n"
verdict computing_is_not_in_step $? "$in_step of $n"
run sleeping.nrm2 -- /usr/bin/python3 -c '
import time
for i in range(1500):
    sum(range(50000))
    time.sleep(0.0005)'
is sleeping $? 0
read -r in_step all <<<"$(step sleeping.nrm2)"
calc "${all:-0} > 20 && $in_step * 2 > $all"
verdict sleeping_is_in_step $? "$in_step of $all"
run no_dither.nrm2 --no-dither -- "$programs/sampled" shares 200
is no_dither "$? $(step no_dither.nrm2)" '0 '

# ---- no ticks where nobody asked for them; marks and names all the same
run unasked.nrm2 -M 0xD3 -- "$programs/sampled" shares 300
is unasked_code $? 0
is unasked_ticks "$(total unasked.nrm2)" 0
is unasked_names "$("$post" -q -stats -r unasked.nrm2 | grep -ci tprof)" 0

# ---- programs work as without it
run python.nrm2 -- /usr/bin/python3 -c '
import hashlib, threading, subprocess
h = hashlib.sha256()
for i in range(900000): h.update(str(i * i).encode())
t = [threading.Thread(target=lambda: sum(range(10**6))) for i in range(4)]
[x.start() for x in t]; [x.join() for x in t]
print(h.hexdigest(), subprocess.run(["sh", "-c", "echo child; exit 5"], capture_output=True))'
is python $? 0
cp out python.out
/usr/bin/python3 -c '
import hashlib, subprocess
h = hashlib.sha256()
for i in range(900000): h.update(str(i * i).encode())
print(h.hexdigest(), subprocess.run(["sh", "-c", "echo child; exit 5"], capture_output=True))' >want
cmp -s python.out want
verdict python_output $? "$(cat python.out)"
[ "$(total python.nrm2)" -gt 20 ]
verdict python_is_sampled $?

cat >compiled.c <<'END'
#include <stdio.h>
#define F(n) int f##n(int x) { for (int i = 0; i < x; i++) x ^= i * n; return x; }
#define G(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define H(n) G(n##0) G(n##1) G(n##2) G(n##3) G(n##4) G(n##5) G(n##6) G(n##7) G(n##8) G(n##9)
H(1) H(2) H(3) H(4)
int main(void) { return printf("%d\n", f100(5)) < 0; }
END
gcc -O2 -c -o want.o compiled.c
run gcc.nrm2 -- gcc -O2 -c -o have.o compiled.c
is gcc $? 0
cmp -s have.o want.o
verdict gcc_output $?
records gcc.nrm2
[ "$(field process comm | sort -u | grep -cxE 'gcc|cc1|as')" = 3 ]
verdict gcc_children $? "$(field process comm | paste -sd' ')"

head -c 20000000 <(yes "$(cat "$top/README.md")") >text
gzip -c <text >want.gz
run gzip.nrm2 -- sh -c 'gzip -c <text >have.gz; gzip -dc have.gz | cmp - text'
is gzip $? 0
cmp -s want.gz have.gz
verdict gzip_output $?

# ---- children, threads, libraries
run children.nrm2 -- "$programs/sampled" children 200
is children $? 0
records children.nrm2
is children_named "$(field fork comm | grep -cx sampled)" 200
is children_exit "$(grep -c '"kind":"process-exit"' show/post.show)" 201
run bomb.nrm2 -- bash -c 'for i in $(seq 200); do /bin/true & done; wait; exit 9'
is bomb_code $? 9
records bomb.nrm2
is bomb_named "$(field process comm | grep -cx true)" 200
run threads.nrm2 -- "$programs/sampled" threads 300
is threads "$? $(cat out)" "0 threads 300"
records threads.nrm2
is threads_named "$({ field thread comm; field name comm; } | grep -xE 'first|second' | sort -u | paste -sd' ')" \
	"first second"
a=$(ticks threads.nrm2 spin_first) b=$(ticks threads.nrm2 spin_second)
[ "$a" -gt 10 ] && [ "$b" -gt 10 ]
verdict threads_sampled $? "first $a, second $b"

# Threads for which the kernel allows no timer are reported as lost, and in a message.
run unsampled.nrm2 -- bash -c 'ulimit -i 0; exec "$0" threads 3' "$programs/sampled"
is unsampled "$? $(cat out)" "0 threads 3"
says unsampled_told err 'LOST [0-9]* (samples [0-9]*).*NOT SAMPLED: 6 threads'
"$post" -q -o - -r unsampled.nrm2 >report
is unsampled_post_code $? 1

# The available majors, as seen by the command itself.
run available.nrm2 -- "$swtrace" maj
is available "$(awk '/^0x/ && $3 != "absent" { printf "%s ", $2 }' out)" "tprof user event mte "

# Two libraries in turn at one place: each address has the name of its time.
run reuse.nrm2 -- "$programs/reuse" 20 40
is reuse $? 0
cp out reuse.log
records reuse.nrm2
"$top/tests/vm/judge" windows show/post.show reuse.log | tee windows
awk '{ right += $2; wrong += $3 } END { exit !(right > 50 && wrong == 0) }' windows
verdict reuse_windows $?
a=$(ticks reuse.nrm2 middle_a) b=$(ticks reuse.nrm2 middle_b)
[ "$a" -gt 20 ] && [ "$b" -gt 20 ]
verdict reuse_named $? "a $a, b $b"

# The programs' own records, by their hook files.
run mark.nrm2 -- sh -c 'for i in 1 2 3; do "$0" mark -M 25 -m 66 -i $i thread $i || exit 4; done' "$swtrace"
is own_records $? 0
records mark.nrm2
is own_records_there "$(grep -c '"minor":66,' show/post.show)" 3

# ---- signals, and ends of all kinds
run signals.nrm2 -- "$programs/sampled" signals
is signals "$? $(cat out)" "0 signals: profiled yes, woken early 0, wrong 0"
[ "$(ticks signals.nrm2 spin_blocked)" -gt 10 ]
verdict blocked_thread_sampled $?
run sandbox.nrm2 -- "$programs/sampled" sandbox
is sandbox "$? $(cat out)" "0 alive"
[ "$(ticks sandbox.nrm2 spin_boxed)" -gt 10 ]
verdict sandbox_sampled $?
run strict.nrm2 -- "$programs/sampled" strict
is strict "$? $(cat out)" "0 alive"
run crash.nrm2 -- "$programs/sampled" crash
is crash_code $? 139
[ "$(ticks crash.nrm2 spin_a)" -gt 10 ]
verdict crash_keeps_data $?
# The whole group gets it, as from a terminal, when the program has worked for 0.3 s: on a busy machine that takes a while.
worked() { # GROUP: hundredths of a second
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v group="$1" '$2 == "(sampled)" && $5 == group { n += $14 + $15 } END { print n + 0 }'
}
"$programs/fresh" "$swtrace" run -B timer -o ctrl.nrm2 -- "$programs/sampled" forever 2>err &
for _ in $(seq 300); do
	[ "$(worked $!)" -lt 30 ] || break
	sleep 0.1
done
kill -INT -- -$!
wait $!
is interrupt_code $? 130
[ "$(ticks ctrl.nrm2 spin_a)" -gt 10 ]
verdict interrupt_keeps_data $?
run d.nrm2 -d 300ms -- sh -c 'sleep 1; exit 3'
is duration_code $? 3
run none.nrm2 -- no-such-command
is not_found $? 127

# A killed tracer cannot clean up: the next one does it, and leaves files of living ones alone.
left() { # beside those of other suites, in /run
	{
		find runtime temporary -maxdepth 1 -name 'pitrace-*'
		find /run -maxdepth 1 -name "pitrace-$alive.sock*" -o -name "pitrace-$killed.sock*"
	} | sort -u
}
"$swtrace" run -q -B timer -o alive.nrm2 -- sleep 60 2>alive.err &
alive=$!
"$swtrace" run -q -B timer -o killed.nrm2 -- sleep 60 2>/dev/null &
killed=$!
for _ in $(seq 100); do
	sleeps=$(pgrep -P $alive,$killed -x sleep)
	[ "$(left | wc -l)" -lt 6 ] || [ "$(echo "$sleeps" | wc -w)" -lt 2 ] || break
	sleep 0.1
done
both=$(left)
kill -KILL $killed
wait $killed 2>/dev/null
run next.nrm2 -- true
[ "$(echo "$both" | wc -l)" = 6 ] && [ "$(left | wc -l)" = 3 ] && left | grep -q "pitrace-$alive.sock" &&
	kill -0 $alive
verdict killed_cleaned_up $? "before: $both; after: $(left); $alive: $(ps -o stat= -p $alive) $(cat alive.err)"
# shellcheck disable=SC2086
kill $sleeps
wait $alive
[ "$(left | wc -l)" = 0 ] && [ -s alive.nrm2 ]
verdict ended_cleaned_up $? "$(left)"

# Nothing is left behind.
is nothing_left "$(find runtime temporary -mindepth 1)" ''

# ---- stacks, by frame pointers and by copies that post unwinds
for how in fp dwarf; do
	run stacks.nrm2 -g=$how -- "$programs/sampled" threads 10
	is stacks_${how} "$? $(cat out)" "0 threads 10"
	a=$("$post" -q -folded -r stacks.nrm2 |
		awk '/;start_thread;first;spin_first |;start_thread;second;spin_second / { n += $2 } END { print n + 0 }')
	b=$(("$(ticks stacks.nrm2 spin_first)" + "$(ticks stacks.nrm2 spin_second)"))
	[ "$b" -gt 40 ] && [ "$a" = "$b" ]
	verdict stacks_${how}_known $? "$a of $b"
done

# ---- what it cannot enter
run static.nrm2 -- "$programs/plain-static"
is static $? 125
says static_words err 'is a static program: the timer collector cannot enter it'
[ ! -e static.nrm2 ]
verdict static_leaves_nothing $?
cp "$programs/sampled" setuid && chmod 6755 setuid && chown 12345:12345 setuid 2>/dev/null &&
	chmod 6755 setuid && {
	run setuid.nrm2 -- ./setuid shares 10
	is setuid $? 125
	says setuid_words err 'set-user-id'
}
run all.nrm2 -a -- true
is system $? 125
says system_words err 'not the whole system'
sleep 5 &
run pid.nrm2 -p $!
is running_process $? 125
says running_process_words err 'cannot enter a process that runs already'
run norm.nrm2 -t norm -- true
is normal_mode $? 125
says normal_mode_words err '-t cont'

exit $((failures != 0))
