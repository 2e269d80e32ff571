#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of each compiler and form of patch sites: each function's calls are counted to the last one,
# and what is computed is the same; code that many threads run in is patched and is as it was; what
# cannot be patched is refused in words.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/tools/hookit/patch_lib.sh
. "$(dirname "$0")/patch_lib.sh"

# PROGRAM [VARIABLE=VALUE...]: it runs with its functions t_... patched.
patched() {
	timeout 100 env PATCH_OUT=got PATCH_WANTED=t_ "${@:2}" LD_PRELOAD="$counter" "./$1" want >out 2>err
}

# NAME COMPILER...: the program of that language as it is, and patched, both ways to call events.
compare() {
	local name=$1 source=$here/patched.c
	shift
	case $1 in *++) source=$here/patched.cpp ;; esac
	if ! "$@" -D_GNU_SOURCE -fexceptions -pthread "$source" -o program >err 2>&1; then
		verdict "$name" 1 "$(head -3 err)"
		return
	fi
	./program want >alone
	for plain in 0 1; do
		rm -f got
		if [ $plain = 0 ]; then
			patched program PATCH_TELL=1
		else
			patched program PATCH_TELL=1 PATCH_PLAIN=1
		fi
		code=$?
		if [ $code != 0 ] || ! cmp -s alone out; then
			verdict "$name.$plain" 1 "exit $code, $(cat out) not $(cat alone) $(tail -2 err)"
			continue
		fi
		{ cat want; echo missed 0; } | sort >wanted
		sed -E 's/^(\S+)\.[0-9]+ /\1 /' got | cut -d' ' -f1,2 | sort >had
		is "$name.$plain" "$(diff wanted had)" ''
		# Every call that begins also ends, except functions that are left by longjmp and by exceptions.
		is "$name.$plain.ends" "$(awk '$2 != $3 + $4 { print $1 }' got | tr '\n' ' ')" \
			"$(case $source in *pp) echo 't_passes t_throws ' ;; *) echo 't_cancelled t_coroutine t_jumps ' ;; esac)"
	done
}

compare gcc gcc -O2 -fpatchable-function-entry=5
compare gcc_O0 gcc -O0 -fpatchable-function-entry=7
compare gcc_cxx g++ -O2 -fpatchable-function-entry=5
compare clang clang -O2 -fpatchable-function-entry=5
compare clang_cxx clang++ -O2 -fpatchable-function-entry=5
compare xray clang -O2 -fxray-instrument -fxray-instruction-threshold=1
compare xray_cxx clang++ -O2 -fxray-instrument -fxray-instruction-threshold=1
if [ "$(uname -m)" = x86_64 ]; then
	# With a landing pad, and nops before the entry; at an address below 2 GB.
	compare landing gcc -O1 -fcf-protection -fpatchable-function-entry=9,3 -no-pie
	compare landing_cxx g++ -O1 -fcf-protection -fpatchable-function-entry=9,3 -no-pie
	compare clang_ten clang -O2 -fpatchable-function-entry=10
	# clang's nops are one instruction, of each length, and stand behind the landing pad.
	for length in 5 6 7 8 9; do
		compare clang_pad_$length clang -O2 -fcf-protection=full -fpatchable-function-entry=$length
	done
	compare clang_pad_before clang -O2 -fcf-protection=full -fpatchable-function-entry=12,3
	compare clang_pad_cxx clang++ -O2 -fcf-protection=full -fpatchable-function-entry=5
	compare xray_pad clang -O2 -fcf-protection=full -fxray-instrument -fxray-instruction-threshold=1
	compare xray_pad_cxx clang++ -O2 -fcf-protection=full -fxray-instrument -fxray-instruction-threshold=1
else
	echo "skip patch_x86 this machine has other instructions that do nothing"
fi
# With an unwinder of the program's own.
compare own_unwinder g++ -O2 -fpatchable-function-entry=5 -static-libgcc
compare own_cxx g++ -O2 -fpatchable-function-entry=5 -static-libgcc -static-libstdc++

# ---- threads
many many_gcc 1000 200 'as it was' gcc -fpatchable-function-entry=5
many many_clang 300 200 'as it was' clang -fpatchable-function-entry=5
# Where the nops' own bytes would lead, 33 kB further, there is the program's code: operands change under threads.
[ "$(uname -m)" != x86_64 ] || many many_clang_8 2000 200 'as it was' clang -fpatchable-function-entry=8
# Bytes that a sled jumps over keep the jump.
many many_xray 300 200 another clang -fxray-instrument -fxray-instruction-threshold=1

