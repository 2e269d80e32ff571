#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Code that the kernel makes and frees while perf records (BPF programs, trampolines, kprobes' pages): at
# each moment its places have the names that the newest perf (Debian sid's) gives them, and none before and
# behind.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export TZ=UTC LC_ALL=C

newest=$("$top/scripts/vm/perf" sid 2>out) && "$newest" version >out 2>&1
there=$?
verdict newest_is_there $there
[ $there = 0 ] || exit 1

printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000000 T _stext' 'ffffffff81001000 T work' \
	'ffffffff81002000 T more' 'ffffffff82000000 T _etext' >map
# Symbols that exist now did not exist then.
{ cat map; printf 'ffffffffc0400%s t later_%s\t[bpf]\n' 000 one 080 two; } >map.later
# The name of each sample in the order of time, "-" without one
of_perf() {
	"$newest" script -i "$1" --ns --kallsyms=map -F time,ip,sym 2>out |
		awk '{ sub(/:$/, "", $1); sub(/^.*\./, "", $1); print $1 + 0, $3 == "[unknown]" ? "-" : $3 }' | sort -n |
		cut -d ' ' -f 2
}
of_post() { # FILE MAP
	"$bin/post" -q -format speedscope -kmap "$2" -o names -r "$1" 2>out
	jq -r '.shared.frames as $f | .profiles[].samples[] | $f[.[-1]].name' names | sed 's/^No.*/-/'
}
"$top/tests/post/input/perf_ksymbol_image" little >little.data
"$top/tests/post/input/perf_ksymbol_image" big >big.data
of_perf little.data >want
[ "$(wc -l <want)" = 112 ] && [ "$(sort -u want | wc -l)" = 9 ]
verdict want $? "$(sort want | uniq -c)"
for file in little big; do
	of_post $file.data map >have
	diff want have >out
	verdict "read_$file" $?
done
of_post little.data map.later >have
diff want have >out
verdict later_text $?
"$bin/post" -q -format perf.data -kmap map -o written.data -r little.data 2>out
of_post written.data map >have
diff want have >out
verdict written $?
of_perf written.data >have
diff want have >out
verdict written_for_perf $?
[ $failures = 0 ]
