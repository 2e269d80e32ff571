#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cpi: what it refuses, in words; where there are no counters a sentence with a cure, and no number;
# where there are some, numbers that fit together. (What they are to be is seen in guests.)
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1

run() { # CODE NAME [ARGUMENT]...
	"$bin/cpi" "${@:3}" >out 2>err
	is "$2" $? "$1"
}

# ---- words
run 0 version --version
is version_words "$(cat out)" "cpi (pitrace) $(cat "$top/VERSION")"
run 125 no_command -c
run 125 command_without_c true
run 125 all_without_c -a
run 125 both -u -k
says both_words err 'only one of -u and -k'
run 125 no_time -r never
says no_time_words err "invalid duration 'never'"
run 125 time_of_command -c -r 1 touch ran
[ ! -e ran ]
verdict nothing_ran $?

# ---- no counters: nothing is made up, nothing begins
"$bin/swtrace" event cycles >event
if grep -q 'not counted' event; then
	for how in '-c' '-c -a' '-c -u --json'; do
		# shellcheck disable=SC2086
		run 125 "refused_${how// /}" $how -- touch ran
		says "refused_${how// /}_words" err 'event cycles: this machine has no counter for it'
		says "refused_${how// /}_cure" err 'give the virtual machine a PMU'
	done
	run 125 refused_interval -r 0.1 -o made
	says refused_interval_words err 'event cycles: this machine has no counter for it'
	[ ! -e ran ] && [ ! -e made ] && [ ! -s out ]
	verdict refused_alone $?
	exit $((failures != 0))
fi

# ---- counters: the command's code and output are its own; what is shown fits together
run 7 code -c -o counts.json --json -- sh -c 'echo mine; exit 7'
is output "$(cat out)" mine
is alone "$(cat err)" ''
is divided "$(jq '.all | (.cycles / .instructions - .cpi | fabs) < 0.0001' counts.json)" true
run 0 user -c -u -o user.json --json -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
is user_code "$(jq -r .code user.json)" user
is user_many "$(jq '.all.instructions > 1000000' user.json)" true
if "$bin/cpi" -r 0.3 --json >cpus.json 2>err; then
	is each_cpu "$(jq '.cpus | length' cpus.json)" "$(getconf _NPROCESSORS_ONLN)"
	is added_up "$(jq '(.cpus | map(.cycles) | add) == .all.cycles' cpus.json)" true
	is shares "$(jq '.all | .idle_percent + .busy_percent + .interrupt_percent | . * 100 | round' cpus.json)" 10000
else
	says interval_refused err 'perf_event_paranoid'
fi
exit $((failures != 0))
