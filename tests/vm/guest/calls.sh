# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: calls.sh KINDS PROGRAMS. Each of calls.c's programs as it is, and built in each kind with libhookit.
cd /tmp || exit
uname -m
for program in $2; do
	/calls/plain "$program" >"/tmp/plain.$program" 2>/tmp/err
	for kind in $1; do
		[ "$kind" = instrumented ] && patch='' || patch=,PATCH
		rm -f log-rt.*
		HOOKITOPTS=CALIBRATION=none$patch LD_PRELOAD=/calls/lib/libhookit.so /calls/"$kind" "$program" \
			>"/tmp/$kind.$program" 2>"/tmp/$kind.$program.err"
		echo "# $kind $program: $?"
		cat log-rt.* >"/tmp/$kind.$program.log"
	done
done
rm -f log-rt.*
