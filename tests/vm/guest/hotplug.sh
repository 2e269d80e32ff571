# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: hotplug.sh CYCLES. CPU 1 goes offline and online while everything is traced, then the machine is
# suspended and resumed.
cd /tmp || exit
cycles=$1
cpu=/sys/devices/system/cpu/cpu1/online

cat >toggle.sh <<END
i=0
while [ \$i -lt $cycles ]; do
	echo 0 >$cpu || exit 1
	echo 1 >$cpu || exit 1
	i=\$((i + 1))
done
echo "cycles \$i"
END
load 3600 2 &
load=$!
swtrace run -a -e timer -F 1000 -o hotplug.nrm2 -- sh toggle.sh >hotplug.txt 2>&1
echo "exit $?" >>hotplug.txt
# It may also begin with a CPU away, and this one come later.
echo 0 >$cpu
swtrace run -a -e timer -F 1000 -o late.nrm2 -- sh -c "sleep 0.5; echo 1 >$cpu; sleep 1" >late.txt 2>&1
echo "exit $?" >>late.txt
kill $load

cat /sys/power/state /sys/power/pm_test >suspend.txt
swtrace run -a -e timer -F 1000 -o suspend.nrm2 -- sh -c '
	for depth in freezer devices; do
		sleep 0.5
		echo $depth >/sys/power/pm_test
		echo freeze >/sys/power/state && echo "slept"
	done
	sleep 0.5' >>suspend.txt 2>&1
echo "exit $?" >>suspend.txt
rmmod pitrace
[ $? = 0 ] && echo "ok hotplug_rmmod_after" || echo "not ok hotplug_rmmod_after"
