# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the test_post_*.sh: paths, a working folder, verdicts. Sourced. BIN is the folder of post, TESTS that of
# the test programs; the default is this tree's build.
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${PITRACE_BUILD:-$top/build}
post=${BIN:-$build/bin}/post
make_trace=${TESTS:-$build/tests}/programs/post_trace
make_script=${make_trace%trace}script # of a story: lib/post_script.c
failures=0
suite=$(basename "$0" .sh)
suite=${suite#test_}

for program in "$post" "$make_trace"; do
	[ -x "$program" ] || {
		echo "not ok $suite: $program is not built"
		exit 1
	}
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export TZ=UTC LC_ALL=C
unset NO_COLOR
# A sanitizer's verdict must not look like post's own exit codes.
export ASAN_OPTIONS=exitcode=99${ASAN_OPTIONS:+:$ASAN_OPTIONS} UBSAN_OPTIONS=exitcode=99

# verdict NAME: of the command before; shows the file `why`, if there is one
verdict() {
	if [ $? -eq 0 ]; then
		echo "ok ${suite}_$1"
	else
		echo "not ok ${suite}_$1"
		[ -s why ] && sed 's/^/    /' why | head -n 40
		failures=$((failures + 1))
	fi
	rm -f why
}

# code WANTED COMMAND...: run it, its output in `out` and `err`; true when it ends with this code
code() {
	local wanted=$1 got
	shift
	"$@" >out 2>err
	got=$?
	[ "$got" -eq "$wanted" ] && return 0
	{
		echo "exit code $got, wanted $wanted: $*"
		cat err
	} >why
	return 1
}

# every FUNCTION ARGUMENT...: with each argument; false at the first that fails (a loop that is left by
# break would be true)
every() {
	local function=$1 argument
	shift
	for argument; do
		"$function" "$argument" || return 1
	done
}

# has FILE TEXT: the text stands in the file
has() {
	grep -qF -- "$2" "$1" && return 0
	{
		echo "not in $1: $2"
		cat "$1"
	} >why
	return 1
}

# has_line FILE FIELD...: a line of these words, whatever space is between them
has_line() {
	local file=$1 line
	shift
	line=$*
	awk '{ $1 = $1 } 1' "$file" | grep -qxF -- "$line" && return 0
	{
		echo "no line in $file: $line"
		cat "$file"
	} >why
	return 1
}

# same FILE GOLDEN: but the version, and sizes of files
same() {
	sed -e 's/pitrace [0-9][0-9.]*[-a-z0-9.]*/pitrace VERSION/' \
		-e 's/[0-9]* bytes/N bytes/' "$1" >normal
	if [ -n "${UPDATE:-}" ]; then
		cp normal "$here/$2"
	fi
	diff -u "$here/$2" normal >why
}

finish() {
	[ "$failures" -eq 0 ]
	exit
}
