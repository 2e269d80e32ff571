# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: the scripts of /rig/shared, one after the other, each as if the guest were its own: an
# empty /tmp, the driver loaded anew, no process and no setting left from the one before. What each
# says, its exit code and the files that it hands back go to /shared.
settings='kernel/randomize_va_space kernel/perf_event_paranoid kernel/kptr_restrict kernel/perf_event_max_sample_rate
	kernel/perf_cpu_time_max_percent kernel/perf_event_mlock_kb kernel/printk vm/overcommit_memory'
mkdir -p /shared/was
cp /etc/passwd /etc/group /shared/was/
for each in $settings; do
	mkdir -p "/shared/was/${each%/*}"
	cat "/proc/sys/$each" >"/shared/was/$each" 2>/dev/null
done

tidy() {
	cd /
	# Nothing that a script has left but this shell and init; kernel threads have no command line.
	for p in /proc/[0-9]*; do
		p=${p#/proc/}
		[ "$p" = 1 ] || [ "$p" = $$ ] || [ -z "$(tr -d '\0' <"/proc/$p/cmdline" 2>/dev/null)" ] ||
			kill -9 "$p" 2>/dev/null
	done
	find /tmp /dev/shm /run -mindepth 1 -delete 2>/dev/null
	cp /shared/was/passwd /shared/was/group /etc/
	for each in $settings; do
		cat "/shared/was/$each" >"/proc/sys/$each" 2>/dev/null
	done
	if [ -f /rig/pitrace.ko ]; then
		[ ! -d /sys/module/pitrace ] || rmmod pitrace || exit 1
		sh /rig/load || exit
	fi
}

first=yes
for folder in /rig/shared/*; do
	name=${folder##*/}
	[ -n "$first" ] || tidy
	first=''
	echo "<5>pitrace-rig: $name" >/dev/kmsg
	mkdir -p "/shared/$name/get"
	cd /tmp || exit
	shell='sh '
	[ "$(head -c 2 "$folder/script")" != '#!' ] || shell=''
	eval "$shell$folder/script $(cat "$folder/arguments")" >"/shared/$name/said" 2>&1
	echo $? >"/shared/$name/rc"
	dmesg -n 8
	cd / || exit
	while read -r pattern || [ -n "$pattern" ]; do
		# shellcheck disable=SC2086 # it is a pattern
		cp -a $pattern "/shared/$name/get/" || echo 123 >"/shared/$name/rc"
	done <"$folder/get"
	tar -C "/shared/$name" -cf "/shared/$name/get.tar" get && rm -rf "/shared/$name/get"
done
rm -rf /shared/was
exit 0
