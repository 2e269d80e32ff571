#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares post's reading of a perf.data with perf's own: for files that perf record makes here in each of its modes,
# and for those in tests/data/perf: records by kind (perf report --stats), the header (perf report --header-only -I),
# each sample's time, pid, tid, address, period and call chain (perf script -D), and the number of samples of each
# thread under each name (perf script). If perf itself cannot read a file, it is compared with the same run read in
# another way.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export TZ=UTC LC_ALL=C

perf record -q -e cpu-clock -o probe.data true 2>/dev/null && [ -s probe.data ] || {
	echo "skip ${suite} perf record does not work here"
	exit 77
}

cat >work.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noinline)) void leaf(unsigned long n)
{ for (unsigned long i = 0; i < n; i++) sink += i * i; }
__attribute__((noinline)) void middle(unsigned long n) { leaf(n); sink++; }
__attribute__((noinline)) void outer(unsigned long n) { middle(n); leaf(n / 4); sink++; }
static void *run(void *name)
{
	prctl(PR_SET_NAME, name);
	for (int i = 0; i < 60; i++) {
		outer(200000);
		sched_yield();
		void *p = malloc(1 << 20);
		memset(p, 1, 1 << 20);
		free(p);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	char *names[] = { "one", "two words", "three" };
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, names[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pid_t child = fork();
	if (!child) {
		outer(10000000);
		execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; ls / >/dev/null", NULL);
	}
	waitpid(child, NULL, 0);
	return 0;
}
END
gcc -g -O1 -fno-omit-frame-pointer -o work work.c -lpthread || exit 1

# post OPTION...: what it prints on stdout; its exit code may tell of losses
post() {
	"$bin/post" -q "$@" 2>err
	[ $? -le 1 ]
}

# Removes lines that depend on the version of perf, and lines that only we have; newer versions name type and config,
# and print a config of 0.
header_of_perf() {
	perf report --header-only -I -i "$1" 2>/dev/null | sed -n 's/^# //p' | sed -E '
			s/(type = [0-9]+) \([^)]*\)/\1/; s/ config = 0 \([^)]*\),//; s/(config = 0x[0-9a-f]+) \([^)]*\)/\1/' |
		grep -v '^captured on\|^missing features\|^====\|^bpf_prog_info\|^btf info'
}
header_of_post() {
	post -info -r "$1" | sed '1,/^clock : /d' |
		grep -v '^build id : \|^aux data\|^contains tracing\|^cacheline\|^e_machine\|^rate\|^bpf programs\|^btf info'
}
# perf's own counts of samples that were lost are of later versions of it, as is how far its lines
# stand in. An event with nothing else is not told of then.
kinds() {
	grep -v '^$' | sed 's/^ *//; s/  */ /g' |
		awk '/ stats:$/ { title = $0; next } title { print title; title = "" } { print }'
}

same_kinds() { # NAME FILE
	perf report --stats -i "$2" 2>/dev/null | kinds >want
	post -stats -r "$2" | kinds >have
	[ -s want ] && diff want have >out
	verdict "kinds_$1" $?
}
same_header() { # NAME FILE
	header_of_perf "$2" >want
	header_of_post "$2" >have
	[ -s want ] && diff want have >out
	verdict "header_$1" $?
}
same_samples() { # NAME FILE [empty]
	perf script -D -i "$2" 2>/dev/null | "$top/tests/post/input/perf_samples" >want
	post -show -json -o - -r "$2" | "$top/tests/post/input/perf_samples" post >have
	{ [ -s want ] || [ "${3-}" = empty ]; } && diff want have >out
	verdict "samples_$1" $?
}
# Compares samples by thread and name for each event in turn, since a report has one event.
same_names() { # NAME FILE
	local n event
	: >have
	n=$(post -json -r "$2" | jq -r '.events[] | select(.ticks > 0) | .number')
	for event in $n; do
		post -csv -r "$2" -e "$event" >csv || return
		perl -e '
			use Text::ParseWords;
			<>;
			while (<>) {
				my ($pid, $process, $tid, $thread, $module, $symbol, $ticks) = parse_line(",", 0, $_);
				$n{"$thread $pid/$tid"} += $ticks;
			}
			print "$_ $n{$_}\n" for keys %n;' csv
	done | awk '{ n = $NF; $NF = ""; sum[$0] += n } END { for (k in sum) print k sum[k] }' |
		sed 's/^Idle 0\//swapper 0\//
			# the kernel numbers a thread that has ended, or its process as well, -1
			s/^Unknown \([0-9-]*\)\/\([0-9-]*\)/:\2 \1\/\2/' |
		sort >have
	perf script -G -i "$2" -F comm,pid,tid 2>/dev/null | sed 's/^ *//; s/ *$//; s/:$//; s/  */ /g' |
		sort | uniq -c | awk '{ n = $1; $1 = ""; sub(/^ /, ""); print $0, n }' | sort >want
	[ -s want ] && diff want have >out
	verdict "names_$1" $?
}

