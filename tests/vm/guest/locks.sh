# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: a program whose threads wait for locks a known number of times, traced by the driver.
cd /tmp || exit
swtrace run -q -g=fp,switches -M dispatch,wakeup,syscall -s 8 -o locks.nrm2 -- locks 20 >locks.txt 2>locks.err || {
	echo "not ok locks_runs $(cat locks.err)"
	exit 1
}
