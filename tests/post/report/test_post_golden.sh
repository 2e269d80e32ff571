#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every report of made traces, in text, JSON and CSV, whole and filtered, and the exports that are text,
# against golden files (tests/data/golden/post; UPDATE=1 writes them anew: then read what changed).
# The other suites say what is right; this one that nothing else changed.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

version=$(sed 's/\./\\./g' "$top/VERSION")
for story in sched calls odd whole locks; do
	grep -v '^#' "$here/post_$story.story" | sort -sn | "$make_script" $story.nrm2 || exit 1
done
"$make_script" --wrap --stopped --collector=perf --scope=100 narrow.nrm2 < \
	<(grep -v '^#' "$here/post_whole.story" | sort -sn) || exit 1
for story in itrace moved; do
	sed 's/HELLO/\/nowhere\/hello/' "$here/post_$story.story" | "$make_script" --collector=ptrace $story.nrm2 || exit 1
done
for scene in story times stacks odd_stacks events no_samples; do
	"$make_trace" $scene $scene.nrm2 || exit 1
done

# Numbers of ticks, some of them 256 apart, as many digits as there are columns for, and a deep stack of one function.
{
	echo '0 on
0 task walk 100 1 app
0 map 100 0x400000 0x10000 0 /nowhere/app'
	for n in 1 257 513 2 258 1000; do
		for ((i = 0; i < n; i++)); do
			echo "$((n + i)) sample $((n % 3)) 100 $((0x400000 + n * 16))"
		done
	done | sort -sn
	echo '9000 off'
} | "$make_script" many.nrm2 || exit 1

# The same as one story, in cgroups.
{
	grep -v '^#' "$here/post_whole.story"
	printf '0 cgroup %s\n' '100 /system.slice/nginx.service' '200 /docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'
} | sort -sn | "$make_script" groups.nrm2 || exit 1

# Records of each kind that are too short for what they are, among whole ones.
for minor in 1 2 52 65 66 67 99 100 101 102 103 120 121 122; do
	echo "$((100 + minor)) raw 0 0x19 $minor 4"
done >short
for major in 3 4 5 0x10 0x11 0x12 0x20 0x21 0x28 0x29 0x2c 0x2e 0x2f 0x31 0xb0 0xc2 0xc4 0xc6 0xc8 0xd0; do
	printf "%d raw 0 $major %d 4\n" $((300 + major)) 1 $((310 + major)) 2
done >>short
grep -v '^#' "$here/post_calls.story" | sort -sn - short | "$make_script" broken.nrm2 || exit 1

# each OPTION...: what a call prints, its exit code, under a head
each() {
	printf '======== %s\n' "$*"
	"$post" -q -o - "$@" "$trace.nrm2" >one 2>&1
	printf '======== exit code %s\n' $?
	cat one
}

# shown OPTION...: what a terminal shows, beside the report's file.
shown() {
	printf '======== shown %s\n' "$*"
	COLUMNS=100 "$post" "$@" -o file "$trace.nrm2" >one 2>&1
	printf '======== exit code %s\n' $?
	cat one
}

samples() {
	each -tprof
	each -tprof -cpu -off
	each -tprof -nsf -clip 10 -v
	each -tprof -pnm
	each -tprof -tnm -csv
	each -tprof -cpu -off -csv
	each -tprof -cpu -json
	each -calltree
	each -calltree -json
	each -calltree -csv -pnm
	each -callers
	each -callers -csv
	each -callees -json
	each -callees=spin_unlock
	each -folded
}

times() {
	for report in sched offcpu critical irq syscalls faults marks; do
		each -$report
		each -$report -json
		each -$report -csv
	done
	each -sched -pnm
	each -sched -tnm -json
	each -offcpu -calltree
	each -offcpu -callers -json
	each -offcpu -folded
	each -marks -pnm
	each -syscalls -clip 10
}

cgroups() {
	for report in tprof calltree callers sched offcpu critical irq syscalls faults marks; do
		each -$report -cgroup
		each -$report -cgroup -csv
	done
	each -tprof -cgroup -json
	each -calltree -cgroup -json
	each -sched -cgroup -json
	each -folded -cgroup
	each -tprof '-cgroup=*.service'
	each -sched -cgroup=docker:0123456789ab,unknown -csv
	shown -tprof -cgroup
	shown -calltree -cgroup
}

locks() {
	each -locks
	each -locks -json
	each -locks -csv
	each -locks -pnm
	each -locks -pnm -csv
	each -locks -tnm -json
	each -locks -clip 20
	each -locks -clip 20 -csv
	each -locks -pid 200
	each -locks -tid 101,102 -json
	each -locks -comm 'a*'
	each -locks -time 0.0001-0.0003
	shown -locks
}

many() {
	each -tprof -nsf
	each -tprof -nsf -csv
	each -tprof -nsf -cpu
	each -tprof -nsf -clip 13
	each -tprof -off
	shown -tprof -nsf
}

screens() {
	for report in tprof calltree callers sched offcpu critical irq syscalls faults marks stats; do
		shown -$report
	done
	shown -tprof -pnm -clip 5
	shown -tprof -cpu -off -pid 100
}
instruction_screens() {
	for report in arc flow tree verify; do
		shown -$report
	done
}

filtered() {
	each -tprof -pid 100 -time 10.0001-10.001
	each -sched -tid 101,200 -csv
	each -syscalls -comm 'sh*,other' -csv
	each -marks -time -10.0002 -csv
	each -faults -cpus 1 -csv
	each -show -pid 200-300 -json
	each -tprof -symbol spin_unlock,copy_to_user -csv
}

