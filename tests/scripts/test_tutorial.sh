#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/tutorial.md is what a user gets: its programs are built, its commands run, and their output is compared with the
# transcripts. Names must be the same and numbers be numbers; ... stands for anything; comments give limits:
# <!-- bounds: "TEXT" N LOW HIGH -->: the N-th number of the first line with TEXT; <!-- needs: WHAT -->: else it is skipped.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
cd "$work" || exit 1
export PATH=$bin:$PATH NO_COLOR=1

# split FILE: the programs' sources, and a folder for each case: cmd.N and want.N for each command, bounds, needs
split() {
	awk '
	function flush() { if (out) close(out); out = "" }
	/^## [0-9]+\. / { flush(); dir = "case" ($2 + 0); system("mkdir -p " dir); n = 0; block = ""; next }
	dir == "" { next }
	/^```$/ && block != "" { flush(); block = ""; next }
	/^```[a-z]+ [A-Za-z.]+$/ { block = "file"; out = $2; printf "" >out; next }
	/^```console$/ { block = "console"; next }
	block == "file" { print >out; next }
	block == "console" && /^\$ / {
		flush(); n++; out = dir "/want." n; printf "" >out
		print substr($0, 3) >(dir "/cmd." n); close(dir "/cmd." n); next
	}
	block == "console" { print >out; next }
	/^<!-- needs: / { sub(/^<!-- needs: /, ""); sub(/ -->.*/, ""); print >>(dir "/needs"); close(dir "/needs"); next }
	/^<!-- bounds: / { print >>(dir "/bounds"); close(dir "/bounds"); next }
	' "$1"
}

# same WANT GOT: prints the first line that was wanted and is not there
same() {
	awk '
	function shape(line) {
		gsub(/[ \t]+/, " ", line); sub(/^ /, "", line); sub(/ $/, "", line)
		return line
	}
	function pattern(line) {
		gsub(/0x[0-9a-f]+/, "\001", line)
		gsub(/[0-9][0-9.,]*/, "\002", line)
		gsub(/\.\.\./, "\003", line)
		gsub(/[][\\.^$*+?(){}|]/, "[&]", line)
		gsub(/\[\^\]/, "\\^", line); gsub(/\[\\\]/, "\\\\", line)
		gsub(/\001/, "0x[0-9a-f]+", line)
		gsub(/\002/, "[0-9][0-9.,]*", line)
		gsub(/\003/, ".*", line)
		return "^" line "$"
	}
	FNR == NR { want[++nwant] = shape($0); next }
	{ line = shape($0); if (line != "") got[++ngot] = line }
	END {
		for (i = 1; i <= nwant; i++) {
			if (want[i] == "") continue
			if (want[i] == "...") { gap = 1; continue }
			p = pattern(want[i])
			for (k = at + 1; k <= ngot && got[k] !~ p && gap; k++)
				;
			if (k > ngot || got[k] !~ p) { print "no \"" want[i] "\" after line " at; exit }
			at = k; gap = 0
		}
		if (!gap && at < ngot) print "more than wanted: \"" got[at + 1] "\""
	}' "$1" "$2"
}

# within GOT BOUND: prints what is not within it
within() {
	awk -v bound="$2" '
	BEGIN {
		split(bound, part, "\""); text = part[2]
		split(part[3], number, " "); gsub(/[ \t]+/, " ", text)
	}
	{ gsub(/[ \t]+/, " ") }
	!found && index($0, text) {
		found = 1
		n = 0
		line = $0
		while (match(line, /[0-9][0-9.]*/)) {
			n++
			value = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			if (n == number[1]) break
		}
		if (n != number[1] || value + 0 < number[2] + 0 || value + 0 > number[3] + 0)
			print "not within " number[2] " to " number[3] ": " $0
	}
	END { if (!found) print "no line with \"" text "\"" }' "$1"
}

# lacks WHAT: why the machine cannot do it
lacks() {
	case $1 in
	perf) grep -A 2 '^perf:' check | grep -q ' works' || echo 'no perf events' ;;
	tracepoints) grep -A 2 '^tracepoints:' check | grep -q ' works' || echo 'tracepoints cannot be recorded' ;;
	java) command -v javac >/dev/null || echo 'no JDK is installed' ;;
	cgroups) [ -n "${CGROUPS:-}" ] || echo 'no cgroup can be made' ;;
	*) echo "an unknown need: $1" ;;
	esac
}

# A folder of the default hierarchy where this user may make cgroups
cgroups() {
	local root path
	while read -r _ root kind _; do
		[ "$kind" = cgroup2 ] || continue
		path=$root$(sed -n 's/^0:://p' /proc/self/cgroup)
		if mkdir "$path/pitrace-try-$$" 2>/dev/null; then
			rmdir "$path/pitrace-try-$$"
			echo "${path%/}"
			return
		fi
	done </proc/mounts
}

split "$top/docs/tutorial.md"
swtrace check >check 2>&1
CGROUPS=$(cgroups)
export CGROUPS
[ -n "$CGROUPS" ] || unset CGROUPS

# All cases have one folder, as a reader has.
replay() { # CASE
	local n=1 problems='' why bound
	while [ -f "$1/cmd.$n" ]; do
		eval "$(cat "$1/cmd.$n")" >"$1/got.$n" 2>&1 </dev/null
		why=$(same "$1/want.$n" "$1/got.$n")
		[ -z "$why" ] || problems="$problems
\$ $(cat "$1/cmd.$n"): $why
$(head -n 40 "$1/got.$n" | cut -c 1-160 | sed 's/^/    /')"
		n=$((n + 1))
	done
	cat "$1"/got.* >got
	while read -r bound; do
		why=$(within got "$bound")
		[ -z "$why" ] || problems="$problems
$why"
	done < <(cat "$1/bounds" 2>/dev/null)
	[ -z "$problems" ] && [ $n -gt 1 ]
	verdict "$1" $? "$problems"
}

for case in $(printf '%s\n' case* | sort -V); do
	why=$(for need in $(cat "$case/needs" 2>/dev/null); do lacks "$need"; done)
	if [ -n "$why" ]; then
		echo "skip tutorial_$case $why"
	else
		replay "$case"
	fi
done
[ "$(printf '%s\n' case* | wc -l)" -ge 10 ]
verdict ten_cases $?

# Each of the twelve questions is answered by one command of a transcript.
bad=$(awk -F '|' '/^\| [a-z]/ && $2 !~ /^ question/ { gsub(/^ `|` $/, "", $3); print $4 + 0 "\t" $3 }' \
	"$top/docs/tutorial.md" | tee questions | while IFS=$'\t' read -r case command; do
	grep -qxF -e "$command" "case$case"/cmd.* || echo "no '$command' in case $case"
done)
[ -z "$bad" ] && [ "$(wc -l <questions)" = 12 ]
verdict questions $? "$bad"

# What the comparison must not let through.
printf '%s\n' 'total 5 ms' '  71.5  295  words  find' 'at 0x1f' 'the end' >got
fails() { # WANT...
	printf '%s\n' "$@" >want
	[ -n "$(same want got)" ] || echo "passes: $*"
}
bad=$(
	printf '%s\n' 'total 7 ms' '1 2 words find' 'at 0xabc' 'the end' >want
	same want got
	printf '%s\n' 'total ...' '...' 'the end' >want
	same want got
	fails 'total 5 ms' '71.5 295 words found' '...'
	fails 'total x ms' '...'
	fails 'total 5 ms' 'at 0x1f' 'the end'
	fails 'total 5 ms' '71.5 295 words find' 'at 0x1f'
	fails '...' 'the end' 'total 5 ms'
	fails 'total 5 s' '...'
	within got '"words find" 1 70 72'
	[ -n "$(within got '"words find" 1 72 80')" ] || echo 'a number above its limits passes'
	[ -n "$(within got '"words find" 2 1 294')" ] || echo 'a second number above its limits passes'
	[ -n "$(within got '"words found" 1 1 99')" ] || echo 'a line that is missing passes'
	[ -n "$(within got '"words find" 3 0 999')" ] || echo 'a number that is missing passes'
)
[ -z "$bad" ]
verdict comparison $? "$bad"
exit $((failures > 0))
