#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Messages contain arguments, paths and names of others: none must reach the terminal unescaped. Each program,
# sub-command and option is given a word that would set the terminal's title.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export PITRACE_SOCKET=$work/socket PITRACE_PTT=$work/ptt XDG_CONFIG_HOME=$work
word=$(printf 'a\033]0;b\007\302\233c\nd')
escaped='a\\x1b\]0;b\\x07\\xc2\\x9bc\\x0ad'

# Whatever a program does with these words, its messages are visible text, and there is at least one.
raw=0 spoke=0
try() { # COMMAND...
	timeout -k 1 5 "$@" </dev/null >out 2>err
	if LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out err; then
		raw=$((raw + 1))
		printf '    raw:%s\n' "$(printf ' %q' "$@")" >>"$work/told"
	fi
	! grep -qaE "$escaped" out err || spoke=$((spoke + 1))
}
judge() { # NAME LEAST: at least so many of the messages show the word
	cp told out 2>/dev/null || : >out
	[ $raw = 0 ] && [ $spoke -ge "$2" ]
	verdict "$1" $? "$raw raw, $spoke that show the word$(printf '\n'; cat out)"
	raw=0 spoke=0
	rm -f told
}
every() { # LEAST NAME COMMAND...: tests each option that its help lists
	local least=$1 name=$2 option
	shift 2
	"$@" --help >help 2>&1 </dev/null || "$@" -help >help 2>&1 </dev/null
	try "$@" "$word"
	try "$@" "--$word"
	try "$@" "-$word"
	try "$@" "--$word=$word"
	for option in $(options <help); do
		case $option in -h | -help | --help | -V | --version | --list) continue ;; esac
		try "$@" "$option" "$word"
		try "$@" "$option=$word"
	done
	judge "$name" "$least"
}

for program in post msr mpevt ptt cpi run.tprof run.itrace run.jprof swtrace; do
	every 3 "$program" "$bin/$program"
done
for sub in run init event check mark setrate enable disable ai; do
	every 1 "swtrace_$sub" "$bin/swtrace" "$sub"
done
for sub in run dump init top; do
	every 1 "ptt_$sub" "$bin/ptt" "$sub"
done
every 1 mpevt_run "$bin/mpevt" run
every 1 mpevt_start "$bin/mpevt" start

# An abbreviation that could mean two options is an error that names both.
abbreviated=0
ambiguous() { # COMMAND...
	local word
	"$@" --help >help 2>&1 </dev/null || "$@" -help >help 2>&1 </dev/null
	options <help | sed 's/^-*//' | sort -u >names
	# Beginnings of several that are none themselves, each with the first and the last of them.
	awk '{ for (i = 1; i < length($1); i++) { p = substr($1, 1, i); if (!n[p]++) first[p] = $1; last[p] = $1 }
		is[$1] = 1 } END { for (p in n) if (n[p] > 1 && !is[p]) print p, first[p], last[p] }' names |
		sort >beginnings
	while read -r word first last; do
		abbreviated=$((abbreviated + 1))
		timeout 5 "$@" "-$word" x </dev/null >out 2>err && echo "$* -$word: exit code 0"
		grep -qE -- "'-$word' is ambiguous:.* -$first( |$)" err && grep -qE -- " -$last( |$)" err ||
			echo "$* -$word ($first, $last): $(head -1 err)"
	done <beginnings >>wrong
}
# Where init took an option's value a session has begun.
"$bin/swtrace" free >/dev/null 2>&1
: >wrong
for program in post msr cpi hdump rtdriver arcf run.tprof run.itrace run.jprof; do
	ambiguous "$bin/$program"
done
for sub in run init event check ai; do
	ambiguous "$bin/swtrace" "$sub"
done
for sub in run dump; do
	ambiguous "$bin/ptt" "$sub"
done
for sub in run start; do
	ambiguous "$bin/mpevt" "$sub"
done
[ ! -s wrong ] && [ "$abbreviated" -gt 20 ]
verdict abbreviations_that_mean_two $? "$abbreviated, wrong: $(cat wrong)"

# An option in full is not an abbreviation: -k takes a vmlinux, not -kmap's file.
printf 'ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff82000000 T _etext\n' >kallsyms
"$bin/swtrace" run -q -B timer -o k.nrm2 -- true >out 2>&1
for option in -k --k -k=; do
	case $option in
	*=) set -- "-${option}kallsyms" ;;
	*) set -- "$option" kallsyms ;;
	esac
	"$bin/post" -q "$@" k.nrm2 >out 2>err
	is "vmlinux_is_no_kallsyms_$option" "$?" 2
	says "vmlinux_is_no_kallsyms_says_$option" err 'not a vmlinux: -kmap takes'
done

# The program's own name.
mkdir own
ln -s "$bin/post" "own/$word"
try "own/$word" -nothing
judge own_name 1

# Paths of what was traced, and of damaged traces.
try "$bin/swtrace" run -B timer -o "$word.nrm2" -- true
judge trace_made 1
head -c 3000 "$word.nrm2" >"$word.cut"
try "$bin/post" "$word.cut" -o -
try "$bin/post" "$word.nrm2" -annotate "$word"
try "$bin/post" "$word.nrm2" -callers="$word"
try "$bin/post" "$word.nrm2" -e "$word"
try "$bin/post" "$word.nrm2" -kmap "$word"
try "$bin/post" "$word.nrm2" "$word.none"
judge trace_read 5

# A cell is not a formula: a program's name, an event's words.
cp "$(command -v perl)" "$work/=1+2"
"$bin/swtrace" run -q -B timer -o sum.nrm2 -- "./=1+2" -e 'for ($i = 0; $i < 3e6; $i++) { $x += $i }' >out 2>&1
"$bin/post" -q -csv -o sum.csv sum.nrm2 >>out 2>&1
grep -q "^[0-9]*,\"'=1+2\"," sum.csv && ! grep -q ',=' sum.csv
verdict csv_process $? "$(head -3 sum.csv)"
folder=$work/pitrace/events/$(uname -m | sed s/aarch64/arm64/)
mkdir -p "$folder"
cat >"$folder/mine.json" <<'END'
{ "cpus": [ "*" ], "source": "a test", "events": [
  { "name": "MY_WAITS", "encoding": "r1a8", "unit": "cycles", "description": "=HYPERLINK(1)" } ] }
END
"$bin/mpevt" -l --csv MY_WAITS >out 2>&1
says csv_event out ",\"'=HYPERLINK(1)"
"$bin/swtrace" free >out 2>&1
exit $((failures != 0))
