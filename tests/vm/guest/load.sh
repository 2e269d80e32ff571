# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: load.sh CYCLES. The module is unloaded and loaded under a load of forks, with a trace in each cycle;
# it can be unloaded after its holder was killed; it stays while a session is held.
cycles=$1
code=0

verdict() { # NAME CODE
	[ "$2" = 0 ] && echo "ok $1" || { echo "not ok $1"; code=1; }
}

# A kernel with kmemleak: it scans on request. Its automatic scans delay each grace period of the kprobes.
leaks=/sys/kernel/debug/kmemleak
echo scan=off 2>/dev/null >$leaks

load 3600 2 &
load=$!
bad=0
for i in $(seq "$cycles"); do
	rmmod pitrace || bad=1
	[ ! -e /dev/pitrace ] || bad=1
	insmod /rig/pitrace.ko || { bad=1; break; }
	abi trace 100 || bad=1
done
verdict load_cycles $bad

# Held by a descriptor, or by nothing but a mapping: either is reason enough to stay.
for how in mapped on; do
	rm -f /tmp/held
	abi hold $how >/tmp/held &
	held=$!
	while [ ! -s /tmp/held ]; do sleep 0.1; done
	bad=0
	rmmod pitrace 2>/tmp/refused && bad=1
	[ "$(lsmod | awk '$1 == "pitrace" { print $3 }')" -gt 0 ] || bad=1
	verdict load_rmmod_refused_while_$how $bad
	[ $how = on ] || { kill $held; wait $held; }
done

# Killed: the session ends with its holder, and the module may go at once.
kill -9 $held
wait $held
rmmod pitrace
verdict load_rmmod_after_kill $?
insmod /rig/pitrace.ko && abi trace 100
verdict load_again $?
kill $load
wait
# Leaks younger than 5 s are not reported.
if echo scan 2>/dev/null >$leaks; then
	sleep 6
	echo scan >$leaks
	echo "# $(grep -c '^unreferenced' $leaks) pieces of memory are lost, by the kernel's count"
	grep -q pitrace $leaks && grep -B 12 -A 4 pitrace $leaks
	verdict load_no_leak $(($(grep -c pitrace $leaks) > 0))
fi
exit $code
