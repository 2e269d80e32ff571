#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The output on terminals of 80, 60 and 132 columns: no line is wider, of screens and of messages, whatever functions
# are called. Without a terminal, nothing is left out.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export NO_COLOR=1

# The name of a function as C++ makes it.
cat >wide.c <<'END'
#include <time.h>

void by_words(long n) __asm__("_ZNSt7__wordsISt3mapIiSt6vectorISsSaISsEESt4lessIiEEE6insertERKS5_mNS5_8iteratorE");
static volatile long sum;
__attribute__((noinline)) void by_words(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 5)
		by_words(100000);
	return 0;
}
END
${CC:-gcc} -O1 -fno-omit-frame-pointer -o wide wide.c >out 2>&1
verdict builds $?
has() { grep -qF -e "$2" "$1"; } # FILE TEXT
widest() { LC_ALL=C.UTF-8 wc -L <"$1"; }
at() { # COLUMNS COMMAND: into seen, as the terminal got it
	script -qec "stty cols $1 rows 50; $2" /dev/null </dev/null | tr -d '\r' >seen
}

for columns in 80 60 132; do
	at $columns "$bin/swtrace run -B timer -g -o wide.nrm2 -- ./wide"
	[ "$(widest seen)" -le $columns ] && has seen 'next: post -r wide.nrm2'
	verdict run_$columns $? "$(cat seen)"
	bad=
	for report in tprof calltree callers; do
		at $columns "$bin/post -$report -r wide.nrm2"
		[ "$(widest seen)" -le $columns ] && has seen 'full report' &&
			{ [ $report = callers ] || has seen std::; } || bad="$bad $report: $(cat seen)"
	done
	[ -z "$bad" ]
	verdict screens_$columns $? "$bad"
	at $columns "$bin/post -tprof -r no/such/file/as/this.nrm2; $bin/post -pid this-is-no-number-of-any-process-at-all wide.nrm2;
		$bin/swtrace run -M no_such_major_code_of_a_hook_that_anybody_knows_of -- true; $bin/swtrace setrate fast-and-furious;
		$bin/post -e no_such_event_as_this_one_is_in_here wide.nrm2; $bin/ptt run -m nothing_that_is_a_metric -- true"
	[ "$(widest seen)" -le $columns ] && [ "$(grep -c . seen)" -ge 6 ]
	verdict messages_$columns $? "$(cat seen)"
done
# A serial line does not know its width. What is no number of columns is the usual 80.
bad=
for words in 100 no 99999999999 -5 90x ''; do
	at 0 "COLUMNS='$words' $bin/post -calltree -r wide.nrm2"
	want=80
	[ "$words" != 100 ] || want=100
	have=$(widest seen)
	[ "$have" -le $want ] && [ "$have" -gt $((want - 20)) ] || bad="$bad '$words': $have"
done
is serial_line "$bad" ''
# Help, of the widest terminal of old.
bad=
for help in arcf cpi hdump jprof-train mpevt msr pitrace post ptt rtdriver run.itrace run.jprof run.tprof swtrace \
	'swtrace run' 'swtrace init' 'swtrace calls' 'swtrace event' 'swtrace ai' 'ptt run'; do
	at 80 "$bin/$help --help"
	[ "$(widest seen)" -le 80 ] && [ "$(wc -l <seen)" -ge 5 ] || bad="$bad $help: $(cat seen)"
done
[ -z "$bad" ]
verdict help $? "$bad"
# First the parameters of a name are left out, then template arguments.
at 132 "$bin/post -tprof -r wide.nrm2"
has seen 'std::__words<std::map<…> >::insert(…)'
verdict shortened $? "$(cat seen)"
"$bin/post" -tprof -r wide.nrm2 >whole
has whole 'std::__words<std::map<int, std::vector<std::string' && [ "$(widest whole)" -gt 132 ]
verdict whole_elsewhere $? "$(cat whole)"
