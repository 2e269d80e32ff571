#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The reader under the address and undefined-behaviour sanitizers: a trace file cut at 1,000 places
# and damaged in 10,000 copies; then all seeds of the fuzz targets, replayed by plain gcc.
cd "$(dirname "$0")/../.." || exit 1
code=0

if make -s SAN=address,undefined O=build/san build/san/tests/format/test_damage >/tmp/damage.$$ 2>&1; then
	build/san/tests/format/test_damage || code=1
else
	sed 's/^/# /' /tmp/damage.$$
	echo "not ok damage_builds"
	code=1
fi
rm -f /tmp/damage.$$

for target in tests/fuzz/fuzz_*.c; do
	name=$(basename "$target" .c)
	if ! make -s O=build "build/tests/fuzz/$name"; then
		echo "not ok ${name}_builds"
		code=1
	elif ! "build/tests/fuzz/$name" tests/data/fuzz/"${name#fuzz_}"/*; then
		code=1
	fi
done
exit $code
