# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: every allocation that a call of the driver makes fails once. Nothing may leak.
for what in failslab fail_page_alloc; do
	cd /sys/kernel/debug/$what || exit 1
	echo N >ignore-gfp-wait
	echo 0 >verbose
done
echo N >ignore-gfp-highmem
echo 0 >min-order
echo 100 >/sys/module/pitrace/parameters/user_budget
cd /tmp || exit
starve || code=1
rmmod pitrace && echo "ok starve_rmmod" || { echo "not ok starve_rmmod"; code=1; }
exit ${code:-0}
