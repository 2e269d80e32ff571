#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The process that holds a session: one at a time however many begin at once, a small program of its
# own that is found or missed in words, nothing left of it however it ends, and what a program sees
# that begins a session itself.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
swtrace=$bin/swtrace post=$bin/post
cd "$work" || exit 1
mkdir run
export PITRACE_SOCKET=$work/run/socket
trap '"$swtrace" free 2>/dev/null; rm -rf "$work"' EXIT

# As it is installed: the program in a folder beside the library.
mkdir lib
ln -s "$build/lib/libperfutil.so" lib/libperfutil.so.0
ln -s "$build/lib/pitrace" lib/pitrace
"${CC:-gcc}" -O2 -g -I"$top/driver/uapi" -I"$top/libperfutil/include" -o app \
	"$top/tests/libperfutil/session/holder_app.c" lib/libperfutil.so.0 -Wl,-rpath,"$work/lib" >"$work/out" 2>&1 ||
	{ verdict app 1; exit 1; }

# Holders that have a file of ours open: another test's are none of our business.
holders() {
	local p
	for p in $(pgrep -x pitrace-holder; pgrep -x swtrace; pgrep -x app); do
		# shellcheck disable=SC2010 # where links lead
		! ls -l "/proc/$p/fd" 2>/dev/null | grep -qF " $work/run/" || echo "$p"
	done
}
# They end after their last answer: soon.
nobody_left() {
	local i
	for i in $(seq 100); do
		[ -n "$(holders)" ] || break
		sleep 0.1
	done
	[ -z "$(holders)" ] && [ -z "$(ls -A run)" ]
}
holder() {
	"$swtrace" info | sed -nE 's/.*, holder ([0-9]+),.*/\1/p'
}
marks() { # TRACE: the marks that are in it
	"$post" -q -show -r "$1" >/dev/null 2>&1
	grep -oE 'interval-[0-9]+\.' post.show | sort -u | xargs
}

if ! "$swtrace" init -B perf -p $$ >out 2>&1; then
	echo "skip holder perf does not work here: $(head -c 200 out)"
	exit 77
fi
"$swtrace" free

# ---- one at a time
bad=''
for round in $(seq 5); do
	for i in 1 2 3 4 5; do
		{ "$swtrace" init -B perf -p $$ >"out.$i" 2>&1; echo $? >"code.$i"; } &
	done
	wait
	[ "$(cat code.* | sort | xargs)" = '0 125 125 125 125' ] || bad="$bad $round: $(cat code.* out.* | xargs)"
	[ "$(cat out.* | grep -c 'busy: a trace session exists already')" = 4 ] || bad="$bad $round: $(cat out.*)"
	"$swtrace" free || bad="$bad $round: free"
	nobody_left || bad="$bad $round left $(holders) $(ls -A run)"
done
[ -z "$bad" ]
verdict one_of_five_commands $? "$bad"
for round in $(seq 5); do
	./app race 12 || echo failed
done >out 2>&1
is one_of_twelve_processes "$(sort out | uniq -c | sed 's/^ *//' | grep -v 'again:' | xargs)" '5 again -2 5 terminate 0 5 won 1'
# The pages for programs' records stay while programs have them; who ends at once with another leaves them to
# the next session.
nobody_left || { "$swtrace" init -B perf -p $$ >/dev/null && "$swtrace" free; }
nobody_left
verdict nobody_left $? "$(holders) $(ls -A run)"

# ---- its program
# By hand it says whose it is, and ends.
for kind in '' session nonsense; do
	# shellcheck disable=SC2086 # or none
	"$build/lib/pitrace/pitrace-holder" $kind </dev/null >words 2>&1
	is "by_hand_${kind:-alone}" "$? $(grep -c 'is started by libperfutil' words)" '2 1'
done
"$swtrace" init -B perf -p $$
pid=$(holder)
is name "$(cat "/proc/$pid/comm")" pitrace-holder
is folder "$(readlink "/proc/$pid/cwd")" /
"$swtrace" free
LD_PRELOAD='' SECRET=1 ./app large 300000000 >out &
app=$!
for i in $(seq 200); do
	! grep -q '^holder' out || break
	sleep 0.1
done
pid=$(sed -n 's/^holder //p' out)
kb=$(awk '/^VmRSS/ { print $2 }' "/proc/${pid:-0}/status" 2>/dev/null)
calc "${kb:-0} > 0 && ${kb:-0} < 32000"
verdict is_small $? "${kb:-no} kB"
! tr '\0' '\n' <"/proc/${pid:-0}/environ" | grep -qE 'SECRET|LD_PRELOAD|PATH'
verdict environment $?
kill $app
wait $app 2>/dev/null
"$swtrace" free
verdict outlives_its_program $?

# A copy of the tools finds the program beside it, or says that it is not there.
mkdir -p copy/bin copy/lib/pitrace alone/bin
cp "$swtrace" copy/bin/
cp "$swtrace" alone/bin/
cp "$build/lib/pitrace/pitrace-holder" copy/lib/pitrace/
copy/bin/swtrace init -B perf -p $$ >out 2>&1
verdict beside_a_copy $?
is beside_a_copy_it_is "$(readlink "/proc/$(holder)/exe")" "$work/copy/lib/pitrace/pitrace-holder"
"$swtrace" free
if [ ! -e /usr/local/lib/pitrace/pitrace-holder ]; then
	alone/bin/swtrace init -B perf -p $$ >out 2>&1
	is alone $? 125
	says alone_words out 'the program pitrace-holder is neither beside the library nor in .*: make install, or name it in PITRACE_HOLDER'
