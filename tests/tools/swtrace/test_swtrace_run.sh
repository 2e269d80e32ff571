#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# swtrace run as a new user tries it: what is misunderstood easily is said, and nothing is left behind.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
swtrace=$bin/swtrace
cd "$work" || exit 1
export PITRACE_SOCKET=$work/socket

run() { # CODE NAME [ARGUMENT]...: of swtrace run
	"$swtrace" run "${@:3}" >out 2>err
	is "$2" $? "$1"
}

# ---- words of -g that are not commands
for word in dwarf fp,user kernel switches; do
	run 127 "stacks_${word/,/_}" -B timer -g "$word" -- true
	says "stacks_${word/,/_}_words" err "equals sign: -g=$word\$"
done
run 127 no_stacks -B timer dwarf
! grep -q 'equals sign' err
verdict no_stacks_no_hint $? "$(cat err)"
run 127 other_command -B timer -g dwarfish
! grep -q 'equals sign' err
verdict other_command_no_hint $? "$(cat err)"

# ---- a trace is a file
run 125 output -B timer -o - -- touch ran
says output_words err 'is not a file'
"$swtrace" init -B timer -f - 2>err
is init $? 125
says init_words err 'is not a file'
"$swtrace" get - 2>err
is get $? 125
says get_words err 'is not a file'
[ ! -e ./- ] && [ ! -e ran ]
verdict nothing_is_made $? "$(ls)"

# ---- what no collector can record here is one short sentence for all that cannot
if [ ! -e /dev/pitrace ]; then
	run 125 fault -M fault -- true
	says fault_words err 'perf, timer, ptrace: no records of fault (0x03); what mends it: swtrace check'
	[ "$(wc -c <err)" -lt 250 ]
	verdict fault_is_short $? "$(cat err)"
fi
run 125 switches -B timer -g=switches -- true
says switches_words err 'timer has no records of dispatch (0x12): these need the collector driver or perf'

# ---- a command that puts itself into the background
run 0 daemon -B timer -- sh -c 'setsid sleep 60 >/dev/null 2>&1 & echo $!'
left=$(cat out)
says daemon_words err "it left running: .*$left.*swtrace run -p PID"
run 0 daemon_quiet -q -B timer -- sh -c 'setsid sleep 60 >/dev/null 2>&1 & echo $!'
is daemon_is_quiet "$(cat err)" ''
kill "$left" "$(cat out)"
run 0 no_daemon -B timer -- sh -c 'sleep 0.01 & wait'
! grep -q 'left running' err
verdict no_daemon_words $? "$(cat err)"

# ---- the page, and a browser that says what it was given
mkdir desk
cat >desk/xdg-open <<'END'
#!/bin/sh
echo "$# $1 $(head -c 15 "$1")" >"$OPENED"
END
chmod +x desk/xdg-open
unset DISPLAY WAYLAND_DISPLAY
run 3 open_no_desktop -B timer --open -- sh -c 'exit 3'
says open_no_desktop_words err 'no desktop .*: open post.html in a browser$'
[ -s post.html ]
verdict open_no_desktop_page $?
rm post.html
export OPENED=$work/opened
DISPLAY=:7 PATH=$work/desk:$PATH run 0 open -B timer --open -- "$programs/sampled" shares 300
for ((i = 0; i < 100; i++)); do
	[ ! -s opened ] || break
	sleep 0.05
done
is open_browser "$(cat opened)" '1 post.html <!DOCTYPE html>'
"$bin/post" -q -calltree -o - | grep -q spin_a
verdict open_has_stacks $? "$(cat err)"
PATH=$work/desk DISPLAY=:7 "$swtrace" run -q -B timer --open -o x -- /bin/true 2>err
is open_post_is_beside $? 0
[ "$failures" = 0 ]
