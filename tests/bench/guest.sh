# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the benches in guests: instructions, counted under icount, so that other load on the machine does not
# matter. Sourced after lib.sh.
more=()
kernel=${BENCH_KERNEL:-6.1}
out=$PWD/$O/bench

# Callgrind in the guest, where it is installed here.
with_callgrind() {
	local each of=/usr/libexec/valgrind
	for each in callgrind-amd64-linux vgpreload_core-amd64-linux.so default.supp; do
		[ ! -e "$of/$each" ] || more+=(--add "$of/$each:$of/$each")
	done
	[ ! -e /usr/bin/valgrind.bin ] || more+=(--add /usr/bin/valgrind.bin:/usr/bin/valgrind)
}

# in_guest NAME ARGUMENT...: runs tests/bench/guest/NAME.sh; its lines are in $out/NAME.values
in_guest() {
	local name=$1 lttng='' kmod rc=0
	shift
	values=$out/$name.values
	kmod=$(tests/bench/kernel/build "$kernel" x86_64) || exit 1
	[ -n "${BENCH_NO_LTTNG:-}" ] || lttng=$(scripts/vm/lttng "$kernel" x86_64) || exit 1
	mkdir -p "$out/add"
	cp "$kmod" tests/bench/guest/*.sh "$out/add/"
	tests/vm/run.sh --kernel "$kernel" --icount --mem 2048 --settle 2 --timeout "${BENCH_TIMEOUT:-900}" --prog perf "${more[@]}" \
		--add "$out/add:/rig/bench" --add "$O/tests/bench/guest/bench_work:/usr/local/bin/bench_work" \
		${lttng:+--add "$lttng:/"} --log "$out/$name.log" -- "tests/bench/guest/$name.sh" "$@" \
		>"$values" || rc=$?
	[ $rc = 0 ] || { tail -n 20 "$values"; echo "bench $name: the guest ended with $rc"; exit 1; }
}

# compare ...: as `beside`; nothing where the peer's figure is missing
compare() {
	[ -z "$4" ] || beside "$@"
}

# value WORD WORD...: what the guest said after these
value() {
	sed -n "s/^$* //p" "$values" | cut -d ' ' -f 1
}
