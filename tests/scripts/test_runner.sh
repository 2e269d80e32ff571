#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The runner judges all other tests, so each of its rules is proved here: made-up suites, and the
# exit code and last line that must come of them.
set -u

runner=$(cd "$(dirname "$0")/.." && pwd)/runner
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "known  # a comment" >"$work/skips"
failures=0

printf '# name number\ncounted 3\n' >"$work/counts"
run() {
	"$runner" --log "$work/log" --skips "$work/skips" --counts "$work/counts" "$@" >"$work/out" 2>&1
}

# verdict NAME CODE LAST-LINE [TEXT-THAT-MUST-BE-THERE]: of the run before
verdict() {
	if [ "$code" = "$2" ] && [ "$(tail -n 1 "$work/out")" = "$3" ] &&
		{ [ -z "${4:-}" ] || grep -qF -- "$4" "$work/out"; }; then
		echo "ok runner_$1"
	else
		echo "not ok runner_$1: exit code $code, wanted $2, '$3', '${4:-}'"
		sed 's/^/    /' "$work/out"
		failures=$((failures + 1))
	fi
}

run a='echo ok one; echo ok two' b='echo ok three'; code=$?
verdict passes 0 "3 passed, 0 failed, 0 skipped"
verdict says_where_time_went 0 "3 passed, 0 failed, 0 skipped" "s of CPU in 2 suites; most: "

run a='echo ok one; echo "not ok two"; exit 1'; code=$?
verdict counts_not_ok 1 "1 passed, 1 failed, 0 skipped" "not ok two"

run a='echo ok one; echo "not ok two"'; code=$?
verdict not_ok_with_exit_0 1 "1 passed, 1 failed, 0 skipped"

run a='echo ok one; exit 3'; code=$?
verdict nonzero_without_not_ok 1 "1 passed, 1 failed, 0 skipped" "not ok a: ended with exit code 3"

run a='echo ok one; kill -SEGV $$'; code=$?
verdict killed_by_signal 1 "1 passed, 1 failed, 0 skipped" "exit code 139"

run a='echo hello'; code=$?
verdict ran_no_test 1 "0 passed, 1 failed, 0 skipped" "not ok a: ran no test"

run counted='echo ok one; echo ok two'; code=$?
verdict fewer_than_there_are 1 "2 passed, 1 failed, 0 skipped" "not ok counted: ran 2 tests of 3 and skipped none"

run counted='echo ok one; echo ok two; echo ok three; echo ok four'; code=$?
verdict more_than_there_were 0 "4 passed, 0 failed, 0 skipped"

run counted='echo ok one; echo skip known'; code=$?
verdict fewer_for_a_skip 0 "1 passed, 0 failed, 1 skipped"

run a='echo okay then; echo not okay'; code=$?
verdict words_must_match 1 "0 passed, 1 failed, 0 skipped" "ran no test"

run a='echo "not ok two: why"; echo reason; seq 100' b='echo ok one; exit 3'; code=$?
verdict failure_again_at_the_end 1 "1 passed, 2 failed, 0 skipped" "failed in a: two: why"
verdict last_failure_at_the_end 1 "1 passed, 2 failed, 0 skipped" "failed in b: b: ended with exit code 3"
verdict reason_of_a_failure 1 "1 passed, 2 failed, 0 skipped" "reason"

run known='exit 77' b='echo ok one'; code=$?
verdict exit_77_is_a_skip 0 "1 passed, 0 failed, 1 skipped"

run other='exit 77' b='echo ok one'; code=$?
verdict unexpected_suite_skip 1 "1 passed, 0 failed, 1 skipped" "unexpected skip: other"

run a='echo ok one; exit 77'; code=$?
verdict exit_77_after_a_test 1 "1 passed, 1 failed, 0 skipped"

run a='echo skip known no such thing here; echo ok one'; code=$?
verdict expected_skip 0 "1 passed, 0 failed, 1 skipped"

run a='echo skip know no such thing here; echo ok one'; code=$?
verdict unexpected_skip 1 "1 passed, 0 failed, 1 skipped" "unexpected skip: know (in a)"

run a='echo skip known'; code=$?
verdict all_skipped 1 "0 passed, 0 failed, 1 skipped" "no test ran"

: >"$work/empty"
run --suites "$work/empty"; code=$?
verdict none_ran 1 "0 passed, 0 failed, 0 skipped" "no test ran"

run --limit 1 a='echo ok one; sleep 30'; code=$?
verdict time_limit 1 "1 passed, 1 failed, 0 skipped" "not ok a: ran into its time limit"

run a='echo ok one; exit 124'; code=$?
verdict exit_124_is_no_time_limit 1 "1 passed, 1 failed, 0 skipped" "exit code 124"

run a='for i in $(seq 50); do echo line $i; done; echo not ok one'; code=$?
verdict tail_of_log 1 "0 passed, 1 failed, 0 skipped" "    line 50"

