#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A letter that two of swtrace, run.tprof and its kin and post share means the same in both: it has an argument of the
# same name, as their helps show it. Those that do not are the old ones below, each beside the spelling that
# all have.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
tools=(run.tprof run.itrace run.jprof 'swtrace run' 'swtrace init' 'swtrace calls' 'swtrace ai' 'swtrace check' post)

# A line for each option: LETTER TOOL ARGUMENT NAMES, of all that the tool's table has ("-" without an argument).
table() {
	local tool
	for tool in "${tools[@]}"; do
		# shellcheck disable=SC2086 # a program and its sub-command
		"$bin"/$tool --help </dev/null 2>/dev/null | awk -v tool="${tool// /_}" '
			/^  ?-/ {
				n = split($0, word, " ")
				names = argument = ""
				for (i = 1; i <= n; i++) {
					w = word[i]
					if (w !~ /^-/)
						break
					names = names (names == "" ? "" : ",") w
					if (w !~ /,$/) { i++; break }
				}
				gsub(/,+/, ",", names)
				if (i <= n && word[i] ~ /^[A-Z]+([^a-z]|$)/)
					argument = word[i]
				sub(/\[.*/, "", argument)
				sub(/,.*/, "", argument)
				k = split(names, name, ",")
				for (i = 1; i <= k; i++) {
					sub(/\[.*/, "", name[i])
					if (name[i] ~ /^-[A-Za-z]$/)
						print name[i], tool, argument == "" ? "-" : argument, names
				}
			}'
	done | LC_ALL=C sort -u
}
table >letters
[ "$(wc -l <letters)" -gt 60 ]
verdict walked $? "$(wc -l <letters) options"
for letter in p c r g d F; do
	grep -q -e "^-$letter " letters
	verdict "has_$letter" $?
done

# Shared, and with arguments of several names
awk '{ words[$1] = words[$1] " " $2 ":" $3; if (!(($1, $3) in seen)) { seen[$1, $3] = 1; kinds[$1]++ } }
	END { for (l in kinds) if (kinds[l] > 1) print l words[l] }' letters | LC_ALL=C sort >differ
cat >known <<'END'
-F run.jprof:RATE run.tprof:RATE swtrace_calls:PATTERN swtrace_run:RATE
-c post:- run.itrace:COUNT run.jprof:RATE run.tprof:N swtrace_init:COUNT swtrace_run:COUNT
-k post:FILE run.itrace:-
-l run.itrace:PID swtrace_ai:FILE
-o post:FILE swtrace_calls:FOLDER swtrace_run:FILE
-p run.itrace:- run.jprof:- run.tprof:- swtrace_calls:PID swtrace_check:PID swtrace_init:PID swtrace_run:PID
-r post:FILE run.itrace:SECONDS run.jprof:SECONDS run.tprof:SECONDS swtrace_ai:TIME
-s run.tprof:SECONDS swtrace_ai:- swtrace_init:MB swtrace_run:MB
-t run.itrace:- run.jprof:- run.tprof:- swtrace_ai:- swtrace_init:MODE swtrace_run:MODE
END
cmp -s known differ
verdict one_meaning $? "$(diff known differ | head -40)"

# An option of one program has the same spelling in the others.
spelt() { # TOOL OPTION WORD: its help has it
	# shellcheck disable=SC2086
	"$bin"/$1 --help 2>/dev/null | grep -qE -e "^ +(-[a-zA-Z-]+, )*$2(, -[a-zA-Z-]+)* +$3"
	verdict "spelt_${1// /_}_${2##-}" $?
}
for tool in run.tprof run.itrace run.jprof; do
	spelt $tool -d SECONDS
	"$bin/$tool" --help | grep -q -e '^ *--report-only, -p'
	verdict "spelt_${tool}_report_only" $?
done
for tool in run.tprof run.jprof 'swtrace run'; do
	spelt "$tool" -F RATE
done
for tool in run.itrace 'swtrace run'; do
	spelt "$tool" --skip COUNT
done

# A pid behind -p is no silent other meaning; the spellings do what they say; two of a kind are refused.
code=0
"$bin/run.tprof" -p $$ >out 2>&1 || code=$?
[ $code = 125 ] && grep -q 'swtrace run -p PID' out
verdict pid $? "code $code: $(head -c 300 out)"
code=0
"$bin/run.tprof" -F 100 -c 200 -- true >out 2>&1 || code=$?
[ $code = 125 ]
verdict rates $? "code $code: $(head -c 300 out)"
"$bin/run.tprof" -B timer -t -F 100 -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' >out 2>&1 &&
	"$bin/post" -info -r swtrace.nrm2 2>/dev/null | grep -q 'rate : 100 ticks a second'
verdict rate $? "$(head -c 300 out; "$bin/post" -info -r swtrace.nrm2 2>&1 | grep -i rate)"
"$bin/run.tprof" --report-only >out 2>&1 && "$bin/run.tprof" -p >again 2>&1
verdict report_only $? "$(head -c 300 out again)"
exit $((failures != 0))
