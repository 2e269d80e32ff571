#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_load.sh KERNEL ARCH CYCLES: the module goes and comes under a load of forks, with traces.
. "$(dirname "$0")/suite.sh"

leaks=() each=20
! is_debug || leaks=(--append kmemleak=on)
# There a cycle takes 20 s where nothing else runs.
[ "$arch" != s390x ] || each=34
booted guest --smp 2 "${leaks[@]}" --timeout $((100 + each * $1)) -- tests/vm/guest/load.sh "$1"
exit $code
