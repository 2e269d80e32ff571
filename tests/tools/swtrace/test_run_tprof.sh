#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.tprof on this machine, by whichever collector serves: a command traced and reported, the parts
# alone, what it is told of time and events, exit codes; and on a terminal what it asks.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
# The owner of the command is not tested here.
unset SUDO_UID SUDO_GID SUDO_USER

tprof() { # OPTION...: what it says in `out` and `err`; no terminal
	"$bin/run.tprof" "$@" >out 2>err </dev/null
}
ticks() { # SYMBOL: in tprof.out
	awk -v name="$1" '/^ \)\) / { on = $2 == "Module_Symbol" }
		on && $1 == "SYM" && $4 == name { n += $2 } END { print n + 0 }' tprof.out
}
total() {
	"$bin/post" -q -json | sed -n 's/^ "total_ticks": \([0-9]*\),/\1/p'
}

# ---- a command: trace and report; three parts to one, within four standard deviations
tprof -- "$programs/sampled" shares 1500
is command $? 0
a=$(ticks spin_a) b=$(ticks spin_b)
n=$((a + b))
echo "spin_a $a of $n, expected 0.75"
[ $n -ge 100 ] && calc "($a / $n - 0.75) ^ 2 < 16 * 0.1875 / $n"
verdict shares $? "$a of $n"
says screenful out spin_a
says closing_line err '^run.tprof: swtrace.nrm2: .* (collector '

# ---- the parts
rm -f swtrace.nrm2* tprof.out*
tprof -t -- sh -c 'exit 42'
is trace_only $? 42
is trace_only_files "$(echo *.nrm2 tprof.*)" 'swtrace.nrm2 tprof.*'
is trace_only_is_quiet "$(cat out)" ''
tprof -p
[ $? -le 1 ] && [ -s tprof.out ] && [ ! -e swtrace.nrm2.old ]
verdict post_only $? "$(cat err)"
tprof -- sh -c 'exit 7'
is command_code_after_report $? 7
is older_are_kept "$(echo *.old)" 'swtrace.nrm2.old tprof.out.old'
echo nothing >swtrace.nrm2
tprof -p
is no_report_of_no_trace $? 125
rm swtrace.nrm2
tprof -p
is no_report_of_nothing $? 125

# ---- the page too
rm -f tprof.out*
tprof --html -- "$programs/sampled" shares 300
is html $? 0
[ -s tprof.out ] && [ "$(head -c 15 post.html)" = '<!DOCTYPE html>' ]
verdict html_files $? "$(cat err)"
"$bin/post" -q -calltree -o - | grep -q spin_a
verdict html_has_stacks $? "$(cat err)"
rm post.html
tprof -p --html
[ $? -le 1 ] && [ -s post.html ]
verdict html_of_before $? "$(cat err)"
tprof -t --html -- true
is html_is_a_report $? 125

# ---- rates, events, times
tprof -c 100 -B timer -- "$programs/sampled" shares 1500
low=$(total)
tprof -m time -B timer -- "$programs/sampled" shares 1500
high=$(total)
echo "ticks at 100 a second $low, at the default rate $high"
[ "$low" -gt 50 ] && [ "$low" -lt 170 ] && calc "$high > 1.5 * $low"
verdict rate $? "$low and $high"
# The loop that ends before -s is over is not seen, the other one until -r is.
tprof -B timer -s 1 -r 1s -- sh -c \
	"$programs/sampled shares 100; sleep 2; $programs/sampled shares 100; exit 3"
is delay_code $? 3
is delay_and_end "$(ticks spin_a)" 0
tprof -B timer -- "$programs/sampled" shares 2000
b=$(ticks spin_a)
# On a busy machine it may hardly have run in that second.
for turn in 1 2 3 4 5; do
	tprof -t -B timer -s 1 -- "$programs/sampled" shares 2000
	tprof -p
	a=$(ticks spin_a)
	echo "spin_a $a after a second, $b in all"
	calc "$a > 0.05 * $b && $a < 0.97 * $b" && break
done
calc "$a > 0.05 * $b && $a < 0.97 * $b"
verdict delay $? "$a of $b"
tprof -s 20 -- true
is delay_too_long $? 0
says delay_too_long_words err 'ended before -s was over'
if "$bin/swtrace" event page-faults | grep -q 'not counted'; then
	tprof -e page-faults -- true
	is event_refused $? 125
	says event_refused_words err 'not counted on this machine'
