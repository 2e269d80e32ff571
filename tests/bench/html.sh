#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of post -html for 1, 10 and 100 million samples: what it costs to write, its size, and in Debian's
# chromium the first picture, selections of time and the memory of the tab; compared with speedscope on the same
# trace, while speedscope can open it. The files are removed at once.
. "$(dirname "$0")/lib.sh"

trap 'rm -f "$work"/page.*' EXIT
browser=$(tests/viewers/get ../browser)/playwright-core || exit 1
viewers=$(tests/viewers/get) || exit 1

opened() { # KIND FILES...: sets first, memory and slowest
	kind=$1
	shift
	times=$(timeout 300 node tests/browser/time.js "$browser" "$kind" "$@" 2>"$work/out") || times='- - -'
	# shellcheck disable=SC2086 # three words
	set -- $times
	first=$1 memory=$2 slowest=${3:--}
}
megabytes() {
	calc "$(stat -c %s "$1") / 1e6"
}

for millions in 1 10 100; do
	room $((millions * 60)) || break
	"$O/tests/programs/gen_trace" --samples=${millions}000000 --stacks=5000 --depth=20 "$work/page.nrm2" >"$work/out" || exit 1
	cost 1 "$O/bin/post" -q -html -o "$work/page.html" -r "$work/page.nrm2"
	ours=$cpu rss_ours=$rss size=$(megabytes "$work/page.html")
	opened page "$work/page.html"
	printf '%-44s %8s s, %s MB (goal 1.5 s for 10 M); page %s MB (goal 15), first picture %s ms (goal 1000), tab %s MB (goal 300), selection of time %s ms (goal 100)\n' \
		"page: $millions M samples" "$ours" "$rss_ours" "$size" "$first" "$memory" "$slowest"
	[ "$millions" -le 10 ] || continue
	cost 1 "$O/bin/post" -q --format speedscope -o "$work/page.json" -r "$work/page.nrm2"
	peer=$cpu rss_peer=$rss peer_size=$(megabytes "$work/page.json")
	opened speedscope "$viewers/speedscope/dist/release" "$work/page.json"
	printf '%-44s %8s s, %s MB; profile %s MB x%s, first picture %s ms, tab %s MB\n' "page: the same for speedscope" "$peer" \
		"$rss_peer" "$peer_size" "$(calc "$peer_size / $size")" "$first" "$memory"
	rm -f "$work"/page.*
done
