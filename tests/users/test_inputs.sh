#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each input of each program that root runs, with a link to a device in its place: the device must not be opened,
# because opening it can already have an effect. A FIFO without a writer must not block.
set -u
# shellcheck source=tests/users/lib.sh
. "$(dirname "$0")/lib.sh"
# A device that no other suite opens at the same time.
device=$work/device
mknod "$device" c 1 7 2>/dev/null && : <"$device" || device=/dev/full

folder real 0 755
"$bin/swtrace" run -q -o real/t -- true >out 2>&1
verdict a_trace $?
events=kept/pitrace/events/$(uname -m | sed 's/aarch64/arm64/')
mkdir -p perf.data "$events"
mkfifo fifo
link() { # PLACE...: a link to what there
	for place; do
		rm -f "$place"
		ln -s "$what" "$place"
	done
}
# NAME COMMAND...: with links in the places of inputs
inputs=(
	"post post -q -o - -r t"
	"post_data post -q -o - -r perf.data"
	"post_several post -q -o - real/t t"
	"post_kmap post -q -o - -kmap t -r real/t"
	"post_k post -q -o - -k t -r real/t"
	"post_program post -q -o - -program t -r real/t"
	"post_convert post -q -format pprof -o new -r t"
	"swtrace_from swtrace run -q -o new --itrace -B ptrace --from main -- ./t"
	"swtrace_from_file swtrace run -q -o new --itrace -B ptrace --from ./t:main -- true"
	"events env XDG_CONFIG_HOME=$work/kept mpevt -l"
	"events_run env XDG_CONFIG_HOME=$work/kept swtrace run -q -B perf -e no_such_event -o new -- true"
)
PATH=$bin:$PATH
for input in "${inputs[@]}"; do
	read -ra words <<<"$input"
	for what in "$device" "$work/fifo"; do
		name=${words[0]}_device
		[ "$what" = "$device" ] || name=${words[0]}_fifo
		link t perf.data/data "$events/e.json"
		"$programs/watched" opens "$device" timeout -k 5 60 "${words[@]:1}" >out 2>&1 </dev/null
		# 124 and 137: timeout ended it
		[[ $(tail -n 1 out) == "0 opened, code "* && ! $(tail -n 1 out) =~ (124|137)$ ]]
		verdict "$name" $?
	done
done
# And the judge sees an opening where there is one.
is judge "$("$programs/watched" opens "$device" sh -c ": <$device")" '1 opened, code 0'
[ $failures = 0 ]
