#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Profiles of gperftools: call stacks compared with google-pprof, for programs sampled here and now; each layout has
# the same result; odd or damaged parts are reported with their offset, and the rest is used.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
data=$top/tests/data/gperftools
preload=$(ldconfig -p | awk '/libprofiler.so.0/ { print $NF; exit }')

# Ticks by call stack. google-pprof marks functions of equal names, inlined ones, versions; of an
# address with two names (in the C library) it takes the other one: the program has little to do there.
by_stack() {
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); c[$0] += n } END { for (s in c) print s, c[s] }' | sort
}
theirs() { # PROGRAM PROFILE
	google-pprof --collapsed --no-auto-signal-frm "$1" "$2" 2>err |
		sed -E 's/<[0-9a-f]{16}>//g; s/\[inline\]//g; s/@@?[A-Z]+_[0-9.]+//g
			s/__libc_start_main_impl/__libc_start_main/g' | by_stack
}
ours() {
	"$post" -folded -inline -q "$1" | sed -E 's/^[^;]*;//; s/_\[i\]//g' | by_stack
}

# ---- beside google-pprof
cat >work.cc <<'END'
#include <algorithm>
#include <vector>
namespace work {
template <class T> __attribute__((noinline)) T spin(T n)
{
	volatile T x = 0;
	for (T i = 0; i < n; i++)
		x = x + i;
	return x;
}
struct Sorter {
	__attribute__((noinline)) void run(std::vector<int> &v)
	{
		std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
	}
};
__attribute__((noinline)) int deep(int n)
{
	return n < 1 ? (int)spin<long>(30000) : deep(n - 1) + n;
}
}
int main()
{
	long sum = 0;
	/* Not given back: functions of the C library have names that differ from reader to reader. */
	std::vector<int> &v = *new std::vector<int>(20000);
	for (long i = 0; i < 600; i++) {
		for (size_t k = 0; k < v.size(); k++)
			v[k] = (int)((k * 7919u) ^ i);
		work::Sorter().run(v);
		sum += work::deep((int)(i % 12)) + work::spin<unsigned>(50000);
	}
	return sum == 42;
}
END
for how in "-O1 -g" "-O1 -g -no-pie" "-O0"; do
	name=$(echo "$how" | tr -d ' -')
	# shellcheck disable=SC2086
	g++ $how -o work work.cc &&
		LD_PRELOAD=$preload CPUPROFILE=$work/work.prof CPUPROFILE_FREQUENCY=1000 ./work 2>err &&
		theirs ./work ./work.prof >want && ours work.prof >have && [ "$(wc -l <want)" -gt 10 ] &&
		diff want have >why
	verdict "as_google_pprof_$name"
done
code 0 "$post" work.prof && has out "work" && has tprof.out "work::spin" && has tprof.out "gperftools"
verdict reports
ticks=$(awk '{ n += $NF } END { print n }' want)
code 0 "$post" -calltree -json -q work.prof && [ "$(jq '[.calls[].self] | add' out)" = "$ticks" ]
verdict calltree_sum

# ---- written: the same to google-pprof and to us, of a profile and of a trace
code 0 "$post" --format gperftools -q -o again.prof work.prof && theirs ./work ./work.prof >want &&
	theirs ./work ./again.prof >have && diff want have >why
verdict written_for_google_pprof
ours work.prof >want && ours again.prof >have && diff want have >why
verdict written_for_us
code 0 "$post" --format gperftools -q -o again64.prof "$data/edge/03_ok64be.prof" &&
	[ "$("$post" -show -json -q -o - again64.prof | jq 'select(.major == 16) | 1 + (.repeats // 0)' |
		awk '{ n += $1 } END { print n }')" = 10 ]
verdict written_counts
# The kernel's code has no name there; of the C library's start there are no frame pointers.
g++ -O1 -g -fno-omit-frame-pointer -o framed work.cc && "${post%post}swtrace" run -B perf -g -q -o framed.nrm2 -- \
	./framed >out 2>&1 && "$post" --format gperftools -q -o framed.prof framed.nrm2 2>err
theirs ./framed ./framed.prof | grep work:: | grep -v ';0x0000000' | sed 's/^.*;main;/main;/' | by_stack >want
ours framed.nrm2 | grep work:: | grep -v '_\[k\]' | sed 's/^.*;main;/main;/' | by_stack >have
[ "$(wc -l <want)" -gt 10 ] && diff want have >why
verdict written_from_trace

# ---- a profile by others, with what it holds in words: stacks with their counts
golden() {
	awk '/^Locations/ { at = 1; next } /^Mappings/ { at = 0 } /^samples\/count/ { s = 1; next }
		at { sub(":", "", $1); a[$1] = $2; s = 0 }
		s { line[++n] = $0 }
		END { for (i = 1; i <= n; i++) { split(line[i], w, " "); printf "%s", w[1]
			for (k = 3; k in w; k++) printf " %s", a[w[k]]; print "" } }' "$1"
}
golden "$data/cppbench.cpu.string" >want
# It shows calls instead of return addresses, and omits the signal's return, which is second in each stack.
"$post" -show -json -q -o show "$data/cppbench.cpu" &&
	jq -r 'select(.major == 16) | "\(1 + (.repeats // 0)) \(.stack_user | join(" "))"' show |
	while read -r count leaf signal rest; do
		printf '%s %s' "$count" "$leaf"
		[ "$signal" = 0x7f5e5414e5b0 ] || rest="$signal $rest"
		for address in $rest; do printf ' 0x%x' $((address - 1)); done
		echo
	done >have && [ "$(wc -l <want)" = 52 ] && diff want have >why
verdict golden