record() { # NAME OPTION...
	local name=$1
	shift
	perf record -q "$@" -o "$name.data" ./work 2>err || {
		echo "skip ${suite}_$name perf record $*: $(head -n 1 err)"
		return 1
	}
}

each_way() { # NAME OPTION...: perf record in this way
	record "$@" || return
	same_kinds "$1" "$1.data"
	same_header "$1" "$1.data"
	same_samples "$1" "$1.data"
	same_names "$1" "$1.data"
}

each_way plain -e cpu-clock
each_way chains -e cpu-clock -g
each_way dwarf -e cpu-clock --call-graph dwarf,4096
each_way compressed -e cpu-clock -g -z
each_way events -e cpu-clock,task-clock,page-faults,context-switches -g
each_way group -e '{cpu-clock,task-clock}'
each_way tracepoints -e sched:sched_switch,sched:sched_process_fork -c 1
each_way registers -e cpu-clock --intr-regs=ip,sp,ax --user-regs=ip,sp
each_way folder -e cpu-clock -g --threads
each_way switches -e cpu-clock --switch-events
each_way clock -e cpu-clock -k mono -g
each_way addresses -e cpu-clock -d -T --sample-cpu --phys-data
each_way buildids -e cpu-clock --buildid-mmap -g
each_way spaces -e cpu-clock --namespaces --all-cgroups --tail-synthesize
each_way system -e cpu-clock -a --switch-events -g

# Events that are counted with their leader are samples of their own.
if record leader -e '{cpu-clock,task-clock,page-faults}:S'; then
	same_kinds leader leader.data
	perf script -i leader.data --ns -F pid,tid,time,period,ip 2>/dev/null |
		sed 's/[.:]//g' | awk '{ split($1, p, "/"); sub(/^0*/, "", $2); print $2, p[1], p[2], $4, $3 }' >want
	post -show -json -o - -r leader.data | "$top/tests/post/input/perf_samples" post >have
	[ -s want ] && diff want have >out
	verdict samples_leader $?
fi

