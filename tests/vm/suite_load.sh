#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_load.sh KERNEL ARCH CYCLES: the module goes and comes under a load of forks, with traces.
. "$(dirname "$0")/suite.sh"

leaks=()
[ "$kernel" != debug ] || leaks=(--append kmemleak=on)
booted guest --smp 2 "${leaks[@]}" --timeout $((100 + 20 * $1)) -- tests/vm/guest/load.sh "$1"
exit $code
