#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces in other formats, and filters: the totals are the reports' own, to the last tick, as reference
# readers have them.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
script=${TESTS:-$build/tests}/programs/post_script

"$make_trace" stacks stacks.nrm2 || exit 1
"$make_trace" story story.nrm2 || exit 1
"$make_trace" events events.nrm2 || exit 1
"$script" sched.nrm2 <"$top/tests/post/report/post_sched.story" || exit 1

json() { # TRACE OPTION...: the report
	"$post" -q -json "${@:2}" "$1"
	[ $? -le 1 ]
}
convert() { # FORMAT TRACE FILE OPTION...
	"$post" -q -format "$1" -o "$3" "${@:4}" "$2" 2>err
	[ $? -le 1 ]
}

# ---- the list
code 0 "$post" -format list && has_line out pprof reads writes \
	'profile.proto, compressed: go tool pprof and many others'
verdict list
code 2 "$post" -format nonsense && has err "unknown format 'nonsense'; there are" && has err speedscope
verdict unknown
code 2 "$post" -format native stacks.nrm2 && has err 'native is read only'
verdict read_only
code 2 "$post" -format pprof -sched stacks.nrm2 && has err 'cannot be combined with reports'
verdict no_report_beside

# ---- filters: what they let pass adds up to the whole
total() {
	json "$@" | jq .total_ticks
}
adds_up() { # OPTION LIST...: of all, without overlap
	local sum=0 want item
	want=$(total story.nrm2)
	for item in "${@:2}"; do
		sum=$((sum + $(total story.nrm2 "$1" "$item")))
	done
	[ "$sum" = "$want" ] && [ "$want" = 200 ] || {
		echo "$sum of $want" >why
		return 1
	}
}
adds_up -pid 4156 77-78 0
verdict pids_add_up
adds_up -tid 0,4156 4157,77 78
verdict tids_add_up
adds_up -cpus 0 1
verdict cpus_add_up
adds_up -comm 'j*,GC' 'cc,Idle' 'ev*'
verdict comms_add_up
adds_up -symbol 'spin_unlock,copy*' idle 'vfs_read,No*,*ext4*,ext*'
verdict symbols_add_up
# The last moment of the first half is not a moment of the second.
middle=$("$post" -q -show -json -o - story.nrm2 | jq -s 'map(select(.record == "tprof").time) | sort |
	.[length / 2 | floor]')
at() {
	printf '%d.%09d' $(($1 / 1000000000)) $(($1 % 1000000000))
}
adds_up -time "-$(at "$middle")" "$(at $((middle + 1)))-"
verdict times_add_up
[ "$(total story.nrm2 -time "$(at "$middle")-$(at "$middle")")" -ge 1 ]
verdict time_bounds_are_in_it
code 2 "$post" -pid 12-3 story.nrm2 && code 2 "$post" -cpus 1, story.nrm2 &&
	code 2 "$post" -time 5 story.nrm2 && code 2 "$post" -time 6-5 story.nrm2 &&
	code 2 "$post" -time - story.nrm2 && code 2 "$post" -tid '' story.nrm2
verdict filters_that_make_no_sense
# A row under a filter is the row without it.
json story.nrm2 -pid 4156 | jq -S .processes >some
json story.nrm2 | jq -S '[.processes[] | select(.pid == 4156)]' >all
diff <(jq 'walk(if type == "object" then del(.percent) else . end)' some) \
	<(jq 'walk(if type == "object" then del(.percent) else . end)' all) >why
verdict rows_are_the_same
tid=$(json sched.nrm2 -sched | jq '.sched.threads[0].tid')
json sched.nrm2 -sched -tid "$tid" | jq -S .sched.threads >some
json sched.nrm2 -sched | jq -S "[.sched.threads[] | select(.tid == $tid)]" >all
[ "$(jq length all)" -ge 1 ] && diff some all >why
verdict sched_of_a_thread
code 2 "$post" -irq -tid 1 sched.nrm2 && code 2 "$post" -show -comm x sched.nrm2 &&
	code 2 "$post" -sched -symbol x sched.nrm2
verdict filters_that_do_not_go
code 2 "$post" -format pprof -pid 5 story.nrm2 && has err 'that pass the filters'
verdict nothing_passes

# ---- folded
convert folded stacks.nrm2 a.folded && "$post" -q -folded stacks.nrm2 >b.folded &&
	cmp a.folded b.folded >why
verdict folded

# ---- pprof, as protoc has it
decoded() {
	zcat "$1" | protoc --decode=Profile --proto_path="$here" "$here/pprof.proto"
}
# Sums of the first and of the second value.
values() {
	decoded "$1" | awk '/^sample \{/ { n = 0 } /^  value:/ { sum[n++] += $2 }
		END { print sum[0], sum[1] }'
}
convert pprof stacks.nrm2 stacks.pb.gz && [ "$(values stacks.pb.gz)" = '100 100000000' ] &&
	convert pprof story.nrm2 story.pb.gz && [ "$(values story.pb.gz | cut -d' ' -f1)" = 200 ] &&
	convert pprof story.nrm2 one.pb.gz -tid 4157 &&
	[ "$(values one.pb.gz | cut -d' ' -f1)" = "$(total story.nrm2 -tid 4157)" ] &&
	convert pprof events.nrm2 event.pb.gz -e 1 &&
	[ "$(values event.pb.gz | cut -d' ' -f1)" = "$(total events.nrm2 -e 1)" ]
verdict pprof_totals
# The program that has the most ticks is the first mapping, by which go tool pprof names a profile: not the kernel,
# nor a library or another program with more samples of its own.
program() { # NAME, MODULE, MODULE of the other samples
	printf '%s\n' '0 on' "0 task walk 100 1 $1" '0 task walk 200 1 other' '0 map 200 0x400000 0x8000 0 /nowhere/other' \
		"0 map 100 0x400000 0x8000 0 $2" "0 map 100 0x7f0000000000 0x8000 0 $3"
	for ((i = 1; i <= 9; i++)); do
		echo "$i sample 0 100 0xffffffff81001010"
		((i > 6)) || echo "$i sample 0 100 0x7f0000000010"
		((i > 3)) || echo "$i sample 0 200 0x400010"
		((i > 1)) || echo "$i sample 0 100 0x400010"
	done
	echo '20 off'
}
is_called() { # NAME, as for program
	program "${@:2}" | "$make_script" named.nrm2 && convert pprof named.nrm2 named.pb.gz &&
		go tool pprof -symbolize=none -top named.pb.gz 2>err | has_line /dev/stdin "File: $1" ||
		{ decoded named.pb.gz && echo "wanted: $*"; } >why
	[ ! -s why ]
}
is_called shop shop /nowhere/shop /nowhere/libshop.so && is_called python3.13 python3 /usr/bin/python3.13 /nowhere/libc.so.6 &&
	is_called a-name-of-20-bytes-- a-name-of-20-by /nowhere/a-name-of-20-bytes-- /nowhere/lib.so &&
	is_called lib.so renamed /nowhere/program /nowhere/lib.so
verdict pprof_program
# Own ticks by symbol are the flat report's: google's pprof reads them.
own() { # of the report, name and ticks
	json "$1" | jq -r '[.processes[].threads[].modules[].symbols[]] | group_by(.name)[] |
		"\(map(.ticks) | add) \(.[0].name)"' | sort
}
raw() { # of a profile
	go tool pprof -symbolize=none -sample_index=samples -nodefraction=0 -edgefraction=0 -nodecount=1000000 -top "$1" 2>err |
		awk 'on && $1 > 0 { name = $6; for (i = 7; i <= NF; i++) name = name " " $i
				sub(/ \((partial-)?inline\)$/, "", name); sum[name] += $1 }
			$1 == "flat" { on = 1 }
			END { for (name in sum) print sum[name], name }' | sort
}
own stacks.nrm2 >want && raw stacks.pb.gz >have && [ -s have ] && diff want have >why &&
	own story.nrm2 >want && raw story.pb.gz >have && [ -s have ] && diff want have >why