# Samples without a period have that of the event.
perf record -q -e cpu-clock -c 500000 -o fixed.data ./work >out 2>err
perf record -q -e cpu-clock,task-clock -c 1000000 -g -o fixed_two.data ./work >out 2>err
for name in fixed fixed_two; do
	same_samples $name $name.data
	same_names $name $name.data
	ticks=$(perf script -i $name.data -F event 2>/dev/null | grep -c cpu-clock)
	period=$(post -json -r $name.data | jq -r '.events[0].period')
	rm -f again.*
	post -q -e cpu-clock -format perf.data -o again.data -r $name.data >out 2>err
	is ${name}_counted "$(post -json -r again.data | jq -r '.events[0].ticks, .events[0].counted' | tr '\n' ' ')" \
		"$ticks $((ticks * period)) "
	post -q -e cpu-clock -format pprof -o again.pb.gz -r $name.data >out 2>err
	is ${name}_pprof "$(post -show -json -o - -r again.pb.gz | perl -ne 'my ($n) = /"repeats":(\d+)/;
		$sum += $1 * (1 + ($n // 0)) if /"record":"tprof".*"period":(\d+)/; END { print $sum }')" $((ticks * period))
done

# A buffer of one page: samples are lost, and reported by event.
if perf record -q -m 1 -F 20000 -e cpu-clock,page-faults -o lossy.data ./work 2>err; then
	same_kinds lossy lossy.data
fi

# A pipe's: from a file and from a pipe.
perf record -q -e cpu-clock,page-faults -g -o - ./work >pipe.data 2>err
same_kinds pipe pipe.data
same_header pipe pipe.data
same_samples pipe pipe.data
same_names pipe pipe.data
post -tprof -o - -r pipe.data | sed '/^Trace file/d' >want
post -tprof -o - - <pipe.data | sed '/^Trace file/d' >have
diff want have >out
verdict stdin $?
post -tprof -o - <(cat pipe.data) | sed '/^Trace file/d' >have
diff want have >out
verdict named_pipe $?
# perf 6.1 inject leaves the header out.
perf record -q -e cpu-clock -F 2000 -o - -- sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done' >whole.pipe 2>err
tail -c +17 whole.pipe >bare.pipe
post -csv -r whole.pipe >want
post -csv -r bare.pipe >have
[ "$(wc -l <want)" -gt 3 ] && diff want have >out
verdict pipe_without_header $?
post -validate -r bare.pipe >out
says pipe_without_header_told out '^at byte 0: the header of a pipe is missing'

TMPDIR=/nowhere "$bin/post" - <pipe.data >out 2>err
is no_place_for_a_copy $? 2
says no_place_is_told err 'TMPDIR'

# Compressed and from a pipe perf itself (6.1 at least) does not read.
perf record -q -e cpu-clock -g -z -o - ./work >packed.data 2>err
post -stats -r packed.data >out && grep -q '    COMPRESSED events' out &&
	[ "$(awk '$1 == "SAMPLE" { print $3; exit }' out)" -gt 20 ]
verdict compressed_pipe $?
# As newer versions of perf write it: COMPRESSED2 (83), which has the size of its data and is padded; here each is cut
# in two, so that records continue in the next one.
perl -e 'binmode STDIN; binmode STDOUT; local $/; $_ = <STDIN>; print substr($_, 0, 16);
	for (my $at = 16; $at < length; ) {
		my ($type, $misc, $size) = unpack("L<S<S<", substr($_, $at, 8));
		my $data = substr($_, $at + 8, $size - 8);
		my $half = length($data) / 2;
		print $type == 81 ? map { pack("L<S<S<Q<", 83, $misc, 16 + (length($_) + 7 & ~7), length $_) . $_ .
			"\0" x (-length($_) & 7) } substr($data, 0, $half), substr($data, $half) : substr($_, $at, $size);
		$at += $size;
	}' <packed.data >packed2.data
for file in packed packed2; do
	post -show -json -o - -r $file.data | jq -c 'select(.record == "tprof" or .record == "mte") | del(.offset)' >$file.json
done
[ "$(grep -c . packed.json)" -gt 20 ] && diff packed.json packed2.json | head -n 5 >out && [ ! -s out ] &&
	post -stats -r packed2.data >out && grep -q 'COMPRESSED2 events' out
verdict compressed2 $?

# Only counters.
perf stat record -o stat.data -e task-clock,page-faults -I 50 ./work >/dev/null 2>&1
same_kinds stat stat.data
same_header stat stat.data

# Stacks that were copied are unwound: who called leaf.
post -folded -r dwarf.data >folded
grep -q 'main;outer;middle;leaf [0-9]' folded && grep -q 'run;outer;middle;leaf [0-9]' folded
verdict dwarf_unwound $?
post -folded -r chains.data >folded	# leaf has no frame of its own, so middle is missing
grep -q 'main;outer;leaf [0-9]' folded && grep -q 'run;outer;leaf [0-9]' folded
verdict chains_named $?
# A report of each kind has content.
post -tprof -o - -r chains.data >out
says kernel_named out 'vmlinux'
says user_named out 'leaf'
post -sched -o - -r system.data >out
says dispatches out 'work'

# ---- what post writes, read by perf: the same samples, names, kinds
samples_of() {
	perf script -D -i "$1" 2>/dev/null | "$top/tests/post/input/perf_samples"
}
same_written() { # NAME FILE
	post -format perf.data -o "written.$1" -r "$2"
	samples_of "$2" >want
	samples_of "written.$1" >have
	[ -s want ] && diff want have >out
	verdict "written_$1" $?
	same_names "written_$1" "written.$1"
	same_kinds "written_$1" "written.$1"
	same_header "written_$1" "written.$1"
	same_samples "written_$1" "written.$1"
}
same_written plain plain.data
same_written chains chains.data
same_written events events.data
same_written switches system.data
perf report --stats -i written.switches 2>/dev/null >out
says written_dispatches out 'SWITCH_CPU_WIDE events'
perf buildid-list -i written.chains >out 2>/dev/null
says written_build_ids out "$(readelf -n work | sed -n 's/.*Build ID: //p') .*/work\$"
# Unwound stacks become call chains.
post -format perf.data -o written.dwarf -r dwarf.data
perf script -i written.dwarf -F ip,sym 2>/dev/null | awk '
	NF { chain = chain ";" $2; next } { print chain; chain = "" }' >out
says written_unwound out ';leaf;middle;outer;main'
# As perf record -o - does.
post -format perf.data -o - -r events.data | perf report --stats -i - 2>/dev/null | grep SAMPLE >have
perf report --stats -i events.data 2>/dev/null | grep SAMPLE | sed 's/ *(.*//' >want
sed 's/ *(.*//' have | diff want - >out
verdict written_pipe $?
# A trace of our own.
"$bin/swtrace" run -q -B perf -g -o own.nrm2 -- ./work >/dev/null
post -format perf.data -o written.own -r own.nrm2
want=$(post -json -r own.nrm2 | jq .total_ticks)
have=$(perf report --stats -i written.own 2>/dev/null | awk '$1 == "SAMPLE" { print $3; exit }')
is written_own "$have" "$want"
perf script -i written.own -F comm,ip,sym 2>/dev/null >out
says written_own_names out 'two words'
says written_own_chains out ' outer'

# Code that a program made, by its jitdump: no perf inject between.
if command -v node >/dev/null; then
	cat >hot.js <<'END'
function hot(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
let x = 0;
for (let i = 0; i < 600; i++) x ^= hot(300000);
END
	perf record -q -k mono -e cpu-clock -F 2000 -o jit.data \
		node --perf-prof --interpreted-frames-native-stack hot.js >/dev/null 2>err
	perf inject -j -i jit.data -o injected.data 2>err
	want=$(perf script -G -i injected.data -F ip,sym 2>/dev/null | grep -c 'JS:\*hot')
	have=$(post -csv -r jit.data | grep 'JITCODE,.*JS:\*hot' | awk -F, '{ n += $7 } END { print n + 0 }')
	# perf loses the samples between a function's first run and its announcement.
	calc "$want > 50 && $have >= $want && $have < $want * 1.2"
	verdict jit $? "$have samples of hot, perf inject has $want"
else
	echo "skip ${suite}_jit node is not installed"
fi

# ---- stacks at the entries of a PLT, whose tables ask for the program counter; ours, too
echo 'int tiny(int x) { return x + 1; }' >tiny.c
echo 'int tiny(int x); int main(void) { int s = 0; for (long i = 0; i < 200000000; i++) s = tiny(s); return s & 1; }' >plt.c
gcc -O2 -fPIC -shared -o libtiny.so tiny.c && gcc -O1 -o plt plt.c -L. -ltiny -Wl,-rpath,"$PWD" -Wl,-z,lazy
at_plt() { # NAME FILE: stacks that end there begin at the program's beginning
	post -folded -o out -r "$2"
	calc "$(awk '/;main;tiny@plt [0-9]+$/ { n += $NF } END { print n + 0 }' out) > 5" &&
		! grep -q '^plt;tiny@plt ' out
	verdict "plt_$1" $? "$(grep '^plt' out | head -n 5)"
}
if [ "$(uname -m)" = x86_64 ] && perf record -q --call-graph dwarf,8192 -F 5000 -e cpu-clock:u -o plt.data ./plt 2>err; then
	at_plt perf plt.data
	"$bin/swtrace" run -q -B perf -g=dwarf -F 5000 -o plt.nrm2 -- ./plt 2>err
	at_plt own plt.nrm2
else
	echo "skip perf_data_plt its PLT is x86-64's, or perf takes no stacks here"
fi

# ---- a thread that has ended: the kernel has no number for it any more
perl -e '
	my $body = pack("QLLQQ", 0x401000, 0xffffffff, 0xffffffff, 1000, 1);
	my $data = pack("LSS", 9, 2, 8 + length $body) . $body;
	print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, length $data, 0, 0, 0, 0, 0, 0);
	print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 0), "\0" x 64, pack("QQ", 104, 0), $data;
' >ended.data
post -show -o out -r ended.data
says ended_words out ' pid=-1 tid=-1 '
post -show -json -o - -r ended.data >out
says ended_json out '"pid":-1,"tid":-1,'
post -csv -r ended.data >out
says ended_csv out '^-1,Unknown,-1,'
is ended_report "$(post -json -r ended.data | jq -c '[.processes[0].pid, .processes[0].threads[0].tid]')" '[-1,-1]'
post -tprof -o out -r ended.data >/dev/null
says ended_tprof_out out 'Unknown_-1'

# ---- the header's size of an event is wrong: the events' own is right
perl -0777 -pe 'substr($_, 16, 8) = pack("Q", 128 + 24)' ended.data >entry.data
"$bin/post" -stats -r entry.data >out 2>err
is entry_code $? 1
says entry_told err '152 bytes an event do not divide their section of 128: the size in the first'
is entry_read "$(post -json -r entry.data | jq .total_ticks)" 1
# Neither is.
perl -0777 -pe 'substr($_, 16, 8) = pack("Q", 128 + 24); substr($_, 108, 4) = pack("L", 99)' ended.data >entry.data
"$bin/post" -stats -r entry.data >out 2>err
says entry_neither err 'do not divide their section of 128$'

# ---- one record of 20 has another length: it is named, and reading goes on behind it
with_length() { # BYTES: of the fifth, at byte 392
	perl -e '
		my $data;
		for (1 .. 20) {
			my $body = pack("QLLQQ", 0x401000, 70, 71, 1000 + $_, 1);
			$data .= pack("LSS", 9, 2, $_ == 5 ? $ARGV[0] : 8 + length $body) . $body;
		}
		print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, length $data, 0, 0, 0, 0, 0, 0);
		print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 0), "\0" x 64, pack("QQ", 104, 0), $data;
	' "$1" >length.data
}
for length in 0 4 37 44 12001; do
	with_length $length
	is "length_${length}_rest" "$(post -json -r length.data | jq .total_ticks)" 19
	post -validate -r length.data >out
	says "length_${length}_told" out '^at byte 392: .*: reading goes on at byte 432$'
