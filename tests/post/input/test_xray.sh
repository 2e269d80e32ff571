#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# XRay logs made by clang's runtime here and now: records as llvm-xray converts them, counts and times of
# functions as it accounts for them; what it cannot read (typed events, several buffers a thread, damage)
# as it must be by what the program does.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
data=$top/tests/data/xray

cat >subject.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
#include "xray/xray_interface.h"
#include "xray/xray_log_interface.h"
#define TRACED [[clang::xray_always_instrument, gnu::noinline]]
extern "C" {
TRACED int leaf(int x)
{
	volatile int y = x;
	for (int i = 0; i < 50; i++)
		y = y + i;
	return y;
}
TRACED int mid(int x) { return leaf(x) + leaf(x + 1); }
[[clang::xray_always_instrument, gnu::noinline, clang::xray_log_args(1)]] int arged(long x)
{
	return mid((int)x) + 1;
}
TRACED int tail(int x) { return mid(x); }
}
namespace n { TRACED int rec(int k) { return k ? rec(k - 1) + leaf(k) : 0; } }
static bool custom, typed;
static void say(int i)
{
	char text[16];
	snprintf(text, sizeof(text), "event %d", i);
#ifdef CUSTOM
	if (custom)
		__xray_customevent(text, strlen(text));
#endif
#ifdef TYPED
	if (typed)
		__xray_typedevent(42, text, strlen(text));
#endif
}
static void work(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		arged(i);
		tail(i);
		n::rec(i % 6);
		if (i % 10 == 0)
			say(i);
	}
}
/* ROUNDS THREADS basic, or EVENTS BUFFER-BYTES (FDR) */
[[clang::xray_never_instrument]] int main(int argc, char **argv)
{
	int rounds = atoi(argv[1]), threads = atoi(argv[2]);
	bool fdr = strcmp(argv[3], "basic");
	custom = strchr(argv[3], 'c');
	typed = strchr(argv[3], 't');
	if (fdr) {
		char config[128];
		snprintf(config, sizeof(config), "buffer_size=%s:buffer_max=1000:func_duration_threshold_us=0", argv[4]);
		__xray_log_select_mode("xray-fdr");
		if (__xray_log_init_mode("xray-fdr", config) != XRAY_LOG_INITIALIZED)
			return 1;
		__xray_patch();
	}
	std::vector<std::thread> list;
	for (int i = 0; threads > 1 && i < threads; i++)
		list.emplace_back(work, rounds);
	if (threads == 1)
		work(rounds);
	for (auto &t : list)
		t.join();
	if (fdr) {
		__xray_unpatch();
		__xray_log_finalize();
		__xray_log_flushLog();
	}
}
END
# clang 14 has no custom events in optimized code; its llvm-xray no map of a program with typed ones.
build() { # NAME OPTION...
	local name=$1
	shift
	clang++ -g -fxray-instrument "$@" -o "$name" subject.cc -pthread >err 2>&1 || cat err
}
build plain -O2
build custom -O0 -DCUSTOM
build typed -O0 -DCUSTOM -DTYPED -no-pie
run() { # LOG PROGRAM ARGUMENT...
	local log=$1
	shift
	rm -f xray-log.*
	XRAY_OPTIONS=$options XRAY_BASIC_OPTIONS=func_duration_threshold_us=0 "./$1" "${@:2}" >err 2>&1 &&
		mv xray-log.* "$log"
}
options='' basic='patch_premain=true xray_mode=xray-basic'

of() { # LOG: records
	"$post" -show -json -q -o - "$1" 2>err | grep -c '"major":20[789],'
}

