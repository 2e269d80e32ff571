# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the test_*.sh: paths, a working folder, verdicts. Sourced. PITRACE_BUILD or O is another build folder, BIN
# another folder of programs.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${PITRACE_BUILD:-$(cd "$top" && cd "${O:-build}" && pwd)} || exit 1
bin=${BIN:-$build/bin} programs=$build/tests
suite=$(basename "$0" .sh)
suite=${suite#test_}
failures=0
# Suites run concurrently. A suite that changes the whole machine waits for the others and then runs exclusively.
exec {machine}<"$top/tests/lib/lib.sh"
flock -s "$machine"
alone() {
	flock -w 300 "$machine"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Of a small file a compiler that is itself hardly compiled takes half of the time.
if type -P javac >/dev/null; then
	javac() { command javac -encoding UTF-8 -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC "$@"; }
fi

verdict() { # NAME CODE [WHY]: without a reason what is in $work/out is shown
	if [ "$2" = 0 ]; then
		echo "ok ${suite}_$1"
		return
	fi
	echo "not ok ${suite}_$1 ${*:3}"
	[ $# -gt 2 ] || [ ! -s "$work/out" ] || sed 's/^/    /' "$work/out"
	failures=$((failures + 1))
}
is() { # NAME HAVE WANT
	[ "$2" = "$3" ]
	verdict "$1" $? "is '$2', not '$3'"
}
says() { # NAME FILE WORDS
	grep -q -e "$3" "$2"
	verdict "$1" $? "no '$3' in: $(head -c 400 "$2")"
}
calc() { # EXPRESSION
	awk "BEGIN { exit !($1) }"
}
# Options that a help on stdin shows at its lines' begins, one a line
options() {
	sed -nE 's/^ {2,6}(-.*)/\1/p' | sed -E 's/  .*//' | grep -oE '(^|[ ,])--?[A-Za-z][a-z-]*' |
		tr -d ' ,' | sort -u
}
