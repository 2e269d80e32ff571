#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_abi.sh KERNEL ARCH: the driver's interface, asked wrongly in every way.
. "$(dirname "$0")/suite.sh"

booted guest --smp 2 -- tests/vm/guest/abi.sh
exit $code