# ---- records
# By perl, in one go: logs have a hundred thousand records.
converted() {
	llvm-xray convert -f yaml "$1" 2>err | perl -ne '
		/func-id: (\d+), function: [^,]*,(?: args: \[ ([\d ,]*) \],)? cpu: (\d+), thread: (\d+),/ or next;
		my ($function, $arguments, $cpu, $thread) = ($1, $2, $3, $4);
		/kind: ([a-z-]+), tsc: (\d+), data: \x27?([^\x27]*[^\x27 ])?\x27? \}/ or next;
		my ($kind, $tsc, $text) = ($1, $2, $3);
		undef $function if $kind eq "custom-event";
		print join(" ", grep { defined && length } $tsc, $thread, $cpu, $kind, $function, $arguments, $text), "\n"' |
		sort
}
# Not by jq: it would round stamps.
shown() {
	"$post" -show -json -q -o - "$1" 2>err | perl -ne '
		/"major":20[78],/ or next;
		my ($stamp, $cpu, $kind, $tid) = /"stamp":(\d+),"cpu":(\d+),.*"kind":"([a-z-]*)",.*"tid":(\d+),/;
		if (/"function":(\d+),"address":"[^"]*","arguments":\[(?:"0x([0-9a-f]+)")?/) {
			my ($function, $argument) = ($1, $2);
			$kind =~ s/^entry/enter/;
			print "$stamp $tid $cpu function-$kind $function", defined $argument ? " " . hex $argument : "", "\n";
		} elsif (/"strings":\["(.*)"\]\}/) {
			print "$stamp $tid $cpu custom-event $1\n";
		} else {
			print;
		}' | sort
}
as_llvm() { # NAME AT-LEAST
	converted "$1.xray" >want && shown "$1.xray" >have && [ "$(wc -l <want)" -ge "$2" ] && diff want have >why
	verdict "records_$1"
}
# ---- accounts: llvm-xray's are right where one thread's log is in the order of time
accounted() {
	llvm-xray account -k -d -f csv -sort funcid "$@" 2>err | sed 1d | cut -d, -f1-8 |
		awk -F, '{ printf "%s %s", $1, $2; for (i = 3; i <= 8; i++) printf " %.5e", $i; print "" }' | sort -n
}
functions() { # LOG
	"$post" -functions -csv -q -o - "$1" 2>err | sed 1d |
		awk -F, '$NF { printf "%s %s", $1, $NF; for (i = 3; i <= 8; i++) printf " %.5e", $i; print "" }' | sort -n
}
# Their counts are of calls that ended, their times have seven digits, ours nanoseconds.
accounts() { # NAME
	accounted "$1.xray" >want && functions "$1.xray" >have && [ "$(wc -l <want)" -ge 5 ] &&
		[ "$(wc -l <want)" = "$(wc -l <have)" ] && paste -d ' ' want have | awk '{ n = NF / 2
			for (i = 1; i <= n; i++) {
				d = $i - $(i + n)
				if (i <= 2 ? d : d * d > (2e-5 * $i) ^ 2) { print; bad = 1; break }
			} } END { exit bad }' >why
	verdict "account_$1"
}
# A round: arged and tail, each with mid and two leafs; rec(i % 6), with as many leafs.
exact() { # NAME PROGRAM ROUNDS: of all threads; multiple of 6
	code 0 "$post" -functions -json -q -program "./$2" "$1.xray"
	jq -r '.functions[] | "\(.name | sub("\\(.*"; "")) \(.calls)"' out | grep -v -e work -e '^std' -e _M_ | sort >have
	cat >want <<-END
		arged $3
		leaf $(($3 * 4 + $3 / 6 * 15))
		mid $(($3 * 2))
		n::rec $(($3 / 6 * 21))
		tail $3
	END
	diff want have >why
	verdict "exact_$1"
}

run one.xray custom 300 1 c 16000000
as_llvm one $((300 / 6 * 168 + 30))
accounts one
exact one custom 300
options=$basic
run basic.xray plain 600 1 basic
run basics.xray plain 600 3 basic
options=
as_llvm basic $((600 / 6 * 168))
accounts basic
exact basic plain 600
as_llvm basics $((1800 / 6 * 168))
exact basics plain 1800
run tails.xray plain 600 1 - 16000000
as_llvm tails $((600 / 6 * 168))
accounts tails
grep -q 'function-tail-exit 4$' want || converted tails.xray | grep -q 'function-tail-exit 4$'
verdict tail_exits
# Functions that an exception leaves: called like others, and no record says that they ended.
cat >thrown.cc <<'END'
#include <initializer_list>
#include "xray/xray_interface.h"
#include "xray/xray_log_interface.h"
#define TRACED [[clang::xray_always_instrument, gnu::noinline]]
static volatile int sum;
extern "C" {
TRACED void inner(int n) { sum = sum + n; }
TRACED void throws(int n)
{
	inner(n);
	throw n;
}
TRACED void throws_fourth(int n)
{
	inner(n);
	if (n % 4 == 0)
		throw n;
}
}
[[clang::xray_never_instrument]] int main()
{
	__xray_log_select_mode("xray-fdr");
	if (__xray_log_init_mode("xray-fdr", "buffer_size=65536:buffer_max=400:func_duration_threshold_us=0") !=
	    XRAY_LOG_INITIALIZED)
		return 1;
	__xray_patch();
	for (int i = 0; i < 100; i++)
		for (auto *f : { throws, throws_fourth })
			try {
				f(i);
			} catch (int) {
			}
	__xray_log_finalize();
	__xray_log_flushLog();
}
END
clang++ -g -O0 -fxray-instrument -o thrown thrown.cc -pthread >err 2>&1 || cat err
run thrown.xray thrown
"$post" -functions -json -q -program ./thrown thrown.xray 2>err | jq -r '.functions[] | "\(.name) \(.calls) \(.ended)"' | sed 's/([a-z]*)//' | sort >have
printf 'inner 200 200\nthrows 100 0\nthrows_fourth 100 75\n' >want
diff want have >why
verdict left_by_exceptions
# Many buffers of each of many threads: llvm-xray has their records, but mixes up their order.
run many.xray custom 300 4 c 4096
as_llvm many $((1200 / 6 * 168))
exact many custom 1200

