# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: swtrace ai by both collectors at once: quiet; with one CPU busy; while two processes
# wake one another on the first CPU; while the second CPU goes and comes.
cd /tmp || exit
both() { # NAME OPTION...
	swtrace ai -B driver --json "$@" >$name.driver.json &
	swtrace ai -B proc --json "$@" >$name.proc.json || exit 1
	wait $! || exit 1
}

name=quiet
both -sp -r 2
taskset 2 sh -c 'while :; do :; done' &
spinner=$!
name=spin
both 0.5 4
kill $spinner
wait $spinner

# One within the other: that the driver begins and ends costs interrupts of its own.
swtrace ai -B driver --json -sp >turns.driver.json &
driver=$!
sleep 1
swtrace ai -B proc --json -sp >turns.proc.json &
proc=$!
sleep 0.5
taskset 1 books pingpong 20000 >/dev/null
kill -INT $proc
wait $proc || exit 1
kill -INT $driver
wait $driver || exit 1

name=hotplug
{
	sleep 0.6
	echo 0 >/sys/devices/system/cpu/cpu1/online
	sleep 1
	echo 1 >/sys/devices/system/cpu/cpu1/online
} &
both 0.3 8
wait
