# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the suites of patch sites. Sourced after lib.sh.
here=$top/tests/tools/hookit
counter=$programs/programs/patch_counter.so
if [ ! -f "$counter" ]; then
	echo "skip $suite there are no patch sites on this machine"
	exit 77
fi
cd "$work" || exit 1

# NAME FUNCTIONS ROUNDS AS COMPILER...: so many functions are patched and unpatched so often while eight threads run
# in them; afterwards the code is AS before, or different.
many() {
	"$here/patch_functions" "$2" >many.c
	"${@:5}" -O1 many.c "$here/patch_many.c" "$counter" -o many -pthread >err 2>&1 || cat err
	timeout 1000 env PATCH_LATER=1 PATCH_PLAIN=1 PATCH_WANTED=t_f ./many "$3" 8 >out 2>err
	is "$1" "$? $(tr '\n' ' ' <out)" "0 $2 of $2 functions, counted, the code is $4, no page was both 0 events when off "
	grep ' ms ' err | sed 's/^/# /'
}