verdict pprof_symbols
go tool pprof -symbolize=none -sample_index=samples -tags stacks.pb.gz >tags 2>err
tag() {
	awk -v key="$1:" -v value="$2" '$1 == key { on = 1; next } /^ *[a-z]*: Total/ { on = 0 }
		on && $NF == value { print $1 }' tags
}
[ "$(tag cpu 1)" = 10.0 ] && [ "$(tag comm GC)" = 11.0 ] && [ "$(tag process java)" = 80.0 ] ||
	cat tags >why
[ ! -s why ]
verdict pprof_labels

# ---- pprof read back: the same ticks of the same symbols in the same modules and threads; a second
# time the same profile
rows() {
	json "$@" | jq -r '.processes[] as $p | $p.threads[] as $t | $t.modules[] as $m | $m.symbols[] |
		[$p.pid, $t.tid, $m.name, .name, .ticks] | @json' | sed 's/\\t/\\\\x09/g' |
		awk -F, '{ n = $NF + 0; NF--; sum[$0] += n } END { for (s in sum) print s, sum[s] }' | sort
}
for trace in stacks story times; do
	[ $trace = times ] && { "$make_trace" times times.nrm2 || exit 1; }
	convert pprof $trace.nrm2 back.pb.gz && code 0 "$post" -validate back.pb.gz &&
		rows $trace.nrm2 >want && rows back.pb.gz >have && [ -s have ] && diff want have >why
	verdict pprof_back_$trace
done
convert pprof stacks.nrm2 one.pb.gz && convert pprof one.pb.gz two.pb.gz &&
	[ "$(values one.pb.gz)" = "$(values two.pb.gz)" ] && raw one.pb.gz >want && raw two.pb.gz >have &&
	diff want have >why
verdict pprof_twice
convert folded stacks.nrm2 a.folded && convert folded one.pb.gz b.folded &&
	diff <(sed 's/_\[k\]//g' a.folded | grep -v '^ev' | sort) <(grep -v '^ev' b.folded | sort) >why
verdict pprof_stacks_back

# Lines, functions that are inlined, and build ids of real code.
cat >inlined.cc <<'END'
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void inner(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) sink += i * i;
}
__attribute__((noinline)) void outer(unsigned long n) { inner(n); sink++; }
int main()
{
	for (int i = 0; i < 400; i++)
		outer(1000000);
}
END
g++ -O1 -g -fno-omit-frame-pointer -Wl,--build-id -o inlined inlined.cc &&
	"$(dirname "$post")/swtrace" run -q -B perf -g -o inlined.nrm2 -- ./inlined >why 2>&1 &&
	convert pprof inlined.nrm2 inlined.pb.gz &&
	want=$("$post" -q -csv -line -inline inlined.nrm2 | awk -F, '$6 ~ /^inner/ { n += $10 } END { print n }') &&
	go tool pprof -symbolize=none -sample_index=samples -lines -top inlined.pb.gz 2>err >top &&
	have=$(awk '/ inner .*inlined.cc:4 \(inline\)$/ { print $1 }' top) && [ "${want:-0}" -gt 50 ] &&
	{ [ "$have" = "$want" ] || { cat top >why && false; }; }
