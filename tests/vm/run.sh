#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Run a script as root in an emulated machine with one of Debian's own kernels and our module.
# The script's output is streamed, its exit code is ours; see usage below for codes of the rig's.
set -euo pipefail
. "$(dirname "$0")/../../scripts/vm/common.sh"
PATH=$PATH:/usr/sbin:/sbin

usage() {
	cat >&2 <<'END'
usage: run.sh [option]... -- SCRIPT [ARGUMENT]...
       run.sh [option]... --shell
  --kernel 6.1|6.12|sid|debug|debug-sid   Debian's kernel series (6.1)
  --arch ARCH             x86_64 (the default), arm64, ppc64le or s390x
  --icount                one instruction = 1 ns: bit-identical runs, one CPU
  --smp N                 CPUs (1); emulated on one host thread in turn ...
  --mttcg                 ... or on a host thread each
  --no-tsc-reliable       let x86 guests of several CPUs distrust their TSC
  --cpu MODEL             QEMU's CPU model
  --pmu                   arm64: with counters, which are exact with --icount
  --mem MB                memory (512); twice that for the debug kernel
  --timeout S             time limit for all of it (500); four times that for the debug kernel
  --settle S              wait in the guest before the script starts
  --append WORDS          more for the kernel's command line
  --no-module             do not build and load pitrace.ko
  --module FILE           load this pitrace.ko
  --kmod NAME             have this module of Debian's at hand for modprobe (repeatable)
  --prog NAME             copy a program of the host's with its libraries (repeatable)
  --add HOST:GUEST        copy a file or folder (repeatable)
  --get PATH              copy a guest's file, folder or pattern back (repeatable) ...
  --out FOLDER            ... into this folder (.)
  --log FILE              keep the kernel log there
  --monitor PIPES         the emulator's monitor: commands from PIPES.in, answers to PIPES.out
  --log-to FILE           its log goes there, when the monitor switches it on
  --gdb PORT              wait for gdb at this port of localhost before the guest begins; no time
                          limit, and the kernel lies where its file says
  --dry-run               print QEMU's command and stop
exit code: the script's; 119 module not loaded, 123 --get failed, 124 no verdict (hung, crashed,
timed out), 125 the kernel log holds a warning or worse, 2 usage
END
	exit 2
}

kernel=6.1 arch=x86_64 smp=1 mem=512 limit=500 settle=0 append='' out_dir=. cpu='' keep_log=''
icount='' mttcg='' monitor='' log_to='' gdb='' pmu='' tsc_reliable=1 shell='' module=build dry_run=''
gets=() adds=() progs=() kmods=()
while [ $# -gt 0 ]; do
	case $1 in
	--icount) icount=1 ;;
	--mttcg) mttcg=1 ;;
	--pmu) pmu=on ;;
	--no-tsc-reliable) tsc_reliable='' ;;
	--shell) shell=1 ;;
	--no-module) module='' ;;
	--dry-run) dry_run=1 ;;
	--)
		shift
		break
		;;
	--kernel | --arch | --smp | --cpu | --mem | --timeout | --settle | --append | --module | \
		--kmod | --prog | --add | --get | --out | --log | --monitor | --log-to | --gdb)
		[ $# -ge 2 ] || usage
		case $1 in
		--kernel) kernel=$2 ;;
		--arch) arch=$2 ;;
		--smp) smp=$2 ;;
		--cpu) cpu=$2 ;;
		--mem) mem=$2 ;;
		--timeout) limit=$2 ;;
		--settle) settle=$2 ;;
		--append) append+=" $2" ;;
		--module) module=$2 ;;
		--kmod) kmods+=("$2") ;;
		--prog) progs+=("$2") ;;
		--add) adds+=("$2") ;;
		--get) gets+=("$2") ;;
		--out) out_dir=$2 ;;
		--log) keep_log=$2 ;;
		--monitor) monitor=$2 ;;
		--log-to) log_to=$2 ;;
		--gdb) gdb=$2 ;;
		esac
		shift
		;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
