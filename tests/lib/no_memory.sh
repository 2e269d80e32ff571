# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Memory that is refused, once, at each place of a program's code that asks for it: it says so and fails,
# or what it writes is whole all the same. It never dies of it, and leaves nothing behind that nobody
# holds: neither then nor when it has all it asks for. Sourced after lib.sh or post_lib.sh, in a working
# folder. tests/lib/no_memory.c tells the places.
# shellcheck disable=SC2154 # build, suite, failures: of lib.sh
preload=${TESTS:-$build/tests}/programs/no_memory.so
declare -A tried=()
codes="0 1 2" # that a program may end with then

# refused PLACE COMMAND...: its output in `out`, or in out.file or the folder out.folder if it writes one.
# PLACE may be: tell
refused() {
	rm -rf out.file out.folder
	NO_MEMORY=$1 LD_PRELOAD=$preload "${@:2}" >out 2>err
}
whole() { # what was written, as one file
	cat out
	[ ! -f out.file ] || cat out.file
	[ ! -d out.folder ] || (cd out.folder && find . -type f | sort | xargs cat)
}
# Functions that a suite may redefine: whether the output is correct, given the one without a failure; more of the
# output's text, into `out`; leaks.
same() { # GOOD
	whole | cmp -s - "$1"
}
more_words() { :; }
leaks() {
	grep '^leak' err
}

# each NAME COMMAND...: at each place that no other command of the suite has tried
each() {
	local name=$1 code good places place
	shift
	refused tell "$@"
	good=$?
	: >why
	mapfile -t places < <(sed -nE 's/^place ([0-9a-f]*):.*/\1/p' err)
	whole >"good.$name"
	[ ! -f out.file ] || cp out.file "file.$name"
	[ "$good" -le 1 ] && [ ${#places[@]} -gt 3 ] && [ -s "good.$name" ] ||
		echo "without a fault: exit code $good, ${#places[@]} places" >>why
	leaks >>why
	for place in "${places[@]}"; do
		[ -z "${tried[$place]:-}" ] || continue
		tried[$place]=yes
		refused "$place" "$@"
		code=$?
		leaks | sed "s/^/$place refused: /" >>why
		if [ $code = "$good" ] && same "good.$name"; then
			continue
		fi
		# It says why.
		[[ " $codes " = *" $code "* ]] && more_words && grep -q '[Nn]o memory\|annot allocate memory' err out ||
			echo "$place refused: exit code $code: $(head -n 2 err)" >>why
	done
	if [ -s why ]; then
		echo "not ok ${suite}_$name"
		sed 's/^/    /' why | head -n 40
		failures=$((failures + 1))
	else
		echo "ok ${suite}_$name"
	fi
}
