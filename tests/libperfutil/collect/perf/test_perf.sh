#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tests swtrace with the collectors that need no module, on this machine: records that a collector lacks are refused
# before anything is changed, an open session gets another event, and a file that cannot grow further is reported up
# to its last record.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../../lib/lib.sh"
swtrace=$bin/swtrace post=$bin/post
cd "$work" || exit 1
export PITRACE_SOCKET=$work/socket
trap '"$swtrace" free 2>/dev/null; rm -rf "$work"' EXIT

run() { # CODE NAME [OPTION]...: of swtrace run
	"$swtrace" run "${@:3}" >out 2>err
	is "$2" $? "$1"
}
json() { # TRACE FILTER WANT: of post's report
	"$post" -q -json -r "$1" | jq -c "$2"
}

# ---- records that it has not: refused, and the older trace is where it was
echo older >keep.nrm2
for collector in perf timer; do
	run 125 ${collector}_major_refused -B $collector -M tprof,fault -o keep.nrm2 -- touch ran
	says ${collector}_major_words err "the collector $collector has no records of fault (0x03): these need the collector driver"
done
run 125 timer_dispatch -B timer -M dispatch -o keep.nrm2 -- touch ran
says timer_dispatch_words err 'need the collector driver or perf'
is kept "$(cat keep.nrm2) $(ls)" "older $(printf 'err\nkeep.nrm2\nout')"
run 0 users_records -B perf -M user,tprof -o users.nrm2 -- "$swtrace" mark begun
json users.nrm2 .clean >out
"$post" -q -show -r users.nrm2 >/dev/null; grep -q begun post.show
verdict users_record_is_there $?

# ---- options in vain are refused
run 125 seed_words -B perf --seed abc -o x.nrm2 -- touch ran
says seed_is_no_number err "--seed: invalid number 'abc'"
for collector in perf timer; do
	run 125 seed_$collector -B $collector --seed 5 -o x.nrm2 -- touch ran
	says seed_${collector}_words err 'no dither that a seed would repeat'
done
run 125 timer_kernel_stacks -B timer -g=kernel -o x.nrm2 -- touch ran
says timer_kernel_stacks_words err 'sees user code only, no stacks of the kernel'
run 125 timer_switches -B timer -g=switches -o x.nrm2 -- touch ran
says timer_switches_words err 'no records of dispatch (0x12): these need the collector driver or perf'
[ ! -e ran ]
verdict nothing_ran $?

# ---- another event for the session there is; while it is on, and of a name unknown, not
"$swtrace" event -c 5 page-faults >out 2>err
is event_without_session $? 125
says event_without_session_words err 'no session'
"$swtrace" event page-faults >out
is event_shown "$? $(cat out)" '0 page-faults: type 1, config 0x2'
"$swtrace" init -B perf -p $$ -t cont -f event.nrm2
is event_init $? 0
"$swtrace" info >out
is info_code $? 0
says info_collector out 'collector perf'
says info_driver out '^driver:'
says info_timer out '^samples by:  the timer'
"$swtrace" enable fault 2>err
is enable_refused $? 125
says enable_words err 'no records of fault (0x03): these need the collector driver'
"$swtrace" event -c 10 page-faults,minor-faults >out 2>err
is event_set $? 0
says event_set_words out 'the session samples by page-faults,minor-faults'
"$swtrace" event no-such-event 2>err
is event_unknown $? 125
"$swtrace" on
"$swtrace" event page-faults 2>err
is event_while_on $? 125
says event_while_on_words err 'while tracing is off'
for _ in 1 2 3 4 5 6; do "$programs/sampled" shares 50 >/dev/null; done
"$swtrace" off && "$swtrace" get events.nrm2 2>err
is event_off $? 0
"$swtrace" event timer >out && "$swtrace" on && "$programs/sampled" shares 300 >/dev/null
"$swtrace" off && "$swtrace" get timer.nrm2 2>err
is event_timer $? 0
says event_timer_words out 'the session samples by the timer'
"$swtrace" event -c 1 page-faults >out && "$swtrace" on && "$programs/sampled" shares 20 >/dev/null
"$swtrace" off && "$swtrace" get each.nrm2 2>err
"$swtrace" free
# Each tenth fault, the timer, each fault: nothing else is among them.
is event_names "$(json events.nrm2 '[.events[] | [.name, .period, .ticks > 5]]')" \
	'[["page-faults",10,true],["minor-faults",10,true]]'
is timer_again "$(json timer.nrm2 '[.events[] | [.name, .ticks > 20]]')" '[["timer",true]]'
is each_event "$(json each.nrm2 '[.events[] | [.name, .period, .ticks > 50]]')" '[["page-faults",1,true]]'
# The same work by tenths: nothing is sampled each time.
for count in 1 10; do
	run 0 tenths_$count -B perf -q -e page-faults -c $count -o tenths.nrm2 -- sh -c \
		'i=0; while [ $i -lt 40 ]; do true | cat; i=$((i + 1)); done'
	eval "ticks_$count=$(json tenths.nrm2 .total_ticks)"