[ -n "$shell" ] || [ $# -ge 1 ] || usage
[ -n "$shell" ] || [ -f "$1" ] || die "no script $1"
[ -z "$icount" ] || [ "$smp" = 1 ] || die "--icount has one CPU"
# A kernel that looks at each access to memory takes its time, and memory to note what it saw.
! is_debug || limit=$((limit * 4)) mem=$((mem * 2))
set_kernel "$kernel" "$arch"
"$top/scripts/vm/kernel" "$kernel" "$arch" >/dev/null

mkdir -p "$cache/tmp"
work=$(mktemp -d "$cache/tmp/run.XXXXXX")
qemu_pid=
cleanup() {
	# It is timeout's id: TERM is handed on to QEMU, KILL would leave QEMU behind.
	[ -z "$qemu_pid" ] || kill -TERM "$qemu_pid" 2>/dev/null || :
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

case $module in
'') ;;
build) module=$("$top/scripts/vm/module" "$kernel" "$arch") || exit 119 ;;
*) [ -f "$module" ] || die "no module $module" ;;
esac

# The machine: the kernel log on the first serial port, the script's output on the second.
serial=(-serial chardev:con) out_kmods=''
words="panic=-1 oops=panic panic_on_warn=1 printk.devkmsg=on rdinit=/init"
read -ra qemu <<<"$("$top/scripts/vm/qemu" "$arch")"
nqemu=${#qemu[@]}
case $arch in
x86_64)
	console=ttyS0 out=/dev/ttyS1 image=$kdir/vmlinux
	# A microvm has no second clock to check the TSC by: unchecked it would never be let near high
	# resolution timers. Several CPUs would make the kernel distrust it.
	[ "$smp$icount" = 1 ] || [ -z "$tsc_reliable" ] || words+=" tsc=reliable"
	# Its TSC is the host's, whose rate it must not measure itself where the host is busy.
	khz=$([ -n "$icount" ] || "$build/tests/programs/tsc_khz" 2>/dev/null) || khz=''
	[ -z "$khz" ] || words+=" tsc_early_khz=$khz"
	if [ -n "$icount" ]; then
		# The smallest machine: no firmware, no PCI, nothing that runs on the host's clock.
		qemu+=(-M "microvm,rtc=on" -device "isa-serial,index=1,chardev=out,iobase=0x2f8,irq=3")
		words+=" reboot=t"
		disk=virtio-blk-device
	else
		qemu+=(-M pc -serial chardev:out)
		disk=virtio-blk-pci
		# Without MSI the disk's interrupt comes by the board's own table, not by ACPI's.
		! is_debug || words+=" acpi=noirq"
	fi
	# KASAN is not ready yet where an unpacked kernel is entered.
	! is_debug || image=$kdir/vmlinuz
	: "${cpu:=qemu64,+arat,+rdrand}"
	;;
arm64)
	console=ttyAMA0 out=/dev/ttyS0 image=$kdir/vmlinuz
	qemu+=(-M "virt${icount:+,dtb-randomness=off}" -device "pci-serial,chardev=out")
	disk=virtio-blk-device
	: "${cpu:=max,pauth-impdef=on,pmu=${pmu:-off}}"
	;;
ppc64le)
	console=hvc0 out=/dev/hvc1 image=$kdir/vmlinuz
	qemu+=(-M "pseries,x-vof=on" -vga none -device "spapr-vty,chardev=out,reg=0x71000010")
	disk=virtio-blk-pci
	: "${cpu:=power10}"
	;;
s390x)
	console=ttysclp0 out=/dev/hvc0 image=$kdir/vmlinuz
	qemu+=(-M s390-ccw-virtio -device virtio-serial-ccw -device "virtconsole,chardev=out")
	disk=virtio-blk-ccw out_kmods=virtio_console
	: "${cpu:=max}"
	;;
esac
if [ -n "$icount" ]; then
	# A guest that gets commands meanwhile runs in real time: when it is idle, it waits.
	qemu+=(-icount "shift=0,sleep=$([ -n "$monitor" ] && echo on || echo off)"
		-rtc "base=2024-01-01T00:00:00,clock=vm" -seed 1)
	words+=" nokaslr"
else
	qemu+=(-accel "tcg,thread=$([ -n "$mttcg" ] && echo multi || echo single)")
fi
qemu+=(-cpu "$cpu" -smp "$smp" -m "$mem" -nodefaults -no-user-config -display none -nic none
	-no-reboot)

