#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_ordinary.sh KERNEL ARCH: a user without rights on a stock system: no module, perf events
# refused by the kernel's setting or by a container's filter. What `make install` has put into a
# folder is carried there; two commands lead to a profile with names.
. "$(dirname "$0")/suite.sh"
tree=$out/tree
env -u MAKEFLAGS make -s install DESTDIR="$tree" PREFIX=/opt/pitrace ARCH="$arch" \
	${cross:+CROSS_COMPILE="$cross" SYSROOT="$(scripts/vm/sysroot "$arch")"} >"$out/install.log" ||
	die "make install failed: $(tail -n 3 "$out/install.log")"
booted guest --timeout 400 --mem 1024 --no-module --add "$tree/opt/pitrace:/opt/pitrace" \
	-- tests/vm/guest/ordinary.sh || code=1
exit $code
