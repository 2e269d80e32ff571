#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# CONTRIBUTING.md's table of where things are: each file is there, and each function in a file of its row.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
cd "$top" || exit 1
git ls-files >"$work/files"

# Prints what is wrong with the rows on stdin. Names with placeholders (NAME) are not files.
wrong() {
	local row name file files
	while read -r row; do
		files=()
		for name in $(grep -oE '`[^` ]+`' <<<"$row" | tr -d '`'); do
			case $name in
			*NAME* | *'()') continue ;;
			*.[ch]) ;;
			*) continue ;;
			esac
			file=$(grep -E "(^|/)${name//./\\.}$" "$work/files" | head -n 1)
			[ -n "$file" ] || echo "no file $name"
			files+=(${file:+"$file"})
		done
		for name in $(grep -oE '`[a-z0-9_]+\(\)`' <<<"$row" | tr -d '`()'); do
			grep -qE "\\b$name\(" "${files[@]}" /dev/null || echo "no $name() in ${files[*]}"
		done
	done
}
sed -n '/^### Where is/,/^#* Before/p' CONTRIBUTING.md | grep '^| ' >"$work/rows"
is rows "$(wrong <"$work/rows")" ""
[ "$(wc -l <"$work/rows")" -ge 15 ]
verdict all_were_read $?
is notices_a_file "$(wrong <<<'| x | `driver/ring/rung.c` |')" 'no file driver/ring/rung.c'
is notices_a_function "$(wrong <<<'| x | `ring_loose()` in `driver/ring/ring.c` |')" \
	'no ring_loose() in driver/ring/ring.c'
exit $((failures != 0))
