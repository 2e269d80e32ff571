#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/instrumented.md: its patches fit the programs' sources, and its commands say what stands there, but
# for numbers. Needs a network once, for the sources.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
page=$top/docs/instrumented.md
[ "$(id -u)" = 0 ] || { echo "skip instrumented it begins a daemon that drops root's rights: it must be root"; exit 77; }
for package in mini-httpd ninja-build; do
	archive=$("$top/scripts/vm/source" $package 2>"$work/out") ||
		{ echo "skip instrumented $(tail -n 1 "$work/out")"; exit 77; }
	cp "$archive" "$work"
done
chmod 755 "$work"
env -u MAKEFLAGS -u MAKEOVERRIDES make --no-print-directory -C "$top" O="${O:-build}" install DESTDIR="$work/root" \
	PREFIX=/usr >"$work/out" 2>&1
verdict installed $?
usr=$work/root/usr
export PATH=$usr/bin:$PATH LD_LIBRARY_PATH=$usr/lib
export PKG_CONFIG_LIBDIR=$usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/root
export PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
unset PITRACE_SOCKET PITRACE_HOOKS

# block KIND N: the N-th block of that kind
block() {
	awk -v kind="$1" -v n="$2" '/^```/ { inside = $0 == "```" kind && ++i == n; next } inside' "$page"
}
# A free port.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
block diff 1 >"$work/mini-httpd.patch"
block diff 2 >"$work/ninja.patch"
# Numbers and the place in a line are not compared; a name is.
same_but_numbers() {
	sed -E 's/0x[0-9a-f]+/0xN/g; s/\b[0-9]+(\.[0-9]+)?\b/N/g; s/=[0-9]+/=N/g'
}
for n in 1 2; do
	# Prints the commands, and the output of each.
	block console $n | sed "s/8087/$port/" | awk '
		/^\$ / { more = 1; sub(/^\$ /, "") }
		more { print; more = /\\$/ }' >"$work/typed"
	block console $n | awk '/^\$ / { more = 1 } !more { print } more { more = /\\$/ }' | same_but_numbers >"$work/wanted"
	(cd "$work" && timeout 900 bash typed 2>err </dev/null) >"$work/said"
	verdict ran_$n $? "$(tail -n 3 "$work/err")"
	same_but_numbers <"$work/said" | diff "$work/wanted" - >"$work/out"
	verdict says_$n $?
	# Each beginning has its end, of the same number.
	[ "$(grep -c '^b0/00000000' "$work/said")" -gt 1 ] &&
		diff <(sed -n 's/^b0\/00000000 //p' "$work/said" | sort) <(sed -n 's/^b0\/00000080 //p' "$work/said" | sort)
	verdict pairs_$n $?
done
[ "$failures" = 0 ]