cat >"$work/suites" <<-'END'
# name group limit command
first  check 10 echo ok first; echo "ok  and a pipe" | cat
second full  10 echo ok second
third  check 10 echo ok third
newest newest 10 echo ok four; echo not ok five; echo skip six
END
run --suites "$work/suites" --group check; code=$?
verdict list_by_group 0 "3 passed, 0 failed, 0 skipped"
run --suites "$work/suites" --group check --report newest; code=$?
verdict list_reported 0 "3 passed, 0 failed, 0 skipped" "newest, told and not counted: 1 passed, 1 failed"
run --suites "$work/suites" second; code=$?
verdict list_by_name 0 "1 passed, 0 failed, 0 skipped" "run  second"
run --suites "$work/suites" nosuch; code=$?
verdict unknown_name 2 "runner: no suite nosuch"

# Two that each wait for the other can only end when both run at once.
pair='touch $W/$ME; for i in $(seq 50); do [ -e $W/$YOU ] && echo ok $ME && exit; sleep 0.1; done'
W=$work run -j 2 a="ME=a YOU=b; $pair" b="ME=b YOU=a; $pair"; code=$?
verdict two_at_a_time 0 "2 passed, 0 failed, 0 skipped"

alone='mkdir $W/alone && sleep 0.3 && rmdir $W/alone && echo ok alone'
W=$work run -j 1 a="$alone" b="$alone"; code=$?
verdict one_at_a_time 0 "2 passed, 0 failed, 0 skipped"

# Suites that mostly wait run in addition to the others, up to a limit, and count like them.
printf '%s\n' "first check 10 ME=first YOU=waits; $pair" 'other check 10 echo ok other' \
	"waits check/light 10 ME=waits YOU=first; $pair" >"$work/lights"
W=$work run -j 1 -l 1 --suites "$work/lights" --group check; code=$?
verdict light_beside 0 "3 passed, 0 failed, 0 skipped"
printf '%s\n' "a check/light 10 $alone" "b check/light 10 $alone" "c other/light 10 echo not ok c" >"$work/lights"
W=$work run -j 2 -l 1 --suites "$work/lights" --group check; code=$?
verdict light_one_at_a_time 0 "2 passed, 0 failed, 0 skipped"
W=$work run -j 1 -l 0 --suites "$work/lights" --group check; code=$?
verdict light_without_a_place 0 "2 passed, 0 failed, 0 skipped"
printf '%s\n' 'a check/light 10 echo not ok a' 'b new/light 10 echo not ok b' 'c check 10 echo ok c' >"$work/lights"
run --suites "$work/lights" --group check --report new; code=$?
verdict light_fails 1 "1 passed, 1 failed, 0 skipped" "new, told and not counted: 0 passed, 1 failed"

# Guests leave a place to others as long as there are any, and have all of them then.
guest=': tests/vm/suite_x.sh;'
printf '%s\n' "a check 10 $guest ME=a YOU=host; $pair" "b check 10 $guest ME=b YOU=c; $pair" \
	"c check 10 $guest ME=c YOU=b; $pair" "host check 10 ME=host YOU=a; $pair" >"$work/guests"
W=$work run -j 2 --suites "$work/guests"; code=$?
verdict guests_leave_a_place 0 "4 passed, 0 failed, 0 skipped"

# An interrupted run ends its suites, down to their children, and nothing else. Job control on:
# without it the shell has its background jobs ignore INT.
set -m
sleep 31 &
bystander=$!
disown $bystander
for signal in INT:130 TERM:143; do
	rm -f "$work/child"
	W=$work "$runner" --log "$work/log" a='sleep 32 & echo $! >$W/child; wait' >"$work/out" 2>&1 &
	pid=$!
	for i in $(seq 50); do
		[ -s "$work/child" ] && break
		sleep 0.1
	done
	kill -${signal%:*} $pid
	wait $pid
	code=$?
	sleep 0.2
	# Gone, or a zombie that has not been reaped yet.
	if [ $code = ${signal#*:} ] && kill -0 $bystander &&
		! grep -s '^State:' "/proc/$(cat "$work/child")/status" | grep -qv Z; then
		echo "ok runner_ends_its_own_on_${signal%:*}"
	else
		echo "not ok runner_ends_its_own_on_${signal%:*}: exit code $code"
		failures=$((failures + 1))
	fi
done
kill $bystander

# --last-failed: what failed when it last ran, until it passes.
cat >"$work/list" <<'END'
good check 10 echo ok good
bad check 10 [ -e ok-now ] && echo ok bad || echo not ok bad
other check 10 echo not ok other
END
listed() {
	(cd "$work" && run --suites "$work/list" "$@")
}
rm -rf "$work/log"
listed --last-failed; code=$?
verdict nothing_failed_yet 0 "runner: nothing failed in $work/log the last time"
listed; code=$?
verdict two_fail 1 "1 passed, 2 failed, 0 skipped"
sed -i 's/\[ -e ok-now \]/true/' "$work/list"
listed --last-failed; code=$?
verdict last_failed 1 "1 passed, 1 failed, 0 skipped" "done other"
listed good; code=$?
listed --last-failed; code=$?
verdict last_failed_stays 1 "0 passed, 1 failed, 0 skipped" "done other"
sed -i 's/not ok/ok/' "$work/list"
listed --last-failed; code=$?
verdict last_failed_passes 0 "1 passed, 0 failed, 0 skipped" "done other"
listed --last-failed; code=$?
verdict nothing_failed 0 "runner: nothing failed in $work/log the last time"

[ $failures = 0 ]
