#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# 50,000 functions are patched and unpatched 1,000 times while eight threads run in them: FUNCTIONS and
# ROUNDS are other numbers. A compiler needs a minute for them.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/tools/hookit/patch_lib.sh
. "$(dirname "$0")/patch_lib.sh"

many many "${FUNCTIONS:-50000}" "${ROUNDS:-1000}" 'as it was' gcc -fpatchable-function-entry=5
exit $failures
