#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_run.sh KERNEL ARCH: swtrace's behaviour towards people; judged in the guest.
. "$(dirname "$0")/suite.sh"
booted guest --smp 2 --timeout 400 -- tests/vm/guest/run.sh || code=1
exit $code
