# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: harm.sh CALLS QUOTA ROOT_CALLS SEED. As root, and as an ordinary user of the device's
# group.
calls=$1 quota=$2 root_calls=$3 seed=$4
for uid in 0 1000; do
	[ $uid = 0 ] && n=$root_calls || n=$calls
	harm "$n" "$seed" "$quota" $uid && echo "ok harm_uid_$uid" || { echo "not ok harm_uid_$uid"; code=1; }
done
rmmod pitrace && echo "ok harm_rmmod" || { echo "not ok harm_rmmod"; code=1; }
exit ${code:-0}
