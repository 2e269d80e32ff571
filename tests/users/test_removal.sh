#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Only our own files are removed: a foreign file in the place of a socket, a folder of hook files or a trace file is
# refused, and stays unchanged.
set -u
# shellcheck source=tests/users/lib.sh
. "$(dirname "$0")/lib.sh"

init=(timeout -k 5 60 "$bin/swtrace" init -B perf -t cont -f trace)
# ends: whatever began is over
ends() {
	[ "$code" != 0 ] || timeout 60 "$bin/swtrace" free >/dev/null 2>&1
}
folder root 0 755
cd root || exit 1

# A file, and another program's sockets, where the control socket should be
victim file
PITRACE_SOCKET=$PWD/file "${init[@]}" >"$work/out" 2>&1
code=$?
PITRACE_SOCKET=$PWD/file ends
untouched socket_is_a_file "$PWD/file"
[ "$code" != 0 ] && [ "$code" != 124 ]
verdict socket_is_a_file_refused $?
ln -s file link
PITRACE_SOCKET=$PWD/link "${init[@]}" >"$work/out" 2>&1
code=$?
PITRACE_SOCKET=$PWD/link ends
[ "$code" != 0 ] && [ -L link ]
verdict socket_is_a_link $?
untouched socket_link_target "$PWD/file"
for program in "mpevt start" "ptt init"; do
	PITRACE_COUNTERS_SOCKET=$PWD/file PITRACE_PTT_SOCKET=$PWD/file PITRACE_MPEVT_SOCKET=$PWD/file \
		timeout -k 5 60 "$bin/${program% *}" "${program#* }" >"$work/out" 2>&1
	untouched "socket_of_${program% *}" "$PWD/file"
done

# Hook files' folder that is another user's: it was emptied and removed
folder shared 0 1777
as "$bob" sh -c 'mkdir -m 700 shared/s.hooks; echo theirs >shared/s.hooks/control; echo theirs >shared/s.hooks/12.0; echo theirs >shared/s.hooks/own' 2>/dev/null ||
	as "$bob" sh -c 'cd "$1" && mkdir -m 700 s.hooks && echo theirs >s.hooks/control && echo theirs >s.hooks/12.0 && echo theirs >s.hooks/own' - "$work/shared"
have=$(find "$work/shared/s.hooks" | sort)
PITRACE_SOCKET=$work/shared/s "${init[@]}" >"$work/out" 2>&1
code=$?
PITRACE_SOCKET=$work/shared/s ends
is others_folder_is_kept "$(find "$work/shared/s.hooks" 2>&1 | sort)" "$have"

# One of ours: what is in it that we did not make stays
mkdir -m 700 own.hooks && echo precious >own.hooks/precious && mkdir own.hooks/12.0
PITRACE_SOCKET=$PWD/own "${init[@]}" >"$work/out" 2>&1
code=$?
PITRACE_SOCKET=$PWD/own ends
is own_folder_keeps_the_rest "$code $(cat own.hooks/precious) $(find own.hooks | sort | tr '\n' ' ')" \
	"0 precious own.hooks own.hooks/12.0 own.hooks/precious "
# Through a link
mkdir -m 700 elsewhere && echo precious >elsewhere/1.0 && ln -s elsewhere linked.hooks
PITRACE_SOCKET=$PWD/linked "${init[@]}" >"$work/out" 2>&1
code=$?
PITRACE_SOCKET=$PWD/linked ends
is folder_link_is_not_followed "$(cat elsewhere/1.0) $(readlink linked.hooks)" "precious elsewhere"

# A file that took the socket's place while the session was held
PITRACE_SOCKET=$PWD/held "${init[@]}" >"$work/out" 2>&1
code=$?
if [ "$code" = 0 ]; then
	mv held away && victim held
	PITRACE_SOCKET=$PWD/away timeout 60 "$bin/swtrace" free >>"$work/out" 2>&1
	untouched in_the_sockets_place "$PWD/held"
fi
verdict held_began "$code"

# A rotation's next file
victim file
ln -s file turn.new
timeout -k 5 60 "$bin/swtrace" run -q -t cont --rotate-time 1s -o turn -- sleep 2.5 >"$work/out" 2>&1
[ -L turn.new ]
verdict rotation_keeps_a_link $?
untouched rotation_link_target "$PWD/file"
cd "$work" || exit 1
[ "$failures" = 0 ]
