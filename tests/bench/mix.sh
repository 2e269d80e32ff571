#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The program mix that benches record, always the same work, some 15 s of CPU time: the
# demonstration's day of perl, sort, awk, bash, gzip and xz; beside it a compiler and its tools on
# this project's own sources.
cd "$(dirname "$0")/../.." || exit 1
failed=0
scripts/demo.d/workload 300000 &
for file in $(git ls-files "libperfutil/*.c" ":!*/preload/*" ":!*/a2n/*"); do
	gcc -O2 -g -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DPITRACE_VERSION='""' \
		-DPITRACE_LIBDIR='""' -DPITRACE_DATADIR='""' -DPITRACE_DKMSDIR='""' \
		-Idriver/uapi -Ilibperfutil/include -Ilibperfutil \
		-idirafter /usr/include -c -o /dev/null "$file" || failed=1
done
wait
exit $failed
