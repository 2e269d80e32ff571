#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_session_threads.c under TSan, in a tree of its own: what threads do at once, they do in an order.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
tree=$build/tsan

echo 'int main(void) { return 0; }' >empty.c
if ! gcc -fsanitize=thread -o empty empty.c 2>out || ! setarch -R ./empty 2>out; then
	echo "skip ${suite}_passes TSan does not work here: $(head -c 200 out)"
	exit 0
fi
# Another make, another tree. TSan knows no fences, and makes gcc see variables without a value.
unset MAKEFLAGS MFLAGS O
(
	exec 9>"$build/tsan.lock" && flock 9
	make -C "$top" -s -j2 SAN=thread O="$tree" CFLAGS='-Wno-error=tsan -Wno-maybe-uninitialized' \
		"$tree/tests/unit/test_$suite" >out 2>&1
)
verdict builds $? "$(tail -n 5 out)"
# A child that is forked while there are threads goes on.
export TSAN_OPTIONS="suppressions=$top/tests/torture.supp die_after_fork=0 report_thread_leaks=0"
export PITRACE_HOLDER=$build/lib/pitrace/pitrace-holder
timeout 240 setarch -R "$tree/tests/unit/test_$suite" >said 2>&1
code=$?
grep '^not ok\|^skip' said
! grep -q Sanitizer said
verdict no_race $? "$(grep -m 3 -A 12 'WARNING: Thread' said)"
calc "$code == 0"
verdict passes $? "exit code $code"
[ $failures = 0 ]
