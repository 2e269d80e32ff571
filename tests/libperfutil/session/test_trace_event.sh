#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Named events of a real program, by the collectors perf and timer: recorded when they are asked for, by name;
# what the compiler refuses; from another language.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
swtrace=$bin/swtrace post=$bin/post
cd "$work" || exit 1
unset PITRACE_EVENTS

compile() { # COMPILER [OPTION]... FILE.c: refuses what warns
	"$@" -Wall -Wextra -Wconversion -Werror -I "$top/libperfutil/include" -I "$top/driver/uapi" 2>err
}
cat >shop.h <<'END'
#include <trace_event.h>
TRACE_EVENT(order_done, (u64, number), (i64, amount, "cents"), (f64, took, "ms"), (bool, paid),
	    (enum, state, "idle|busy"), (ptr, at), (str, who));
TRACE_EVENT(tick);
END
cat >shop.c <<'END'
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>
#include "shop.h"

int main(int argc, char **argv)
{
	for (unsigned int i = 0; i < 1000; i++)
		TraceEvent(order_done, i, -(int)i, i / 2.0, i & 1, i % 3, argv, argc > 1 ? argv[1] : NULL);
	if (!fork()) {
		TraceEvent(tick);
		_exit(0);
	}
	wait(NULL);
	return TraceEvent(tick) < 0;
}
END
cat >other.c <<'END'
#include "shop.h"
int other(void);
int other(void)
{
	return TraceEvent(tick);
}
END
ln -s "$build/lib/libperfutil.so" libperfutil.so.0
export LD_LIBRARY_PATH=$work
compile "${CC:-gcc}" -std=c11 -O2 -o shop shop.c other.c -L"$build/lib" -lperfutil
verdict c11 $? "$(head -c 400 err)"
compile "${CC:-gcc}" -std=c99 -pedantic -c -o /dev/null other.c
verdict c99 $? "$(head -c 400 err)"
compile "${CXX:-g++}" -std=c++11 -pedantic -x c++ -c -o /dev/null other.c
verdict cplusplus $? "$(head -c 400 err)"

# ---- what is wrong is not compiled
refused() { # NAME CODE...: in place of a good call
	{
		cat shop.h
		printf '%s\n' "$2"
	} >wrong.c
	! compile "${CC:-gcc}" -std=c11 -c -o /dev/null wrong.c
	verdict "refused_$1" $? "it compiled"
}
printf '#include "shop.h"\nint f(void);\nint f(void) { return TraceEvent(order_done, 1, 2, 3, 1, 0, 0, ""); }\n' >right.c
compile "${CC:-gcc}" -std=c11 -c -o /dev/null right.c
verdict accepted $? "$(head -c 400 err)"
call() {
	echo "int f(void); int f(void) { return TraceEvent($1); }"
}
refused too_few "$(call 'order_done, 1, 2, 3, 1, 0, 0')"
refused too_many "$(call 'order_done, 1, 2, 3, 1, 0, 0, "", 1')"
refused other_type "$(call 'order_done, "1", 2, 3, 1, 0, 0, ""')"
refused no_string "$(call 'order_done, 1, 2, 3, 1, 0, 0, 7')"
refused unknown_event "$(call 'order_begun')"
refused unknown_type 'TRACE_EVENT(x, (u65, a));'
refused two_of_one_name 'TRACE_EVENT(x, (u64, a), (u8, a));'
refused long_name "TRACE_EVENT($(printf 'n%.0s' {1..65}), (u64, a));"
refused long_text "TRACE_EVENT(x, (u64, a, \"$(printf 'u%.0s' {1..2048})\"));"

# ---- by both collectors
shown() { # TRACE: the events
	"$post" -q -show -o - -r "$1" | grep ' event ' | sed -E 's/.* event +//'
}
counted() { # TRACE: NAME RECORDS, of each event
	"$post" -q -marks -json -r "$1" | jq -r '[.marks.events[] | select(.field == null) | "\(.name) \(.records)"] | sort | join(",")'
}
for collector in perf timer; do
	"$swtrace" run -q -B $collector -M user -o $collector.nrm2 -- ./shop me 2>err
	is ${collector}_code $? 0
	is ${collector}_counted "$(counted $collector.nrm2)" 'order_done 1000,tick 2'
	shown $collector.nrm2 | grep -cE '^order_done +c8/[0-9a-f]+ pid=[0-9]+ tid=[0-9]+ uid=[0-9]+ number=501 amount=-501 cents took=250.5 ms paid=true state=idle at=0x[0-9a-f]+ who="me"$' >out
	is ${collector}_shown "$(cat out)" 1
	is ${collector}_sums "$("$post" -q -marks -json -r $collector.nrm2 | jq -c '[.marks.events[] | select(.min != null) | [.field, .min, .mean, .max, .sum]]')" \
		'[["number",0,499.5,999,499500],["amount",-999,-499.5,0,-499500],["took",0,249.75,499.5,249750],["paid",0,0.5,1,500]]'
	# Each process declares what it writes, once.
	is ${collector}_declared "$("$post" -q -show -o - -r $collector.nrm2 | grep -c ' declare ')" 3
done
is none_undeclared "$("$post" -q -marks -json -r perf.nrm2 | jq .marks.events_without_declaration)" 0

# ---- which
"$swtrace" run -q -B timer --events 'no*,ti?k' -o chosen.nrm2 -- ./shop
is chosen "$(counted chosen.nrm2)" 'tick 2'
"$swtrace" run -q -B timer --events tick -o samples.nrm2 -- "$programs/sampled" shares 300
[ "$("$post" -q -json -r samples.nrm2 | jq .total_ticks)" -gt 10 ]
verdict samples_too $?
"$swtrace" run -q -B timer -o unasked.nrm2 -- ./shop
is unasked "$(counted unasked.nrm2)" ''
"$swtrace" run -q -B timer -M event -o alone.nrm2 -- ./shop
is alone "$(counted alone.nrm2)" 'order_done 1000,tick 2'
"$swtrace" run -q -B timer -M 0xD3 -o beside.nrm2 -- ./shop
is beside "$(counted beside.nrm2)" 'order_done 1000,tick 2'

# ---- another language: two calls
cat >shop.py <<'END'
from ctypes import *
lib = CDLL("libperfutil.so.0")
done = lib.TraceEventNew(b"order_done", b"number:u64, amount:i64:cents, who:str")
for i in range(3):
    rc = lib.TraceEventWrite(done, (c_uint64 * 2)(i, 2**64 - i), None, (c_char_p * 1)(b"python"))
wrong = lib.TraceEventNew(b"order_done", b"number:u65")
lib.TraceLastError.restype = c_char_p
print(rc, wrong, lib.TraceLastError().decode())
END
"$swtrace" run -q -B timer -M user -o python.nrm2 -- python3 shop.py >out 2>err
is python_refused "$(cat out)" '0 -10 a type that is none of u8 to u64, i8 to i64, hex, ptr, bool, f64, enum, str'
is python "$(shown python.nrm2 | sed -E 's/ .*uid=[0-9]+//' | paste -sd,)" \
	'order_done number=0 amount=0 cents who="python",order_done number=1 amount=-1 cents who="python",order_done number=2 amount=-2 cents who="python"'

exit $((failures > 0))