# ---- typed events: llvm-xray refuses the log, whose writer cuts off what they have too much
run typed.xray typed 3600 3 ct 16384
code 1 "$post" -functions -json -q -program ./typed typed.xray && has err "the buffer ends within a record" &&
	[ "$(jq .typed_events out)" -ge 1000 ] && [ "$(jq .custom_events out)" -ge 1000 ] &&
	[ "$(jq '.functions[] | select(.name == "leaf") | .calls' out)" -gt $((10800 * 6)) ]
verdict typed_is_read
code 0 "$post" -show -q -o show one.xray && grep -q '"event 20"$' show
verdict event_text
code 1 "$post" -marks -q -o - typed.xray && grep -qw '0xd1\|d1' out
verdict events_are_marks

# ---- written: llvm-xray and post read all records again; typed events are right then
for name in one basics many; do
	code 0 "$post" --format xray -q -o again.xray $name.xray && shown $name.xray >want && shown again.xray >have &&
		[ "$(wc -l <want)" -gt 1000 ] && diff want have >why && converted again.xray >have && diff want have >why
	verdict "written_$name"
done
code 1 "$post" --format xray -q -o again.xray typed.xray &&
	[ "$(llvm-xray convert -f yaml again.xray | grep -c 'kind: typed-event')" = "$("$post" -show -q -o - typed.xray \
		2>/dev/null | grep -c ' d1/0*2a ')" ] && [ "$(of again.xray)" = "$(of typed.xray)" ]
verdict written_typed
accounted again.xray >out 2>&1 && [ "$(wc -l <out)" -ge 5 ]
verdict written_account

# ---- written from an instruction trace: calls as the program makes them, the flow as it was
cat >fib.c <<'END'
static int __attribute__((noinline)) leaf(int x) { return x * 3; }
static int __attribute__((noinline)) fib(int n) { return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(8) & 1; }
END
gcc -g -O1 -fno-optimize-sibling-calls -static -o fib fib.c && "$(dirname "$post")/swtrace" run --itrace -o fib.nrm2 -- \
	./fib >out 2>&1
code 0 "$post" -format xray -q -o fib.xray fib.nrm2 && code 0 "$post" -format xray-map -q -o fib.map fib.nrm2
verdict runs_written
printf 'fib 67\nleaf 34\nmain 1\n' >want
accounted_names() { llvm-xray account -k -d -f csv -m fib.map fib.xray 2>err | awk -F, '{ gsub(/"/, "", $NF); print $NF, $2 }'; }
accounted_names | grep -E '^(main|fib|leaf) ' | sort >have
diff want have >why
verdict runs_account
code 0 "$post" -functions -json -q -program fib.map fib.xray
jq -r '.functions[] | select(.name | test("^(main|fib|leaf)$")) | "\(.name) \(.calls)"' out | sort >have
diff want have >why
verdict runs_functions
# Where one function takes the other's place the caller is met for no time at all; nothing comes after
# the last one.
flow() { # FILE OPTION...
	"$post" -flow -csv -q -o - "$@" 2>err | awk -F, 'NR > 1 && $6 { print $18, $9 }' | uniq
}
flow fib.nrm2 | sed '$d' >want
flow fib.xray -program fib.map >have
[ "$(wc -l <have)" -ge 500 ] && diff want have >why
verdict runs_flow
code 2 "$post" -format xray-map -q -o map one.xray && has err "in the program"
verdict runs_map_of_calls
code 2 "$post" -format xray -q -o again.xray "$data/../gperftools/edge/00_ok64le.prof" && has err "nor instructions"
verdict nothing_to_write