# ---- layouts, damage
for name in 00_ok64le 01_ok32le 03_ok64be 28_maps_no_newline 16_pad_nonzero 06_no_maps; do
	code 0 "$post" -folded "$data/edge/$name.prof" &&
		[ "$(awk '{ print $NF }' out | sort | tr '\n' ' ')" = "3 7 " ]
	verdict "$name"
done
damaged() { # NAME TICKS OFFSET WORDS
	code 1 "$post" -folded "$data/edge/$1.prof" && has err "at byte $3: $4" &&
		[ "$(awk '{ n += $NF } END { print n + 0 }' out)" = "$2" ]
	verdict "$1"
}
damaged 04_no_trailer_no_maps 10 152 "the file ends without a trailer"
damaged 10_trunc_mid_record 8 112 "a stack of 3 calls"
damaged 12_hdr_words_2 10 8 "a header of 4 slots"
damaged 13_version_1 10 16 "version 1"
damaged 15_period_0 10 24 "the header has no sampling period"
damaged 18_depth_0_record 10 40 "4 samples without an address"
damaged 21_depth_huge 5 80 "a stack of 1099511627776 calls"
damaged 31_data_after_trailer_binary 10 176 "40 bytes that are not text"
damaged 33_trailer_count_nonzero 5 80 "the trailer counts 1 samples"
code 1 "$post" -folded "$data/edge/24_count_sum_overflow.prof" &&
	has out " 9223372036854775807" && has err "at byte 64: "
verdict 24_count_sum_overflow
code 2 "$post" "$data/edge/07_empty.prof" && has err "empty"
verdict 07_empty
code 2 "$post" "$data/edge/09_header_trunc.prof" && has err "at byte 24: the file ends within the header"
verdict 09_header_trunc
code 0 "$post" -folded "$data/edge/19_first_pc_0_midfile.prof" && has out "NoModule 7" &&
	[ "$(awk '{ n += $NF } END { print n }' out)" = 15 ]
verdict 19_first_pc_0_midfile
code 0 "$post" -folded "$data/edge/30_64bit_hi_addr.prof" && has out "_[k] 1"
verdict 30_64bit_hi_addr
code 0 "$post" -show "$data/edge/27_maps_garbage.prof" && has post.show '"/z/bin/true"' &&
	has post.show '"/lib/ld-2.3.2.so"'
verdict 27_maps_garbage

# Cut at every byte: the ticks of the stacks that are whole; before the first of them ends there is
# nothing to report, within the header no profile.
cut_anywhere() { # FILE SLOT: a header of 5 slots; stacks of 5, 3 and 2 ticks end with slot 10, 14, 19
	local n slot want got size
	size=$(stat -c %s "$1")
	for ((n = 1; n < size; n++)); do
		head -c "$n" "$1" >cut
		slot=$((n / $2))
		want=$((slot < 5 ? -1 : slot < 10 ? 0 : slot < 14 ? 5 : slot < 19 ? 8 : 10))
		"$post" -json -q cut >out 2>err
		case $? in
		0) [ "$slot" -ge 22 ] ;;
		1) [ "$slot" -ge 5 ] ;;
		2) [ "$slot" -lt 5 ] ;;
		*) false ;;
		esac || {
			echo "cut at $n: its exit code is wrong" >why
			return 1
		}
		[ "$want" -lt 0 ] && continue
		got=$(<out) && got=${got#*'"total_ticks": '} got=${got%%,*}	# jq starts slowly
		[ "$got" = "$want" ] && continue
		echo "cut at $n: $got ticks of $want" >why
		return 1
	done
}
cut_anywhere "$data/edge/00_ok64le.prof" 8
verdict cut_64
cut_anywhere "$data/edge/03_ok64be.prof" 8
verdict cut_64_swapped
cut_anywhere "$data/edge/01_ok32le.prof" 4
verdict cut_32

# ---- version 1: a Java program's, with its symbols, in each layout
java_profile() { # PACK
	perl -e 'my $slots = sub { print pack("($ARGV[0])*", @_) };
		$slots->(0, 3, 1, 10000, 0);
		$slots->(7, 3, 0x7f001000, 0x7f002000, 0x30);
		$slots->(2, 2, 0x7f001008, 0x7f002000);
		$slots->(4, 2, 0x99, 0x30);
		$slots->(1, 1, 0x7f003000);
		$slots->(0, 1, 0);
		print "  0x7f001000 a.b.Hot.spin (Hot.java:12)\n0x7f001008 a.b.Hot.spin (Hot.java:13)\n",
			"0x7f002000 a.b.Main.main(String[]) (Main.java:-1)\n0x30 start_thread (/lib/libpthread.so)\n",
			"0x99 0xbeef generated stub/JIT\n";' "$1"
}
for pack in Q\< Q\> L\< L\>; do
	java_profile "$pack" >java.prof
	code 0 "$post" -folded java.prof && sed -E 's/^[^;]*;//' out | sort >have
	printf '%s\n' 'NoModule 1' 'a.b.Main.main(String[]);a.b.Hot.spin 2' 'start_thread;STUB 4' \
		'start_thread;a.b.Main.main(String[]);a.b.Hot.spin 7' | sort >want
	diff want have >why
	verdict "java_$pack"
done

# Its other profiles are no CPU profiles, and refused by their names.
refused() { # NAME TEXT WORDS
	printf -- "$2" >other.prof
	code 2 "$post" -r other.prof && has err "$3"
	verdict "refused_$1"
}
refused heap 'heap profile:      1:  1048576 [     1:  1048576] @ heapprofile\n' 'a heap or growth profile of gperftools'
refused growth 'heap profile:      1:  1048576 [     1:  1048576] @ growthz\n' 'a heap or growth profile of gperftools'
refused contention '--- contention:\ncycles/second = 1000\n' 'a contention profile of gperftools'
refused nothing '' 'the file is empty'

finish
