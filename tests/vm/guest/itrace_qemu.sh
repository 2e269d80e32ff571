# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# itrace_qemu.sh: in the guest: a program waits, is traced, user and kernel side, and does its work
# while the machine's own log of what it executes is on, which the host is asked for.
rmmod pitrace && insmod /rig/pitrace.ko kernel_itrace=1 || exit 1
cd /tmp && mkfifo go || exit 1
itrace_waiter go &
pid=$!
sleep 1
swtrace run -q --itrace --kernel -B driver -o trace.nrm2 -p $pid &
collector=$!
sleep 3
# Once without the log: it is in its loop then, not in a call that had begun before.
echo -n x >go
sleep 1
echo "log on"
sleep 5
echo -n x >go
sleep 5
echo "log off"
sleep 2
# Once more without it: the target of the last wait is reported when it ends.
echo -n x >go
sleep 1
kill -INT $collector
wait $collector
echo "# the collector ended with $?"
kill $pid
true
