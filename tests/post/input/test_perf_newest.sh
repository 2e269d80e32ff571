#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Features of the newest perf (Debian sid's), compared with post, by generated files: user stacks that follow their
# samples (CALLCHAIN_DEFERRED), and names of events that a pipe lacks. No kernel of this machine writes the former.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export TZ=UTC LC_ALL=C

newest=$("$top/scripts/vm/perf" sid 2>out) && "$newest" version >out 2>&1
there=$?
verdict newest_is_there $there
[ $there = 0 ] || exit 1

post() {
	"$bin/post" -q "$@" 2>err
	[ $? -le 1 ]
}
image() { # OPTION...: a file
	"$top/tests/post/input/perf_deferred_image" "$@"
}
# Each sample in the order of time: time in ns, pid, tid, addresses. Of a sample whose user stack never came
# perf prints the cookie as if it were one.
of_perf() {
	"$newest" script -i "$1" --ns -F pid,tid,time,ip 2>/dev/null | perl -00 -ne '
		my ($head, @chain) = split /\n/;
		my ($pid, $tid, $s, $ns) = $head =~ m{(\d+)/(\d+)\s+(\d+)\.(\d+):} or next;
		s/^\s+//, s/\s.*// for @chain;
		print join(" ", $s * 1e9 + $ns, $pid, $tid, grep { $_ && !/^7000000000/ } @chain), "\n"' | sort -n
}
of_post() {
	post -show -json -o - -r "$1" | "$top/tests/post/input/perf_samples" post | cut -d ' ' -f 1-3,6- | sort -n
}
kinds() {
	grep -v '^$\|WITHOUT_USER' | sed 's/^ *//; s/  */ /g; s/ (.*//'
}

image little >little.data
image little pipe >little.pipe
image big >big.data
image big pipe >big.pipe
for file in little.data little.pipe; do
	of_perf $file >want
	of_post $file >have
	[ "$(wc -l <want)" = 9 ] && diff want have >out
	verdict "deferred_samples_$file" $?
	"$newest" report --stats -i $file 2>/dev/null | kinds >want
	post -stats -r $file | kinds >have
	[ "$(wc -l <want)" -ge 5 ] && diff want have >out
	verdict "deferred_kinds_$file" $?
	is "deferred_alone_$file" "$(post -stats -csv -r $file | grep WITHOUT)" ',WITHOUT_USER_STACK,4'
	# Files written by post have whole stacks: for perf, and for each report of post's.
	post -format perf.data -o "written.$file" -r $file
	of_perf "written.$file" >have
	of_perf $file >want
	[ "$(wc -l <want)" = 9 ] && diff want have >out
	verdict "deferred_written_$file" $?
	post -format perf.data -o - -r $file | cat >written.pipe
	of_perf written.pipe >have
	diff want have >out
	verdict "deferred_written_pipe_$file" $?
	for report in -csv -folded; do
		post $report -o - -r $file | sort >want
		post $report -o - -r "written.$file" | sort >have
		[ -s want ] && diff want have >out
		verdict "deferred_report${report}_$file" $?
	done
done
# The other byte order, which perf does not read from a generated file, has the same result.
for form in data pipe; do
	of_post little.$form >want
	of_post big.$form >have
	post -stats -r little.$form >>want
	post -stats -r big.$form >>have
	[ -s want ] && diff want have >out
	verdict "deferred_big.$form" $?
done
# A thread's samples are its own, whenever it ended.
is deferred_of_ended "$(post -csv -r little.data | awk -F, '$3 == 72 { n += $7 } END { print n }')" 2
"$newest" report --header-only -I -i little.data >out 2>&1
post -info -r little.data >out
says deferred_flags out ' defer_callchain = 1, defer_output = 1'

# More samples wait than are kept: all are reported, some without stacks, and a message says so.
image little many >many.data
rc=$("$bin/post" -q -validate -o - -r many.data >out 2>err; echo $?)
[ "$rc" = 1 ] && grep -q 'more samples wait for their user stacks than 32 MB hold' out err
verdict deferred_too_many $? "exit code $rc"
alone=$(post -stats -csv -r many.data | sed -n 's/^,WITHOUT_USER_STACK,//p')
post -show -json -o - -r many.data >out
is deferred_too_many_told "$(grep -c '"record":"tprof"' out) $(grep -c '"stack_user":\["0x401000","0x402000"\]' out)" \
	"250000 $((250000 - ${alone:-0}))"
calc "${alone:-0} > 10000 && ${alone:-0} < 240000"
verdict deferred_limit $?

# ---- names of events in a pipe without them
"$top/tests/post/input/perf_names_image" >names.pipe
"$newest" script -i names.pipe --ns -F time,event 2>/dev/null | sed 's/^ *[0-9.]*: *//; s/: *$//' >want
post -stats -r names.pipe | sed -n 's/ stats:$//p' | grep -v '^Aggregated' >have
[ "$(grep -c . want)" = 39 ] && grep -qx 'probe_untitled1:main' want && grep -qx 'cycles:ppH' want &&
	diff want have >out
verdict pipe_names $?
[ "$failures" = 0 ]