done
# Nothing follows that is sure: four in a row, or what ends the file.
with_length 37
perl -0777 -pe 'substr($_, 432) = "\x7f" x 600' length.data >tail.data
is length_no_rest "$(post -json -r tail.data | jq .total_ticks)" 4
post -validate -r tail.data >out
says length_no_rest_told out '^at byte 392: .*: nothing behind it can be read$'

# ---- what perf itself could not follow: number and text of each, of both layouts (without a time, with one)
perl -e '
	my $body = pack("QLLQQ", 0x401000, 70, 71, 1000, 1);
	my $data = pack("LSS", 9, 2, 8 + length $body) . $body;
	for my $format (0, 1) {
		my $error = pack("LLLLLLQ", 1, 8 + $format, 3, 70, 71, $format, 0x401234 + $format) . ($format ? pack("Q", 900) : "") .
			pack("a64", "Trace of \e[31m words $format");
		$data .= pack("LSS", 72, 0, 8 + length $error) . $error;
	}
	$data .= pack("LSSL", 72, 0, 12, 1);
	print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, length $data, 0, 0, 0, 0, 0, 0);
	print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 0), "\0" x 64, pack("QQ", 104, 0), $data;
' >followed.data
post -validate -r followed.data >out
for format in 0 1; do
	says "aux_error_$format" out "error $((8 + format)) of an instruction trace, cpu 3, pid 70, tid 71, at 0x40123$((4 + format)): Trace of .*words $format"
