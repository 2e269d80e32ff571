#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_jit.sh KERNEL ARCH: code that programs make while they run, sampled by the module: each name's
# share of the ticks is its share of the time by the program's own clock. In a jitdump, a perf map, a
# log, in records of the trace; x86-64 also with times of the processor's clock, and PHP's JIT.
. "$(dirname "$0")/suite.sh"
php=() x86=''
if [ -z "$cross" ]; then
	opcache=$(find /usr/lib/php -name opcache.so | sort | tail -n 1)
	[ -n "$opcache" ] || die "no opcache.so of PHP (scripts/deps check)"
	php=(--prog php --add "$opcache:/usr/lib/php/opcache.so")
	x86=yes
fi
booted guest --icount --mem 768 "${php[@]}" --get '/tmp/*.nrm2' --get '/tmp/*.txt' --get '/tmp/jit-*.dump' \
	--get '/tmp/log-j*' -- tests/vm/guest/jit.sh 5000 200 $x86 || exit 1

# have TRACE: NAME TICKS of what is not a file's code; the unannounced as "-". PHP's script itself is code
# too, which calls the functions, and so is what reads its clock: now().
have() {
	jq -r '.processes[] | select(.name == "jitting" or .name == "php") | .threads[].modules[] |
		select(.name == "JITCODE") | .symbols[] | select(.name | (contains("/") or . == "JIT$now") | not) |
		[(.name | sub("^JitUnannounced$"; "-") | sub("^JIT[$]"; "")), .ticks] | join(" ")' "$1.json"
}
for name in move reuse child log hook ${x86:+raw php}; do
	report "$out/$name.nrm2" "$sympath" -jdir "$out" || exit 1
	equal "${name}_collector" "$(jq -r .collector "$out/$name.nrm2.json")" driver
	equal "${name}_complete" "$(jq -c '[.complete, .lost, .unknown.no_module, .unknown.unsure]' \
		"$out/$name.nrm2.json")" '[true,[],0,0]'
	# Some ticks fall on the calls by which the program reads its clock, on the kernel's part of them.
	have "$out/$name.nrm2" | $judge shares "$out/$name.txt" 8 >"$out/$name.told" 2>&1
	verdict "$name" $? "$(paste -sd';' "$out/$name.told")"
	sed "s/^/# $name: /" "$out/$name.told"
done
jq -e '[.processes[] | select(.name == "jitting") | .threads[].name] | index("a thread of many words")' \
	"$out/log.nrm2.json" >/dev/null
verdict log_thread $?

# The time is unknown: no name, and a message says why.
if [ -n "$x86" ]; then
	report "$out/other.nrm2" "$sympath" -jdir "$out"
	"$build/bin/post" -r "$out/other.nrm2" -jdir "$out" -o "$out/other.tprof" >/dev/null 2>"$out/other.err"
	equal other_clock_names "$(have "$out/other.nrm2" | cut -d' ' -f1)" -
	grep -q 'jit-[0-9]*\.dump: at byte 0: its times use the processor.s clock' "$out/other.err"
	verdict other_clock_told $? "$(cat "$out/other.err")"
fi

# Checks that the test can fail: all of f_old's time was f_new's.
sed 's/f_old/f_new/' "$out/move.txt" >"$out/shifted"
! have "$out/move.nrm2" | $judge shares "$out/shifted" 8 >/dev/null
verdict judged $?
exit $code
