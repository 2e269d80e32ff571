#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The rooms of post: a file includes only from those that come before its own; no file of it has the
# name of another file of the tree.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
cd "$top" || exit 1

want() { # NAME WANTED HAVE
	is "$1" "$3" "$2"
}

# Prints the folders that each folder may include, besides itself and those outside post.
may() {
	case $1 in
	sandbox | format) ;;
	record) echo 'sandbox format' ;;
	input | model) echo 'sandbox format record' ;;
	options.h) echo 'record model' ;;
	job.h) echo 'record model options.h' ;;
	report) echo 'sandbox format record model options.h job.h' ;;
	export) echo 'sandbox format record model options.h job.h report' ;;
	reports.*) echo 'sandbox record model options.h job.h report export' ;;
	command_line.*) echo 'sandbox record input model options.h job.h report export reports.h' ;;
	load_trace.*) echo 'sandbox record input model options.h job.h report' ;;
	compare) echo 'sandbox record model options.h job.h report export load_trace.h' ;;
	main.c) echo 'sandbox record input model options.h job.h report export reports.h command_line.h load_trace.h compare' ;;
	*) echo "no room is called $1" ;;
	esac
}

room() { # FILE: its folder in post, or its own name there
	local path=${1#post/}
	echo "${path%%/*}"
}

for file in $(git ls-files 'post/*.[ch]'); do
	own=$(room "$file")
	grep -oP '^#include "\K[^"]+' "$file" | while read -r header; do
		[ -e "post/$header" ] || continue
		there=$(room "post/$header")
		[ "$there" = "$own" ] || [ "${there%.h}" = "${own%.c}" ] ||
			[[ " $(may "$own") " == *" $there "* ]] || echo "$file includes $header"
	done
done >"$work/wrong"
want order "" "$(cat "$work/wrong")"

git ls-files 'post/*.[ch]' | sed 's|.*/||' | sort -u >"$work/post"
git ls-files '*.[ch]' | grep -v '^tests/' | sed 's|.*/||' | grep -vx main.c | sort | uniq -d >"$work/twice"
want file_names "" "$(comm -12 "$work/post" "$work/twice")"
[ $failures = 0 ]
