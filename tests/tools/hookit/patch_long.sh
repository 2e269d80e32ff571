#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# 50,000 functions are patched and unpatched 1,000 times while eight threads run in them: FUNCTIONS and
# ROUNDS are other numbers. A compiler needs a minute for them.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
counter=$programs/programs/patch_counter.so
if [ ! -f "$counter" ]; then
	echo "skip patch_long there are no patch sites on this machine"
	exit 77
fi
cd "$work" || exit 1
n=${FUNCTIONS:-50000}
"$here/patch_functions" "$n" >many.c
gcc -O1 -fpatchable-function-entry=5 many.c "$here/patch_many.c" "$counter" -o many -pthread || exit 1
PATCH_LATER=1 PATCH_PLAIN=1 PATCH_WANTED=t_f ./many "${ROUNDS:-1000}" 8 >out 2>err
is many "$? $(tr '\n' ' ' <out)" "0 $n of $n functions, counted, the code is as it was, no page was both 0 events when off "
sed 's/^/# /' err
exit $failures
