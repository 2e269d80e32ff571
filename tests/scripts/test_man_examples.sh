#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual: pages without a formatter's warning, examples that compile and link without one, and
# the script that holds pages and headers together proved on what it must refuse.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
suite=man lib=$build/lib


# The text between .EX and .EE that begins with an #include, as the formatter would show it.
example() {
	awk '/^\.EX/ { on = 1; next } /^\.EE/ { on = 0 } on' "$1" | sed -e 's/^\\&//' \
		-e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\(ga/`/g' -e 's/\\(ha/^/g' -e 's/\\(ti/~/g' \
		-e 's/\\e/\\/g'
}

# FILE.c holds programs: each to a file, FILE_1.c and so on.
programs() {
	awk -v name="$1" '/^#include/ && !inside { inside = 1; n++ } /^}/ { last = 1 } { print >(name "_" n ".c") }
		/^int main/ { main = 1 } last && main { inside = last = main = 0 } { last = 0 }' "$1.c"
}

# As on a terminal, and as lintian looks at it: wide, and with pages.
for page in "$top"/tools/*/*.[13] "$top"/post/*.[17] "$top"/libperfutil/man/*.[35] "$top"/driver/*.4; do
	[ -e "$page" ] || continue
	name=$(basename "$page")
	{
		man --warnings -E UTF-8 -l "$page" >/dev/null
		MANROFFSEQ='' MANWIDTH=120 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" >/dev/null
	} >"$work/out" 2>&1
	[ ! -s "$work/out" ]
	verdict "clean_$name" $?
done

# A long page shows first what to type.
for page in "$top"/tools/*/*.1 "$top"/post/*.1; do
	[ -e "$page" ] || continue
	[ "$(MANWIDTH=80 man -E UTF-8 -l "$page" 2>/dev/null | wc -l)" -ge 500 ] || continue
	is "begins_with_examples_$(basename "$page")" "$(sed -n 's/^\.SH //p' "$page" | sed -n 3p)" EXAMPLES
	sed -n '/^\.SH EXAMPLES/,/^\.SH DESCRIPTION/p' "$page" | grep -c '^\(swtrace\|post\) ' >"$work/out"
	[ "$(cat "$work/out")" -ge 6 ]
	verdict "six_examples_$(basename "$page")" $?
done

mkdir -p "$work/include"
ln -s "$top/libperfutil/include" "$work/include/pitrace"
for page in "$top"/libperfutil/man/*.3 "$top"/driver/*.4; do
	name=$(basename "${page%.[34]}")
	[[ $name != lib* ]] || continue
	compiler=("${CC:-gcc}" -std=gnu11 -x c)
	[[ $name != *.hpp ]] || compiler=(g++ -std=c++17 -x c++)
	example "$page" >"$work/$name.c"
	programs "$work/$name"
	for program in "$work/$name"_*.c; do
		"${compiler[@]}" -Wall -Wextra -Werror -I "$top/driver/uapi" \
			-I "$work/include" -I "$top/libperfutil/include" -o "$work/$name" "$program" \
			-L "$lib" -lperfutil -la2n >"$work/out" 2>&1
		rc=$?
		[ $rc = 0 ] || break
	done
	verdict "example_$name" $rc
done

# The page of a whole library has six, each a program.
for name in libperfutil liba2n; do
	example "$top/libperfutil/man/$name.3" >"$work/$name.c"
	programs "$work/$name"
	is "six_$name" "$(ls "$work/$name"_*.c | wc -l)" 6
	for i in 1 2 3 4 5 6; do
		${CC:-gcc} -std=gnu11 -Wall -Wextra -Werror -I "$work/include" -I "$top/driver/uapi" \
			-o "$work/${name}_$i" "$work/${name}_$i.c" -L "$lib" -lperfutil -la2n >"$work/out" 2>&1
		verdict "example_${name}_$i" $?
	done
done

# Those that need no driver are run, too.
ln -s "$lib/libperfutil.so" "$work/libperfutil.so.0"
ln -s "$lib/liba2n.so" "$work/liba2n.so.0"
run() { # NAME PATTERN [ARGUMENT]...: every line of output must match
	local name=$1 pattern=$2
	shift 2
	(cd "$work" && LD_LIBRARY_PATH=$work "./$name" "$@") >"$work/out" 2>&1 &&
		! grep -vqE "$pattern" "$work/out"
	verdict "run_$name" $?
}
run a2n_open '^(std::vector<int, .*>::push_back\(.*\)|main)$' \
	_ZNSt6vectorIiSaIiEE9push_backERKi main
run a2n_process '^at (200: init|300: child)$'
run a2n_add_map '^at (150: /usr/lib/libx.so|250: NoModule)$'
run a2n_resolve '^main\+0x1 in /.*/a2n_resolve$'
run pifile_create '^$'
run counters_open '^page-faults:u: [0-9]+$'
run AiInit '^CPU [0-9]+: [0-9.]+ % busy$'
run InitPerfCounterEvent '^(cs: dispatches|[0-9]+|.*perf_event_paranoid.*)$'
run pitrace.hpp '^(sort: [0-9]+ ns|.*: PTT is not initialized: call PttInit first)$'
run PttInit '^(tsc: [0-9]+ cycles|page-faults:u: [0-9]+ events), by (driver|perf)$'
run CyclesPerSecond '^(hello|[0-9.]+ us)$'
run pifile_open '^ +[0-9]+ type [0-9]+ cpu 0: [0-9]+ bytes, 0 records$' by-hand.nrm2
run pimerge_open '^$' by-hand.nrm2
run pifile_user_record '^$' by-hand.nrm2
run a2n_feed_record '^$' by-hand.nrm2
run a2n_add_process '^main\+1 in /.*/a2n_add_process$'
# … and of a trace with samples and a program's records.
(cd "$work" && "$bin/swtrace" run -B timer -q -M tprof,0xD1 -o real.nrm2 -- sh -c \
	'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; "$0" mark -M 0xD1 -m 0 "a b"' "$bin/swtrace") >"$work/out" 2>&1
verdict real_trace $?
run pifile_user_record '^[0-9]+ pid [0-9]+ tid [0-9]+: d1/0 "a b"$' real.nrm2
[ -s "$work/out" ]
verdict records_are_printed $? "none is"
run a2n_feed_record '^[^:]+: .+ in .+$' real.nrm2
grep -qE '^(sh|dash): .* in .*/(da)?sh$' "$work/out"
verdict samples_are_named $? "$(sort "$work/out" | uniq -c | sort -rn | head -n 3)"

export PITRACE_SOCKET=$work/socket PITRACE_HOLDER=$lib/pitrace/pitrace-holder
run libperfutil_1 '^no session$'
run libperfutil_2 '^work.nrm2$'
run libperfutil_3 '^[a-z]+: [0-9]+ records$'
run libperfutil_4 '^([0-9]+ ns, [0-9]+ page faults|.*perf_event_paranoid.*)$'
run libperfutil_5 '^(task-clock(:u)?: [0-9]{4,}|page-faults(:u)?: [0-9]+|.*perf_event_paranoid.*)$'
run libperfutil_6 '^CPU [0-9]+: [0-9]+ ns idle of [0-9]+$'
run liba2n_1 '^main \+ 0$'
run liba2n_2 '^/lib/(one|two).so$'
run liba2n_3 '^(fast_sum|JitFreed)$'
run liba2n_4 '^std::vector<int, .*>::push_back\(.*\)$'
run liba2n_5 '^./jit-[0-9]+.dump$'
run liba2n_6 '^slow_sum$'

# check-manpages in a copy of the tree: as it is, then with one thing wrong at a time.
mkdir -p "$work/tree/scripts" "$work/tree/libperfutil"
cp "$top/scripts/check-manpages" "$work/tree/scripts/"
pages() { # NAME CODE [TEXT]
	(cd "$work/tree" && scripts/check-manpages "$lib/libperfutil.so" "$lib/liba2n.so") \
		>"$work/out" 2>&1
	[ $? = "$2" ] && grep -qF -- "${3:-}" "$work/out" || { [ "$2" = 0 ] && [ ! -s "$work/out" ]; }
	verdict "check_$1" $?
}
fresh() {
	rm -rf "$work/tree/libperfutil"
	mkdir -p "$work/tree/libperfutil"
	cp -r "$top/libperfutil/include" "$top"/libperfutil/man "$work/tree/libperfutil/"
	cd "$work/tree/libperfutil" || exit 1
}
fresh
pages as_it_is 0
fresh
rm man/a2n_resolve.3
pages no_page 1 'a2n_resolve (libperfutil/include/a2n.h) has no man page'
fresh
sed -i '/^\.SH NAME/,/^\.SH SYN/s/^pimerge_open,/pimerge_open, pimerge_rewind,/' man/pimerge_open.3
pages unknown_name 1 'names pimerge_rewind, which no header declares'
fresh
sed -i 's/int TraceOn(void)/int TraceOn(int now)/' include/perfutil.h
pages other_prototype 1 'does not have the prototype of TraceOn'
fresh
echo 'int TraceBack(void);' >>include/tracer.h
pages not_exported 1 'declares TraceBack, no library exports it'
fresh
sed -i '/^TraceOff()/d' man/TraceOn.3
pages no_attributes 1 'does not have the attributes of TraceOff'
fresh
sed -i 's/^TraceOff().*/TraceOff()\tany\tyes\tboth/' man/TraceOn.3
pages half_attributes 1 'has no words for TraceOff'
fresh
sed -i 's/^TraceOff()/TraceRest()/' man/TraceOn.3
pages foreign_attributes 1 'has attributes of TraceRest, which is not a function of it'
fresh
sed -i '/^int TraceSuspend/d' include/perfutil.h
pages not_declared 1 'no header declares TraceSuspend, which a library exports'

# The pages have the options that the programs' help has, and no others.
told() { # PAGE: what it has a paragraph for
	man -l "$top/$1" | col -b | grep -E '^ {7}-' | sed 's/^ */  /' | options
}
diff <(told tools/msr/msr.1) <("$bin/msr" --help | options) >"$work/out"
verdict options_msr $?
diff <(told tools/mpevt/mpevt.1) <("$bin/mpevt" --help | options) >"$work/out"
verdict options_mpevt $?
diff <(told tools/cpi/cpi.1) <("$bin/cpi" --help | options) >"$work/out"
verdict options_cpi $?
diff <(told tools/hdump/hdump.1) <("$bin/hdump" --help | options) >"$work/out"
verdict options_hdump $?
diff <(told tools/arcf/arcf.1) <("$bin/arcf" --help | options) >"$work/out"
verdict options_arcf $?
diff <(told tools/rtdriver/rtdriver.1) <("$bin/rtdriver" --help | options) >"$work/out"
verdict options_rtdriver $?
diff <(told post/post.1) <("$bin/post" -help | options) >"$work/out"
verdict options_post $?
diff <(told tools/swtrace/run.tprof.1) <("$bin/run.tprof" --help | options) >"$work/out"
verdict options_run.tprof $?
diff <(told tools/swtrace/run.itrace.1) <("$bin/run.itrace" --help | options) >"$work/out"
verdict options_run.itrace $?
diff <(told tools/swtrace/run.jprof.1) <("$bin/run.jprof" --help | options) >"$work/out"
verdict options_run.jprof $?
# Each sub-command of swtrace has a section with its options.
man -l "$top/tools/swtrace/swtrace.1" | col -b >"$work/page"
subsection() { # NAME
	awk -v name="$1" '/^   [a-z]/ { on = "," $0 "," ~ "[ ,]" name "," } /^[A-Z]/ { on = 0 } on' "$work/page" |
		grep -E '^ {7}-' | sed 's/^ */  /' | options
}
for sub in $("$bin/swtrace" help | awk '/^  [a-z_]+ / { print $1 }'); do
	diff <(subsection "$sub") <("$bin/swtrace" help "$sub" | options) >"$work/out"
	verdict "options_swtrace_$sub" $?
done
diff <(grep -E '^ {7}-' "$work/page" | sed 's/^ */  /' | options) \
	<("$bin/swtrace" help | awk '/^  [a-z_]+ / { print $1 }' | xargs -n 1 "$bin/swtrace" help | options) >"$work/out"
verdict options_swtrace $?
for sub in $("$bin/swtrace" help | awk '/^  [a-z_]+ / { print $1 }'); do
	man -l "$top/tools/swtrace/swtrace.1" | col -b | grep -qE "^   ([a-z]+, )*$sub(,|\$)"
	verdict "sub_command_$sub" $?
done
[ $failures = 0 ]
