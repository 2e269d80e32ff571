#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# post and files: which are written where, what becomes of older ones, exit codes, and input that is
# cut, damaged, no trace, or not there.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

"$make_trace" clean swtrace.nrm2 || exit 1
"$make_trace" story story.nrm2 || exit 1

# ---- output
code 0 "$post" && has out "full report: tprof.out" && ! [ -e tprof.out.old ]
verdict default_files
cp tprof.out first
code 0 "$post" -q && cmp first tprof.out.old >why && [ -e tprof.out ]
verdict old_is_kept
code 0 "$post" -r swtrace.nrm2 -o mine && [ -s mine ] && has out "full report: mine"
verdict output_named
echo precious >target && ln -s target link && code 2 "$post" -q -o link && has err "symbolic link" &&
	[ "$(cat target)" = precious ] && [ -L link ]
verdict link_is_refused
code 0 "$post" -q -o /dev/null
verdict dev_null
rm -f tprof.out* && code 0 "$post" -o - && ! [ -e tprof.out ] && has out ")) Module_Symbol"
verdict dash_writes_no_file
mkdir sub && code 2 "$post" -o sub && has err "sub"
verdict output_is_a_folder
code 2 "$post" -o nosuch/file && has err "nosuch/file" && has out "spin_unlock"
verdict unwritable_still_shows
"$post" -o - >/dev/full 2>err
[ $? = 2 ] && has err "No space left"
verdict full_disk
# If tprof.out cannot be written, the screen is sufficient; a file that the user requested is not optional.
mkdir there
there() { # OPTIONS-OF-MOUNT POST-OPTION...: in a folder of its own, whose disk is full
	unshare -rm sh -c 'mount -t tmpfs -o "$1" none there && cd there || exit 9
		[ "$1" != size=4k ] || head -c 4096 /dev/zero >fill || exit 9
		shift && exec "$@"' sh "$1" "$post" -r "$work/swtrace.nrm2" "${@:2}" >out 2>err
}
if unshare -rm true 2>/dev/null; then
	for how in size=4k ro; do
		why="No space left"
		[ "$how" != ro ] || why="Read-only file system"
		there $how
		[ $? = 1 ] && has err "$why" && has err "tprof.out could not be written" &&
			has out spin_unlock && ! has out "full report"
		verdict "screen_without_a_file_${how%=*}"
		there $how -o mine
		[ $? = 2 ] && has err "$why" && has out spin_unlock
		verdict "named_file_${how%=*}"
		there $how -q
		[ $? = 2 ] && has err "$why"
		verdict "quiet_${how%=*}"
	done
	there size=4k -sched
	[ $? = 1 ] && has err "sched.out could not be written"
	verdict screen_without_a_file_sched
else
	echo "skip post_files_no_namespaces unshare is not permitted"
fi

# ---- options
code 0 "$post" -i swtrace.nrm2 -o - && code 0 "$post" --in swtrace.nrm2 -o - &&
	code 0 "$post" -o - ./swtrace.nrm2
verdict input_options
# None is silently left out.
code 2 "$post" -r story.nrm2 -r swtrace.nrm2 && has err "what is swtrace.nrm2" &&
	code 2 "$post" -r story.nrm2 swtrace.nrm2 && has err "what is swtrace.nrm2"
verdict input_twice
code 0 "$post" -help && has out "Usage: post" && code 0 "$post" --help && code 0 "$post" -h
verdict help
code 0 "$post" -version && has out "post (pitrace)" && code 0 "$post" --version
verdict version
code 2 "$post" -nonsense && code 2 "$post" -clip 101 && code 2 "$post" -clip x &&
	code 2 "$post" a b &&
	code 2 "$post" -csv -json
verdict usage
for form in -json -csv; do
	code 2 "$post" -html $form && has err "-html cannot be combined" && ! [ -e post.html ]
	verdict "html_has_no_$form"
done
code 0 "$post" && ! grep -q "$(printf '\033')" out
verdict no_colour_in_pipes
red=$(printf '\033')'\[31m'
code 0 "$post" -color=always && grep -q "$red" out && code 0 "$post" --color && grep -q "$red" out &&
	NO_COLOR=1 code 0 "$post" -color=always && grep -q "$red" out
verdict colour_always
code 0 "$post" -annotate -color=always -o - && grep -q "$red" out && code 0 "$post" -annotate -o - && ! grep -q "$red" out
verdict annotated_colour_always
code 2 "$post" -color=red && has err "-color: invalid value 'red': expected auto, always or never"
verdict colour_words
if command -v script >/dev/null; then
	script -qec "$post -color=never swtrace.nrm2" /dev/null >out </dev/null && ! grep -q "$red" out &&
		script -qec "$post -color=auto swtrace.nrm2" /dev/null >out </dev/null && grep -q "$red" out
	verdict colour_never
	script -qec "$post swtrace.nrm2" /dev/null >out </dev/null &&
		grep -q "$(printf '\033')\[31m" out
	verdict colour_on_terminal
	NO_COLOR=1 script -qec "$post swtrace.nrm2" /dev/null >out </dev/null &&
		! grep -q "$(printf '\033')" out
	verdict no_color