# ---- libraries that come and go
printf 'int t_loaded(int x);\nint t_loaded(int x) { return x * 2; }\n' >loaded.c
gcc -O2 -fPIC -shared -fpatchable-function-entry=5 loaded.c -o loaded.so
gcc -O2 -fpatchable-function-entry=5 "$here/patch_loads.c" "$counter" -o loads
timeout 60 env PATCH_OUT=got PATCH_WANTED=t_ PATCH_LATER=1 ./loads ./loaded.so >out 2>err
is loads "$? $(cat out err) $(awk '$1 == "t_loaded" { n += $2; m += $3 } END { print n, m }' got)" '0 570 60 60'
# A library that is overwritten in place differs from the loaded one.
cat >replaced.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	void (*find)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "patch_counter_find");

	if (!dlopen("./loaded.so", RTLD_NOW) || system("cp other.so loaded.new && mv loaded.new loaded.so"))
		return 2;
	find();
	return 0;
}
END
gcc -O1 replaced.c -o program
printf 'int t_other(int x);\nint t_other(int x) { return x / 3; }\n' >>loaded.c
gcc -O2 -fPIC -shared -fpatchable-function-entry=5 loaded.c -o other.so
patched program PATCH_LATER=1 PATCH_TELL=1
is replaced.code $? 3
says replaced err 'loaded.so: byte 0: the file was replaced since it was loaded'

# ---- what cannot be
refused() { # NAME WORDS [VARIABLE=VALUE...]
	patched program "${@:3}"
	is "$1.code" $? 3
	says "$1" err "$2"
}
printf 'int t_f(int x);\nint t_f(int x) { return x; }\nint main(void) { return t_f(0); }\n' >small.c
gcc small.c -o program
refused nothing 'no patch sites in [0-9]* objects.*compile with -fpatchable-function-entry=5 (gcc, clang) or -fxray-instrument'
gcc -O1 -fpatchable-function-entry=2 small.c -o program
if [ "$(uname -m)" = x86_64 ]; then
	refused two 'the program: at 0x[0-9a-f]*: .*no room for a jump: compile with -fpatchable-function-entry=5'
	gcc -O1 -fpatchable-function-entry=3,3 small.c -o program
	refused none_after 'the program: at 0x[0-9a-f]*: there is no nop'
else
	echo "skip patch_x86 this machine has other instructions that do nothing"
fi
# For a stripped program, unwinding tables show where functions begin.
gcc -O2 -fpatchable-function-entry=8,3 small.c -o program && strip program
patched program PATCH_TELL=1
is stripped "$? $(sed 's/.*program: //' err)" '0 2 entries, 2 sites'
gcc -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -fpatchable-function-entry=8,3 small.c -o program
strip -R .eh_frame_hdr program
refused no_tables 'the program: at 0x[0-9a-f]*: it is not certain where the function begins'
g++ -O2 -fpatchable-function-entry=5 -static-libgcc -static-libstdc++ "$here/patched.cpp" -o program -pthread
strip program
refused blind 'the program: .*exceptions, and an unwinder of its own whose symbols are stripped'
gcc -O2 -fpatchable-function-entry=5 small.c -o program
refused memory_denied 'the program: executable memory is denied (a rule of this system' PATCH_DENY=exec
refused writing_denied 'code at 0x[0-9a-f]*: Operation not permitted: the kernel does not let a process write its own code' \
	PATCH_DENY=mem
# The section claims an address where the program has nothing.
cp program whole
python3 - <<'END'
import struct
b = bytearray(open('program', 'rb').read())
shoff, = struct.unpack_from('<Q', b, 40)
num, names = struct.unpack_from('<HH', b, 60)
off, = struct.unpack_from('<Q', b, shoff + 64 * names + 24)
for i in range(num):
    at = shoff + 64 * i
    name, = struct.unpack_from('<I', b, at)
    if b[off + name:].startswith(b'__patchable_function_entries\0'):
        struct.pack_into('<Q', b, at + 16, 1 << 40)
open('program', 'wb').write(b)
END
refused beyond 'the program: byte 0: __patchable_function_entries: its [0-9]* bytes are not loaded; 0 sites were read'
cp whole program && truncate -s -64 program
refused short 'the program: byte [0-9]*: the headers of sections: [0-9]* bytes reach beyond the end of the file'
exit $failures
