#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_abi.sh KERNEL ARCH [NAME=VALUE] [TEST]...: the driver's interface, asked wrongly in every way. On arm64 also
# copies of that machine's stacks, walked on this one (on x86-64 that needs no guest). With names of
# tests only these.
. "$(dirname "$0")/suite.sh"

# The debug kernel has no modules of Debian's.
kmods=(--kmod overlay)
! is_debug || kmods=()

if [ "$arch" != arm64 ] || [ $# -gt 0 ]; then
	# The requested number of turns takes its time.
	case ${1:-}$arch in
	TURNS=*) limit=$((1700 + ${1#*=} * 3)) ;;
	*=*) limit=1700 ;;
	*s390x | *ppc64le) limit=1400 ;;
	*) limit=500 ;;
	esac
	case "$kernel $arch $*" in debug*) ;; *x86_64*kernel_itrace_*) kmods+=(--kmod msr) ;; esac
	booted guest "${itrace_cpu[@]}" "${kmods[@]}" --smp 2 --timeout $limit -- tests/vm/guest/abi.sh "$@"
	exit $code
fi

booted guest "${kmods[@]}" --smp 2 --timeout 500 --pmu --get '/tmp/unwind.*' -- tests/vm/guest/abi.sh || exit 1
"$build/bin/post" -q -folded -sympath "$sympath" "$out/unwind.nrm2" >"$out/unwind.folded"

# chain PROCESS: the program's own functions on its stack, the outermost first
chain() {
	grep "^$1;" "$out/unwind.folded" | tr ';' '\n' | sed 's/ [0-9]*$//' |
		grep -xE '_start|main|(call|end)_.*' | paste -sd' '
}
equal unwind_plain "$(chain plain)" "_start main call_plain call_variable call_compare call_again \
call_again call_again call_again end_leaf"
# arm64's vdso has no unwinding tables: behind a signal's handler only guesses are left.
equal unwind_of_a_handler "$(chain signal)" "call_handler end_leaf"
equal unwind_of_a_thread "$(chain thread)" "call_thread end_leaf"
exit $code
