#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/floors holds for this tree, and notices an include that runs upwards, one beside, a folder
# that has no place, and what another part takes that is not for it.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
"$top/scripts/floors" >"$work/out" 2>&1
verdict as_it_is $?

mkdir "$work/tree" && cd "$work/tree" && git init -q . || exit 1
floors() { # NAME CODE TEXT
	"$top/scripts/floors" "$work/tree" >"$work/out" 2>&1
	[ $? = "$2" ] && grep -qF -- "$3" "$work/out"
	verdict "$1" $?
}
put() { # FILE INCLUDED...
	mkdir -p "$(dirname "libperfutil/$1")"
	printf '#include "%s"\n' "${@:2}" >"libperfutil/$1"
}
put base/cursor.h base/blob.h
put file/file_read.c base/cursor.h file/record_walk.h
"$top/scripts/floors" "$work/tree" >"$work/out" 2>&1
verdict downwards $?
put base/up.c file/record_walk.h
floors upwards 1 'libperfutil/base/up.c:1: #include "file/record_walk.h": libperfutil/file is not beneath'
rm libperfutil/base/up.c
put file/beside.c base/cursor.h events/event_names.h
floors beside 1 'libperfutil/file/beside.c:2:'
rm libperfutil/file/beside.c
# A collector needs no floor of its own, and is held to the one of all others.
put collect/toy/backend_toy.c base/cursor.h collect/backend.h
"$top/scripts/floors" "$work/tree" >"$work/out" 2>&1
verdict new_collector $?
put session/drain.c base/cursor.h
put collect/toy/backend_toy.c session/drain.h
floors collector_upwards 1 'libperfutil/collect/toy/backend_toy.c:1:'
put base/up.c collect/toy/toy.h
floors upwards_to_collector 1 'libperfutil/collect/toy is not beneath libperfutil/base'
rm -r libperfutil/base/up.c libperfutil/collect
put new/room.c base/cursor.h
floors without_a_place 1 'libperfutil/new stands on no floor'
rm -r libperfutil/new

# The headers that other parts use: base, and those listed for them, as long as they need them.
take() { # FILE INCLUDED...
	mkdir -p "$(dirname "$1")" libperfutil/session libperfutil/file
	printf '#include "%s"\n' "${@:2}" >"$1"
}
take post/model/a.c base/cursor.h file/record_kinds.h model/a.h zstd.h
take tools/swtrace/a.c base/cursor.h
"$top/scripts/floors" "$work/tree" >"$work/out" 2>&1
verdict lent $?
take post/model/b.c base/cursor.h session/drain.h
floors not_lent 1 'post/model/b.c:2: #include "session/drain.h": post may not take it from libperfutil'
take post/model/b.c file/record_kinds.hpp
floors not_lent_by_its_folder 1 'post/model/b.c:1:'
rm post/model/b.c
take tools/swtrace/a.c file/record_kinds.h
floors lent_to_another_part 1 'tools/swtrace/a.c:1:'
take tools/swtrace/a.c base/cursor.h
touch libperfutil/file/record_kinds.h
take post/model/a.c base/cursor.h
floors no_longer_needed 1 'post does not take libperfutil/file/record_kinds.h'
exit $((failures != 0))
