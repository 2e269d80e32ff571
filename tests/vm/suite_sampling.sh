#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_sampling.sh KERNEL ARCH: call stacks and events under an instruction counter, where each sample is
# where it must be; what a member of the group pitrace is shown in a whole file: no address of the kernel.
. "$(dirname "$0")/suite.sh"

booted guest --icount --pmu --get '/tmp/member/*.nrm2' --get '/tmp/member/*.txt' -- tests/vm/guest/sampling.sh || exit 1
for who in member root; do
	records "$out/$who.nrm2" || exit 1
done

# kernel FILE: records with an address of the kernel
kernel() {
	grep -cE '0xffff[0-9a-f]{12}' "$1"
}
equal member_no_kernel_address "$(kernel "$out/member.nrm2.show")" 0
# The same search must find them where they are shown.
calc "$(kernel "$out/root.nrm2.show") > 2"
verdict root_kernel_addresses $? "root sees none"
# In the file itself: any eight bytes where a record's may be.
in_file() {
	$judge payloads "$1" >"$1.payloads"
	{ od -An -v -tx8 -w8 "$1.payloads"; od -An -v -j4 -tx8 -w8 "$1.payloads"; } | grep -E '^ ffff[89a-f][0-9a-f]{11}$' |
		grep -vc '^ ffffffffffffffff$'
}
equal member_no_kernel_address_in_file "$(in_file "$out/member.nrm2")" 0
calc "$(in_file "$out/root.nrm2") > 2"
verdict root_kernel_addresses_in_file $? "root's file has none"
# The default source of samples: cycles if there is a counter. The trace also records it.
case $arch in
arm64) sampler=cycles ;;
*) sampler='the timer' ;;
esac
for name in default default_perf; do
	report "$out/$name.nrm2" || exit 1
	equal "$name" "$(sed -n 's/.* ticks by \([^,]*\), none lost .*/\1/p' "$out/$name.txt")" "$sampler"
	equal "${name}_trace" "$(jq -r '.events | map(.name) | join(" ")' "$out/$name.nrm2.json")" "${sampler#the }"
	samples=$(jq .total_ticks "$out/$name.nrm2.json")
	calc "$samples > 100 && $samples < 400"
	verdict "${name}_sampled" $? "$samples samples"
done
# Rate, dither and whether there is a seed, as header and interval have them: the timer's ticks are
# dithered, events taken by count are not, and have no rate.
kept() {
	od -An -tu4 -j168 -N8 "$1" | xargs
	records "$1" >/dev/null
	sed -n 's/.*"rate":\([0-9]*\),"dither":\([0-9]*\),"seed":"\([^"]*\)".*/\1 \2 \3/p' "$1.show" |
		head -n 1 | sed 's/0x[0-9a-f]\{2,\}$/seed/'
}
equal kept_timer "$(kept "$out/timer.nrm2" | xargs)" '997 100 997 100 seed'
equal kept_by_count "$(kept "$out/faults.nrm2" | xargs)" '0 0 0 0 0x0'
by=$(sed -n 's/.* ticks by \([^,]*\), none lost .*/\1/p' "$out/timer.txt" "$out/seed.txt" | sort | uniq -c)
equal timer_by_wish "$(echo $by)" "2 the timer"
samples=$(grep -c '"record":"tprof"' "$out/member.nrm2.show")
echo "# $samples samples of a member's program"
calc "$samples > 500"
verdict member_sampled $? "$samples samples"
exit $code
