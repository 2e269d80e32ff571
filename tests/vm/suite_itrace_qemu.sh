#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_itrace_qemu.sh KERNEL ARCH (x86_64 or s390x): a program's instruction trace, user and kernel
# side, beside the emulator's own log of what it has executed, in the same run: each instruction that
# ran with the trap flag (s390x: with PER) set, one by one (the flag is in the log). Nothing else may
# have run with it.
. "$(dirname "$0")/suite.sh"
fifos=$out/fifo
mkdir -p "$fifos"
mkfifo "$fifos/monitor.in" "$fifos/monitor.out" "$fifos/log"
cat <"$fifos/monitor.out" >"$out/monitor" &
listener=$!

# Hundreds of instructions serve each step: only the steps are kept. [cs/pc/flags/...], TF is bit 8,
# PER's branches are bit 31. On s390x the exit path, from the system call's function to lpswe, is recorded without a
# trap: the entries after the lpswe at 0x400, by which a trap ends, are also kept, up to that one.
if [ "$arch" = s390x ]; then
	awk -F/ '!/^Trace/ { next }
		$3 ~ /^[89a-f]/ { print $2; left = 0; next }
		left > 0 { print "-" $2; left-- }
		$2 == "0000000000000400" { left = 40 }' <"$fifos/log" >"$out/steps" &
else
	awk -F/ '/^Trace/ && $3 ~ /[13579bdf]..$/ { print $2 }' <"$fifos/log" >"$out/steps" &
fi
filter=$!

# One instruction at a time; newer emulators have another word for it.
one=singlestep
[ -z "$cross" ] || one='one-insn-per-tb'

# The guest says when. It is as slow as its log: by a clock of instructions it has no more timer
# interrupts for that.
boot --icount "${itrace_cpu[@]}" --monitor "$fifos/monitor" --log-to "$fifos/log" --timeout 380 --get /tmp/trace.nrm2 -- \
	tests/vm/guest/itrace_qemu.sh |
	while read -r line; do
		case ${line%$'\r'} in
		'log on') printf '%s on\nlog exec,nochain\n' "$one" ;;
		'log off') printf 'log none\n%s off\n' "$one" ;;
		*) echo "$line" >&2 ;;
		esac
	done >"$fifos/monitor.in"
rc=${PIPESTATUS[0]}
kill $listener 2>/dev/null
[ "$rc" = 0 ] || { kill $filter; not_ok guest "the guest ended with $rc"; exit 1; }
wait $filter
records "$out/trace.nrm2" || exit 1
"$judge" steps "$out/trace.nrm2.show" "$out/steps" >"$out/judged"
verdict equal $? "$(head -n 3 "$out/judged" | paste -sd' ')"
echo "# $(tail -n 1 "$out/judged")"
exit $code