done
says aux_error_short out 'AUXTRACE_ERROR: too short'
is aux_error_escaped "$(grep -c "$(printf '\033')" out)" 0

# ---- a newer perf: it reads what post wrote as this one does, and post what it records
if newer=$("$top/scripts/vm/perf" 2>out) && "$newer" version >out 2>&1; then
	ours=$(command -v perf)
	# Addresses of chains are in -D: one version prints them relative to the module, the other absolute; the newer
	# one has no name for an exited thread, and knows more about plt entries, which the other shows as unknown or
	# _init. Demangling differs, so names stay mangled. For the whole system, only our program's names are
	# compared: files of others may disappear between the two.
	as_read() { # PERF FILE [OPTION]
		"$1" report --stats -i "$2" 2>/dev/null | kinds
		"$1" script -D -i "$2" 2>/dev/null | "$top/tests/post/input/perf_samples"
		"$1" script --no-demangle ${3+"$3"} -i "$2" --ns -F pid,tid,time,event,ip,sym 2>/dev/null |
			sed -E 's/^\t *[0-9a-f]+ //; s/^ +//; s/ +/ /g; s/(^| )(_init|\.plt|[^ ]*@plt|\[unknown\])$/\1?/'
		"$1" buildid-list -i "$2" 2>/dev/null | sort
	}
	# In a process that just ends one of them may find a library that is gone for the other: of a few
	# samples one of them has a name, and the other none.
	differences() {
		[ "$(wc -l <want)" = "$(wc -l <have)" ] || { diff want have | head -n 40; return; }
		paste -d $'\x01' want have | awk -F '\001' '
			{ a = $1; b = $2 }
			a != b && (a ~ /(^| )\?$/) != (b ~ /(^| )\?$/) {
				sub(/[^ ]*$/, "", a)
				sub(/[^ ]*$/, "", b)
				if (a == b && unknown++ < 3)
					next
			}
			a != b { print "< " $1 "\n> " $2 }' | head -n 40
	}
	for file in written.*; do
		[ "$file" != written.switches ] || set -- "--pid=$("$ours" script -i "$file" -F comm,pid 2>/dev/null |
			awk '$1 == "work" { print $2 }' | sort -u | paste -sd,)"
		as_read "$ours" "$file" "$@" >want
		as_read "$newer" "$file" "$@" >have
		set --
		differences >out
		[ -s want ] && [ ! -s out ]
		verdict "newer_reads_$file" $?
	done
	perf() {
		"$newer" "$@"
	}
	each_way newer_plain -e cpu-clock
	each_way newer_chains -e cpu-clock -g
	each_way newer_compressed -e cpu-clock,page-faults -g -z
	each_way newer_addresses -e cpu-clock -d -T --sample-cpu --phys-data --data-page-size --code-page-size
	each_way newer_folder -e cpu-clock -g --threads
	if record newer_system -e cpu-clock -a --switch-events -g; then
		same_kinds newer_system newer_system.data
		same_header newer_system newer_system.data
		same_samples newer_system newer_system.data
	fi
	unset -f perf