verdict pprof_lines_inlined
go tool pprof -symbolize=none -raw inlined.pb.gz 2>err >raw &&
	grep -q "/inlined $(readelf -n inlined | sed -n 's/.*Build ID: //p')" raw
verdict pprof_build_id
# A build id's entry of a perf.data is filled up behind the path, to 64 bytes: paths of all those lengths.
cat >loop.c <<'END'
static volatile unsigned long sink;
int main(void)
{
	for (unsigned long i = 0; i < 60000000; i++)
		sink += i * i;
	return 0;
}
END
cc -O1 -Wl,--build-id -o loop loop.c || exit 1
for length in 61 62 63 64 65; do
	path=$(printf "%-${length}s" "$work/long/" | tr ' ' x)
	mkdir -p "${path%/*}" && cp loop "$path" && echo "$path"
done >paths
# shellcheck disable=SC2016 # the shell that is traced goes through them
"$(dirname "$post")/swtrace" run -q -B perf -o loops.nrm2 -- sh -c 'while read p; do $p; done <paths' >why 2>&1 &&
	convert perf.data loops.nrm2 loops.data && "$post" -info -r loops.data >out 2>err &&
	sed "s/^/build id : $(readelf -n loop | sed -n 's/.*Build ID: //p') /" paths >want &&
	grep '^build id : .*/x*$' out | sort | diff want - >why
verdict perf_build_ids
# Mappings and samples of a perf.data are the trace's, each field.
"$script" maps.nrm2 <<'END' || exit 1
0 on
0 task walk 100/100 1 one
0 map 100 0x401000 0x3000 0x7000 /nowhere/one
0 map 100 0x7f0000000000 0x1000 0x123456789000 /nowhere/lib/two.so
0 task walk 200/201 1 two
10 map 200 0x500000 0x2000 0 /nowhere/three
1000 sample 0 100/100 0x401010
1100 sample 1 200/201 0x500020
1200 sample 1 100/100 0x7f0000000030
1300 sample 0 100/100 0xffffffff81000010
5000 off
END
told() { # FILE
	"$post" -q -show -json -o - -r "$1" 2>err |
		jq -c 'select(.kind == "module" or .record == "tprof") | del(.stamp, .minor)'
}
convert perf.data maps.nrm2 maps.data && told maps.nrm2 >want && told maps.data >have &&
	[ "$(wc -l <want)" = 7 ] && diff want have >why
verdict perf_fields
# The code in which events count, by the modifiers of their names or by the trace's flags, according to perf, for the
# file and for the file that is written from it, also into a pipe.
"$make_trace" limits limits.nrm2 || exit 1
cat >want <<'END'
cycles
cycles:u exclude_kernel exclude_hv
instructions exclude_user exclude_hv
cpu-clock:k exclude_user exclude_hv
cycles:h exclude_user exclude_kernel
cycles:uk exclude_hv
cycles:pp precise_ip=2
cycles:upppH exclude_kernel exclude_hv precise_ip=3 exclude_guest
cycles:kG exclude_user exclude_hv exclude_host
cycles:P precise_ip=3
branches:DeI pinned exclusive exclude_idle
cpu/event=0x3c/up exclude_kernel exclude_hv precise_ip=1
sched:sched_switch
page-faults:x
END
limits() { # FILE: the events' limits, as perf shows them
	perf evlist -v -i "$1" 2>err | perl -ne 'my ($name) = /^(.*?): (?=type: |size: )/ or next;
		print join(" ", $name, map { s/: 1$// && !/precise/ ? $_ : s/: /=/r =~ s/(precise_ip)$/$1=1/r }
			/\b((?:pinned|exclusive|exclude_\w+|precise_ip): \d)/g), "\n"'
}
if command -v perf >/dev/null; then
	convert perf.data limits.nrm2 limits.data && limits limits.data | diff want - >why
	verdict perf_limits
	convert perf.data limits.data again.data && limits again.data | diff want - >why
	verdict perf_limits_again
	"$post" -q -format perf.data -o - limits.nrm2 >pipe.data 2>err && convert perf.data pipe.data again.data &&
		limits again.data | diff want - >why
	verdict perf_limits_pipe
	perf script -i limits.data -F event 2>err | sed 's/ *$//; s/:$//; s/^ *//' | diff <(sed 's/ .*//' want) - >why
	verdict perf_limits_script
else
	echo "skip ${suite}_perf_limits perf is not installed"
fi
"$post" -q -info -r maps.data >out 2>err && has out 'time of first sample : 10.001000' &&
	has out 'time of last sample : 10.001300'
verdict perf_first_and_last
# … and so is their number: with stacks, without, both in one; of idle CPUs, of several ticks.
ticks() { # OPTION...
	"$post" -q -json "$@" 2>err | jq -c '[.total_ticks, .kernel_ticks, .user_ticks, .samples]'
}
"$make_trace" times times.nrm2 || exit 1
for traces in stacks story times events 'stacks story'; do
	read -r -a inputs <<<"$(printf -- '%s.nrm2 ' $traces)"
	"$post" -q -format perf.data -o ticks.data "${inputs[@]}" 2>err
	[ $? -le 1 ] && [ "$(ticks -r ticks.data | jq '.[0] > 0')" = true ] &&
		[ "$(ticks -r ticks.data | jq '.[0]')" = "$(ticks "${inputs[@]}" | jq '.[0]')" ] ||
		echo "$traces: $(ticks "${inputs[@]}"), written $(ticks -r ticks.data): $(cat err)" >>why
done
[ ! -s why ]
verdict perf_ticks

# A profile written by Go's own runtime, compared with Go's pprof.
mkdir go && cat >go/main.go <<'END'
package main

import (
	"os"
	"runtime/pprof"
	"time"
)

var sink uint64

//go:noinline
func many() {
	for i := uint64(0); i < 30000; i++ {
		sink += i * sink
	}
}

//go:noinline
func few() {
	for i := uint64(0); i < 10000; i++ {
		sink ^= i * sink
	}
}

func main() {
	f, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(f)
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		many()
		few()
	}
	pprof.StopCPUProfile()
	f.Close()
}
END
GOCACHE=$PWD/go/cache GO111MODULE=off go build -o busy go/main.go >why 2>&1 && ./busy go.pb.gz &&
	code 0 "$post" -validate go.pb.gz && own go.pb.gz >want && raw go.pb.gz >have && [ -s have ] &&
	grep -q main.many have && diff want have >why
