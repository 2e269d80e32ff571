#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The programs and libraries are built so that a fault in them is hard to exploit: at addresses that
# change, with tables that are read-only once they are linked, no memory both writable and
# executable, and checks in the stack and in the C library's copying functions.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
lib=${bin%/bin}/lib
case $(uname -m) in
x86_64) flow=-fcf-protection=full ;;
aarch64) flow=-mbranch-protection=standard ;;
*) flow='' ;;
esac

# hardened FILE: what is missing, a line each
hardened() {
	readelf -dlW "$1" >"$work/elf" 2>&1
	grep -q '^Elf file type is DYN' "$work/elf" || echo "not position independent"
	case $1 in
	*.so) ;;
	*) grep -q 'FLAGS_1.* PIE' "$work/elf" || echo "no PIE" ;;
	esac
	grep -q '^ *GNU_RELRO' "$work/elf" || echo "no RELRO"
	grep -qE 'BIND_NOW|FLAGS_1.* NOW' "$work/elf" || echo "not bound when it is loaded"
	grep -qE '^ *GNU_STACK.* RW ' "$work/elf" || echo "the stack is executable"
	! grep -qE '^ *LOAD.* RWE ' "$work/elf" || echo "memory is writable and executable"
	! grep -q TEXTREL "$work/elf" || echo "its code is relocated"
	readelf -W --dyn-syms "$1" >"$work/symbols"
	grep -q '__stack_chk_fail@' "$work/symbols" || echo "no stack protector"
	grep -qE '_chk@' "$work/symbols" || echo "no FORTIFY"
	# How each file of it was compiled, by its debugging information.
	readelf --dwarf-depth=1 --debug-dump=info "$1" 2>/dev/null | grep 'DW_AT_producer.*GNU C' >"$work/compiled"
	[ -s "$work/compiled" ] || echo "no debugging information"
	for flag in -fstack-protector-strong -fstack-clash-protection -fPIC $flow; do
		! grep -vqe " $flag" "$work/compiled" || echo "a file of it is compiled without $flag"
	done
}

for file in "$bin"/* "$lib"/*.so "$lib"/pitrace/*; do
	[ ! -d "$file" ] || continue # of Java's classes
	hardened "$file" >"$work/out"
	[ ! -s "$work/out" ]
	verdict "$(basename "$file")" $?
done

# Each of these is noticed: a program with one protection less.
cat >"$work/small.c" <<'END'
#include <string.h>
int main(int argc, char **argv) { char s[64]; strcpy(s, argv[argc - 1]); return s[0]; }
END
compiled_flow=$flow
small() { # FLAG...
	# shellcheck disable=SC2086 # one flag or none
	"${CC:-gcc}" -g -O2 -fPIC -pie -fstack-protector-strong -fstack-clash-protection $compiled_flow \
		-D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now,-z,noexecstack "$@" -o "$work/small" "$work/small.c" &&
		hardened "$work/small" >"$work/out"
}
less() { # NAME TEXT FLAG...
	local name=$1 text=$2
	shift 2
	small "$@" && grep -qF -e "$text" "$work/out"
	verdict "without_$name" $?
}
small && [ ! -s "$work/out" ]
verdict whole $?
less pie 'not position independent' -no-pie
less relro 'no RELRO' -Wl,-z,norelro
less now 'not bound' -Wl,-z,lazy
less stack_rights 'the stack is executable' -Wl,-z,execstack
less protector 'no stack protector' -fno-stack-protector
compiled_flow=''
[ -z "$flow" ] || less flow "without $flow"
compiled_flow=$flow
less fortify 'no FORTIFY' -U_FORTIFY_SOURCE
exit $((failures != 0))
