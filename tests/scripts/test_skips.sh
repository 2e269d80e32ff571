#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Without a tool, compiler or code for a test, the machine skips it with a line that the runner counts, never
# silently: in test scripts and in unit tests. And a missing judge is noticed.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"

# Where an `if` at a line's begin asks for a tool or a machine, a branch says skip.
silent() { # FILE...
	awk '
	FNR == 1 { depth = 0 }
	{ line = $0; sub(/^[ \t]+/, "", line); indent = length($0) - length(line) }
	!depth && line ~ /^if .*(command -v|uname -m|-m32|-version \| grep)/ && line !~ /; fi$/ {
		depth = 1; where = FILENAME ":" FNR; margin = indent; says = 0
	}
	depth && (line ~ /(^|[ "])skip / || line ~ /exit 1/) { says = 1 }
	depth && line ~ /^fi([ \t;]|$)/ && indent == margin {
		depth = 0
		if (!says)
			print where ": nothing is said where it is not so"
	}
	line ~ /^[^#]*(command -v|uname -m).*\|\| (finish|exit|return|continue)([ \t;]|$)/ && line !~ /skip/ {
		print FILENAME ":" FNR ": it ends without a word"
	}
	line ~ /echo "# (no |.* not (tested|installed|here))/ { print FILENAME ":" FNR ": nobody counts that" }' "$@"
}
# Code for one machine only has a skip for the others; a constant for each is not such code.
silent_code() { # FILE...
	awk '
	FNR == 1 { n = 0 }
	/^#if.*defined\(__(x86_64|aarch64|powerpc64|s390x|i386)__\)/ || /^#ifdef __(x86_64|aarch64)__/ {
		where = FILENAME ":" FNR; n = 1; says = 0; code = 0
	}
	n && /^[^#]/ { code = 1 }
	n && /unit_skip\(/ { says = 1 }
	n && /^#endif/ { n = 0; if (code && !says) print where ": left out in silence" }
	/printf\("# (no|cannot) / { print FILENAME ":" FNR ": nobody counts that" }' "$@"
}

cd "$top" || exit 1
shopt -s globstar
scripts=()
for script in tests/**/test_*.sh; do
	[ "$script" = tests/scripts/test_skips.sh ] || scripts+=("$script")
done
silent "${scripts[@]}" >"$work/out"
[ ! -s "$work/out" ]
verdict scripts $?
silent_code tests/{driver/test_*.c,{libperfutil,post,tools}/**/test_*.c} >"$work/out"
[ ! -s "$work/out" ]
verdict unit_tests $?

# Checks that these tests can fail.
cd "$work" || exit 1
cat >silent.sh <<'END'
if command -v nothing >/dev/null; then
	if true; then
		verdict inner 0
	fi
fi
[ "$(uname -m)" = x86_64 ] || finish
	echo "# nothing is not installed: not tested"
END
cat >spoken.sh <<'END'
if command -v nothing >/dev/null; then
	verdict inner 0
else
	echo "skip it nothing is not installed"
fi
[ "$(uname -m)" = x86_64 ] || { echo "skip it"; exit 77; }
END
silent silent.sh >out
is scripts_judged "$(cut -d: -f2 out | xargs)" '1 6 7'
is scripts_spoken "$(silent spoken.sh)" ''
printf '#if defined(__x86_64__)\nwork();\n#endif\nprintf("# no xz");\n' >silent.c
printf '#if defined(__x86_64__)\nwork();\n#else\nunit_skip(NULL, "why");\n#endif\n' >spoken.c
is unit_tests_judged "$(silent_code silent.c | cut -d: -f2 | xargs)" '1 4'
is unit_tests_spoken "$(silent_code spoken.c)" ''

# The judges of instructions for other machines: each that is not built is one skip. They may not be for
# want of libopcodes.
mkdir others
for program in "$programs"/*; do
	case ${program##*/} in itrace_flow*) ;; *) ln -s "$program" others/ ;; esac
done
sed -n '/^for machine in/,/^done/p' "$top/tests/libperfutil/collect/ptrace/test_itrace.sh" >flow.sh
(programs=$work/others && . ./flow.sh) >out
is judges_missed "$(grep -c '^skip itrace_flow_' out) $(grep -c '^ok' out)" '4 0'
[ $failures = 0 ]