else
	echo "skip post_files_colour_on_terminal script is not installed"
	echo "skip post_files_no_color script is not installed"
	echo "skip post_files_colour_never script is not installed"
fi

# ---- what a file says of itself, as tables
code 0 "$post" -stats -csv && sum=$(awk -F, 'NR > 1 && $2 != "TOTAL" { n += $3 } END { print n }' out) &&
	has out ",TOTAL,$sum" && code 0 "$post" -stats && has_line out TOTAL events: "$sum"
verdict stats_csv
code 0 "$post" -info -csv && sed 1d out | sed 's/,/ : /' | tr -d '"' | LC_ALL=C sort >have &&
	code 0 "$post" -info && tr -d '"' <out | sed 's/ *: */ : /' | LC_ALL=C sort | diff - have >why
verdict info_csv
# A path of any length is shown whole.
deep=$(printf 'd%.0s' {1..200}) && deep=$deep/$deep/$deep && mkdir -p "$deep" && cp story.nrm2 "$deep" &&
	code 0 "$post" -info "$deep/story.nrm2" && has_line out file : "$deep/story.nrm2" &&
	code 0 "$post" -info -json "$deep/story.nrm2" && has out "file : $deep/story.nrm2\""
verdict info_long_path
head -c 3000 story.nrm2 >part
code 1 "$post" -validate -csv part && [ "$(sed 1d out | wc -l)" = 1 ] && at=$(sed 1d out | cut -d, -f1) &&
	code 1 "$post" -validate part && has out "at byte $at: "
verdict validate_csv
head -c 3000 /dev/zero >nothing
code 0 "$post" -validate swtrace.nrm2 && code 1 "$post" -validate part && code 2 "$post" -validate nothing &&
	has err 'nothing: at byte 0: '
verdict validate_codes

# ---- input
code 2 "$post" nosuch.nrm2 && has err "nosuch.nrm2: No such file"
verdict no_file
(cd sub && "$post" 2>err; [ $? = 2 ] && grep -q "swtrace run" err)
verdict no_default_file
: >empty && code 2 "$post" empty && has err "empty"
verdict empty
code 2 "$post" /bin/sh && has err "a program or library, no trace"
verdict no_trace
code 2 "$post" . && has err "not a regular file"
verdict folder
mkfifo pipe && code 2 timeout 10 "$post" pipe
verdict fifo_does_not_hang
head -c 100 story.nrm2 >part && code 2 "$post" part && has err "cut"
verdict cut_in_header

# Cut anywhere: never a crash; 1 as soon as the header is whole.
size=$(stat -c %s story.nrm2)
bad=
for ((n = 256; n < size; n += 97)); do
	head -c "$n" story.nrm2 >part
	"$post" -q -o /dev/null part 2>err
	[ $? = 1 ] && grep -q "at byte" err || bad="$bad $n"
done
echo "cut at:$bad" >why
[ -z "$bad" ]
verdict cut_anywhere

# A damaged section is reported with its place, all others are used.
"$post" -json story.nrm2 2>/dev/null | jq .total_ticks >whole
cp story.nrm2 hurt &&
	printf 'garbage!' | dd of=hurt bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
code 1 "$post" hurt && has err "hurt: at byte " && has out "damaged: 1 fault" &&
	has tprof.out "Damage" &&
	has err "records were read all the same"
verdict damaged
"$post" -json hurt 2>/dev/null >out
jq -e --argjson whole "$(cat whole)" '.total_ticks < $whole and .total_ticks > 0 and
	.clean == false and
	(.damage | length == 1) and .damage[0].offset > 256' out >why
verdict damaged_json
code 1 "$post" -show -json -o - hurt && jq -c . out >/dev/null && has err "at byte"
verdict damaged_show

# Complete records with absurd content are reported, never trusted.
bad=
for seed in 1 2 3; do
	"$make_trace" hostile senseless.nrm2 "$seed"
	for options in "-q -off -cpu -o /dev/null" "-json -o json" "-csv -o /dev/null" \
		"-sched -offcpu -irq -syscalls -faults -q -o /dev/null" "-sched -csv -o /dev/null" \
		"-sched -offcpu -irq -syscalls -faults -json -o times" \
		"-show -o /dev/null" "-show -json -o lines"; do
		# shellcheck disable=SC2086
		"$post" $options senseless.nrm2 >out 2>err
		[ $? = 1 ] || bad="$bad [$seed $options]"
	done
	jq -e '[.processes[].ticks] | add' json >/dev/null &&
		jq -e .sched.cpus times >/dev/null && jq -c . lines >/dev/null || bad="$bad [$seed json]"
	grep -q "more faults" err || bad="$bad [$seed not told]"
done
echo "senseless:$bad" >why
[ -z "$bad" ]
verdict senseless_records

# Damage anywhere: never a crash, never a silent 0 but in bytes that mean nothing.
bad=
for ((n = 256; n < size; n += 61)); do
	cp story.nrm2 hurt && printf '\377' | dd of=hurt bs=1 seek="$n" conv=notrunc 2>/dev/null
	"$post" -q -o /dev/null hurt 2>err
	[ $? = 1 ] || bad="$bad $n"
done
echo "damaged at:$bad" >why
[ -z "$bad" ]
verdict damaged_anywhere
finish
