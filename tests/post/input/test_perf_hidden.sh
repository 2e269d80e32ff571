#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A perf.data whose parts cannot be read: formats of tracepoints and all other features that are not in
# the file, symbols of the kernel that are hidden from who reads. No report and no export takes anything
# in their place, as the sizes that were stated would have it.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export HOME=$work/home
mkdir home

# image FEATURE OFFSET SIZE: a file with one sample whose feature is said to lie there; '' : behind it
image() {
	perl -e '
		my ($feature, $offset, $size) = @ARGV;
		my $body = pack("QLLQQ", 0x401000, 70, 70, 1000, 1);
		my $data = pack("LSS", 9, 2, 8 + length $body) . $body;
		my $at = 232 + length $data;
		my @bits = (0) x 4;
		$bits[$feature / 64] |= 1 << $feature % 64;
		$offset = $at + 16 if $offset eq "";
		print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, length $data, 0, 0, @bits);
		print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 0), "\0" x 64, pack("QQ", 104, 0);
		print $data, pack("QQ", $offset, $size), "tail";
	' "$@"
}
# The same as a pipe, whose formats of tracepoints have this size
pipe_image() {
	perl -e '
		my $body = pack("QLLQQ", 0x401000, 70, 70, 1000, 1);
		my $data = pack("LSS", 9, 2, 8 + length $body) . $body;
		my $attr = pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 0) . "\0" x 64;
		print "PERFILE2", pack("Q", 16), pack("LSS", 64, 0, 8 + length $attr), $attr, $data;
		print pack("LSSLL", 66, 0, 16, $ARGV[0], 0), "tail";
	' "$@"
}
all=("-show" "-show -json" "-info" "-stats" "-o tprof.out" "-format perf.data -o w.perf.data"
	"-format pprof -o w.pprof" "-format firefox -o w.firefox" "-format perfetto -o w.perfetto"
	"-format ctf -o w.ctf")
some=("-show" "-info" "-format perf.data -o w.perf.data")
# Ways out of a file: reports on stdout, and what is written
ways() { # FILE WAY...
	local way
	for way in "${@:2}"; do
		rm -rf w.*
		# shellcheck disable=SC2086
		MALLOC_PERTURB_=165 "$bin/post" -q $way -r "$1" </dev/null >out.way 2>err.way
		[ $? -le 2 ] || echo "$1: post $way: $(tail -1 err.way)"
		if [ -f w.perf.data ] && [ "$(stat -c %s w.perf.data)" -gt 20000 ]; then
			echo "$1: $(stat -c %s w.perf.data) bytes written"
		fi
	done
}

image 1 '' 524288 >formats
image 1 '' $((1 << 30)) >formats.large
image 1 $((1 << 40)) 512 >formats.away
image 1 '' -1 >formats.all
for f in formats*; do ways "$f" "${all[@]}"; done >out
[ ! -s out ]
verdict formats_not_there $?
"$bin/post" -q -r formats -o /dev/null 2>err
says formats_told err 'feature 1 reaches beyond'
"$bin/post" -q -format perf.data -o written -r formats 2>/dev/null
"$bin/post" -q -info -r written >out
is formats_not_written "$(grep -c tracing out)" 0

for size in 524288 4294967295 268435457; do
	pipe_image $size >"pipe.$size"
	ways "pipe.$size" "${all[@]}"
done >out
[ ! -s out ]
verdict pipe_formats_not_there $?
"$bin/post" -q -r pipe.524288 -o /dev/null 2>err
says pipe_formats_told err 'formats of tracepoints, 524288 bytes, are not in the file'

# All other features
for i in $(seq 2 40); do
	image "$i" '' 524288 >"feature.$i"
	ways "feature.$i" "${some[@]}"
done >out
[ ! -s out ]
verdict features_not_there $?

# ---- the kernel's symbols, hidden from who reads
perf record -q -N -e cpu-clock -F 2000 -o root.data sh -c 'for i in 1 2 3; do cat /proc/kallsyms >/dev/null; done' 2>/dev/null
if [ ! -s root.data ] || [ "$(id -u)" != 0 ] || ! setpriv --reuid 65534 --regid 65534 --clear-groups true; then
	echo "skip ${suite}_kernel root records here, and another user reads: neither can be tried"
	[ $failures = 0 ]
	exit
fi
# Others must come to what this user owns.
mkdir other
cp "$bin/post" root.data other
chmod -R a+rX "$work"
chown -R 65534 other home
alone
restrict=$(cat /proc/sys/kernel/kptr_restrict) paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
back() {
	echo "$restrict" >/proc/sys/kernel/kptr_restrict
	echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
}
trap 'back; rm -rf "$work"' EXIT
as_other() {
	(cd other && setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$work/home" ./post -q "$@")
}
# ticks REPORT: those of the kernel, those of them that have a name
ticks() {
	awk -F, '/,vmlinux,/ && !/NoSymbols/ { named += $7 } /,vmlinux,/ { n += $7 } END { print (n > 20) ? "kernel" : "none", (named > n / 2) ? "named" : "not" }' "$1"
}
for level in 0 1 2; do
	for distrust in 1 2; do
		[ $level = 0 ] || [ $distrust = 2 ] || continue	# it matters at 0 alone
		if ! { echo $level >/proc/sys/kernel/kptr_restrict && echo $distrust >/proc/sys/kernel/perf_event_paranoid; } 2>/dev/null; then
			echo "skip ${suite}_kernel_${level}_$distrust the sysctls cannot be set here"
			continue
		fi
		name=kernel_${level}_$distrust
		as_other -csv -o - -r root.data >csv 2>err
		is "${name}_code" $? 0
		# The kernel symbols that this user may see determine which names are possible.
		if setpriv --reuid 65534 --regid 65534 --clear-groups grep -q '^0*[1-9a-f][0-9a-f]* T _text$' /proc/kallsyms; then
			is "${name}_ticks" "$(ticks csv)" 'kernel named'
		else
			is "${name}_ticks" "$(ticks csv)" 'kernel not'
			as_other -o - -r root.data 2>/dev/null | grep vmlinux >out
			says "${name}_why" out 'kallsyms hid the addresses'
		fi
		for way in -show -info "-format perf.data -o w" "-format pprof -o w"; do
			# shellcheck disable=SC2086
			as_other $way -r root.data >/dev/null 2>err
			[ $? -le 1 ] || echo "$way: $(tail -1 err)"
			rm -f other/w
		done >out
		[ ! -s out ]
		verdict "${name}_ways" $?
	done
done
back

# A copy that perf kept serves where what runs is hidden.
echo 2 >/proc/sys/kernel/kptr_restrict 2>/dev/null
id=$(perf buildid-list -k -i root.data 2>/dev/null || perf buildid-list -k)
id=${id%% *}
mkdir -p "home/.debug/[kernel.kallsyms]/$id"
back
(echo 0 >/proc/sys/kernel/kptr_restrict) 2>/dev/null
cp /proc/kallsyms "home/.debug/[kernel.kallsyms]/$id/kallsyms"
chown -R 65534 home
(echo 2 >/proc/sys/kernel/kptr_restrict) 2>/dev/null
as_other -csv -o - -r root.data >csv 2>err
is kernel_kept "$(ticks csv)" 'kernel named'
[ $failures = 0 ]
