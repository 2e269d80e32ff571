#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pitrace.hpp, by each compiler and standard that is here, as strict as a program may be: what the objects
# say of themselves, and the records that their program leaves in a trace. What the machine's perf events
# are needed for: PTT, which says so.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export PITRACE_SOCKET=$work/socket

said() { # NAME LEAST FILE: lines of the program itself, at least so many
	local n=0 line
	while read -r line; do
		case $line in
		'ok '*) verdict "$1_${line#ok }" 0 && n=$((n + 1)) ;;
		'not ok '*) verdict "$1_${line#not ok }" 1 "of the program" ;;
		'skip '*) line=${line#skip } && echo "skip cpp_${line%% *} ${line#* }" && n=$2 ;;
		esac
	done <"$3"
	calc "$n >= $2"
	verdict "$1_says_all" $? "$n lines, not $2"
}
# The records of a name: how many begin, how many end, and how many of them have the same id.
paired() {
	awk -v name="\"$1\"" 'index($0, " " name) {
		match($0, / 0x[0-9a-f]+/)
		id = substr($0, RSTART, RLENGTH)
		if ($0 ~ / b0\/00000000 /) { begun++; open[id]++ }
		if ($0 ~ / b0\/00000080 /) { ended++; if (open[id]-- > 0) both++ }
	} END { print begun + 0, ended + 0, both + 0 }' show
}
has_pairs() { # TEST NAME COUNT
	is "$1_${2// /_}" "$(paired "$2")" "$3 $3 $3"
}

traced() { # NAME
	local name
	"$bin/swtrace" run -q -B perf -M 0xB0 -o "$1.nrm2" -- "./$1" spans >out 2>err
	verdict "$1_traced" $? "$(cat err)"
	said "$1" 13 out
	"$bin/post" -q -show -o - -r "$1.nrm2" >show 2>err
	for name in plain:3 moved:1 first:1 second:1 grown:100 thrown:5 thread:800 handed:1 'a string:1' cut:1 \
		'own id:50' errno:1; do
		has_pairs "$1" "${name%:*}" "${name#*:}"
	done
	"$bin/post" -q -marks -json "$1.nrm2" 2>err | jq -c \
		'[.marks.names[] | select(.name == "thread" or .name == "own id") | .time.count] | sort' >marks
	is "$1_marks" "$(cat marks)" '[50,800]'
	! grep -q xxxx show
	verdict "$1_refused_is_not_there" $?
	# Where the library knows places, from C++20 on: the function's name, with its line and file.
	[[ $1 != *17 ]] || return
	if grep -q located show; then
		calc "$(grep -c 'b0/00000000.* "[a-z ]*located[()]*" "[^"]*scopes.cpp"' show) == 2 &&
			$(grep -c 'b0/00000080.*located' show) == 2"
		verdict "$1_source_location" $? "$(grep located show)"
	else
		echo "skip cpp_source_location_$1 the library has no source_location"
	fi
}

measured() { # NAME
	"$bin/swtrace" run -q -B perf -M 0xB0 -o ptt.nrm2 -- "./$1" ptt_spans >out 2>err
	verdict "$1_ptt_traced" $? "$(cat err)"
	said "$1" 2 out
	grep -q '^skip' out && return
	"$bin/post" -q -marks -json ptt.nrm2 2>err | jq -e '.marks |
		([.names[] | [.name, .time.count]] | sort) == [["measured", 2], ["unmeasured", 1]] and
		[.metrics[] | [.name, .field, .unit, .records]] ==
			[["measured", "task-clock", "ns", 2], ["measured", "page-faults", "events", 2]] and
		.metrics[0].sum > 1000000' >out
	verdict "$1_ptt_span" $? "$(cat out)"
}

built=0
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || { echo "skip cpp_$compiler it is not installed" && continue; }
	for standard in 17 20 23; do
		flag=-std=c++$standard
		$compiler "$flag" -x c++ -fsyntax-only /dev/null 2>/dev/null || flag=-std=c++2b
		name=$compiler$standard
		$compiler "$flag" -O1 -Wall -Wextra -pedantic -Wshadow -Wundef -Werror -I "$top/driver/uapi" \
			-I "$top/libperfutil/include" -o "$name" "$top/tests/libperfutil/include/scopes.cpp" \
			"$build/lib/libperfutil.a" -lzstd -lpthread >out 2>&1
		verdict "builds_$name" $?
		[ -x "$name" ] || continue
		built=$((built + 1))
		"./$name" untraced >out
		said "$name" 2 out
		"./$name" ptt >out
		said "$name" 15 out
		"./$name" cancel >out 2>err
		said "$name" 2 out
		traced "$name"
		measured "$name"
	done
done
calc "$built > 0"
verdict built $? "no compiler for C++"

# Without exceptions and types of a running program it is the same.
g++ -std=c++17 -fno-exceptions -fno-rtti -Wall -Wextra -Werror -I "$top/driver/uapi" \
	-I "$top/libperfutil/include" -x c++ -fsyntax-only - >out 2>&1 <<'END'
#include <pitrace.hpp>
void f()
{
	pitrace::span one("one");
	pitrace::ptt_delta used;
	pitrace::ptt_scope scope(used);
}
END
verdict no_exceptions $?
refused() { # NAME TEXT of a statement that must not compile
	! printf '#include <pitrace.hpp>\nvoid f()\n{\n\tpitrace::ptt_delta d;\n\t%s\n\t(void)d;\n}\n' "$2" |
		g++ -std=c++17 -I "$top/driver/uapi" -I "$top/libperfutil/include" -x c++ -fsyntax-only - 2>out
	verdict "refused_$1" $? "it compiles"
}
refused text_that_dies 'pitrace::span one(std::string("x"));'
refused copy 'pitrace::span one("x"), two(one);'
refused callback_that_throws 'pitrace::ptt_scope s([](const pitrace::ptt_delta &) {});'
refused scope_of_nothing 'pitrace::ptt_scope<> s;'
[ $failures = 0 ]
