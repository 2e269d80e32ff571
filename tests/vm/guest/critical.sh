# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: programs that are slow for one reason each, traced with the whole machine.
cd /tmp || exit
code=0
for name in $(bottleneck); do
	swtrace run -q -a -M dispatch,wakeup,interrupt,syscall,fault -s 8 -o "$name.nrm2" -- \
		bottleneck "$name" >"$name.txt" 2>"$name.err" || {
		echo "not ok critical_runs_$name $(cat "$name.err")"
		code=1
	}
done
exit $code
