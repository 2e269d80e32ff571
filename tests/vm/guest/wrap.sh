# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: wrap.sh RATE MS PAUSE [SCALE]. Wrap mode: a ring that was filled many times, and all that
# freezes it. SCALE: how many times longer each program works, where RATE is low.
cd /tmp || exit
rate=$1 ms=$2 pause=$3 scale=${4:-1}
export a=$((50 * scale)) b=$((60 * scale)) c=$((100 * scale))	# milliseconds
code=0

is() { # NAME HAVE WANT
	[ "$2" = "$3" ] && echo "ok wrap_$1" || { echo "not ok wrap_$1 is '$2', not '$3'"; code=1; }
}
says() { # NAME FILE WORDS
	grep -q "$3" "$2" && echo "ok wrap_$1" || { echo "not ok wrap_$1 no '$3' in: $(cat "$2")"; code=1; }
}

# Twenty buffer lengths and more on each CPU. One process and its records were gone for long, one's
# records are left though it ended long ago (PAUSE seconds), two lived after that.
cat >lives.sh <<'END'
[ "$(nproc)" = 1 ] || plain $2 beside &
plain $(($1 / 2)) gone
plain $(($1 / 2)) ending
sleep $3
plain $b early
plain $b late
kill $! 2>/dev/null
exit 5
END
swtrace run -a -t wrap -s 128k -ss 32 -F "$rate" -o wrap.nrm2 -- sh lives.sh "$ms" $((ms * 3)) "$pause" 2>wrap.txt
is exit_code $? 5
says end_told wrap.txt 'wrote the newest records: the command ended'

# The traced program says off. What it does then is not there.
swtrace run -t wrap -F "$rate" -o off.nrm2 -- \
	sh -c 'plain $c before; swtrace off; plain $c after; exit 3' 2>off.txt
is off_exit_code $? 3
says off_told off.txt 'wrote the newest records: TraceOff'
# It may not switch it on again, nor choose where files go.
swtrace run -t wrap -q -o once.nrm2 -- sh -c 'swtrace off; swtrace on; swtrace get /tmp/elsewhere' 2>once.txt
says once once.txt 'swtrace run turns tracing on, once'
says no_name once.txt 'under swtrace run'
is no_name_no_file "$(ls elsewhere 2>/dev/null)" ''
is socket_gone "$(ls /run/pitrace-*.sock 2>/dev/null)" ''

# Pauses and what is forgotten: only the last is left.
swtrace run -t wrap -F "$rate" -o discard.nrm2 -- sh -c 'plain $a first; swtrace suspend
	plain $a second; swtrace resume; plain $a third; swtrace discard; plain $a fourth' 2>discard.txt
is discard_exit_code $? 0

# A signal to swtrace.
swtrace run -t wrap -F "$rate" -o usr2.nrm2 -- \
	sh -c 'plain $c before; kill -USR2 $PPID; sleep 1; plain $c after; exit 4' 2>usr2.txt
is usr2_exit_code $? 4
says usr2_told usr2.txt 'wrote the newest records: SIGUSR2'

# A crash of the command, of one of its children, of none that matters, and one that is let pass.
swtrace run -t wrap -F "$rate" -o crash.nrm2 -- sh -c 'plain $c before; kill -SEGV $$' 2>crash.txt
is crash_exit_code $? 139
says crash_told crash.txt 'crashed (SIGSEGV)'
swtrace run -t wrap -F "$rate" -o child.nrm2 -- \
	sh -c 'plain $c before; sh -c "kill -ABRT \$\$"; plain $c after; exit 6' 2>child.txt
is child_crash_exit_code $? 6
says child_crash_told child.txt 'process [0-9]* crashed (SIGABRT)'
swtrace run -t wrap -F "$rate" -o pass.nrm2 --no-crash -- \
	sh -c 'plain $c before; sh -c "kill -ABRT \$\$"; plain $c after; exit 6' 2>pass.txt
is no_crash_exit_code $? 6
says no_crash_told pass.txt 'the command ended'
swtrace run -t wrap -q -- sh -c 'sh -c "kill -TERM \$\$"; swtrace info' >term.txt 2>&1
says term_is_no_crash term.txt 'session:     on'

# Snapshots while tracing continues.
swtrace init -t wrap -s 1 -f session.nrm2 && swtrace setrate "$rate" && swtrace on && plain $c one &&
	swtrace get one.nrm2 && plain $c two && swtrace get && plain $c three && swtrace off &&
	swtrace get after.nrm2 && swtrace free
is snapshots $? 0
cmp -s session.nrm2 after.nrm2
is get_after_off_is_a_copy $? 0

# Killed: MTE is there, in whole sections, and the module may go.
swtrace run -a -t wrap -o killed.nrm2 -- plain 60000 killed 2>err &
sleep $((ms / 2000))
kill -9 $!
wait $!
killall plain
rmmod pitrace
is rmmod_after_kill $? 0
exit $code
