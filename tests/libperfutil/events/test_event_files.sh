#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Event files of the user: a file makes its names known to swtrace, another one that is not understood is
# told with file, line and cause.
set -u
top=$(cd "$(dirname "$0")/../../.." && pwd)
swtrace=${O:-$top/build}/bin/swtrace
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work
folder=$work/pitrace/events/$(uname -m | sed s/aarch64/arm64/)
mkdir -p "$folder"
failures=0
is() { # NAME HAVE WANT
	if [ "$2" = "$3" ]; then
		echo "ok event_files_$1"
	else
		echo "not ok event_files_$1 is '$2', not '$3'"
		failures=$((failures + 1))
	fi
}

"$swtrace" event MY_WAITS >"$work/out" 2>&1
is unknown $? 125
cat >"$folder/mine.json" <<'END'
{ "cpus": [ "*" ], "source": "a test", "events": [
  { "name": "MY_WAITS", "encoding": "r1a8", "unit": "cycles", "description": "cycles spent waiting" } ] }
END
is numbers "$("$swtrace" event MY_WAITS:u 2>&1 | sed 's/;.*//')" 'MY_WAITS:u: type 4, config 0x1a8, user code only'
"$swtrace" event list waiting >"$work/out" 2>"$work/err"
is list_code $? 0
is list "$(grep -A1 '^Of the file ' "$work/out")" "Of the file $folder/mine.json:
  MY_WAITS                           cycles spent waiting (unit: cycles)"
printf '{ "cpus": [ "*" ],\n  "events": oops }\n' >"$folder/worse.json"
"$swtrace" event list waiting >"$work/out" 2>"$work/err"
is bad_code $? 125
is bad "$(cut -d: -f1-3 "$work/err")" "swtrace: $folder/worse.json:2"
is bad_leaves_others "$(grep -c MY_WAITS "$work/out")" 1
"$swtrace" run -e MY_WAIT -- true 2>"$work/err"
is bad_of_an_unknown_name "$? $(grep -c "no event 'MY_WAIT'.*worse.json:2: " "$work/err")" "125 1"
exit $failures
