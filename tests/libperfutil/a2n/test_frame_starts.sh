#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of a stripped library that nothing names begin where readelf finds them in its unwinding table, and
# where the table of symbols of the same library, not stripped, has them.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
names=${TESTS:-$programs}/programs/a2n_names
for tool in gcc strip readelf; do
	command -v $tool >/dev/null && continue
	echo "skip frame_starts $tool is not installed"
	exit 77
done
cd "$work" || exit 1

cat >known.c <<'END_OF_FILE'
static __attribute__((noinline)) int first(volatile int *p) { return *p * 3 + 1; }
static __attribute__((noinline)) int second(volatile int *p) { return first(p) ^ first(p + 1); }
static __attribute__((noinline)) int third(volatile int *p)
{
	int s = 0;

	for (int i = 0; i < *p; i++)
		s += second(p + i);
	return s;
}
int exported(volatile int *p) { return third(p) + first(p); }
END_OF_FILE
gcc -O1 -g0 -fPIC -shared -Wl,-soname,libknown.so.1 -o libknown.so.1.whole known.c || exit 1
strip -o libknown.so.1 libknown.so.1.whole
gcc -m32 -O1 -fPIC -shared -nostdlib -o /dev/null known.c 2>/dev/null && narrow=1 || narrow=''

# Prints address and size, according to readelf, of the functions that no symbol names.
frames() { # FILE
	readelf --debug-dump=frames "$1" 2>/dev/null |
		sed -nE 's/.* FDE .*pc=0*([0-9a-f]+)\.\.0*([0-9a-f]+)$/\1 \2/p' |
		while read -r from to; do
			printf '%x %x\n' $((0x$from)) $((0x$to - 0x$from))
		done
}
# Prints liba2n's answers for the first, the middle and the last byte of each function of a list.
asked() { # FILE <LIST
	while read -r from size; do
		[ $((0x$size)) -gt 0 ] || continue
		printf '%x\n%x\n%x\n' $((0x$from)) $((0x$from + 0x$size / 2)) $((0x$from + 0x$size - 1))
	done | "$names" "$1"
}

readelf -sW libknown.so.1.whole | awk '$8 ~ /^(first|second|third)$/ { print $2, $3, $8 }' |
	while read -r at size name; do
		printf '%x %x %s\n' $((0x$at)) "$size" "$name"
	done | sort -u >known
is known_functions "$(wc -l <known)" 3
frames libknown.so.1 >frames
cut -d' ' -f1,2 known | asked "$PWD/libknown.so.1" | uniq -c | awk '{ print $1, $2, $3, $4 }' >have
while read -r at size _; do
	grep -q "^$at $size$" frames || echo "$at $size is not in readelf's list" >>missing
	echo "3 $at $size libknown+0x$at"
done <known >want
[ ! -s missing ]
verdict symbols_are_frames $? "$(head -n 3 missing 2>/dev/null)"
diff want have >out
verdict stripped_library $?
# A name stays a name.
is exported "$(readelf -sW --dyn-syms libknown.so.1 | awk '$8 == "exported" { print $2; exit }' |
	"$names" "$PWD/libknown.so.1" | cut -d' ' -f3)" exported
# Before the first function's code and after the last there is none.
is outside "$(echo 0 | "$names" "$PWD/libknown.so.1" | cut -d' ' -f3)" NoSymbolFound
# With names of its own nothing is taken from the table.
is not_stripped "$(cut -d' ' -f1 known | "$names" "$PWD/libknown.so.1.whole" | cut -d' ' -f3 | sort | xargs)" \
	'first second third'

# In libraries of this system, each place without a symbol belongs to the function that readelf shows there.
for file in /lib/*/liblzma.so.5 /lib/*/libc.so.6 /bin/bash; do
	[ -r "$file" ] || continue
	file=$(realpath "$file") base=$(basename "$file")
	# The test uses file offsets as addresses: it skips libraries whose code is elsewhere.
	readelf -lW "$file" | awk '$1 == "LOAD" && / E / && $2 != $3 { exit 1 }' || continue
	frames "$file" >frames
	asked "$file" <frames | awk '$3 ~ /\+0x/' | sort -u >have
	awk -v base="${base%%.so*}" 'NR == FNR { size[$1] = $2; next }
		$3 != base "+0x" $1 || !($1 in size) { print "no function of readelf:", $0 }
		# cut off where a symbol begins within it: never longer
		length($2) > length(size[$1]) { print "longer than", size[$1], $0 }' frames have >out
	[ ! -s out ]
	verdict "of_$base" $?
	echo "# $base: $(wc -l <have) functions without a name of $(wc -l <frames)"
done

# A 32-bit library
if [ -n "$narrow" ]; then
	gcc -m32 -O1 -fPIC -shared -nostdlib -o narrow.so.whole known.c && strip -o narrow.so narrow.so.whole
	at=$(readelf -sW narrow.so.whole | awk '$8 == "third" { print $2; exit }')
	is narrow "$(echo "$at" | "$names" "$PWD/narrow.so" | cut -d' ' -f3)" \
		"$(printf 'narrow+0x%x' $((0x$at)))"
fi
# A table that is cut off, or points beyond, says no more than it has.
at=$(readelf -SW libknown.so.1 | sed -nE 's/.* \.eh_frame +PROGBITS +[0-9a-f]+ ([0-9a-f]+) .*/\1/p')
for byte in 00 ff 7f; do
	cp libknown.so.1 damaged.so
	for k in 0 4 9 20 24 28; do
		printf '%b' "\\x$byte" | dd of=damaged.so bs=1 seek=$((0x$at + k)) conv=notrunc 2>/dev/null
		timeout 10 "$names" "$PWD/damaged.so" <known >/dev/null || echo "$byte at $k"
	done
done >out 2>&1
[ ! -s out ]
verdict damaged $?
exit $((failures != 0))