explained() {
	for what in 100:0x400100:10.00003 100:0x7f0000000010:10.00014 300:0x400010:10.00035 300:0x400010:10.00033 \
		100:0x9999999:10.00028 100:0xffffffff81001010:10.00001 999:0x400100:10.00003 200:0x400010:1; do
		each -explain $what
		each -explain $what -json
	done
}

instructions() {
	for report in arc flow tree; do
		each -$report
		each -$report -json
		each -$report -csv
	done
	each -arc -c
	each -arc -ck
	each -arc -cp -csv
	each -tree -callers
	each -tree -callees -json
	each -tree -folded
	each -tree -own
	each -disasm
	each -verify
}

file() {
	each -info
	each -info -json
	each -stats
	each -stats -json
	each -validate
	each -show
	each -show -json
}

by_event() {
	for event in 1 2; do
		each -tprof -e $event
		each -tprof -e $event -json
	done
	each -calltree
}

exports() {
	for format in chrome speedscope firefox folded; do
		each -format $format
	done
}

# Comparisons of call stacks, some of them deeper than rows are indented.
compare_by() { # OPTION... FILE...
	printf '======== arcf %s\n' "$*"
	"$(dirname "$post")/arcf" "$@" >one 2>&1
	printf '======== exit code %s\n' $?
	cat one
}
comparisons() {
	local deep
	deep=$(seq -f 'f%g' -s ';' 34)
	printf '%s 7\napp;main;read_[k] 50\napp;main;parse;inner_[i] 30\napp;idle 9\n' "$deep" >a.folded
	printf '%s 9\napp;main;read_[k] 90\napp;main;parse 31\ntool;main 4\n' "$deep" >b.folded
	printf 'app;main;read_[k] 1\napp;main 12\nidle 2\n' >c.folded
	for files in a.folded 'a.folded b.folded' 'a.folded b.folded c.folded'; do
		for way in -merge -subtract -min; do
			for by in name path process; do
				# shellcheck disable=SC2086 # words
				compare_by $way -by $by $files
			done
			for form in '-by path -total -n 4' '-by path -n 0' -absolute '-json -clip 5' '-csv -clip 5' -folded '-comm app'; do
				# shellcheck disable=SC2086 # words
				compare_by $way $form $files
			done
		done
	done
	for form in '-folded -by name' '-folded -by process' '-csv -by path' '-json -by path -clip 20' '-absolute -by path -n 3' '-absolute -csv' '-total -by process' '-clip 40 -by path'; do
		# shellcheck disable=SC2086 # words
		compare_by -add $form a.folded b.folded
	done
	for form in '' '-by path' '-by process -json' -csv -folded '-exact -n 2' '-sampled -total' '-clip 10 -by path' '-ratio -json' \
		'-exact -json -clip 20' '-exact -csv' '-exact -total -n 3' '-ratio -n 4' '-ratio -csv' '-ratio -exact -json -clip 20' '-sampled -by path -clip 20' '-by process' '-folded -by name'; do
		# shellcheck disable=SC2086 # words
		compare_by -diff $form a.folded b.folded
	done
	deep=$(seq -f 'f%g' -s ';' 64)
	printf '%s 7\n' "$deep" >deep.folded
	compare_by -by path -n 0 -merge deep.folded a.folded
	compare_by -by path -n 0 -diff deep.folded a.folded
	compare_by -new-budget a.folded
	"$(dirname "$post")/arcf" -new-budget a.folded >budget
	compare_by -budget budget a.folded
	compare_by -budget budget b.folded
	compare_by -budget budget -json b.folded
	compare_by -budget budget a.folded b.folded
	compare_by -by path -merge story.nrm2 whole.nrm2
	compare_by -diff -total story.nrm2 whole.nrm2
}

# Logs of calls, jprof's and XRay's: their trees, too.
logs() {
	for log in logs/gen-vm logs/gen-two logs/gen-cut logs/rt-vm logs/rt-columns fdr.xray basic.xray; do
		for report in '-tree -o -' '-tree -json' '-calltree -o -' '-calltree -json' '-callers -o -' '-callees -csv' -folded '-functions -o -' '-functions -json' \
			'-calls -o -' '-tprof -o -' '-format speedscope -o -' '-format chrome -o -'; do
			printf '======== %s %s\n' "$report" $log
			# shellcheck disable=SC2086 # words
			"$post" -q $report -r $log >one 2>&1
			printf '======== exit code %s\n' $?
			head -n 60 one
		done
	done
}

# Keeps the common beginning of all reports only once.
begin_once() {
	awk '/^======== / { cut = 0; runs += /^======== exit code/; print; next }
		cut { cut = !/^Lost/; next }
		runs > 1 && /report, pitrace/ { cut = 1; next }
		{ print }'
}
golden() { # TRACE GROUP...
	local group trace=$1
	shift
	for group; do
		$group
	done | begin_once | sed "s/$version/VERSION/g" >all
	mkdir -p "$top/tests/data/golden/post"
	same all ../../data/golden/post/"$trace"
	verdict "$trace"
}

golden whole samples times filtered explained file exports screens
golden narrow times file screens
golden story samples filtered exports screens
golden stacks samples exports screens
golden odd_stacks samples exports
golden times samples exports
golden events file by_event
golden no_samples file
golden sched times screens exports
golden calls times screens exports
golden odd times screens exports
golden broken times file exports
golden itrace instructions file exports instruction_screens
golden moved instructions
golden locks locks times exports
golden many many
golden groups cgroups
golden compared comparisons
"$top/tests/fuzz/seeds" unpack jprof logs || exit 1
cp "$top/tests/data/xray/fdr-log-arg1.xray" fdr.xray
cp "$top/tests/data/xray/basic-log-version-3.xray" basic.xray
golden logs logs
finish
