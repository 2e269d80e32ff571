#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/tasks.md does what it says: each command of it is run, with a program, a process and a function that there are.
# A command that this machine cannot execute must be refused with a message.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
cd "$work" || exit 1
export PATH=$bin:$PATH NO_COLOR=1

cat >prog.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile long sum;
__attribute__((noinline)) void inner_loop(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}
static void *sleeps(void *arg)
{
	usleep(1000);
	return arg;
}
int main(int argc, char **argv)
{
	clock_t most = argc > 1 ? atoi(argv[1]) * (CLOCKS_PER_SEC / 1000) : CLOCKS_PER_SEC / 5;
	pthread_t t;

	while (clock() < most) {
		inner_loop(300000);
		if (!pthread_create(&t, NULL, sleeps, NULL))
			pthread_join(t, NULL);
	}
	return 0;
}
END
${CC:-gcc} -O1 -g -fno-omit-frame-pointer -fpatchable-function-entry=5 -o prog prog.c -lpthread >out 2>&1
verdict builds $?
ln -s prog server
./prog 60000 &
running=$!

# The commands in the columns of the first table: each a line, "row record|report COMMAND".
awk -F '|' '/^## Letters/ { exit }
/^\| [a-z]/ && $2 !~ /^ to find/ {
	n++
	for (i = 3; i <= 4; i++) {
		k = split($i, part, "`")
		for (j = 2; j <= k; j += 2)
			print n, (i == 3 ? "record" : "report"), part[j]
	}
}' "$top/docs/tasks.md" >commands
[ "$(cut -d ' ' -f 1 commands | sort -u | wc -l)" -ge 20 ]
verdict rows $? "$(cat commands)"

refused='does not support modules|no records of|needs the pitrace module|no collector|there is no|pitrace driver|cannot|is missing|not permitted|no browser|run it as root|no counter'
ran=0 row=0 problems=''
while read -r number kind command; do
	case $command in
	*java* | *heapdump* | hdump* | arcf | 'swtrace event list' | 'run.itrace'* | 'post -disasm' | 'ptt '* | 'cpi '*) continue ;;
	*'OLD NEW'*)
		cp swtrace.nrm2 old.nrm2
		command=${command/OLD NEW/old.nrm2 swtrace.nrm2}
		;;
	'post -format list') number=$row ;;
	esac
	command=${command//make -j4/.\/prog}
	command=${command//log-rt.1_PID/log-rt.1_*}
	command=${command//PID/$running}
	command=${command//FUNCTION/inner_loop}
	command=${command//EVENT/page-faults}
	command=${command//-d 10/-d 500ms}
	command=${command//--open/--open -q}
	command=${command/swtrace top/swtrace top -n 1 -d 500ms}
	# A report of what could not be recorded.
	[ "$kind" = record ] || [ "$number" = "$row" ] || [ "$row" = 0 ] || continue
	DISPLAY='' timeout 60 bash -c "$command" >out 2>&1 </dev/null
	code=$?
	if [ $code -le 1 ] && [ -s out ]; then
		ran=$((ran + 1)) row=$number
	elif [ $code -gt 1 ] && [ $code != 124 ] && grep -qE "$refused" out && [ "$kind" = record ]; then
		row=-1
	else
		problems="$problems
$number $command: $code: $(tail -n 3 out)"
	fi
done <commands
kill $running
wait $running 2>/dev/null
[ -z "$problems" ] && [ $ran -ge 12 ]
verdict commands $? "$ran ran;$problems"
# swtrace help shows the first of them.
swtrace help >out
bad=$(sed -n 's/^    [a-z].*  \(swtrace run .*\); post.*/\1/p' out | while read -r command; do
	grep -qF "${command/COMMAND/}" "$top/docs/tasks.md" || echo "$command"
done)
[ -z "$bad" ] && [ "$(grep -c '; post' out)" -ge 5 ]
verdict help $? "$bad$(cat out)"
