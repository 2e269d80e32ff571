#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_itrace.sh KERNEL ARCH COLLECTOR WHAT...: instruction traces in a guest, by the driver or by
# ptrace: thread by thread equal, to the last record, to what a program saw that stepped the same
# command in the same boot, decoded here by libopcodes.
. "$(dirname "$0")/suite.sh"
collector=$1
shift
suite=itrace_$collector
module=()
[ "$collector" = driver ] || module=(--no-module)
truth=$build/tests/itrace_truth
[ "$arch" = x86_64 ] || truth+=_$arch
build_judge "$truth"

# A program with its libraries, where there is one: a guest has busybox.
root=/
[ -z "$cross" ] || root=$(scripts/vm/sysroot "$arch")
[ ! -x "$root/usr/bin/true" ] || module+=(--add "$root/usr/bin/true:/usr/bin/coreutils-true")

booted guest "${itrace_cpu[@]}" "${module[@]}" --timeout 800 --get '/tmp/logs' -- tests/vm/guest/itrace.sh "$collector" "$@" || exit 1
for what; do
	read -r judged traced <"$out/logs/$what.codes"
	equal "code_$what" "$judged $traced" '0 0'
	"$truth" -s 1 "$out/logs/$what.log" "$out/logs/$what.nrm2" >"$out/$what.said" 2>&1
	verdict "equal_$what" $? "$(paste -sd' ' "$out/$what.said")"
	echo "# $what: $(head -n 1 "$out/$what.said")"
done
exit $code