verdict pprof_of_go
# Frames that the profile itself wants left out, as Go's pprof leaves them out: the function with all that it
# called, inlined ones too; not those below which nothing of the stack would stay; kept ones not.
cat >drop.pl <<'END_PL'
sub v { my $n = shift; my $o = ''; while ($n > 127) { $o .= chr($n & 127 | 128); $n >>= 7 } $o . chr $n }
sub f { v($_[0] << 3 | 2) . v(length $_[1]) . $_[1] }
sub n { v($_[0] << 3) . v($_[1]) }
my ($drop, $keep) = @ARGV;
my @names = ('main', 'work', 'ns::Alloc(int, char)', 'slow', 'inner', 'malloc_hook', 'malloc_big', '.start',
	'(anonymous namespace)::Alloc(long)', 'operator()(int)', 'leaf');
my @strings = ('', 'samples', 'count', @names, $drop, $keep);
print f(1, n(1, 1) . n(2, 2));
# locations: 1 to 11 of one function each; 12: inner inlined in work; 13: leaf inlined in malloc_big
my @stacks = ([1], [3, 2, 1], [11, 3, 2, 1], [11, 6, 1], [11, 7, 1], [12, 1], [11, 12, 1], [13, 1], [4, 8], [8, 8], [11, 8, 1, 8],
	[11, 9, 1], [11, 10, 1], [11, 3, 2, 3, 1], [5, 5, 5], [5]);
my $k = 1;
print f(2, f(1, join '', map { v($_) } @$_) . f(2, v($k++))) for @stacks;
print f(4, n(1, $_) . f(4, n(1, $_))) for 1 .. 11;
print f(4, n(1, 12) . f(4, n(1, 5)) . f(4, n(1, 2))), f(4, n(1, 13) . f(4, n(1, 11)) . f(4, n(1, 7)));
print f(5, n(1, $_) . n(2, 2 + $_)) for 1 .. 11;
print f(6, $_) for @strings;
print n(7, 2 + @names + 1), length $keep ? n(8, 2 + @names + 2) : '';
END_PL
by_go() { # FILE: folded, only functions
	go tool pprof -symbolize=none -traces -sample_index=0 "$1" 2>err | sed 's/ (inline)$//' | awk '
		/^-+\+/ { if (stack != "") sum[stack] += n; stack = ""; next }
		/^ *[0-9]+ / { n = $1; sub(/^ *[0-9]+ +/, ""); stack = $0; next }
		/^ / && stack != "" { sub(/^ +/, ""); stack = $0 ";" stack }
		END { if (stack != "") sum[stack] += n; for (s in sum) print s, sum[s] }' | sort
}
by_post() {
	"$post" -folded -q -o - "$1" 2>err | sed 's/^[^;]*;//' | sort
}
dropped() { # NAME DROP KEEP
	perl drop.pl "$2" "$3" >drop.pb
	by_go drop.pb >want
	by_post drop.pb >have
	[ -s want ] && diff want have >why
	verdict "pprof_dropped_$1"
}
dropped some 'ns::Alloc|malloc_.*|inner' ''
dropped kept 'ns::Alloc|malloc_.*|inner' 'malloc_hook'
dropped groups '(?:ns|\(anonymous namespace\))::Alloc|operator\(\)|start' ''
dropped all '.*' ''
dropped none 'nothing' ''
dropped all_kept '.*' '.*'
for words in '(a' 'a{9}{9}' '(a)\1' '(?i)main'; do
	perl drop.pl "$words" '' >drop.pb
	perl drop.pl nothing '' >none.pb
	code 1 "$post" -folded -q -o have drop.pb && has err 'drop_frames is not understood' &&
		"$post" -folded -q -o want none.pb 2>err && diff want have >why
	verdict "pprof_drop_refused_${words//[^a-z0-9]/_}"
