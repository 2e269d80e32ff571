#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_harm.sh KERNEL ARCH CALLS QUOTA [ROOT_CALLS [SEED]]: every call of the driver, right and
# wrong, by an ordinary user and by root, in a machine of two CPUs and little memory; the rig looks at
# the kernel log. Each call succeeds and fails QUOTA times at least.
. "$(dirname "$0")/suite.sh"
booted guest --smp 2 --mem 320 --timeout 1700 -- \
	tests/vm/guest/harm.sh "$1" "$2" "${3:-$1}" "${4:-1}" || code=1
exit $code
