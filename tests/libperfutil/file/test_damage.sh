#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The reader under the address and undefined-behaviour sanitizers: a trace file cut at 1,000 places
# and damaged in 10,000 copies.
cd "$(dirname "$0")/../../.." || exit 1
code=0

if make -s SAN=address,undefined O=build/san build/san/tests/programs/damage >/tmp/damage.$$ 2>&1; then
	build/san/tests/programs/damage || code=1
else
	sed 's/^/# /' /tmp/damage.$$
	echo "not ok damage_builds"
	code=1
fi
rm -f /tmp/damage.$$
exit $code