done

# Damage: a file cut anywhere is read up to the cut, which is reported; nothing else happens. Here the program's
# messages are tested, at each byte of the beginning and the end and at one of 41 between: test_pprof_file reads all
# cuts.
convert pprof stacks.nrm2 small.pb.gz -comm GC || cat err
zcat small.pb.gz >plain.pb
cut_anywhere() { # FILE
	local size i
	size=$(stat -c %s "$1")
	[ "$size" -gt 300 ] || return
	for ((i = 0; i < size; i += i < 12 || i >= size - 12 ? 1 : 41)); do
		head -c "$i" "$1" >cut
		"$post" -q -o /dev/null cut >out 2>err
		case $? in
		1 | 2) ;;
		# Fields end where the message does: a part that ends with a whole field cannot be recognized as
		# truncated.
		0) [ "$1" = plain.pb ] && continue ;&
		*)
			echo "cut at $i: exit code is not 1 or 2" >why
			return 1
			;;
		esac
	done
}
cut_anywhere stacks.pb.gz && cut_anywhere plain.pb
verdict pprof_cut

# ---- speedscope: a profile a thread
convert speedscope stacks.nrm2 a.json && jq -e '[.profiles[].weights[]] | add == 100000000' a.json >why &&
	jq -e '[.profiles[] | .endValue == (.weights | add) and
		(.samples | length) == (.weights | length)] | all' a.json >why &&
	jq -e '(.shared.frames | length) as $n | [.profiles[].samples[][] < $n] | all' a.json >why
verdict speedscope_totals
# Its stacks are the folded ones.
jq -r '.shared.frames as $f | .profiles[] | select(.name | contains("\u001b") | not) | (.name | sub(" \\(pid.*"; "")) as $p |
	[.samples, .weights] | transpose[] |
	"\([$p] + [.[0][] | $f[.].name] | join(";")) \(.[1] / 1000000)"' a.json |
	awk '{ n = $NF; $NF = ""; sum[$0] += n } END { for (s in sum) print s sum[s] }' | sort >have
sed 's/_\[k\]//g' b.folded | awk '{ n = $NF; $NF = ""; sum[$0] += n } END { for (s in sum) print s sum[s] }' |
	sort >want
diff <(grep -v '^ev' want) have >why
verdict speedscope_stacks

# ---- Firefox Profiler: its tables refer to what is there, its stacks are the folded ones
convert firefox stacks.nrm2 f.json && jq -e '[.threads[].samples.weight[]] | (add - 100 | fabs) < 1e-9' f.json >why &&
	jq -e '[.threads[] | (.stringArray | length) as $strings |
		(.samples | .length as $n | (.stack, .time, .weight | length == $n)),
		(.stackTable | .length as $n | (.frame, .prefix, .category | length == $n)),
		(.stackTable.prefix | to_entries[] | .value == null or .value < .key),
		(.frameTable.length as $n | .stackTable.frame[] < $n),
		(.funcTable.length as $n | .frameTable.func[] < $n),
		(.funcTable.name[] < $strings)] | all' f.json >why
verdict firefox_tables
jq -r '.threads[] | select(.processName | contains("\u001b") | not) | . as $t |
	def names: if . == null then [] else ($t.stackTable.prefix[.] | names) +
		[$t.stringArray[$t.funcTable.name[$t.frameTable.func[$t.stackTable.frame[.]]]]] end;
	[.samples.stack, .samples.weight] | transpose[] |
	"\([$t.processName] + (.[0] | names) | join(";")) \(.[1])"' f.json |
	awk '{ n = $NF; $NF = ""; sum[$0] += n } END { for (s in sum) print s sum[s] }' | sort >have
diff <(grep -v '^ev' want) have >why
verdict firefox_stacks

# ---- timelines: as many dispatches, interrupts, wake-ups and so on as the trace has, at their times
"$script" calls.nrm2 <"$top/tests/post/report/post_calls.story" || exit 1
count() { # TRACE RECORD [CONDITION]: records of this kind
	"$post" -q -show -json -o - "$1" | jq -s "map(select(.record == \"$2\" and (${3:-true}))) | length"
}
same_number() { # WHAT HAVE WANT
	[ "$2" = "$3" ] || {
		echo "$1: $2, not $3" >>why
		return 1
	}
}
for trace in sched calls stacks; do
	convert chrome $trace.nrm2 $trace.chrome && convert perfetto $trace.nrm2 $trace.perfetto &&
		convert ctf $trace.nrm2 $trace.ctf || cat err
	babeltrace2 --clock-cycles $trace.ctf >$trace.text 2>err || cat err
	protoc --decode=Trace --proto_path="$here" "$here/perfetto.proto" <$trace.perfetto >$trace.decoded
done
events() { # TRACE JQ-CONDITION: of Chrome's
	jq "[.traceEvents[] | select($2)] | length" "$1.chrome"
}
ticks=$(total stacks.nrm2)
same_number chrome "$(jq '[.traceEvents[] | select(.cat == "sample").args.ticks] | add' stacks.chrome)" "$ticks"
same_number perfetto "$(grep -c '^  sample {' stacks.decoded)" "$ticks"
same_number ctf "$(grep -o 'sample: .*ticks = [0-9]*' stacks.text | awk '{ n += $NF } END { print n }')" "$ticks"
[ ! -s why ]
verdict timelines_samples
# Each has the CPU, the process, the thread, the time and the mode that the trace has.
samples() { # FIELDS
	"$post" -q -show -json -o - stacks.nrm2 | jq -r "select(.record == \"tprof\") | [$1] | join(\" \")" | sort
}
samples '.time, .cpu, .pid // 0, .tid // 0' >want
jq -r '.traceEvents[] | select(.cat == "sample") | [.ts * 1000, .args.cpu, .pid, .tid] | join(" ")' stacks.chrome |
	sort | diff want - >why
