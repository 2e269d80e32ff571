# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: ptt_exact.sh METRIC: its table; for a counter also the one of user code only; for cycles also the
# thread's clock.
case $1 in
tsc)
	ptt_exact time >/tmp/time.txt || exit 1
	;;
*)
	# By default the module lets no process read counters.
	if ptt_exact "$1" >/dev/null 2>/tmp/off; then
		echo "counters were let be read"
		exit 1
	fi
	cat /tmp/off
	echo 1 >/sys/module/pitrace/parameters/user_counters || exit 1
	ptt_exact "$1:u" >/tmp/user.txt || exit 1
	;;
esac
ptt_exact "$1" >/tmp/exact.txt
