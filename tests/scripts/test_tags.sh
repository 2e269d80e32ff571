#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One name, one thing: within a part (driver, libperfutil, post, tools) no two files have a struct,
# union or enum of one tag, and one that stands in a header is nowhere else in the tree.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"

# Each collector says itself what it keeps, behind one name (collect/backend.h).
meant='backend'

# The tags of $PWD, a line each: tag, part, file. What an #ifdef chooses from is one in its file.
list() {
	git ls-files -co --exclude-standard {driver,libperfutil,post,tools}/'*.[ch]' |
		xargs grep -oP '^\s*(struct|union|enum) \K\w+(?=\s*\{)' |
		sed -E 's|^(([^/]+)/[^:]+):(.*)|\3 \2 \1|' | sort -u | grep -vE "^($meant) "
}
twice() {
	list | awk '{ n[$1, $2]++; where[$1, $2] = where[$1, $2] " " $3 }
		END { for (k in n) if (n[k] > 1) { split(k, a, SUBSEP); print a[1] ":" where[k] } }' | sort
}
in_headers() {
	list | awk '{ n[$1]++; where[$1] = where[$1] " " $3; header[$1] = header[$1] || /\.h$/ }
		END { for (k in n) if (n[k] > 1 && header[k]) print k ":" where[k] }' | sort
}

cd "$top" || exit 1
is within_a_part "$(twice)" ""
is in_headers "$(in_headers)" ""
[ "$(list | wc -l)" -gt 800 ]
verdict all_are_seen $?

mkdir "$work/tree" && cd "$work/tree" && git init -q . && mkdir -p driver/ring post/model || exit 1
printf 'struct ring {\n\tint x;\n};\n' >driver/ring/ring.h
printf 'struct row {\n\tint x;\n};\n' >driver/ring/a.c
printf 'struct row {\n\tint x;\n};\n' >post/model/a.c
is local_ones_of_two_parts "$(twice)$(in_headers)" ""
printf 'enum row { ONE };\n' >post/model/b.c
is notices_two_of_a_part "$(twice)" "row: post/model/a.c post/model/b.c"
printf 'union ring {\n\tint x;\n};\n' >post/model/b.c
is notices_one_of_a_header "$(in_headers)" "ring: driver/ring/ring.h post/model/b.c"
exit $((failures != 0))
