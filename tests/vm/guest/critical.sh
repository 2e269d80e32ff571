# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: programs that are slow for one reason each, traced with the whole machine.
cd /tmp || exit
code=0
# The disk that files come back by is there already for the one that waits for it; it writes far behind them.
. /rig/conf
for kmod in $get_kmods; do
	insmod "$kmod"
done
while [ ! -b /dev/vda ]; do
	sleep 0.1
done
for name in $(bottleneck); do
	swtrace run -q -a -M dispatch,wakeup,interrupt,syscall,fault -s 8 -o "$name.nrm2" -- \
		timeout 60 bottleneck "$name" >"$name.txt" 2>"$name.err" || {
		echo "not ok critical_runs_$name $(cat "$name.err")"
		code=1
	}
done
exit $code
