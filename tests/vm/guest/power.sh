# SPDX-License-Identifier: GPL-3.0-or-later
# In the guest: power.sh CYCLES. A trace of the system while CPU 1 goes and comes, and another one
# over a suspend that stops short of the hardware (pm_test).
cycles=$1
cpu=/sys/devices/system/cpu/cpu1/online

cat >/tmp/hotplug.sh <<'END'
for i in $(seq "$1"); do
	echo 0 >"$2" && echo 1 >"$2" || exit 1
done
END
swtrace run -a -F 2000 -o /tmp/hotplug.nrm2 -- sh /tmp/hotplug.sh "$cycles" "$cpu" 2>/tmp/hotplug.err
echo "hotplug $?" >/tmp/codes

cat >/tmp/suspend.sh <<'END'
sleep 1
echo freezer >/sys/power/pm_test && echo freeze >/sys/power/state || exit 1
echo devices >/sys/power/pm_test && echo freeze >/sys/power/state || exit 1
sleep 1
END
swtrace run -a -F 1000 -o /tmp/suspend.nrm2 -- sh /tmp/suspend.sh 2>/tmp/suspend.err
echo "suspend $?" >>/tmp/codes
[ "$(cat $cpu)" = 1 ]
