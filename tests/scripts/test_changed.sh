#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/changed in a repository of its own: what has changed chooses the suites, what has not does not.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
mkdir -p "$work/tree/tests/mutants" "$work/tree/libperfutil/file" "$work/tree/tests/vm" &&
	cp "$top/tests/changed" "$work/tree/tests/" && cd "$work/tree" || exit 1
printf '%s\n' 'libperfutil/(?:\w+/)+(merge)\w*\.[ch]	unit/test_merge post/input/test_post_merge.sh' \
	'libperfutil/.*	libperfutil/collect/perf/test_perf.sh unit/test_gone' >tests/mutants/suites
printf '%s\n' 'hook-6.1 check 600 tests/vm/suite_hook.sh 6.1' 'unit-merge check 150 x' \
	'test_post_merge check 400 x' 'test_perf check 400 x' 'fuzz_file check 60 x' >list
touch libperfutil/file/merge.c libperfutil/other.c tests/vm/suite_hook.sh README.md Makefile
git init -q . && git add . && git -c user.name=t -c user.email=t@t commit -qm first || exit 1

asked() { # NAME WANTED [COMMIT]: on stdout and on stderr
	tests/changed list ${3:+"$3"} >"$work/out" 2>"$work/err"
	is "$1" "$(paste -sd' ' "$work/out")$(sed 's/^changed: no suite is named for/!/' "$work/err" | paste -sd' ')" "$2"
}
asked nothing ''
echo 'int x;' >>libperfutil/file/merge.c
asked source 'test_perf test_post_merge unit-merge'
git checkout -q .
echo >>tests/vm/suite_hook.sh
mkdir -p tests/data/fuzz tests/libperfutil/file && touch tests/data/fuzz/file.tar tests/libperfutil/file/test_merge.c
asked tests_themselves 'fuzz_file hook-6.1 unit-merge'
rm -r tests/data tests/libperfutil
git checkout -q .
echo >>Makefile && echo >>README.md
asked nobodys '! Makefile'
git checkout -q .
echo >>libperfutil/other.c && git -c user.name=t -c user.email=t@t commit -qam second
asked committed ''
asked since 'test_perf' HEAD~1
tests/changed list nowhere >"$work/out" 2>"$work/err"
[ $? != 0 ] && grep -q 'no commit nowhere' "$work/err"
verdict no_commit $? "$(cat "$work/err")"
exit $((failures != 0))
