#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_starve.sh debug x86_64: a kernel that makes allocations of memory fail, one after the other.
. "$(dirname "$0")/suite.sh"

booted guest --smp 2 -- tests/vm/guest/starve.sh
exit $code