perl -ne '/^\[0*(\d+)\].* sample: .*cpu_id = (\d+) .*pid = (\d+), tid = (\d+),/ and print "$1 $2 $3 $4\n"' stacks.text |
	sort | diff want - >>why
# There each of an idle CPU's ticks is one, in the kernel.
"$post" -q -show -json -o - stacks.nrm2 | jq -r 'select(.record == "tprof") | range(.ticks // 1) as $i |
	[.cpu, .pid // 0, .tid // 0, if .kind == "user" then 2 else 1 end] | join(" ")' | sort >want
perl -0777 -ne 'print "$1 $2 $3 $4\n" while /^  sample \{\s+cpu: (\d+)\s+pid: (\d+)\s+tid: (\d+)\s+(?:stack: \d+\s+)?mode: (\d+)/mg' \
	stacks.decoded | sort | diff want - >>why
[ ! -s why ] && [ "$(wc -l <want)" -gt 50 ] && grep -q ' 1$' want && grep -q ' 2$' want
verdict timelines_samples_whose
for trace in sched calls; do
	n=$(count $trace.nrm2 dispatch)
	same_number "dispatches perfetto" "$(grep -c '^      switch {' $trace.decoded)" "$n"
	same_number "dispatches ctf" "$(grep -c ' dispatch: ' $trace.text)" "$n"
	n=$(count $trace.nrm2 wakeup)
	same_number "wakeups chrome" "$(events $trace '.cat == "wakeup"')" "$n"
	same_number "wakeups perfetto" "$(grep -c '^      waking {' $trace.decoded)" "$n"
	same_number "wakeups ctf" "$(grep -c ' wakeup: ' $trace.text)" "$n"
	n=$(count $trace.nrm2 interrupt '.kind | endswith("exit") | not')
	same_number "interrupts chrome" "$(events $trace '.cat == "interrupt" and .ph == "B"')" "$n"
	same_number "interrupts perfetto" "$(grep -c 'category: "interrupt"' $trace.decoded)" "$n"
	same_number "interrupts ctf" "$(grep -c ' interrupt_entry: ' $trace.text)" "$n"
	n=$(count $trace.nrm2 syscall '.kind | endswith("exit") | not')
	same_number "calls chrome" "$(events $trace '.cat == "syscall" and .ph == "B"')" "$n"
	same_number "calls perfetto" "$(grep -c 'category: "syscall"' $trace.decoded)" "$n"
	same_number "calls ctf" "$(grep -c ' syscall_entry: ' $trace.text)" "$n"
	n=$("$post" -q -syscalls -json $trace.nrm2 | jq '[.syscalls.threads[].time.count] | add // 0')
	same_number "calls' ends chrome" "$(events $trace '.cat == "syscall" and .ph == "E"')" "$n"
	same_number "calls' ends ctf" "$(grep -c ' syscall_exit: ' $trace.text)" "$n"
	n=$(count $trace.nrm2 fault)
	same_number "faults chrome" "$(events $trace '.cat == "fault"')" "$n"
	same_number "faults perfetto" "$(grep -c 'category: "fault"' $trace.decoded)" "$n"
	same_number "faults ctf" "$(grep -c ' page_fault: ' $trace.text)" "$n"
done
[ ! -s why ]
verdict timelines_events
# Programs' own records: pairs by name, without unmatched ends, and single marks.
"$script" marks.nrm2 <<'END' || exit 1
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 app
10 mark 0 100 0xb0 0 outer
20 mark 0 100 0xb0 0 inner
25 mark 1 100/101 0xd0 7 lonely
30 mark 0 100 0xb0 0x80 inner
40 mark 0 100 0xb0 0x80 outer
45 mark 1 100/101 0xb0 0x80 outer
50 mark 1 100/101 0xd1 1
60 off
END
convert chrome marks.nrm2 marks.chrome && convert perfetto marks.nrm2 marks.perfetto && convert ctf marks.nrm2 marks.ctf || cat err
jq -r '[.traceEvents[] | select(.cat == "pair" or .cat == "mark") | "\(.ph) \(.name) \(.tid)"] | join(";")' marks.chrome >have
echo 'b outer 100;b inner 100;i lonely 101;e inner 100;e outer 100;i d1/1 101' | diff - have >why
verdict marks_chrome
protoc --decode=Trace --proto_path="$here" "$here/perfetto.proto" <marks.perfetto >marks.decoded
same_number "pairs perfetto" "$(grep -c 'category: "pair"' marks.decoded)" 2
same_number "marks perfetto" "$(grep -c 'category: "mark"' marks.decoded)" 2
[ ! -s why ]
verdict marks_perfetto
babeltrace2 --clock-cycles marks.ctf 2>err | sed -nE 's/.* (pair_begin|pair_end|mark): .*name = "([^"]*)".*/\1 \2/p' | paste -sd';' >have
echo 'pair_begin outer;pair_begin inner;mark lonely;pair_end inner;pair_end outer;mark d1/1' | diff - have >why
verdict marks_ctf
# Spans keep their ids, across threads; those that end nothing are left out.
"$script" spans.nrm2 <<'END' || exit 1
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 app
0 task walk 200 1 app
5 sample 0 100 0x400100
10 mark 0 100 0xb0 0 request 1
20 mark 0 100 0xb0 0 request 0xfffffffffffffffe
30 mark 1 100/101 0xb0 0x80 request 1
40 mark 0 100 0xb0 0x80 request 0xfffffffffffffffe
45 mark 1 100/101 0xb0 0x80 request 3
50 mark 0 100 0xb0 1 job 4
55 mark 1 200 0xb0 0x81 job 4
60 off
END
convert chrome spans.nrm2 spans.chrome && convert perfetto spans.nrm2 spans.perfetto && convert ctf spans.nrm2 spans.ctf || cat err
jq -r '[.traceEvents[] | select(.cat == "span") | "\(.ph) \(.name) \(.scope) \(.id2.local) \(.id2.global) \(.args.id) \(.tid)"] |
	join(";")' spans.chrome >have
echo "b request request 0x1 null 1 100;b request request 0xfffffffffffffffe null 0xfffffffffffffffe 100;$(
	)e request request 0x1 null 1 101;e request request 0xfffffffffffffffe null 0xfffffffffffffffe 100;$(
	)b job job null 0x4 4 100;e job job null 0x4 4 200" | diff - have >why