else
	tprof -e page-faults:u -c 1 -- sh -c 'sort "$0" >/dev/null' "$top/README.md"
	is event $? 0
	says event_in_report tprof.out 'page-faults'
fi

# ---- what it refuses, before anything runs
refuses() { # NAME WORDS OPTION...
	local name=$1 words=$2
	shift 2
	rm -f ran
	tprof "$@"
	is "$name" "$? $(echo ran*)" '125 ran*'
	says "${name}_words" err "$words"
}
refuses no_terminal 'not a terminal.*-r SECONDS'
refuses no_terminal_to_stop 'not a terminal.*-r SECONDS' -s 1
refuses two_parts 'one of -a, -t and --report-only' -t -a -- touch ran
refuses report_of_a_command 'traces nothing' -p -- touch ran
refuses report_at_a_rate 'traces nothing' -p -c 5
refuses event_by_time '-e needs -m event' -m time -e page-faults -- touch ran
refuses bad_mode "invalid mode 'both'" -m both -- touch ran
refuses bad_event "no event 'nonsense'" -e nonsense -- touch ran
refuses bad_rate 'from 1 to 20000' -c 0 -- touch ran
refuses bad_size "invalid size 'much'" -b much -- touch ran
refuses bad_time "invalid duration 'never'" -r never -- touch ran
refuses bad_option 'run.tprof --help' --what -- touch ran
refuses bad_collector . -B nobody -- touch ran
refuses timer_cannot_all 'not the whole system' -B timer -r 1
mkdir alone && cp "$bin/run.tprof" alone
PATH=/nowhere alone/run.tprof -- /usr/bin/touch ran 2>err
is no_post "$? $(echo ran*)" '125 ran*'
says no_post_words err "no program 'post'"
PATH=$bin:$PATH alone/run.tprof -- true >out 2>err
is post_in_path $? 0
tprof -- no-such-command
is not_found $? 127
tprof -- "$top/README.md"
is cannot_execute $? 126
"$bin/run.tprof" --help >out
is help $? 0
says version <("$bin/run.tprof" --version) "(pitrace) $(cat "$top/VERSION")"

# ---- the whole system, and a terminal; the keys go in when it has asked for them
if ! "$bin/swtrace" check --json | grep -q '"system": "[a-z]'; then
	echo "skip run_tprof_system no collector can trace the system here"
	exit $((failures != 0))
fi
"$programs/sampled" shares 20000 >/dev/null &
load=$!
tprof -r 500ms
[ $? -le 1 ] && [ "$(ticks spin_a)" -gt 0 ]
verdict system_for_a_time $? "$(cat err)"

# The script that runs on the terminal: not as a command line, which would be in the typescript.
cat >asked.sh <<END
"$bin/run.tprof" "\$@"
echo "CODE \$?"
! read -t 0 || echo LEFT
echo DONE
END
wait_for() { # WORDS: on the terminal
	local i
	for i in $(seq 100); do
		! grep -q "$1" typescript 2>/dev/null || return 0
		sleep 0.1
	done
	echo "never said: $1" >&2
}
press() { # KEY to start, KEY to stop
	wait_for 'Enter to start'
	printf "$1"
	wait_for 'Enter to stop'
	sleep 0.5
	printf "$2"
	wait_for DONE
}
terminal() { # NAME START STOP
	rm -f typescript tprof.out
	press "$2" "$3" | script -qfc 'bash asked.sh' typescript >/dev/null
	# The keys that were pressed are not left to the shell.
	[ -s tprof.out ] && grep -q 'CODE [01]' typescript && ! grep -q LEFT typescript &&
		[ "$(ticks spin_a)" -gt 0 ]
	verdict "$1" $? "$(head -c 600 typescript)"
}
terminal enter '\n' '\n'
terminal interrupt_keeps_data '\n' '\003'
rm -f typescript tprof.out
{ wait_for 'Enter to start'; printf '\003'; wait_for DONE; } |
	script -qfc 'bash asked.sh' typescript >/dev/null
says interrupted_before typescript 'nothing was traced'
says interrupted_before_code typescript 'CODE 125'
[ ! -e tprof.out ]
verdict interrupted_before_reports_nothing $?
rm -f typescript
{ wait_for 'Enter to stop'; printf '\n'; wait_for DONE; } |
	script -qfc 'bash asked.sh -s 300ms' typescript >/dev/null
! grep -q 'to start' typescript && grep -q 'CODE [01]' typescript
verdict delay_asks_to_stop_only $? "$(head -c 600 typescript)"
kill $load
exit $((failures != 0))
