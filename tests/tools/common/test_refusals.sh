#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Invalid arguments are refused with a message that says what is wrong: with the exit code for misuse, before a
# command runs or a file is written; values just within the bounds are accepted.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export PITRACE_SOCKET=$work/socket PITRACE_PTT=$work/ptt XDG_CONFIG_HOME=$work
unset SUDO_UID SUDO_GID
PATH=$bin:$PATH
mkdir empty
shopt -s dotglob nullglob # empty/* is all that is in it

# CODE|WORDS|COMMAND
n=0
while IFS='|' read -r code words command; do
	[ -n "$code" ] || continue
	n=$((n + 1))
	(cd empty && eval "timeout 20 $command") </dev/null >out 2>err
	have=$?
	if [ $have != "$code" ] || ! grep -qF -e "$words" err; then
		echo "exit code $have, not $code, or no '$words': $command: $(head -c 300 err)"
	elif [ "$(grep -c "^${words%%:*}: " err)" != 1 ]; then
		echo "$command: more than that is wrong: $(head -c 300 err)"
	elif [ -n "$(ls -A empty)" ]; then
		echo "$command: it left $(ls -A empty)"
		rm -rf empty/*
	fi
done >wrong <<'END'
125|swtrace: nothing to trace: give a command, -p PID or -a|swtrace run
125|swtrace: -a and -p exclude each other|swtrace run -a -p 1
125|swtrace: -p traces a process that runs already; no command can be given|swtrace run -p 1 -- touch ran
125|swtrace: --stack-depth needs -g|swtrace run -B timer --stack-depth 5 -- touch ran
125|swtrace: -c needs -e: it is the number of events from a sample to the next|swtrace run -B perf -c 5 -- touch ran
125|swtrace: -c needs -e: it is the number of events from a sample to the next|swtrace init -c 5
125|swtrace: -t: invalid mode 'abc': expected norm, cont or wrap|swtrace run -t abc -- touch ran
125|swtrace: -g: invalid list of stacks 'abc': expected fp, dwarf (and how many bytes, up to 8192), kernel, user or switches|swtrace run -g=abc -- touch ran
125|swtrace: -g: invalid list of stacks 'dwarf,65536': expected fp, dwarf (and how many bytes, up to 8192), kernel, user or switches|swtrace run -g=dwarf,65536 -- touch ran
125|swtrace: files rotate in continuous mode only (-t cont)|swtrace run -t norm --rotate-size 5M -- touch ran
125|swtrace: files rotate in continuous mode only (-t cont)|swtrace init -t wrap --rotate-time 5 -p 1
125|swtrace: --rotate-keep needs --rotate-size or --rotate-time|swtrace run --rotate-keep 2 -- touch ran
125|swtrace: --clock: invalid clock 'x': expected auto, tsc or monotonic|swtrace run --clock x -- touch ran
125|swtrace: no sub-command 'nosub'; see swtrace help|swtrace nosub
125|swtrace: no sub-command 'nosub'; see swtrace help|swtrace help nosub
125|swtrace: unknown major 'nomajor'; swtrace maj lists them|swtrace enable nomajor
125|swtrace: setrate: invalid number '0': expected a whole number from 1 to 20000|swtrace setrate 0
125|swtrace: setrate: invalid number '20001': expected a whole number from 1 to 20000|swtrace setrate 20001
125|swtrace: SUDO_UID and SUDO_GID do not name a user: set both as sudo does, or neither|env SUDO_UID=abc SUDO_GID=5 swtrace run -B timer -- touch ran
125|swtrace: SUDO_UID and SUDO_GID do not name a user: set both as sudo does, or neither|env SUDO_UID=5 swtrace run -B timer -- touch ran
125|run.itrace: -l cannot be given with a command|run.itrace -l 5 touch ran
125|run.itrace: give a command, or -l PID: standard input is not a terminal, on which to ask for it|run.itrace
125|mpevt: no sub-command 'nosub'; see mpevt --help|mpevt nosub
125|mpevt: start: no event is named; mpevt -l lists them|mpevt start
125|mpevt: only one of -c, -p and -t can be given|mpevt start task-clock -c 0 -p 1
125|mpevt: -c: invalid list of CPUs 'x': expected numbers like 0,2-5, or all|mpevt run -c x task-clock -- touch ran
125|mpevt: -c: invalid list of CPUs '0,3-1': a range ends before it begins|mpevt run -c 0,3-1 task-clock -- touch ran
125|mpevt: -p: invalid number 'x': expected a whole number from 1 to 1073741824|mpevt start -p x task-clock
2|msr: -c: invalid list of CPUs 'x': expected numbers like 0,2-5, or all|msr -c x 0x10
2|msr: -c: invalid list of CPUs '3-1': a range ends before it begins|msr -c 3-1 0x10
2|msr: --bits: invalid field 'x': expected HIGH:LOW or one bit, like 15:8|msr --bits x 0x10
2|msr: --bits: invalid field '64:0': expected HIGH:LOW or one bit, like 15:8|msr --bits 64:0 0x10
2|msr: --write: invalid value 'x': expected 64 bits, 0x... or decimal|msr --write x 0x10
2|msr: --write needs -c: the CPUs whose register is to be written, or -c all|msr --write 5 0x10
2|msr: --write sets the whole register: --bits cannot be combined with it|msr -c 0 --write 5 --bits 3:1 0x10
125|ptt: no sub-command 'nosub'; see ptt --help|ptt nosub
125|ptt: -n: invalid number '0': expected a whole number from 1 to 4096|ptt init -n 0 tsc
125|ptt: -n: invalid number '4097': expected a whole number from 1 to 4096|ptt run -n 4097 tsc -- touch ran
2|hdump: this report takes one dump, not 0: see hdump -help|hdump
2|hdump: this report takes one dump, not 2: see hdump -help|hdump a b
2|hdump: a comparison (-diff, -rdiff) takes two dumps, the older one first, not 1: see hdump -help|hdump -rdiff a
2|hdump: -suspects takes three dumps or more, from the oldest to the newest, not 2: see hdump -help|hdump -suspects a b
2|post: -explain: invalid value 'x': expected PID:ADDRESS:TIME, the address in hexadecimal|post -explain x -r none.nrm2
2|post: -clip: invalid percentage '101': expected 0 to 100|post -clip 101 -r none.nrm2
2|post: -clip: invalid percentage 'x': expected 0 to 100|post -clip x -r none.nrm2
2|post: -time: invalid value 'x': expected FROM-TO in seconds, like 25758.5-25760|post -time x -r none.nrm2
2|post: -time: 5-3: a range ends before it begins|post -time 5-3 -r none.nrm2
2|post: -pid: invalid value 'x': expected numbers like 4242,5000-5010|post -pid x -r none.nrm2
2|post: -pid: 5-3: a range ends before it begins|post -pid 5-3 -r none.nrm2
2|post: -tid: 1,9-8: a range ends before it begins|post -tid 1,9-8 -r none.nrm2
2|post: -cpus: 3-1: a range ends before it begins|post -cpus 3-1 -r none.nrm2
2|post: -format: unknown format 'nosuch'; there are|post -format nosuch -r none.nrm2
2|post: option '-d' is ambiguous:|post -d x -r none.nrm2
2|post: option '-off' doesn't allow an argument|post -off=1 -r none.nrm2
2|post: option '-offc' doesn't allow an argument|post -offc=1 -r none.nrm2
2|post: unrecognized option '-nosuch'|post -nosuch -r none.nrm2
END
[ ! -s wrong ]
verdict misuse $? "$n tries; $(cat wrong)"
[ $n -ge 40 ]
verdict all_were_tried $? "$n"

# ---- an empty argument, as of a variable that is not set, or a list of several, is neither all nor
# none: of each option of each program, as its completion or help lists it
takers() { # COMMAND...: the options that take an argument; those that may do without: with "="
	"$@" --complete | awk -F '\t' '$1 ~ /^-/ && $2 != "." { print $1 ($2 ~ /^\[=/ ? "=" : "") }'
}
n=0
for command in 'swtrace '{init,on,run,ai,check,event,mark} run.tprof run.itrace run.jprof jprof-train \
	mpevt 'mpevt '{start,run,stop} ptt 'ptt '{init,run,dump,top,info} cpi hdump rtdriver msr post; do
	if [ "$command" = post ]; then
		options=$(post -help | sed -nE 's/^  (-.*)/\1/p' | sed -E 's/  .*//' | sed -nE \
			-e 's/^(.*) [A-Z].*/\1/; t one' -e 's/\[=[A-Z]+\]/=/g; t one' -e d -e ': one' -e 's/, / /gp; t' -e p)
	else
		# shellcheck disable=SC2086
		options=$(takers $command)
	fi
	for option in $options; do
		for text in "" ",,"; do
			n=$((n + 1))
			words=("$option" "$text")
			[ "${option%=}" = "$option" ] || words=("$option$text")
			# shellcheck disable=SC2086
			(cd empty && exec timeout 20 $command "${words[@]}" touch ran) </dev/null >out 2>err
			have=$?
			[ $have = 2 ] || [ $have = 125 ] || echo "exit code $have: $command ${words[*]}"
			# Without a process more: there are hundreds of tries.
			read -r -d '' told <err
			[[ $'\n'$told$'\n' = *$'\n'"${command%% *}: option '${option%=}' has an empty argument"$'\n'* ]] ||
				echo "$command ${words[*]}: ${told:0:300}"
			left=(empty/*)
			[ ${#left[@]} = 0 ] || echo "$command ${words[*]}: it left ${left[*]}"
		done
	done
done >wrong
[ ! -s wrong ]
verdict empty_arguments $? "$n tries; $(cat wrong)"
[ $n -ge 100 ]
verdict all_options_were_tried $? "$n"

# Without a command, the usage is printed.
swtrace run >out 2>err
grep -q '^usage: swtrace run ' err
verdict usage_is_shown $? "$(head -c 300 err)"

# ---- what is just within the bounds is taken
within() { # NAME COMMAND...
	"${@:2}" >out 2>&1
	verdict "$1" $? "$(head -c 300 out)"
}
within stack_depth swtrace run -q -B timer -g=fp --stack-depth 1 -o a.nrm2 -- true
within stack_bytes swtrace run -q -B timer -g=dwarf,8192 -o a.nrm2 -- true
within rotation swtrace run -q -B perf -t cont --rotate-size 1M --rotate-keep 2 -o a.nrm2 -- true
within clip post -q -clip 100 -o - -r a.nrm2
within numbers post -q -pid 1,5-10 -o - -r a.nrm2
within both_ids env SUDO_UID="$(id -u)" SUDO_GID="$(id -g)" swtrace run -q -B timer -o a.nrm2 -- true

# ---- there is no session: it is said, by each command that needs one
for sub in on off suspend resume get free 'disable tprof' 'enable tprof'; do
	# shellcheck disable=SC2086
	swtrace $sub >out 2>err
	[ $? = 125 ] && grep -q 'there is no trace session (swtrace init begins one)' err || echo "$sub: $(cat err)"
done >wrong
[ ! -s wrong ]
verdict no_session $? "$(cat wrong)"

exit $((failures != 0))
