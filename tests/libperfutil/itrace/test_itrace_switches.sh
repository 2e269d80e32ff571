#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that switch their own instruction trace around eight calls: reports have these and nothing of
# the library's code, of printf's or of the dynamic linker's; -own shows what was left out.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
[ "$(uname -m)" = x86_64 ] || {
	echo "skip itrace_switches by ptrace it takes minutes on machines that are emulated"
	exit 0
}

export PITRACE_SOCKET=$work/pitrace.sock PITRACE_HOLDER=$build/lib/pitrace/pitrace-holder
ln -s "$build/lib/libperfutil.so" libperfutil.so.0
export LD_LIBRARY_PATH=$work
compile() { # NAME LIBRARY...
	"${CC:-gcc}" -O2 -I"$top/driver/uapi" -I"$top/libperfutil/include" -o "$1" \
		"$top/tests/libperfutil/itrace/switches.c" "${@:2}" >out 2>&1
	verdict "compile_$1" $?
}
compile dynamic "$build/lib/libperfutil.so"
compile lazy -Wl,-z,lazy "$build/lib/libperfutil.so"
compile static "$build/lib/libperfutil.a" -lzstd -lpthread
strip -o stripped dynamic

# Prints the function of each line of -arc, in the order of the trace; consecutive ones once.
functions() { # FILE OPTION...
	"$bin/post" -r "$1" -arc "${@:2}" -o - 2>err | awk '!/^#/ { sub(/:.*/, "", $7); if ($7 != last) print last = $7 }'
}

for how in dynamic static; do
	./$how itrace $how.nrm2 >out 2>&1
	verdict "${how}_runs" $?
	functions $how.nrm2 >names
	is "${how}_functions" "$(sort -u names | tr '\n' ' ')" "main work_one work_two "
	is "${how}_calls" "$(grep -c work_ names)" 16
	# It begins where ITraceOn returns to, and ends with the call of ITraceOff.
	"$bin/post" -r $how.nrm2 -arc -o - 2>err | grep -v '^#' >arc
	is "${how}_begins" "$(head -n 1 arc | awk '{ sub(/:.*/, "", $7); print $7, $9 }')" "main CALL?first"
	is "${how}_ends" "$(tail -n 1 arc | awk '{ sub(/:.*/, "", $7); print $7, $9 }')" "main CALL"
	is "${how}_rounds" "$(grep -c '?first' arc)" 2
	"$bin/post" -r $how.nrm2 -arc -own -o - 2>err >own
	says "${how}_own" own ' ITraceOff:'
	says "${how}_own_return" own ' ITraceOn:'
	"$bin/post" -r $how.nrm2 -arc -o - 2>err >arc
	says "${how}_told" arc '^# Left out *[1-9][0-9]* in [1-9][0-9]* runs, of turning the trace on and off'
	"$bin/post" -r $how.nrm2 -tree -folded -o - 2>err >folded
	is "${how}_tree" "$(sed 's/ [0-9]*$//; s/.*;//; s/ .*//' folded | sort -u | tr '\n' ' ')" "main work_one work_two "
done

# Where the program has no names, and where its calls are looked up when they are made.
./stripped itrace stripped.nrm2 >out 2>&1
verdict stripped_runs $?
is stripped_functions "$("$bin/post" -r stripped.nrm2 -arc -o - 2>err | awk '!/^#/ { sub(/.*:/, "", $7); print $7 }' | sort -u)" \
	"$work/stripped"
./lazy itrace lazy.nrm2 >out 2>&1
verdict lazy_runs $?
is lazy_functions "$(functions lazy.nrm2 | sort -u | tr '\n' ' ')" "main work_one work_two "

# By the functions of any trace, called through pointers; a call that is a jump.
for how in trace tail; do
	./dynamic $how $how.nrm2 >out 2>&1
	verdict "${how}_runs" $?
	functions $how.nrm2 >names
	is "${how}_functions" "$(grep -vE '^(main|by_pointer|eight|tail_off)(\.|$)' names | sort -u | tr '\n' ' ')" "work_one work_two "
	is "${how}_calls" "$(grep -c work_ names)" 16
done

# A run's trace is on from the beginning: what came before ITraceOn is left out all the same.
"$bin/swtrace" run --itrace -B ptrace -q -o run.nrm2 -- ./dynamic itrace '' >out 2>&1
verdict run_runs $?
functions run.nrm2 >names
is run_functions "$(sort -u names | tr '\n' ' ')" "main work_one work_two "
is run_calls "$(grep -c work_ names)" 16
functions run.nrm2 -own >names
says run_own names '^_IO_puts\|^puts'

# Other reports do not accept the option.
"$bin/post" -r dynamic.nrm2 -own >out 2>&1
is no_report $? 2
says no_report_words out 'own requires a report of an instruction trace'
[ $failures = 0 ]
