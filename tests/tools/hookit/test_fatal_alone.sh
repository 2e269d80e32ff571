#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fatal_signals.c on each architecture whose registers it knows, by qemu's emulation of programs: what it is to write
# is written before a signal ends the program, and the program ends by that signal. The trees are of
# test_hook_signals.sh.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1
# Nothing is ever read from it.
mkfifo silent && exec 9<>silent

# ends EMULATOR SIGNAL WAY: how often it was written, and the exit code
ends() {
	rm -rf logs out.fifo
	mkdir logs && mkfifo out.fifo
	local line=
	# shellcheck disable=SC2086 # an emulator and its options
	LOGS=logs env --default-signal=INT $1 ./signals "$3" >out.fifo 2>err <&9 &
	local program=$!
	if [ "$2" ]; then
		read -r -t 100 line <out.fifo
		[ "$line" = ready ] && kill -"$2" $program
	else
		cat out.fifo >/dev/null
	fi
	wait $program 2>/dev/null
	local code=$?
	echo "$(cat logs/written 2>/dev/null | wc -l) $code"
}
emulated() { # ARCH EMULATOR COMPILER ROOT
	local arch=$1 run="$2 -L $4" cc=$3 way
	if ! command -v "$2" >/dev/null || ! command -v "$cc" >/dev/null || [ ! -d "$4/lib" ]; then
		echo "skip ${suite}_$arch no compiler or emulator for $arch"
		return
	fi
	"$cc" -O1 -D_GNU_SOURCE -fPIC -shared -I"$top/tools/hookit" "$here/fatal_alone.c" \
		"$top"/tools/hookit/{fatal_signals,interrupted,overflow_stack}.c -o libalone.so -pthread >make.out 2>&1 &&
		"$cc" -O1 "$here/signals.c" -o signals -L. -Wl,--no-as-needed -lalone -Wl,-rpath,"$work" -pthread >>make.out 2>&1
	verdict "${arch}_built" $? "$(head -5 make.out)"
	for way in code:TERM:143 block:HUP:129 read:TERM:143 allocate:TERM:143 threads:INT:130 own:TERM:7 fault::139 copy::139 \
		length::139 free::134 deep::139 abort::134 raise::138; do
		IFS=: read -r name signal code <<<"$way"
		[ "$name" = own ] && want="0 $code" || want="1 $code"
		is "${arch}_$name" "$(ends "$run" "$signal" "$name")" "$want"
	done
}
emulated arm64 qemu-aarch64 aarch64-linux-gnu-gcc /usr/aarch64-linux-gnu
emulated ppc64le qemu-ppc64le powerpc64le-linux-gnu-gcc /usr/powerpc64le-linux-gnu
emulated s390x qemu-s390x s390x-linux-gnu-gcc /usr/s390x-linux-gnu
exit $((failures != 0))