else
	verdict newer_is_there 1
fi

# ---- whose code a sample was in: perf says the same of what post has written, the kernel's and its modules' too,
# whatever machine it was recorded on; with -kmap, too
printf 'ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff82000000 T _etext\n' >other.kallsyms
dsos() { # PERF FILE
	"$1" script -G -F pid,tid,time,ip,dso -i "$2" 2>/dev/null | sed -E 's/ +/ /g; s/^ //' | sort
}
same_dsos() { # PERF NAME FILE
	local how
	dsos "$1" "$3" >want
	for how in "" -kmap; do
		post -format perf.data -o dsos.file $how ${how:+other.kallsyms} -r "$3"
		dsos "$1" dsos.file >have
		[ -s want ] && diff want have >diffs
		verdict "dsos_$2$how" $? "$(wc -l <want) samples, differ: $(grep -c '^[<>]' diffs): $(head -n 6 diffs)"
	done
	post -format perf.data -o - -r "$3" | cat >dsos.pipe
	dsos "$1" dsos.pipe >have
	[ -s want ] && diff want have >diffs
	verdict "dsos_$2_pipe" $? "$(wc -l <want) samples, differ: $(head -n 6 diffs)"
}
kernel_maps() { # FILE: mappings of the kernel and its modules, with their build ids
	perf script -D -i "$1" 2>/dev/null | grep -oE 'PERF_RECORD_MMAP2? -1/0: .*' | sed -E 's/^PERF_RECORD_MMAP2?//; s/<[^>]*>//' | sort
}
perf record -q -a -e cpu-clock -F 500 -o whole.data sh -c 'i=0; while [ $i -lt 40 ]; do i=$((i+1)); cat /proc/self/maps; done' >/dev/null 2>err
for f in whole.data "$top"/tests/data/perf/perf.data.{branch-4.14,callgraph-3.8,i686-3.4,lost_samples-4.4,singleprocess-3.8,piped.header_features-4.16}; do
	name=${f##*perf.data.}
	same_dsos perf "$name" "$f"
	post -format perf.data -o dsos.file -r "$f"
	kernel_maps "$f" >want
	kernel_maps dsos.file >have
	[ -s want ] && diff want have >out
	verdict "kernel_maps_$name" $? "$(wc -l <want) mappings, differ: $(head -n 4 out)"
	perf buildid-list -i "$f" 2>/dev/null | grep '\[kernel\|\.ko' | sort >want
	perf buildid-list -i dsos.file 2>/dev/null | grep '\[kernel\|\.ko' | sort >have
	diff want have >out
	verdict "kernel_ids_$name" $?
	if newer=$("$top/scripts/vm/perf" 2>out) && "$newer" version >out 2>&1; then
		# That one refuses features of a pipe.
		case $name in piped*) continue ;; esac
		same_dsos "$newer" "newer_$name" "$f"
	fi