verdict spans_chrome
protoc --decode=Trace --proto_path="$here" "$here/perfetto.proto" <spans.perfetto >spans.decoded
same_number "spans perfetto" "$(grep -c 'category: "span"' spans.decoded)" 3
same_number "ids perfetto" "$(grep -A1 -E ' value: (1|4|18446744073709551614)$' spans.decoded | grep -c '"id"')" 3
# Each end is on the track of its begin, which no other span has meanwhile.
perl -0777 -ne 'my %open; while (/\n  event \{(.*?)\n  \}/gs) { my $e = $1; my ($t) = $e =~ /\n    type: (\d+)/;
	my ($on) = $e =~ /track: (\d+)/; $bad ||= $t == 1 ? $open{$on}++ : !$open{$on}--; $n++ }
	exit($bad || $n != 6 || grep { $_ } values %open)' spans.decoded || echo "tracks perfetto" >>why
[ ! -s why ]
verdict spans_perfetto
babeltrace2 --clock-cycles spans.ctf 2>err |
	sed -nE 's/.* (span_begin|span_end): .*tid = ([0-9]+).* name = "([^"]*)", id = ([0-9]+), shared = ([01]).*/\1 \2 \3 \4 \5/p' | paste -sd';' >have
echo "span_begin 100 request 1 0;span_begin 100 request 18446744073709551614 0;span_end 101 request 1 0;$(
	)span_end 100 request 18446744073709551614 0;span_begin 100 job 4 1;span_end 200 job 4 1" | diff - have >why
verdict spans_ctf
# Firefox's markers of a thread: a span from its begin on, wherever it ends.
convert firefox spans.nrm2 spans.firefox || cat err
jq -r '[.threads[] | . as $t | .markers | range(.length) as $i | "\($t.tid) \($t.stringArray[.name[$i]]) " +
	"\(.phase[$i]) \(.data[$i].id) \(.startTime[$i] * 1e6 | round) \(.endTime[$i] * 1e6 | round)"] | join(";")' spans.firefox >have
echo '100 request 1 1 5000 25000;100 request 1 0xfffffffffffffffe 15000 35000;100 job 1 4 45000 50000' | diff - have >why
verdict spans_firefox
# Without ids the viewer pairs the begins and ends of a thread itself; a thread may have no sample.
"$script" pairs.nrm2 <<'END' || exit 1
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 app
10 mark 1 100/101 0xb0 0 outer
15 sample 0 100 0x400100
20 mark 1 100/101 0xd0 7 lonely
30 mark 1 100/101 0xb0 0x80 outer
35 mark 1 100/101 0xb0 0 open 7
60 off
END
convert firefox pairs.nrm2 pairs.firefox && jq -c '[.threads[] | [.tid, .samples.length, .markers.length, .markers.phase,
	(.markers.startTime | map(. and (. * 1e6 | round))), (.markers.endTime | map(. and (. * 1e6 | round))), .markers.data[-1].id]] | sort' \
	pairs.firefox >have || cat err
echo '[[100,1,0,[],[],[],null],[101,0,4,[2,0,3,2],[true,true,false,true],[false,false,true,false],"7"]]' | diff - have >why
verdict pairs_firefox
# Each begins before it ends, and CPUs run one thread at a time.
jq -e '[.traceEvents[] | select(.ph == "B" or .ph == "E")] | group_by([.pid, .tid]) | map(
		reduce .[] as $e ({n: 0, ok: true}; .n += (if $e.ph == "B" then 1 else -1 end) |
			.ok = (.ok and .n >= 0 and ($e.pid != 4194305 or .n <= 1))) | .ok) | all' sched.chrome >why
