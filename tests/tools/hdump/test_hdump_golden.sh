#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every report of small heap dumps, in text, JSON and CSV, against golden files
# (tests/data/golden/hdump; UPDATE=1 writes them anew: then read what changed). That the numbers are right is
# test_hdump.c's; this says that nothing else changed.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cp "$top"/tests/data/heaps/* "$work" && cd "$work" || exit 1

# each OPTION...: what a call prints and its exit code, under a head
each() {
	local code
	"$bin/hdump" -q "$@" >one 2>&1
	code=$?
	printf '======== %s: exit code %s\n' "$*" $code
	cat one
}
forms() { # OPTION...: text, few rows of it, JSON, CSV
	each "$@"
	each -n 3 "$@"
	each --json "$@"
	each --csv "$@"
}
golden() { # NAME: of what was printed
	mkdir -p "$top/tests/data/golden/hdump"
	[ -z "${UPDATE:-}" ] || cp all "$top/tests/data/golden/hdump/$1"
	diff -u "$top/tests/data/golden/hdump/$1" all >out
	verdict "$1" $?
}

for dump in heap4 heap5 heap6 heap11; do
	for report in "" -biggest -dominators -strings; do
		forms ${report:+$report} $dump.hprof
	done >all
	# An object of each depth, one that is a class, one that is unreachable, none at all
	"$bin/hdump" -q --csv -n 0 -biggest $dump.hprof 2>/dev/null | grep -o '0x[0-9a-f]*' | sort -u >ids
	while read -r id; do
		each -r "$id" $dump.hprof
		each --json -r "$id" $dump.hprof
	done < <(awk 'NR % 5 == 1' ids; echo 0x1) >>all
	golden $dump
done
{
	for pair in "heap4 heap5" "heap5 heap4" "heap6 heap6" "heap1 heap11"; do
		read -r a b <<<"$pair"
		forms -diff "$a.hprof" "$b.hprof"
		each -rdiff "$a.hprof" "$b.hprof"
	done
	forms -suspects heap1.hprof heap5.hprof heap6.hprof
	forms -suspects heap1.hprof heap4.hprof heap5.hprof heap6.hprof
	each -suspects heap4.hprof heap4.hprof
} >all 2>&1
golden several
{
	each heap1.hprof
	each heap1.hprof.gz
	each cut.hprof.gz
	each missing.hprof
	head -c 20 heap4.hprof >short.hprof
	each short.hprof
	each -r nothing heap4.hprof
	each -n x heap4.hprof
} >all
golden files

# A dump that is refused, an id that no object has: the file of -o stays as it was, and none is made.
echo older >kept
for report in '' -biggest -dominators -strings -pprof '-r 0x1'; do
	# shellcheck disable=SC2086 # no word or several
	"$bin/hdump" -q $report -o kept short.hprof && echo "$report: exit code 0"
	# shellcheck disable=SC2086
	"$bin/hdump" -q $report -o new short.hprof && echo "$report: exit code 0"
done >out 2>&1
"$bin/hdump" -q -r 0x1 -o kept heap4.hprof >>out 2>&1
"$bin/hdump" -q -diff -o kept heap4.hprof short.hprof >>out 2>&1
"$bin/hdump" -q -suspects -o kept heap4.hprof heap5.hprof short.hprof >>out 2>&1
[ "$(cat kept)" = older ] && [ ! -e kept.old ] && [ ! -e new ] && ! grep 'exit code' out
verdict refused_leaves_output $?
# The file of -o may be the dump itself: it is read first, then kept as NAME.old.
"$bin/hdump" -q heap4.hprof >is && cp heap4.hprof own.hprof && "$bin/hdump" -q -o own.hprof own.hprof >out 2>&1 &&
	sed 's/heap4/own/' is | cmp - own.hprof >>out && cmp heap4.hprof own.hprof.old >>out
verdict output_is_input $?

# On a terminal a long work shows how far it is, and ends at once by Ctrl-C, without an output. An array of 100 MB of
# zeros, 200 times, which compress well.
array() { # its segment's head, and its own
	printf '\x1c\0\0\0\0\x05\xf5\xe1\x12\x23\0\0\0\0\0\0\x10\0\0\0\0\0\x05\xf5\xe1\0\x08'
}
{
	array | gzip
	head -c 100000000 /dev/zero | gzip
} >one.gz
{
	printf 'JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\0\0' | gzip
	for _ in {1..200}; do cat one.gz; done
} >slow.hprof.gz
presses() { # Ctrl-C once it is shown
	for _ in {1..300}; do
		grep -q 'slow.hprof.gz *[0-9]* %' shown 2>/dev/null && break
		sleep 0.1
	done
	printf '\003'
	sleep 1
}
# SIGINT is ignored where tests run in the background.
env --default-signal=INT timeout --foreground 60 script -qefc "$bin/hdump -o new slow.hprof.gz" shown < <(presses) >/dev/null 2>&1
code=$?
grep -q 'slow.hprof.gz *[0-9]* %' shown
verdict shows_progress $? "$(head -c 500 shown)"
[ $code = 130 ] && [ ! -e new ]
verdict interrupted $? "exit code $code; $(ls new 2>&1; tail -c 300 shown)"
exit $((failures != 0))