done
echo "faults: $ticks_1; each tenth: $ticks_10"
calc "$ticks_10 > 20 && $ticks_10 * 6 < $ticks_1 && $ticks_10 * 14 > $ticks_1"
verdict each_tenth $? "$ticks_10 of $ticks_1"

# ---- the clock's dither: samples by two periods around the one that was asked for, of both as many
# periods TRACE: of all samples, and "both" if each of two has a good part of them
periods() {
	"$post" -q -show -o - -r "$1" | sed -n 's/.* tprof .* period=\([0-9]*\).*/\1/p' | sort -n | uniq -c |
		awk '{ n[NR] = $1; all += $1; printf "%s ", $2 }
		END { if (NR == 2 && all > 100 && n[1] > all / 8 && n[2] > all / 8) printf "both" }'
}
run 0 dithered -B perf -q -F 1000 -o dithered.nrm2 -- "$programs/sampled" shares 1500
is dithered_periods "$(periods dithered.nrm2)" '954827 1049658 both'
run 0 by_time -B perf -q -e cpu-clock -F 2000 -o by_time.nrm2 -- "$programs/sampled" shares 1500
is by_time_periods "$(periods by_time.nrm2)" '477413 524829 both'
run 0 equal -B perf -q -F 1000 --no-dither -o equal.nrm2 -- "$programs/sampled" shares 300
is equal_period "$(periods equal.nrm2)" '1000000 '
"$swtrace" init -B perf -p $$ -t cont -f slower.nrm2 >out 2>&1 && "$swtrace" setrate 500 && "$swtrace" on &&
	"$programs/sampled" shares 1500 >/dev/null && "$swtrace" off && "$swtrace" get 2>err
is set_rate $? 0
"$swtrace" free
is set_rate_periods "$(periods slower.nrm2)" '1909654 2099317 both'

# ---- what is asked for while it is on has all there is, also in the mode that keeps it in memory
"$swtrace" init -B perf -p $$ -f normal.nrm2 && "$swtrace" on && "$programs/sampled" shares 200 >/dev/null &&
	"$swtrace" get now.nrm2 2>err && "$swtrace" off && "$swtrace" get 2>err
is get_in_normal_mode $? 0
"$swtrace" free
now=$(json now.nrm2 .total_ticks) all=$(json normal.nrm2 .total_ticks)
calc "$now > 100 && $all >= $now && $all < $now + 50"
verdict get_has_all $? "$now, then $all"

# ---- a file that may grow no more: what came after that is counted, and the command goes on
full() { # NAME KB [OPTION]...: into full.nrm2
	rm -f full.nrm2
	(
		trap '' XFSZ
		ulimit -f "$2"
		"$swtrace" run -o full.nrm2 "${@:3}" -- sh -c "\"$programs/sampled\" shares 1500 >/dev/null; touch $1"
	) 2>err
	is full_$1 $? 125
	[ -e "$1" ]
	verdict full_$1_went_on $?
	says full_$1_words err 'File too large'
	# Everything that was sampled is in the file, or reported as lost.
	wrote=$(sed -n 's/.* MB, \([0-9]*\) records.*/\1/p' err)
	missing=$(sed -n 's/.*LOST [0-9]* (.*not written \([0-9]*\)).*/\1/p' err)
	ticks=$(sed -n 's/.* records, \([0-9]*\) ticks.*/\1/p' err)
	"$post" -q -json -r full.nrm2 >report
	have=$(jq .total_ticks report)
	echo "$1: $ticks ticks, $have in the file, $missing records not written"
	calc "${missing:-0} > 20 && ${wrote:-0} > 0 && $ticks - $have <= $missing && $ticks - $have > $missing / 2"
	verdict full_$1_counted $? "$(cat err)"
	"$post" -q -o - -r full.nrm2 >out 2>&1
	says full_$1_post out 'not known.*: the trace was not finished'
}
# The size of the file's beginning, so that the limit is reached among the samples.
kb() { # [OPTION]...
	"$swtrace" run -q -o size.nrm2 "$@" -- true
	echo $(($(stat -c %s size.nrm2) / 1024))
}
size=$(kb -B perf -F 10000 -g=fp)
full perf $((size + 100)) -B perf -F 10000 -g=fp
says full_perf_untraced err 'the command continues untraced'
full perf_wrap $((size + 100)) -B perf -t wrap -F 10000 -g=fp
size=$(kb -B timer -g=fp)
full timer $((size + 6)) -B timer -g=fp
says full_timer_untraced err 'the command continues untraced'
full perf_normal $((size + 100)) -B perf -t norm -F 10000 -g
exit $((failures != 0))
