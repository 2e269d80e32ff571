#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# PTT where there is no module: perf's counters serve programs; ptt says in words what it lacks. What is
# asked for wrongly is told before anything is touched. What it counts: suite_ptt_tool.sh.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export PITRACE_PTT=$work/socket

"$programs/ptt_api" perf || failures=1

run() { # CODE NAME [ARGUMENT]...
	"$bin/ptt" "${@:3}" >out 2>err
	is "$2" $? "$1"
}
run 0 version --version
is version_words "$(cat out)" "ptt (pitrace) $(cat "$top/VERSION")"
run 0 help --help
is help_alone "$(head -c 10 out)$(cat err)" 'usage: ptt'
run 0 help_of_one dump --help
run 125 nothing
run 125 no_subcommand count
says no_subcommand_words err "no sub-command 'count'"
run 125 words_too_many dump worker
run 125 run_of_nothing run -m tsc
run 125 no_such_option dump --all
says no_such_option_words err "^ptt: unrecognized option '--all'"

# Options of one sub-command are refused by others.
for words in 'term --json' 'info --csv' 'init --cpus' 'ints -p 1' 'top --json' 'run -s 1 true' 'dump -m tsc' 'dump -p 1'; do
	# shellcheck disable=SC2086
	run 125 "not_for_${words%% *}" $words
	says "not_for_${words%% *}_words" err "does not apply to '${words%% *}'"
done
wrong() { # WORDS ARGUMENT...: refused in these words
	"$bin/ptt" "${@:2}" >out 2>err
	is "wrong_${*:2}" "$?$(cat out)" 125
	says "words_${*:2}" err "$1"
}
wrong "-n: invalid number '0': expected a whole number from 1 to 4096" init -n 0
wrong "-n: invalid number '4097'" run -n 4097 true
wrong "-n: invalid number '1s'" top -n 1s
wrong "invalid process id 'x'" init -p 1,x
wrong "invalid process id ''" init -p 1,
wrong 'more than 64 processes' init -p "$(seq -s, 65)"
wrong 'more than 8 metrics' init a b c d e f g h i
wrong 'more than 8 metrics' init a,b,c,d e,f,g,h,i
wrong "option '-m' has an empty argument" run -m '' true
wrong "invalid duration '0': expected 1ms to 24h" dump -s 0
wrong "invalid duration '2d'" top -d 2d
wrong "invalid duration '25h'" dump -s 25h
wrong "invalid number '0': expected a whole number from 1 to 4294967295" dump -r 0
wrong "invalid number '9': expected a whole number from 1 to 8" dump -sm 9
wrong 'requires an argument' dump -sm
wrong 'only one of -u and -k' top -u -k
wrong 'PTT is not on (ptt init begins)' term
wrong 'PTT is not on (ptt init begins)' info --json
wrong 'PTT is not on (ptt init begins)' ints
"$bin/swtrace" ptt_int on >out 2>err
is ptt_int "$?$(cat out)" 125
says ptt_int_words err 'PTT is not on (ptt init begins)'
"$bin/swtrace" ptt_int maybe >out 2>err
says ptt_int_usage err '^usage: swtrace ptt_int on|off'
wrong 'PTT is not on (ptt init begins)' noints
wrong 'PTT is not on (ptt init begins)' dump -s 1 -r 2 -sd -pl init,1 -cpi --cpus
wrong "no event 'no-such-event'" init no-such-event
wrong "metric 'tsc' is given twice" init tsc tsc

# The holder was killed, or is another program.
perl -MSocket -e 'socket(S, AF_UNIX, SOCK_SEQPACKET, 0) && bind(S, pack_sockaddr_un("socket"))'
wrong "PTT's holder was killed: what it counted is lost (ptt init begins anew)" dump
rm socket
if [ "$(id -u)" = 0 ]; then
	chmod 755 .
	setpriv --reuid 65534 --regid 65534 --clear-groups perl -MSocket -e '
		socket(S, AF_UNIX, SOCK_SEQPACKET, 0) && bind(S, pack_sockaddr_un("/tmp/ptt-others.$ARGV[0]")) &&
		listen(S, 1) && print("\n") && close(STDOUT) && sleep(60)' $$ >ready &
	until [ -s ready ]; do sleep 0.05; done
	PITRACE_PTT=/tmp/ptt-others.$$ wrong 'this PTT belongs to another user' info
	kill $!
	rm -f /tmp/ptt-others.$$
fi

# Nothing is left of what could not begin, and no command ran.
if [ ! -e /dev/pitrace ]; then
	wrong 'PTT needs the pitrace module' init
	wrong 'PTT needs the pitrace module' init -p 1,2
	wrong 'PTT needs the pitrace module' top -sm 1 -r 1
	wrong 'PTT needs the pitrace module' run -m tsc -n 8 true
	wrong 'PTT needs the pitrace module' top -r 1
	wrong 'PTT needs the pitrace module' run touch ran
	[ ! -e socket ] && [ ! -e ran ]
	verdict nothing_left $? "$(ls)"
fi
exit $((failures != 0))
