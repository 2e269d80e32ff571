#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_itrace_code.sh KERNEL ARCH [probes]: the driver's instruction traces where code is in no file:
# jitted functions, named before and after they move; the kernel's own code, which is kept with the trace,
# and by which each run of a system call is checked, from libc through the kernel and back (on s390x by its
# own post, in the guest). With `probes` there are some of the kernel's code on the way, too.
. "$(dirname "$0")/suite.sh"
post=$build/bin/post
kernel_side='' probes=${1:-}
case $arch in x86_64 | s390x) kernel_side=kernel ;; esac
moves=$programs/programs/jit_moves
jit=() got=()
if [ -z "$cross" ]; then
	[ -n "${PITRACE_NO_BUILD:-}" ] || make -s "${moves#"$top/"}" || die "the build failed"
	jit=(--add "$moves:/usr/bin/jit_moves" --get '/tmp/jit-*.dump')
else
	got=(--get '/tmp/*.verify')
fi

booted guest --timeout 500 "${jit[@]}" "${got[@]}" --get '/tmp/*.nrm2' --get '/tmp/*.txt' \
	-- tests/vm/guest/itrace_code.sh $kernel_side $probes || exit 1

# right NAME: each run whose code is to be had makes sense
right() {
	[ -n "$cross" ] ||
		"$post" -verify -q -r "$out/$1.nrm2" -jdir "$out" -sympath "$sympath" >"$out/$1.verify" 2>&1
	grep -qE '^ +0 wrong$' "$out/$1.verify" &&
		[ "$(awk '/ right/ { print $1; exit }' "$out/$1.verify")" -gt "$2" ]
	verdict "right_$1" $? "$(head -c 600 "$out/$1.verify")"
}
if [ -z "$cross" ]; then
	equal moves_ran "$(cat "$out/moves.txt")" '5 5 7'
	"$post" -arc -q -r "$out/moves.nrm2" -jdir "$out" -sympath "$sympath" -o "$out/moves.arc"
	equal moves_named "$(grep -oE '(mover|settler):JITCODE' "$out/moves.arc" | paste -sd' ')" \
		'mover:JITCODE mover:JITCODE settler:JITCODE'
	equal moves_starts "$(awk '/:JITCODE/ { print $5 $6 }' "$out/moves.arc" | paste -sd' ')" '@0 @0 @0'
	right moves 50
	"$post" -disasm -q -r "$out/moves.nrm2" -jdir "$out" -sympath "$sympath" -o "$out/moves.disasm"
	equal moves_code "$(grep -c 'mover:JITCODE' "$out/moves.disasm") $(grep -c 'settler:JITCODE' "$out/moves.disasm")" \
		"$(awk '/mover:JITCODE/ { n += $4 } /settler:JITCODE/ { m += $4 } END { print n, m }' "$out/moves.arc")"
fi
[ -n "$kernel_side" ] || exit $code

for trace in calls norm wrap early; do
	equal ${trace}_ran "$(head -n 1 "$out/$trace.txt")" hello
	right $trace 1000
	# s390x's calls end by the instruction at 0x400, where each CPU has code of its own.
	ends=0
	[ "$arch" != s390x ] || { records "$out/$trace.nrm2" && ends=$(grep -c '"from":"0x400"' "$out/$trace.nrm2.show"); }
	missing=$(awk '/the kernel.s code/ { print $1 }' "$out/$trace.verify")
	equal ${trace}_kernel_code_kept "${missing:-0}" "$ends"
done
"$post" -arc -q -r "$out/calls.nrm2" -sympath "$sympath" -o "$out/calls.arc"
# call NAME: from libc's function through the kernel's, which runs, back to behind the call.
call() {
	awk -v libc="^(__)?$1:.*libc" -v kernel="^__(x64|s390x?|se)_sys_$1:vmlinux" '
		!/^#/ && $2 == "U" && $7 ~ libc && $9 == "OTHER" { state = 1; next }
		state && $6 == 0 && $2 == "K" && $7 ~ kernel { there = 1 }
		state && /\?(gap|entry|longjmp|unwound)/ { doubt = $0 }
		state && $2 == "U" { exit !(there && !doubt && was == "IRET" && $5 == "@" && $7 ~ libc) }
		{ was = $9 }' "$out/calls.arc"
	verdict "call_$1" $? "$(grep -n -m 3 "$1" "$out/calls.arc")"
}
call getpid
call write
[ -n "$probes" ] || exit $code

# As many hits as without the trace. Within a function a probe is a gap, if it is not a jump that is traced.
# On s390x, if a probe is on the first instruction or on the return, the rest of the call is left out, and this is
# recorded.
equal within_ran "$(paste -sd' ' "$out/within.txt")" 'hello within: hello within:'
equal probed_ran "$(paste -sd' ' "$out/probed.txt")" 'hello first: return: hello first: return:'
for trace in within probed; do
	records "$out/$trace.nrm2"
	right $trace 500
	equal ${trace}_told "$(grep -c '"kind":"probe"' "$out/$trace.nrm2.show")" \
		"$([ "$arch$trace" != s390xprobed ] && echo 0 || echo 2)"
done
gaps=$(grep '"gap"' "$out/within.nrm2.show" | grep -vc '"itstart"')
case $arch in s390x) equal within_gap "$gaps" 1 ;; *) calc "$gaps <= 2"; verdict within_gap $? "$gaps gaps" ;; esac
exit $code
