#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# swtrace top goes from file to file: it keeps names and time, and needs no more room than two files.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export TMPDIR=$work/tmp
mkdir tmp

works='.collectors[] | select(.name == "perf") | .process.state == "works"'
if ! "$bin/swtrace" check --json | jq -e "$works" >/dev/null; then
	echo "skip $suite perf events are not allowed here"
	exit 0
fi

# Two threads in a deep recursion: a file is full after seconds.
cat >deep.c <<'END'
#include <pthread.h>
static volatile unsigned x;
__attribute__((noinline)) unsigned deep(unsigned n)
{
	if (n)
		return deep(n - 1) + x;
	for (unsigned i = 0; i < 3000000; i++)
		x += i;
	return x;
}
static void *run(void *p) { for (;;) deep(100); return p; }
int main(void) { pthread_t t; pthread_create(&t, NULL, run, NULL); run(NULL); }
END
gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -o deep deep.c || exit 1
./deep &
deep=$!
trap 'kill $deep 2>/dev/null; rm -rf "$work"' EXIT

# A session of its own lists the process once; each further file must have its names, too.
"$bin/swtrace" top -B perf -F 20000 -p $deep -d 1s --json >out 2>err &
top=$!
most=0
for ((i = 0; i < 1200; i++)); do
	kb=$(du -sk tmp 2>/dev/null | cut -f 1)
	most=$((kb > most ? kb : most))
	[ -z "$(compgen -G 'tmp/swtrace-top.*/top.nrm2.[2-9]')" ] || break
	sleep 0.1
done
[ "$i" -lt 1200 ]
verdict three_files $? "no third file after two minutes: $(ls -s tmp/*)"
sleep 2.5
kill -TERM $top
wait $top
is exit "$? $(cat err)" '0 '
jq -se 'length > 3 and all(.[-2:][]; .rows[0].name == "deep" and .rows[0].ticks > .ticks * 0.9)' out >why
verdict names $?
jq -se '[.[1:], .[:-1]] | transpose | all(.[]; .[0].from_ns == .[1].to_ns)' out >why
verdict in_step $?
# A file that ends and one that begins leave no interval without ticks.
jq -se 'all(.[1:-1][]; .ticks > 0)' out >why
verdict no_gap $?
# Two files of 32 MB, and what one was too large by when it was noticed: a second's records.
[ "$most" -lt $((120 * 1024)) ]
verdict room $? "$most kB"
is removed "$(ls tmp)" ''
exit $((failures > 0))