[ -z "$monitor" ] || qemu+=(-chardev "pipe,id=monitor,path=$monitor" -mon chardev=monitor)
[ -z "$log_to" ] || qemu+=(-D "$log_to")
if [ -n "$gdb" ]; then
	qemu+=(-gdb "tcp:127.0.0.1:$gdb" -S)
	words+=" nokaslr"
	limit=0
fi
if [ -n "$shell" ]; then
	shell=/dev/$console
	out=/dev/null
	qemu+=(-chardev "stdio,id=con,mux=on,signal=off" -chardev "null,id=out")
	limit=0
else
	qemu+=(-chardev "file,id=con,path=$work/console" -chardev "file,id=out,path=$work/out")
fi
# The console must come first among the serial ports.
qemu=("${qemu[@]:0:nqemu}" "${serial[@]}" "${qemu[@]:nqemu}")
if [ ${#gets[@]} -gt 0 ]; then
	truncate -s 4G "$work/disk"
	qemu+=(-drive "if=none,id=disk,format=raw,cache=unsafe,file=$work/disk" -device "$disk,drive=disk")
fi
. "$top/tests/vm/image.sh"
make_initramfs "$work/initrd" "$@"
qemu+=(-kernel "$image" -initrd "$work/initrd" -append "console=$console $words$append")

if [ -n "$dry_run" ]; then
	printf '%q ' "${qemu[@]}"
	echo
	exit 0
fi
if [ -n "$shell" ]; then
	"${qemu[@]}" || :
	exit 0
fi

boot() {
	: >"$work/out"
	: >"$work/console"
	timeout -k 5 "$limit" "${qemu[@]}" </dev/null >"$work/qemu" 2>&1 &
	qemu_pid=$!
	tail -n +1 -s 0.1 --pid=$qemu_pid -f "$work/out" &
	tail_pid=$!
	qemu_code=0
	wait "$qemu_pid" || qemu_code=$?
	qemu_pid=
	wait "$tail_pid" || :
	tr -d '\r' <"$work/console" >"$work/log"
}
boot
# A kernel that dies before it runs its first program, which is before the driver is there, is the
# emulator's fault (seen: a double fault of 6.12 while it set up its own first tables): once more.
if ! grep -q 'Run /init as init process' "$work/log" && grep -q 'Oops\|Kernel panic' "$work/log"; then
	echo "run.sh: the kernel died before its first program; booted once more" >&2
	boot
fi
[ -z "$keep_log" ] || cp "$work/log" "$keep_log"

# First the kernel: what a script says about a kernel that has complained is worth nothing.
bad='BUG:|WARNING:|Oops|[Cc]all [Tt]race:|possible (circular|recursive|irq|deadlock|unsafe)'
bad+='|possible .*lock|[Uu]nable to handle|rcu.*stall|soft lockup|hard LOCKUP|Kernel panic'
bad+='|general protection( fault)?[,:]|blocked for more than|refcount_t:|KASAN|UBSAN'
# A message of the emulated machine's own firmware while it boots.
fine='nvram corruption detected'
if grep -E "$bad" "$work/log" | grep -qv "$fine"; then
	echo "run.sh: the kernel complained:"
	grep -v "$fine" "$work/log" | grep -nE -A30 "$bad" | head -n 80
	exit 125
fi >&2
code=$(sed -nE "s/^.*pitrace-rig: verdict ([0-9]+)$/\1/p" "$work/log" | tail -n 1)
if [ -z "$code" ]; then
	case $qemu_code in
	124 | 137) echo "run.sh: no verdict within $limit seconds" ;;
	*) echo "run.sh: no verdict, QEMU ended with $qemu_code" ;;
	esac
	cat "$work/qemu"
	tail -n 20 "$work/log"
	exit 124
fi >&2

if [ ${#gets[@]} -gt 0 ]; then
	mkdir -p "$work/get" "$out_dir"
	if grep -q "pitrace-rig: get failed" "$work/log" ||
		! tar -xf "$work/disk" -C "$work/get" --no-same-owner; then
		echo "run.sh: could not get ${gets[*]}" >&2
		[ "$code" != 0 ] || code=123
	fi
	for get in "${gets[@]}"; do
		# Unquoted: a pattern means the same here as it did in the guest.
		for found in "$work"/get/${get#/}; do
			[ ! -e "$found" ] || cp -a "$found" "$out_dir/"
		done
	done
fi
exit "$code"
