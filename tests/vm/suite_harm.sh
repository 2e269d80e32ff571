#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_harm.sh KERNEL ARCH CALLS QUOTA: every call of the driver, right and wrong, in a machine of two
# CPUs and little memory; the rig looks at the kernel log.
. "$(dirname "$0")/suite.sh"

booted guest --smp 2 --mem 320 --timeout 1700 -- tests/vm/guest/harm.sh "$@"
exit $code
