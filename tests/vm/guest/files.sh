# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: files.sh FACTOR. What happens to files while tracing is on: they rotate, they are asked
# for, the disk is full, memory is short, somebody sets the clock. FACTOR: of the times to work.
cd /tmp || exit
factor=$1
code=0

is() { # NAME HAVE WANT
	[ "$2" = "$3" ] && echo "ok files_$1" || { echo "not ok files_$1 is '$2', not '$3'"; code=1; }
}
says() { # NAME FILE WORDS
	grep -q "$3" "$2" && echo "ok files_$1" || { echo "not ok files_$1 no '$3' in: $(cat "$2")"; code=1; }
}

# Each file holds the names of this kernel, and writing them takes time: how many KB?
swtrace run -q -o least.nrm2 -- true
names=$(($(stat -c %s least.nrm2) / 1024))

# By time, under a load of forks; a process that lives through all of it.
plain 60000 long &
long=$!
swtrace run -a -F 2000 --rotate-time 1s -o time.nrm2 -- load $((factor * (2 + names / 150))) 1 2>time.txt
is rotate_time_exit $? 0
kill $long
is rotate_left_no_other "$(ls time.nrm2.new 2>/dev/null)" ''
# By size, keeping two; an existing file of such a name is not lost.
echo mine >size.nrm2.1
echo $((names + 220)) >rotate.txt
swtrace run -a -F 20000 --rotate-size $((names + 220))k --rotate-keep 1 -o size.nrm2 -- plain $((1500 * factor)) sized 2>size.txt
is rotate_size_exit $? 0
is rotate_kept "$(ls size.nrm2.*[0-9] | wc -l)" 1
is rotate_old_is_old "$(cat size.nrm2.1.old)" mine
rm -f size.nrm2.1.old
swtrace run -t wrap --rotate-size 1 -- true 2>err
is rotate_wrap $? 125
says rotate_wrap_words err 'continuous mode only'

# On request while tracing continues: continuous mode, normal mode.
swtrace init -t cont -f cont.nrm2 && swtrace setrate 2000 && swtrace on && plain 100 one &&
	swtrace get && cp cont.nrm2 cont-then.nrm2 && swtrace get cont-one.nrm2 && plain 100 two &&
	swtrace off && swtrace get cont-after.nrm2 && swtrace free
is get_continuous $? 0
cmp -s cont.nrm2 cont-after.nrm2
is get_after_off_is_a_copy $? 0
swtrace init -t norm -f norm.nrm2 && swtrace setrate 2000 && swtrace on && plain 100 one &&
	swtrace get norm-one.nrm2 && plain 100 two && swtrace discard && plain 100 three &&
	swtrace off && swtrace get && swtrace free
is get_normal $? 0

# Disk full: the session goes off, the command continues, the file is readable.
mkdir disk && mount -t tmpfs -o size=$((names + 300))k none disk
swtrace run -F 20000 -o disk/full.nrm2 -- sh -c "plain $((700 * factor)) full; touch went-on" 2>full.txt
is disk_full_exit $? 125
is command_went_on "$(ls went-on)" went-on
says disk_full_words full.txt 'disk/full.nrm2.*: No space left on device'
says disk_full_untraced full.txt 'continues untraced'
cp disk/full.nrm2 . && rm -r disk/*
# The same with a holder's session; and a snapshot without space does not affect the session.
swtrace init -t cont -f disk/held.nrm2 && swtrace setrate 20000 && swtrace on && plain $((700 * factor)) held
is disk_full_session $? 0
swtrace off 2>err
is disk_full_off $? 125
says disk_full_off_words err 'held.nrm2: No space left on device'
swtrace free && cp disk/held.nrm2 . && rm -r disk/*
swtrace init -t wrap -f roomy.nrm2 && swtrace setrate 20000 && swtrace on && plain $((700 * factor)) roomy
swtrace get disk/none.nrm2 2>err
is snapshot_no_room $? 125
says snapshot_no_room_words err 'none.nrm2: No space left on device'
swtrace off && swtrace free
is snapshot_no_room_goes_on $? 0
umount disk

# Memory becomes short while tracing: nothing is lost. Buffers that do not fit are refused before the OOM killer acts,
# small ones are allocated.
mkdir short && mount -t tmpfs -o size=100% none short
available() {
	awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo
}
swtrace run -F 2000 -o short.nrm2 -- sh -c "plain $((100 * factor)) short
	dd if=/dev/zero of=short/eaten bs=1M count=$(($(available) - 60)) 2>/dev/null; plain $((100 * factor)) short
	: >short/eaten; plain $((100 * factor)) short" 2>short.txt
is short_of_memory_exit $? 0
dd if=/dev/zero of=short/eaten bs=1M count=$(($(available) - 60)) 2>/dev/null
echo "# $(available) MB are left"
swtrace run -s $(($(available) + 10)) -o big.nrm2 -- touch big-ran 2>err
is no_memory $? 125
says no_memory_words err 'memory'
is no_memory_not_run "$(ls big-ran 2>/dev/null)" ''
swtrace run -q -s 1 -sm 1 -o small.nrm2 -- plain 10 2>err
is little_memory $? 0
umount short
swtrace run -q -s 64 -o big.nrm2 -- true 2>err
is memory_again $? 0
rm -f big.nrm2 small.nrm2 short.nrm2.old

# The clock is set, forth and back: stamps know nothing of it. Each second it is read.
now=$(date +%s)
swtrace run -F 1500 -o clock.nrm2 -- sh -c "plain 100 clock; date -s @$((now + 7200)); plain 1050 clock
	date -s @$((now - 7200)); plain 100 clock" >/dev/null 2>clock.txt
is clock_exit $? 0
date -s @$((now + 10)) >/dev/null
exit $code
