#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The trace file's writer and reader compared with xxhsum over the same bytes, the minimum cost of reading a file:
# samples are written (bench_write), read and merged by time (bench_merge).
. "$(dirname "$0")/lib.sh"

file=$work/file.nrm2
trap 'rm -f "$file"' EXIT
"$O/tests/bench/bench_write" "$file" 0 512 >"$work/out" || exit 1
written=$(sed -n 's/.* \([0-9]*\) MB\/s.*/\1/p' "$work/out")
cost 5 xxhsum "$file"
hashed=$(calc "$(stat -c %s "$file") / 1000000 / $cpu")
"$O/tests/bench/bench_merge" "$file" >"$work/out" || exit 1
merged=$(sed -n 's/.* \([0-9]*\) MB\/s.*/\1/p' "$work/out")
beside "segments written, CRC and disk" "$written" MB/s "$hashed" xxhsum
beside "records read and merged" "$merged" MB/s "$hashed" xxhsum
