#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make lint: each of its programs finds nothing in the sources, and would: a fault that is planted in
# a file is found by the program that is there for it, and by its name.
. "$(dirname "$0")/../lib/lib.sh"

lint=$top/scripts/lint
# The suite lint-followed of check-wide reads what scripts source, too.
export LINT_FOLLOW=no

# The faults in each planted file, and the correct parts.
cat >"$work/plain.c" <<'END'
// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdlib.h>

int main(void)
{
	return 0;
}
END
cat >"$work/clang-format.c" <<'END'
int main(void) {
    return 0; }
END
cat >"$work/cppcheck.c" <<'END'
#include <stdlib.h>

int main(void)
{
	char *p = malloc(4);

	p[4] = 0;
	free(p);
	return 0;
}
END
cat >"$work/checkpatch.c" <<'END'
// SPDX-License-Identifier: GPL-2.0
int f(int a)
{
	if(a){
		return 1;
	}
	return 0;
}
END
printf '#!/bin/sh\necho "$1"\n' >"$work/plain.sh"
printf '#!/bin/sh\ncd /tmp\nrm -rf "$1/"\n' >"$work/shellcheck.sh"

finds() { # PROGRAM PLAIN PLANTED WORDS
	if [ "$1" = checkpatch ] && "$lint" checkpatch "$work/$2" 2>&1 | grep -q 'lint: no checkpatch'; then
		echo "skip ${suite}_checkpatch no kernel source in the cache (scripts/vm/debug-kernel)"
		return
	fi
	"$lint" "$1" "$work/$2" >"$work/out" 2>&1
	verdict "$1_lets_pass" $?
	"$lint" "$1" "$work/$3" >"$work/out" 2>&1
	[ $? = 1 ] && grep -q -e "$4" "$work/out"
	verdict "$1_finds" $?
	"$lint" "$1" >"$work/out" 2>&1
	verdict "$1" $?
}
finds clang-format plain.c clang-format.c 'clang-format.c: code should be'
finds shellcheck plain.sh shellcheck.sh SC2164
finds cppcheck plain.c cppcheck.c arrayIndexOutOfBounds
finds checkpatch plain.c checkpatch.c BRACES

# A missing program is reported, and is not a success.
mkdir "$work/bin"
for program in bash dirname git sed grep cat; do
	ln -s "$(command -v $program)" "$work/bin/$program"
done
for program in clang-format shellcheck cppcheck; do
	PATH=$work/bin "$lint" $program "$work/plain.c" >"$work/out" 2>&1
	[ $? = 2 ] && grep -q "no $program: scripts/deps lint" "$work/out"
	verdict "${program}_missing" $?
done
CHECKPATCH=$work/none "$lint" checkpatch "$work/plain.c" >"$work/out" 2>&1
is checkpatch_missing $? 2
exit $((failures > 0))
