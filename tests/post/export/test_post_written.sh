#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The complete output of each writer: small traces, decoded by programs that know the format, or word by word, against
# golden files (tests/data/golden/written; UPDATE=1 writes them again: then read what changed).
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
for tool in gcc gzip jq protoc babeltrace2 llvm-xray; do
	command -v $tool >/dev/null && continue
	echo "skip $suite $tool is not installed"
	exit 77
done
version=$(sed 's/\./\\./g' "$top/VERSION")

# A program with lines and a build id, which has the addresses that the story has.
cat >shop.s <<'END'
	.file "shop.c"
	.text
	.file 1 "/src/shop.c"
	.globl main, serve
	.type serve, %function
serve:	.loc 1 7
	.rept 31
	nop
	.endr
	ret
	.size serve, 32
	.type main, %function
main:	.loc 1 12
	call serve
	.loc 1 13
	.rept 26
	nop
	.endr
	ret
	.size main, 32
	.section .note.GNU-stack,"",%progbits
END
gcc -g -nostdlib -static -Wl,-Ttext=0x401000,-z,max-page-size=0x1000,-e,main,--build-id=0x0123456789abcdef0123456789abcdef01234567 \
	-o shop shop.s || exit 1
grep -v '^#' "$here/post_written.story" | "$make_script" --priorities=98,139,-1 --facts=$'host: paper"mill\\\ncommand: shop -a \'b c\'\n' one.nrm2 || exit 1
"$make_script" --later=1 --spin=other two.nrm2 <<'END' || exit 1
0 on
0 task walk 100 1 shop
0 task walk_thread 100/101 1 till
0 map 100 0x401000 0x2000 0x1000 /nowhere/shop
10 sample 0 100/101 0x401010
20 sample 1 100 0xffffffff81001010
30 off
END
"$make_trace" events events.nrm2 || exit 1
"$make_trace" times times.nrm2 || exit 1

write() { # FORMAT TRACE... [OPTION...]: to the file `written`
	rm -rf written
	"$post" -q -format "$1" -sympath "$work" -o written "${@:2}" 2>err
	[ $? -le 1 ] || { cat err && false; } >why
}
golden() { # NAME, the text on stdin
	sed "s/$version/VERSION/g; s|$work|WORK|g" >text
	[ -s text ] && same text "../../data/golden/written/$1"
	verdict "$1"
}
mkdir -p "$top/tests/data/golden/written"

# ---- pprof
pprof() { # a part a line
	zcat written | protoc --decode=Profile --proto_path="$here" "$here/pprof.proto" | perl -0777 -pe 's/\n +/ /g; s/\n\}/ }/g'
}
write pprof one.nrm2 -line
pprof | golden pprof
write pprof one.nrm2 two.nrm2
pprof | golden pprof_merged
write pprof events.nrm2 -e 2
pprof | golden pprof_event

# ---- perf.data
write perf.data one.nrm2
"$here/perf_words" <written | golden perf
"$post" -q -format perf.data -o - one.nrm2 2>err | "$here/perf_words" | golden perf_pipe
write perf.data one.nrm2 two.nrm2
"$here/perf_words" <written | golden perf_merged
write perf.data events.nrm2
"$here/perf_words" <written | grep -v '^mmap\|^comm\|^fork\|^switch' | awk '!/^sample/ || ++n < 7' | golden perf_events
"$top/tests/post/input/perf_details_image" little >details.data
write perf.data details.data
"$here/perf_words" <written | golden perf_details

# ---- timelines
write ctf one.nrm2
golden ctf_metadata <written/metadata
babeltrace2 --clock-cycles written 2>err | golden ctf
write ctf one.nrm2 two.nrm2
babeltrace2 --clock-cycles written 2>err | cut -c 1-200 | golden ctf_merged
# A field a line, without those of which there are many.
perfetto() {
	protoc --decode=Trace --proto_path="$here" "$here/perfetto.proto" <written | perl -0777 -pe 's/\n +/ /g; s/\n\}/ }/g'
}
write perfetto one.nrm2
perfetto | golden perfetto
write perfetto events.nrm2 -e 2
perfetto | head -n 12 | golden perfetto_event
for format in chrome speedscope firefox; do
	write $format one.nrm2

	jq -c 'if .traceEvents then .traceEvents[], del(.traceEvents) elif .threads then (.threads[] | to_entries[]), del(.threads)
		else .profiles[], del(.profiles) end' written | golden $format
done

# ---- gperftools: words to 0, 1, 0 (the end of the samples), then the text
write gperftools one.nrm2
perl -0777 -ne 'do { push @w, unpack "Q<", substr $_, 8 * @w, 8 } until @w > 5 && "@w[-3 .. -1]" eq "0 1 0" || 8 * @w >= length;
	printf "%x\n", $_ for @w; print substr $_, 8 * @w' written | golden gperftools
# ---- folded
write folded one.nrm2
golden folded <written

# ---- XRay: of an instruction trace
grep -v '^#' "$top/tests/post/report/post_itrace.story" | "$make_script" --collector=ptrace runs.nrm2 || exit 1
write xray runs.nrm2
od -An -v -tx1 -w16 written | golden xray
llvm-xray convert -f yaml written 2>err | golden xray_records
write xray-map runs.nrm2
{
	readelf -hlSW -s written | sed '/^Key to Flags/,/^$/d' # these words change with the program
	readelf -x xray_instr_map written
} 2>err | golden xray_map

# ---- pages: facts by name, then the first bytes of each block
page() { # NAME OPTION...
	"$post" -q -html -sympath "$work" -o page.html "${@:2}" 2>err
	[ $? -le 1 ] || { cat err && false; } >why
	sed -n 's/.*id="data-\([a-z]*\)">\([^<]*\)<.*/\1 \2/p' page.html | while read -r block data; do
		echo "== $block"
		base64 -d <<<"$data" | gzip -dc | case $block in
		facts | code) jq -cS 'to_entries[]' ;;
		texts | lines) cat && echo ;;
		*) od -An -v -tu1 -w32 | head -n 60 ;;
		esac
	done | golden "page_$1"
}
page samples one.nrm2
page lines one.nrm2 -line -inline
page merged one.nrm2 two.nrm2
page event events.nrm2 -e 2
page runs runs.nrm2 -tree
page times times.nrm2
for report in sched calls; do
	grep -v '^#' "$top/tests/post/report/post_$report.story" | sort -sn | "$make_script" $report.nrm2 || exit 1
	page $report $report.nrm2
done
page offcpu times.nrm2 -offcpu
"$make_trace" stacks stacks.nrm2 || exit 1
page stacks stacks.nrm2
printf 'shop;main;serve_[i];read_[k] 50\nshop;main;other 3\nshop;_[i];_[k];x_[k]y 4\n' >a.folded
printf 'shop;main;serve_[i];read_[k] 40\nshop;main;new_[i] 7\ntill 2\n' >b.folded
page difference -diff a.folded b.folded
page difference_of_traces -diff one.nrm2 two.nrm2
finish