# ---- the flow of calls: all time, in each form
flow=$("$post" -flow -q -o - one.xray -program custom | awk '!/^#/ { n += $3 } END { print n }')
tree=$("$post" -tree -json -q one.xray | jq '[.calls[].self] | add')
[ "$flow" -gt 0 ] && [ "$flow" = "$tree" ]
verdict flow_and_tree
"$post" -tree -json -q -program custom one.xray | jq -r '.calls[] | select(.name == "mid") | .calls' | sort | uniq -c >have
[ "$(awk '{ print $1, $2 }' have)" = "2 300" ]
verdict tree_counts
code 0 "$post" -tree -folded -q -program custom one.xray && has out ";arged;mid;leaf "
verdict tree_folded
code 2 "$post" -arc one.xray && has err "-functions"
verdict no_instructions
code 2 "$post" -functions -program /bin/true one.xray && has err "xray_instr_map"
verdict no_map
# A 32-bit log whose functions are below its map: offsets are negative, addresses wrap at 32 bits.
cat >narrow.c <<'END'
__attribute__((xray_always_instrument)) int first(int x) { return x + 1; }
__attribute__((xray_always_instrument)) int second(int x) { return first(x) * 2; }
__attribute__((xray_always_instrument)) int third(int x) { return second(x) - first(x); }
END
clang --target=arm-linux-gnueabihf -march=armv7-a -fxray-instrument -ffreestanding -c narrow.c 2>err &&
	ld.lld -o narrow --entry first --unresolved-symbols=ignore-all --section-start .text=0x8000 narrow.o 2>>err &&
	code 0 "$post" -functions -json -q -program ./narrow one.xray &&
	jq -r '.functions[] | select(.number <= 3) | "\(.number) \(.name)"' out | sort >have
printf '%s\n' '1 first' '2 second' '3 third' >want
diff want have >why
verdict map_of_32_bits
# A program that is damaged: its functions have numbers, or names, never anything else.
size=$(stat -c %s custom)
map=$((16#$(readelf -SW custom | awk '{ sub(/^ *\[ *[0-9]+\]/, "") } $1 == "xray_instr_map" { print $4 }')))
# By awk: a hundred damaged copies are asked, and jq starts slowly.
all_calls() {
	awk '$1 == "\"functions\":" { list = 1 } list && $1 == "\"calls\":" { n += $2 } END { print n }' "$1"
}
"$post" -functions -json -q -program ./custom -o whole one.xray
calls=$(jq '[.functions[].calls] | add' whole)
damaged_map() { # a copy in `bad`
	"$post" -functions -json -q -program ./bad one.xray >out 2>err
	case $? in
	0 | 1) [ "$(all_calls out)" = "$calls" ] ;;
	2) [ -s err ] ;;
	*) false ;;
	esac && return
	echo "$1: wrong exit code, or other calls than $calls" >why
	return 1
}
cut_map() {
	local n
	for ((n = 1; n < size; n += size / 60)); do
		head -c "$n" custom >bad
		damaged_map "cut at $n" || return 1
	done
}
[ -n "$calls" ] && [ "$(all_calls whole)" = "$calls" ] && cut_map
verdict program_cut
flip_map() { # the map's first bytes, and those of the ELF header
	local n
	for ((n = 0; n < 64; n += 3)); do
		for at in $((map + n)) "$n"; do
			cp custom bad
			printf '\377' | dd of=bad bs=1 seek="$at" conv=notrunc status=none
			damaged_map "byte $at" || return 1
		done
	done
}
[ "$map" -gt 0 ] && flip_map
verdict program_damaged
code 0 "$post" one.xray && has out "-functions"
verdict no_samples_either

# ---- the same logs of a machine of the other byte order: every report is the same
reported() { # LOG FILE
	local report
	for report in "-functions -csv" "-show -json" "-tree -csv" "-flow -csv" "-marks -csv" "-validate"; do
		# shellcheck disable=SC2086 # a report and its form
		"$post" $report -q -o - "$1" >out 2>err
		echo "$report: $?"
		cat out err
	done | sed "s|$1|LOG|g" >"$2"
	"$post" -format xray -q -o "$2.xray" "$1" 2>err
}
turned() { # NAME LOG
	"$here/xray_big.pl" <"$2" >big.xray 2>err || cp err why
	reported "$2" want
	reported big.xray have
	[ ! -s why ] && [ "$(grep -c . want)" -ge 12 ] && diff want have | head -n 20 >why && [ ! -s why ] &&
		cmp want.xray have.xray >why
	verdict "turned_$1"
}
"$post" -format xray -q -o typed_whole.xray typed.xray 2>err
for name in one many tails thrown typed_whole; do
	turned $name $name.xray
done
for name in fdr-log-version-1 fdr-log-arg1 edge/00_ok edge/25_v1_zero_pad edge/27_v1_a5_pad edge/28_v1_stale_pad \
	edge/43_two_callargs edge/45_tsc_wrap_backwards edge/48_funcid_0_and_max edge/49_v4_custom edge/51_v2 \
	edge/52_v5_typed_ok; do
	turned "$(basename "$name")" "$data/$name.xray"
