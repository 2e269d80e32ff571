#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Invalid arguments of --calls are refused before the program starts: with a message, and with the exit code of the
# manual page; so are those of swtrace calls, and options without effect if --calls is missing.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
unset HOOKITOPTS JPROFOPTS

# refused NAME WORDS OPTION...: nothing ran, and no trace was begun
refused() {
	local name=$1 words=$2 code=0
	shift 2
	rm -f ran ./*.nrm2
	"$bin/swtrace" run "$@" -- touch ran >out 2>&1 || code=$?
	[ $code = 125 ] && [ ! -e ran ] && [ ! -e swtrace.nrm2 ] && grep -qF -e "$words" out
	verdict "$name" $? "code $code, $(ls | tr '\n' ' '): $(head -c 300 out)"
}
if [ "$(uname -m)" = x86_64 ]; then
	refused no_word 'NAME@argN[/FORMAT] or NAME@retval[/FORMAT] is needed' --calls -A 'f@nonsense'
	refused no_name 'NAME@argN[/FORMAT] or NAME@retval[/FORMAT] is needed' --calls -A '@arg1'
	refused no_at 'NAME@argN[/FORMAT] or NAME@retval[/FORMAT] is needed' --calls -A 'f'
	refused empty 'has an empty argument' --calls -A ''
	refused second 'NAME@argN[/FORMAT] or NAME@retval[/FORMAT] is needed' --calls -A 'f@arg1+g'
	refused number 'arguments are arg1 to arg32' --calls -A 'f@arg33'
	refused vector 'fparg1 to fparg8' --calls -A 'f@fparg9'
	refused format 'a format is /i' --calls -A 'f@arg1/q'
	refused bits 'a number has 8, 16, 32 or 64 bits' --calls -A 'f@arg1/x7'
	refused many 'at most 32 values' --calls -A "$(seq -s+ -f 'f%g@arg1' 33)"
else
	echo "skip ${suite}_values values are told on x86-64 alone"
fi
refused functions '--functions: patterns separated by + are needed' --calls --functions 'a++b'
refused no_functions 'has an empty argument' --calls -N ''
refused no_pattern '-N: patterns separated by + are needed' --calls -N 'a+'
refused levels '-D' --calls -D 0
refused min_time '--min-time' --calls --min-time nonsense
for option in '--functions x' '-N x' '-A x@arg1' '-D 3' '--min-time 5us'; do
	# shellcheck disable=SC2086 # two words
	refused "alone_${option%% *}" "${option%% *} needs --calls" $option
done

# Valid arguments still run.
"$bin/swtrace" run -q --calls -A 'main@arg1/i32+main@retval' --functions 'main+f*' -N 'g' -- touch ran >out 2>&1
[ -e ran ]
verdict right $? "$(head -c 300 out)"

sleep 60 &
code=0
"$bin/swtrace" calls -p $! -d 1 -F 'a+' >out 2>&1 || code=$?
[ $code = 125 ] && grep -q -e '--functions: patterns separated by + are needed' out
verdict attach $? "code $code: $(head -c 300 out)"
# Another user's process.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ -f "$build/lib/libhookit.so" ]; then
	mkdir -p other/bin other/lib && cp "$bin/swtrace" other/bin/ && cp "$build/lib/libhookit.so" other/lib/
	chmod 755 "$work"
	code=0
	(cd / && setpriv --reuid 65534 --regid 65534 --clear-groups "$work/other/bin/swtrace" calls -p $! -d 1) >out 2>&1 || code=$?
	[ $code = 125 ] && grep -q "process $!: it cannot be traced: .*another user's" out
	verdict attach_another_user $? "code $code: $(head -c 300 out)"
else
	echo "skip ${suite}_attach_another_user only root can be another user"
fi
code=0
"$bin/swtrace" run --calls -p $! >out 2>&1 || code=$?
[ $code = 125 ] && grep -q 'for a compiled program that runs there is swtrace calls -p PID' out
verdict attach_by_run $? "code $code: $(head -c 300 out)"
kill $!
exit $((failures != 0))
