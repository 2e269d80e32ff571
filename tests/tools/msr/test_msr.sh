#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# msr: its words and exit codes; reading and writing in a mount namespace whose /dev/cpu holds files,
# eight bytes at the register's number as the kernel's device has them; the device itself where it is.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
msr=$bin/msr
cd "$work" || exit 1

run() { # CODE NAME [ARGUMENT]...
	"$msr" "${@:3}" >out 2>err
	is "$2" $? "$1"
}

run 0 version --version
is version_words "$(cat out)" "msr (pitrace) $(cat "$top/VERSION")"
run 0 list --list
is list_has "$(awk '$2 == "IA32_MISC_ENABLE" { print $1 }' out)" 0x1a0
run 2 nothing
says nothing_words err '^usage: msr'
run 2 two 0x10 0x11
run 2 no_option --nothing 0x10
run 2 no_register IA32_NOTHING
says no_register_words err "'IA32_NOTHING' is not a register"
run 2 number_too_big 0x100000000
run 2 no_cpus -c 1-0 0x10
run 2 no_bits --bits 64:0 0x10
run 2 no_value -c 0 --write 1g 0x10
run 2 write_without_cpus --write 1 0x10
says write_without_cpus_words err '--write needs -c'
run 2 write_of_bits -c 0 --bits 1:0 --write 1 0x10

case $(uname -m) in
x86_64 | i?86) ;;
*)
	run 3 not_x86 0x10
	says not_x86_words err "they are x86's"
	exit $((failures != 0))
	;;
esac

# ---- files in the device's place
cpus=$(getconf _NPROCESSORS_CONF)
mkdir -p dev/cpu
for ((i = 0; i < cpus; i++)); do
	mkdir dev/cpu/$i
	printf '\xf0\xde\xbc\x9a\x78\x56\x34\x12' | dd of=dev/cpu/$i/msr bs=1 seek=$((0xe7)) status=none
	truncate -s 4096 dev/cpu/$i/msr
done
user=
[ "$(id -u)" = 0 ] || user=-r
in_files() { # [ARGUMENT]...
	unshare $user -m sh -c 'mount --bind dev /dev && shift && exec "$@"' sh dev "$msr" "$@" >out 2>err
}
online=$(getconf _NPROCESSORS_ONLN)
in_files IA32_MPERF
is read_code $? 0
is read "$(awk 'NR > 2' out | sort -u -k2 | awk '{ print $2, $3 }')" '0x123456789abcdef0 1311768467463790320'
is read_all "$(awk 'NR > 2' out | wc -l)" "$online"
is read_head "$(head -n 1 out)" 'register 0xe7 IA32_MPERF'
in_files -c 0 --bits 15:8 --json 231
is bits "$(jq -c '[.register, .name, .high_bit, .low_bit, .cpus]' out)" \
	'["0xe7","IA32_MPERF",15,8,[{"cpu":0,"value":"0x123456789abcdef0","field":"0xde"}]]'
in_files -c 0 --csv --bits 63:60 0xe7
is csv "$(tail -n 1 out)" '0,0xe7,IA32_MPERF,0x123456789abcdef0,0x1,'
before=$(cat dev/cpu/*/msr | md5sum)
in_files -c 0 0x20
is nothing_is_written "$(cat dev/cpu/*/msr | md5sum)" "$before"
in_files -c 0 --write 0xfedcba9876543210 0x100
is write_code $? 0
says write_read_back out '0xfedcba9876543210'
is written "$(od -A n -t x8 -j 256 -N 8 dev/cpu/0/msr | tr -d ' ')" fedcba9876543210
printf '\0\0\0\0\0\0\0\0' | dd of=dev/cpu/0/msr bs=1 seek=256 conv=notrunc status=none
is write_nothing_else "$(cat dev/cpu/*/msr | md5sum)" "$before"
in_files -c 0,8191 --json 0xe7
is offline_code $? 1
is offline "$(jq -c '[.cpus[] | [.cpu, .value, (.error // "" | .[:10])]]' out)" \
	'[[0,"0x123456789abcdef0",""],[8191,null,"not online"]]'
# Reads zeros whatever is written; and what the kernel refuses to read with EIO.
ln -sf /dev/cpu/zero dev/cpu/0/msr
: >dev/cpu/zero
mount_zero() { # [ARGUMENT]...
	unshare $user -m sh -c 'mount --bind /dev/zero dev/cpu/zero && mount --rbind dev /dev && exec "$@"' sh \
		"$msr" "$@" >out 2>err
}
mount_zero -c 0 --write 5 0x10
is reads_another_code $? 1
says reads_another err 'wrote 0x5, reads 0x0'
ln -sf /proc/self/mem dev/cpu/0/msr
in_files -c 0 0x10
is refused_code $? 1
says refused err 'CPU 0: the processor (or hypervisor) refuses: there is no register 0x10'
rm -r dev/cpu/*/msr
in_files 0x10
is no_module_code $? 1
is no_module "$(wc -l <err) $(grep -c 'sudo modprobe msr' err)" '1 1'
is no_module_silent "$(wc -c <out)" 0

# ---- the kernel's device
if [ -c /dev/cpu/0/msr ] && [ -r /dev/cpu/0/msr ]; then
	first=$("$msr" -c 0 --json IA32_TIME_STAMP_COUNTER | jq -r '.cpus[0].value')
	second=$("$msr" -c 0 --json IA32_TIME_STAMP_COUNTER | jq -r '.cpus[0].value')
	[ $((second - first)) -gt 0 ]
	verdict device $? "$first then $second"
else
	echo 'skip msr_device this machine has no /dev/cpu/0/msr, or this user may not read it'
fi
exit $((failures != 0))
