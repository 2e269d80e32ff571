#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_itrace_ls.sh KERNEL ppc64le WHAT...: the addresses that each thread of programs reads and
# writes (swtrace run --itrace --ls): as a debugger's registers before each step and libopcodes tell them.
. "$(dirname "$0")/suite.sh"
access=$build/tests/itrace_access_$arch
build_judge "$access"

booted guest "${itrace_cpu[@]}" --timeout 400 --get '/tmp/logs' -- \
	tests/vm/guest/itrace.sh driver-ls "$@" || exit 1
for what; do
	read -r judged traced <"$out/logs/$what.codes"
	equal "code_$what" "$judged $traced" '0 0'
	"$access" "$out/logs/$what.log" "$out/logs/$what.nrm2" \
		>"$out/$what.said" 2>&1
	verdict "equal_$what" $? "$(paste -sd' ' "$out/$what.said")"
	echo "# $what: $(head -n 1 "$out/$what.said")"
done
exit $code
