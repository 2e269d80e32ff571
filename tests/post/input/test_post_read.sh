#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The results of readers for small files with each kind of record, and numbers at their limits: every field of every
# record, and each fault with its place, against golden files (tests/data/golden/read; UPDATE=1 writes them again:
# then read what changed).
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
mkdir -p "$top/tests/data/golden/read"

image() { # FILE KIND...
	"$here/odd_image" "${@:2}" >"$1"
}
records() { # FILE: each, then the faults
	"$post" -q -show -json -o - "$1" 2>err
	echo "exit code $?"
	"$post" -validate "$1" 2>&1
}
golden() { # NAME, the text on stdin
	local to=$top/tests/data/golden/read/$1
	cat >text
	[ -z "${UPDATE:-}" ] || cp text "$to"
	[ -s text ] && diff -u "$to" text >why
	verdict "$1"
}
twins() { # NAME FILE FILE: of two layouts, the same records
	diff <("$post" -q -show -json -o - "$2" 2>err) <("$post" -q -show -json -o - "$3" 2>err) >why && [ -s "$2" ]
	verdict "$1"
}

# ---- XRay
for version in 5 4 2; do
	image log fdr $version little
	image big fdr $version big
	records log | golden fdr_$version
	twins fdr_${version}_big log big
done
image log sized
records log | golden fdr_sized
image log basic little
image big basic big
records log | golden basic
twins basic_big log big
for kind in fdr basic; do
	image log bad-$kind
	records log | golden bad_$kind
done
for file in "$top"/tests/data/xray/edge/*; do
	"$post" -validate "$file" 2>&1 | sed "s|$top/||"
done | golden xray_edges

# What reports make of them: all forms and numbers.
for kind in 'fdr 5' 'fdr 4' 'fdr 2' basic; do
	# shellcheck disable=SC2086 # two words
	image log $kind little
	for form in '' -json -csv; do
		# shellcheck disable=SC2086 # a word or none
		"$post" -q -functions $form -o - log 2>&1 | sed -E 's/(post|pitrace) [0-9.]+/\1/'
		echo "exit code ${PIPESTATUS[0]}"
	done
	"$post" -q -marks -csv -o - log 2>&1
done | golden xray_functions

# ---- gperftools
image prof profile 8 little
records prof | golden profile
for layout in '8 big' '4 little' '4 big'; do
	# shellcheck disable=SC2086 # two words
	image other profile $layout
	twins "profile_${layout/ /_}" prof other
done
image prof bad-profile
records prof | golden bad_profile
image prof nuls
records prof | golden profile_nuls
image prof upper
"$post" -q -show -json -o - prof | jq -r 'select(.record == "tprof") | "\(.address) \(.kind)"' | golden profile_upper
for period in 0 1 4294967 4294968 18446744073709551615; do
	image prof header $period
	"$post" -validate prof 2>&1
	"$post" -q -show -json -o - prof 2>err | jq -c 'select(.period or .rate) | [.time, .period, .rate]'
done | golden profile_periods
for calls in 8191 8192 8193; do
	image prof deep $calls
	"$post" -q -show -json -o - prof | jq -c 'select(.record == "tprof") |
		[.stack_flags, (.stack_user | length), .stack_user[0], .stack_user[-1]]'
done | golden profile_deep
for file in "$top"/tests/data/gperftools/edge/*; do
	"$post" -validate "$file" 2>&1 | sed "s|$top/||"
done | golden gperftools_edges

# ---- perf.data
for kind in odd details deferred; do
	"$here/perf_${kind}_image" >perf.data
	"$here/perf_${kind}_image" big >big.data
	records perf.data | golden perf_$kind
	twins perf_${kind}_big perf.data big.data
done
"$here/perf_odd_image" >perf.data
"$post" -info perf.data 2>&1 | golden perf_info

# ---- pprof
image profile pprof
{
	records profile
	"$post" -info profile 2>&1
	"$post" -q -folded -inline profile 2>err
	"$post" -q -csv profile 2>err
} | golden pprof

# ---- logs of a Java VM
cat >log-rt <<'END'
pitrace log-rt
metric 1: wall (cycles) by rdtsc
metric 2: instructions completed
entries 9007
not kept: calls deeper than 2 were 5
left out: calls that took less than 100: 3 of them

 LV CALLS CEE BASE DELTA BASE2 DELTA2 DS NAME
 0     0    1    1    2     3      4  5 main_77
 1     7    0   10   20    30     40  - J:Shop.open()V
 2     8    0   -3    0     0      0  0 a\\b\x07c
 4     9    0    1    1     1      1  1 too.deep
 2     9    0    1    1     1      1
 2     9    0    1    x     1      1  1 no.number
 2    18446744073709551616    0    1    1     1      1  1 too.many
 0     0    0    6    0     0      0  0 a thread without a number
END
# BASE of all lines is 17, with DELTA 39: what still fits, and what does not.
for base in 9223372036854775768 9223372036854775769 9223372036854775790 9223372036854775791; do
	{ cat log-rt && echo " 0     0    0 $base    0     0      0  0 more_1"; } >log-rt-more
	echo "$base"
	"$post" -validate log-rt-more 2>&1 | grep 'can be counted'
done | golden log-rt-sums
for log in log-rt log-gen bad-log-gen; do
	[ $log = log-rt ] || image $log $log
	{
		"$post" -functions -csv "$log" 2>err
		echo "exit code $?"
		"$post" -calls -csv "$log" 2>err
		"$post" -q -json "$log" 2>err | jq -c '.events[]'
		"$post" -validate "$log" 2>&1
		"$post" -info "$log" 2>&1
	} | golden $log
done
for head in '1 0' '1 1' '1 8' '1 9' '0 1' '3 1'; do
	# shellcheck disable=SC2086 # two words
	image log log-gen-head $head
	"$post" -validate log 2>&1
done | golden log-gen-heads

# ---- several traces: their facts, tables and faults
printf '%s\n' '0 on' '0 task walk 100 1 job' '10 sample 0 100 0x401010' '20 lost 1 0 7' '30 off' >story
"$make_script" --facts=$'host: one\nroom: 5\n' one.nrm2 <story &&
	"$make_script" --facts=$'host: two\nroom: 5\n' --later=3 --machine=aarch64 --wrap two.nrm2 <story || exit 1
head -c $(($(stat -c %s two.nrm2) - 40)) two.nrm2 >cut.nrm2
image prof bad-profile
# How large a compressed file is depends on the library.
sizes() {
	sed 's/\(size *: \)[0-9]*/\1N/; s/merged, [0-9]*/merged, N/; s/at byte [0-9]*: cut/at byte N: cut/'
}
"$post" -info one.nrm2 two.nrm2 2>&1 | sizes | golden merged_info
"$post" -info two.nrm2 one.nrm2 prof nothing 2>&1 | sizes | golden merged_info_profile
"$post" -q -json -cpu two.nrm2 one.nrm2 2>err | jq -c 'to_entries[]' | sed "s/$(sed 's/\./\\./g' "$top/VERSION")/VERSION/" |
	golden merged_report
"$post" -validate one.nrm2 cut.nrm2 prof nothing 2>&1 | sizes | golden merged_faults
finish