done
"$top/tests/fuzz/seeds" unpack xray seeds
turned v3_custom seeds/custom_v3

# ---- a version that the buffers contradict: they are read as what they are
labelled() { # NAME LOG VERSION RECORDS WORDS
	{ printf "\\$3" && tail -c +2 "$2"; } >odd.xray
	code 1 "$post" -functions -q -o - odd.xray && has err "at byte 0: version $3 has $5" && [ "$(of odd.xray)" = "$4" ]
	verdict "labelled_$1"
}
labelled v5_as_1 "$data/edge/00_ok.xray" 1 1202 'buffers of one size, as these do not: read as version 3'
labelled v5_events_as_1 "$data/edge/52_v5_typed_ok.xray" 1 3 'buffers of one size, as these do not: read as version 5'
labelled v4_events_as_1 "$data/edge/49_v4_custom.xray" 1 3 'buffers of one size'
labelled v1_as_5 "$data/edge/25_v1_zero_pad.xray" 5 8 'buffers that have their length, as these do not: read as version 1'
# Real logs, whose events have the time difference.
labelled one_as_1 one.xray 1 "$(of one.xray)" 'buffers of one size, as these do not: read as version 5'
"$post" -show -json -q -o - one.xray 2>err | jq -c 'del(.offset)' >want
"$post" -show -json -q -o - odd.xray 2>err | jq -c 'del(.offset)' >have
diff want have >why
verdict labelled_one_is_the_same

# ---- by others, odd, damaged
whole() { # NAME RECORDS
	code 0 "$post" -functions -q -o - "$data/$1.xray" && [ "$(of "$data/$1.xray")" = "$2" ]
	verdict "$(basename "$1")"
}
damaged() { # NAME RECORDS OFFSET WORDS
	code 1 "$post" -functions -q -o - "$data/edge/$1.xray" && has err "at byte $3: $4" &&
		[ "$(of "$data/edge/$1.xray")" = "$2" ]
	verdict "$1"
}
whole basic-log-version-3 8
whole fdr-log-arg1 2
whole fdr-log-version-1 13
whole edge/00_ok 1202
whole edge/04_hdr32_only 0
whole edge/19_no_walltime 1202
whole edge/24_v5_labeled_v2 1202
whole edge/25_v1_zero_pad 8
whole edge/27_v1_a5_pad 8
whole edge/28_v1_stale_pad 8
whole edge/30_basic_bigendian 602
whole edge/42_entryarg_no_callarg 2
whole edge/43_two_callargs 2
whole edge/45_tsc_wrap_backwards 2
whole edge/46_empty_buffer_only_preamble 0
whole edge/48_funcid_0_and_max 4
whole edge/49_v4_custom 3
whole edge/51_v2 2
whole edge/52_v5_typed_ok 3
damaged 06_trunc_mid_function 1 120 "the buffer ends within a record"
damaged 07_trunc_at_record 1 32 "a buffer says that it has 5200 bytes; it has 72"
damaged 09_version_6 1202 0 "version 6"
damaged 12_extents_0 1202 32 "a buffer says that it has 0 bytes; it has 5200"
damaged 13_extents_plus8 1202 32 "a buffer says that it has 5208 bytes"
damaged 15_extents_huge 1202 32 "a buffer says that it has 1125899906842624 bytes"
damaged 16_func_kind_7 1201 112 "a function record of kind 7"
damaged 18_eob_in_v5 1202 96 "an end of the buffer"
damaged 21_trailing_garbage 1202 10448 "no buffer begins here: 99 bytes"
damaged 22_trailing_zero 1202 10448 "no buffer begins here: 64 bytes"
damaged 31_basic_trunc16 601 19904 "the log ends within a record"
damaged 33_basic_rectype5 601 32 "a record of type 5"
damaged 34_basic_type4 601 32 "a function record of kind 4"
damaged 36_basic_version4 602 0 "version 4"
damaged 37_typed_event_real 1175 5480 "the buffer ends within a record"
damaged 39_custom_neg 0 112 "an event of -5 bytes"
damaged 40_custom_huge 0 112 "an event of 1073741824 bytes"
code 2 "$post" "$data/edge/03_hdr16.xray" && has err "at byte 16: the file ends within the header"
verdict 03_hdr16
code 2 "$post" "$data/edge/10_type_2.xray" && has err "at byte 2: an XRay log of type 2"
verdict 10_type_2
code 2 "$post" "$data/edge/01_empty.xray" && has err "empty"
verdict 01_empty

finish