fi
version=$(cat "$top/VERSION")
sed "s/${version//./\\.}/${version%?}Z/g" "$build/lib/pitrace/pitrace-holder" >other
chmod 755 other
PITRACE_HOLDER=$work/other "$swtrace" init -B perf -p $$ >out 2>&1
is other_release $? 125
says other_release_words out 'release.*install both together'
nobody_left
verdict nobody_left_of_these $? "$(holders) $(ls -A run)"

# ---- its end: by a signal, and when nobody can reach it, the trace is whole
for end in 'pkill' 'rm'; do
	"$swtrace" init -B perf -p $$ -t cont -f "$end.nrm2" && "$swtrace" on || echo "not ok holder_on_$end"
	pid=$(holder)
	if [ $end = rm ]; then
		rm "$PITRACE_SOCKET"
	else
		kill "$pid"
	fi
	nobody_left
	verdict "ended_by_$end" $? "$(holders) $(ls -A run)"
	is "whole_after_$end" "$("$post" -q -json -r "$end.nrm2" | jq -c .complete)" true
done
"$swtrace" init -B perf -p $$ && kill -9 "$(holder)"
for i in $(seq 50); do
	[ -n "$(holders)" ] || break
	sleep 0.1
done
"$swtrace" init -B perf -p $$ >out 2>&1 && "$swtrace" free
verdict after_a_killed_one $?

# ---- sizes
for size in 0x40000001 0x100000000 0x8000000000000001 0xffffffffffffffff; do
	timeout 20 ./app size $size >out 2>&1
	is "size_$size" $? 1
	says "size_words_$size" out 'init: invalid size: buffers of .* bytes a CPU, at most 1073741824 (1 GB)'
done
timeout 20 "$swtrace" init -B perf -p $$ -sm 2000 >out 2>&1
is mte_size $? 125
says mte_size_words out 'invalid size'
timeout 20 "$swtrace" run -B perf -s 2000 -o size.nrm2 -- touch ran >out 2>&1
is run_size $? 125
[ ! -e ran ] && [ ! -e size.nrm2 ]
verdict run_size_nothing_ran $?
timeout 20 "$swtrace" run -B timer -s 2k -o size.nrm2 -- touch ran >out 2>&1
is run_hook_size $? 125
says run_hook_size_words out 'a buffer of 2048 bytes: it has 4096 to'
[ ! -e ran ] && [ ! -e size.nrm2 ]
verdict run_hook_size_nothing_ran $?
timeout 20 "$swtrace" run -B perf -ss 48k -o size.nrm2 -- touch ran >out 2>&1
is run_section $? 125
says run_section_words out 'sections of .* not a power of two'

# ---- a program that traces itself writes records from when its TraceOn has returned to its TraceOff
if "${CC:-gcc}" -O2 -g -I"$top/driver/uapi" -I"$top/libperfutil/include" -o marks "$top/tests/vm/prog/marks.c" \
	lib/libperfutil.so.0 -pthread -Wl,-rpath,"$work/lib" >out 2>&1; then
	for mode in 0 1; do
		timeout 60 ./marks self "self$mode.nrm2" $mode >out 2>&1
		verdict "self_at_once_$mode" $? "$(cat out)"
		"$post" -q -show -json -r "self$mode.nrm2" >/dev/null 2>&1
		is "self_records_$mode" "$(grep -c '"record":"user"' post.show)" 2
	done
else
	verdict self_program 1
fi

# ---- intervals: no file of the session is lost, nor one that was there before
echo mine >cont.nrm2
./app intervals cont.nrm2 4 1 >out 2>&1
is intervals "$(sort out | uniq -c | sed 's/^ *//' | xargs)" '1 init 0 4 mark 0 4 off 0 4 on 0 1 terminate 0'
is intervals_older "$(cat cont.nrm2.old)" mine
is intervals_kept "$(for f in cont.nrm2.1 cont.nrm2.2 cont.nrm2.3 cont.nrm2; do marks $f; done | xargs)" \
	'interval-1. interval-2. interval-3. interval-4.'
# In the middle somebody takes a file away, and another one is there.
"$swtrace" init -B perf -p $$ -t cont -f away.nrm2
"$swtrace" on; "$swtrace" off
mv away.nrm2 taken.nrm2
"$swtrace" on; "$swtrace" off
echo before >away.nrm2.1
"$swtrace" on; "$swtrace" off
"$swtrace" info >out
says older_files out 'older files: .*/away.nrm2.1 and before'
"$swtrace" free
is taken_away "$(echo away.nrm2*) $(cat away.nrm2.1.old)" 'away.nrm2 away.nrm2.1 away.nrm2.1.old before'
./app intervals wrap.nrm2 3 2 >out 2>&1
is intervals_of_wrap "$(for f in wrap.nrm2.1 wrap.nrm2.2 wrap.nrm2; do marks $f; done | xargs)" \
	'interval-1. interval-2. interval-3.'

# ---- a command that ends its instruction trace under swtrace run
"$swtrace" run --itrace -B ptrace -q -o itrace.nrm2 -- ./app itrace >out 2>&1
is itrace_of_a_run "$(xargs <out)" 'init 0 enable 0 terminate 0 again 0 once_more 0'
[ $failures = 0 ]
