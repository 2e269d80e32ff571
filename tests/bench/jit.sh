#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# jit.sh [FUNCTIONS...]: a program that makes so many functions while it runs and tells of them in a
# jitdump (jitted.c), sampled by perf record 50,000 times a second for JIT_SECONDS (20) of its CPU
# time: about a million samples. post on these very samples (from_perf) beside perf inject --jit and
# perf report, CPU time of both together; both must have the same names with the same counts. Then
# what a look-up costs beside bsearch(3).
. "$(dirname "$0")/lib.sh"

[ $# -gt 0 ] || set -- 40000 400000
# perf inject writes a file for each function, and another into its cache: into JIT_FOLDER, on the disk
# unless told otherwise.
work=$(mktemp -d "${JIT_FOLDER:-$work}/jit.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
room 4000 || exit 0

perf() {
	command perf --buildid-dir "$work/debug" "$@"
}

# NAME COUNT of JIT code: by post, by perf
of_post() {
	"$O/bin/post" -q -csv -r "$1" | awk -F, '$5 == "JITCODE" { print $6, $7 }' | sort
}
of_perf() { # REPORT
	awk -F'|' '$4 ~ /jitted-/ { sub(/^ *\[.\] /, "", $5); print $5, $2 + 0 }' "$1" | sed 's/  */ /' | sort
}

"$O/bin/swtrace" run -q -B perf -o "$work/kernel.nrm2" -- true >"$work/out" 2>&1 || exit 1
for functions in "$@"; do
	perf record -q -k mono -e cpu-clock -F 49999 -m 8M -o "$work/jit.data" -- \
		env JITDUMPDIR="$work" "$O/tests/bench/jitted" "$functions" "${JIT_SECONDS:-20}" >"$work/out" 2>&1 || {
		cat "$work/out" >&2
		exit 1
	}
	samples=$("$O/tests/bench/from_perf" "$work/jit.data" "$work/jit.nrm2" "$work/kernel.nrm2") || exit 1
	cat "$work"/jit* >/dev/null
	cost 3 "$O/bin/post" -q -r "$work/jit.nrm2" -o "$work/jit.out"
	ours=$cpu memory=$rss
	cost 1 "$PERF" --buildid-dir "$work/debug" inject --jit -i "$work/jit.data" -o "$work/jit.injected"
	inject=$cpu inject_memory=$rss
	cost 1 "$PERF" --buildid-dir "$work/debug" report -i "$work/jit.injected" --stdio --no-children -g none \
		--no-inline -n -t '|'
	report=$cpu
	of_perf "$work/out" >"$work/of_perf"
	rss=$(printf '%s\n' "$rss" "$inject_memory" | sort -n | tail -n 1)
	of_post "$work/jit.nrm2" >"$work/of_post"
	cmp -s "$work/of_post" "$work/of_perf" || {
		echo "bench: post and perf have not the same names: $(diff "$work/of_post" "$work/of_perf" |
			grep -c '^[<>]') lines differ" >&2
		exit 1
	}
	case $functions in
	40000) goal='>= 40' ;;
	400000) goal='>= 100' ;;
	*) goal= ;;
	esac
	beside "$functions jitted functions, $samples" "$ours" s "$(calc "$inject + $report")" \
		"perf inject + report" "$goal"
	beside "  peak memory" "$memory" MB "$rss" "perf inject + report"
	echo "  perf inject $inject s, perf report $report s;" \
		"files written: $(find "$work" -name 'jitted-*.so' | wc -l), by post none;" \
		"$(wc -l <"$work/of_post") names, the same of both"
	find "$work" -type f -name 'jit*' -delete
done
for functions in "$@"; do
	found=$("$O/tests/bench/find_code" "$functions") || exit 1
	set -- $found
	echo "look-up among $functions functions: $1 ns, bsearch in as many ranges $2 ns: x$3"
done
