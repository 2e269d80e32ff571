#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_hook.sh KERNEL ARCH RECORDS icount|smp: records that programs write (TraceHook) from four threads,
# with the module and by hook files: each is in the trace, in order, or counted as lost; what one costs.
. "$(dirname "$0")/suite.sh"
records=$1 leg=$2
case $leg in
icount) machine='--icount' cost=cost ;;
smp) machine='--smp 2' cost='' ;;
*) die "icount or smp?" ;;
esac

# shellcheck disable=SC2086
booted guest $machine --mem 1024 --get '/tmp/*.nrm2' --get '/tmp/*.txt' -- \
	tests/vm/guest/hook.sh "$records" $cost || exit 1

# What a thread wrote and what it knows to be lost, against the trace.
for name in all tiny limited file file_tiny others; do
	records "$out/$name.nrm2" || exit 1
	read -r _ written _ lost _ nobody <"$out/$name.txt"
	have=$($judge marks "$out/$name.nrm2.show")
	echo "# $name: $written written, $lost lost"
	equal "books_$name" "$have" "written $written lost $lost disorder 0"
	equal "all_told_$name" "$nobody" 0
	rm -f "$out/$name.nrm2.show"
done
read -r _ written _ lost _ <"$out/all.txt"
equal million "$written $lost" "$records 0"
# (Hook files grow to sixteen times the size: what they lose tests/libperfutil/hook/test_hookfile.c shows.)
for name in tiny limited; do
	read -r _ written _ lost _ <"$out/$name.txt"
	calc "$lost > 0 && $written > 0"
	verdict "losses_$name" $? "$written written, $lost lost"
done
records "$out/mark.nrm2" && grep -q '"record":"user".*"uid":1000,.*"ints":\["0x2a"\],"strings":\["from","a script"\]' \
	"$out/mark.nrm2.show"
verdict mark_of_an_ordinary_user $? "$(cat "$out/mark.txt")"
equal mark_inherited "$(cat "$out/mark.txt")" "descriptors 0
exit 0"
if [ -n "$cost" ]; then
	sed 's/^/# instructions: /' "$out/cost.txt"
	read -r _ record <"$out/cost.txt"
	nobody=$(sed -n 's/^nobody //p' "$out/cost.txt")
	# 1,290 and 71 were measured on this one; other kernels and machines differ.
	most=2500 most_nobody=250
	[ "$kernel-$arch" != 6.1-x86_64 ] || most=1500 most_nobody=90
	# One that looks for mistakes looks at each access: 11,300.
	! is_debug || most=20000
	calc "$record < $most && $nobody < $most_nobody"
	verdict cost $? "$record a record, $nobody when nobody listens"
fi
exit $code
