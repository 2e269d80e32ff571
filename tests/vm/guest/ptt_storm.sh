# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: the table of ptt_storm. The disk is there to hand files back; until then it is free.
. /rig/conf
disk=/dev/vda
for kmod in $get_kmods; do
	insmod "$kmod" || exit 1
	loaded="$(basename "$kmod" .ko) $loaded"
done
for wait in 1 2 3 4 5 6 7 8 9 10; do
	[ -b $disk ] && break
	sleep 0.2
done
grep virtio /proc/interrupts
ptt_storm $disk >/tmp/storm.txt || exit 1
grep virtio /proc/interrupts
rmmod $loaded