done
# A file with only a range of time keeps them.
perf script -F time -i whole.data 2>/dev/null | tr -d ' :' >times
post -time "-$(sed -n "$((($(wc -l <times) + 1) / 2))p" times)" -format perf.data -o part.data -r whole.data >out 2>&1
kernel_maps whole.data >want
kernel_maps part.data >have
diff want have >diffs
verdict kernel_maps_of_a_part $? "$(wc -l <times) samples; $(head -n 2 out); $(head -n 4 diffs)"

# ---- files of other versions
for f in "$top"/tests/data/perf/perf.data.*; do
	name=${f##*perf.data.}
	case $name in
	*corrupted*)
		post -validate -r "$f" >out
		says "fault_$name" out '^at byte 49104: '
		continue
		;;
	esac
	same_kinds "$name" "$f"
	same_header "$name" "$f"
	case $name in
	branch*) perf script -D -i "$f" 2>/dev/null | sed '/branch stack: nr/,/^$/d' |
			"$top/tests/post/input/perf_samples" >want
		post -show -json -o - -r "$f" | "$top/tests/post/input/perf_samples" post >have
		diff want have >out
		verdict "samples_$name" $?
		;;
	*) same_samples "$name" "$f" ;;
	esac
	same_names "$name" "$f"
done
[ $failures = 0 ]