verdict chrome_nests
# CTF's times are the trace's own.
"$post" -q -show -json -o - sched.nrm2 | jq 'select(.record == "dispatch").time' | sort -n >want
sed -n 's/^\[0*\([0-9]*\)\] .* dispatch: .*/\1/p' sched.text | sort -n >have
[ -s have ] && diff want have >why
verdict ctf_times
: >plain
code 2 "$post" -format ctf -o plain stacks.nrm2 && [ -f plain ] && [ ! -e plain.old ] &&
	convert ctf stacks.nrm2 stacks.ctf && [ -d stacks.ctf.old ]
verdict ctf_folder

# ---- the manual's table is the list
page=$top/post/pitrace-formats.7
"$post" -format list | awk '{ print $1, $2 == "reads" ? "yes" : "no", $3 == "writes" ? "yes" : "no" }' |
	sort >want
awk '/^\.TS/ { on = 1 } /^\.TE/ { on = 0 } on && NF == 3 && /\t(yes|no)\t/ { print $1, $2, $3 }' "$page" |
	sort >have
[ -s have ] && diff want have >why && ! "$post" -format list | grep -q null
verdict manual
# ---- a heap profile has two kinds of values: numbers and sums of one kind
heap_profile() { # DEFAULT TYPE/UNIT...: 3, 300 of the first kind, 5, 5000 of the second
	perl -e '
		my ($default, @types) = @ARGV;
		my @strings = ("");
		my $text = sub { push @strings, $_[0]; $#strings };
		my $number = sub { my ($n, $o) = ($_[0], ""); do { my $b = $n & 127; $n >>= 7; $o .= chr($b | ($n ? 128 : 0)) } while $n; $o };
		my $value = sub { $number->($_[0] << 3) . $number->($_[1]) };
		my $part = sub { $number->($_[0] << 3 | 2) . $number->(length $_[1]) . $_[1] };
		my ($out, %n) = ("");
		for (@types) {
			my ($type, $unit) = split m{/};
			$n{$type} = $text->($type);
			$out .= $part->(1, $value->(1, $n{$type}) . $value->(2, $text->($unit)));
		}
		$out .= $part->(2, $part->(1, $number->(1)) . $part->(2, join "", map { $number->($_) } 3, 300, 5, 5000));
		$out .= $part->(4, $value->(1, 1) . $part->(4, $value->(1, 1)));
		$out .= $part->(5, $value->(1, 1) . $value->(2, $text->("grow")));
		$default = $default ? $value->(14, $n{$default}) : "";
		print $out, (map { $part->(6, $_) } @strings), $default' "$@"
}
of_heap() { # NAME WANT DEFAULT TYPES...
	heap_profile "${@:3}" >heap.pb
	"$post" -json -q heap.pb 2>err | jq -r '"\(.events[0].name) \(.events[0].ticks) \(.events[0].counted)"' >have
	echo "$2" >want
	diff want have >why
	verdict "heap_$1"
}
heap='alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes'
# shellcheck disable=SC2086 # a word a type
{
	of_heap last 'inuse_space 5 5000' '' $heap
	of_heap default 'alloc_space 3 300' alloc_space $heap
	of_heap default_count 'alloc_space 3 300' alloc_objects $heap
	of_heap delay 'delay 3 300' delay contentions/count delay/milliseconds x/count y/bytes
	of_heap counts 'b_event 5 5000' '' a_sample/count a_event/count b_sample/count b_event/count
}

# A profile that is written again keeps what the counts are.
# shellcheck disable=SC2086
heap_profile '' $heap >heap.pb && "$post" -q -format pprof -o again.pb.gz heap.pb 2>err &&
	go tool pprof -raw again.pb.gz 2>err | has /dev/stdin inuse_space/bytes
verdict heap_unit
heap_profile '' a/bytes b/bytes c/bytes inuse_space/bytes >heap.pb && "$post" -q -format pprof -o again.pb.gz heap.pb 2>err &&
	go tool pprof -raw again.pb.gz 2>err | has /dev/stdin inuse_space/bytes
verdict heap_unit_alone

# ---- a heap profile of gperftools: go tool pprof makes one that post reads, and it is named without a build id
tcmalloc=$(ls /usr/lib/*/libtcmalloc.so.4 2>/dev/null | head -n 1)
if [ -n "$tcmalloc" ]; then
	cat >grows.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) char *grows_big(void) { char *p = malloc(3 << 20); p[1] = 1; return p; }
__attribute__((noinline)) char *grows_small(void) { char *p = malloc(100); p[1] = 1; return p; }
int main(void)
{
	char *volatile p;

	for (int i = 0; i < 1000; i++)
		p = i % 100 ? grows_small() : grows_big();
	return !p;
}
END
	gcc -O1 -g -fno-omit-frame-pointer -no-pie -o grows grows.c &&
		HEAPPROFILE=$PWD/grown LD_PRELOAD=$tcmalloc ./grows >out 2>&1
	"$post" -q grown.0001.heap >out 2>err
	has err 'of these post reads CPU profiles; go tool pprof -proto makes a profile that it reads'
	verdict tcmalloc_named
	HOME=$PWD go tool pprof -proto -output grown.pb.gz grown.0001.heap >out 2>&1 &&
		"$post" -q -folded -o - grown.pb.gz 2>err | sed -nE 's/.*;main;(grows_[a-z]+) /\1 /p' | sort >have
	printf 'grows_big 10\ngrows_small 990\n' >want
	diff want have >why
	verdict tcmalloc_heap
else
	echo "skip ${suite}_tcmalloc no libtcmalloc"
fi

finish
