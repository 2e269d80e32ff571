#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The slowdown of gzip when each of its calls is recorded: by libhookit, compared with uftrace and XRay's flight
# recorder. Built from Debian's source, in each way; CPU time, the least of TURNS runs, compared with that of the
# unchanged program (XRay's with clang's build). INPUT: bytes. SQLITE=1: sqlite's speed test as well, of SIZE; its
# builds take minutes, and are kept in the cache.
. "$(dirname "$0")/lib.sh"

library=$PWD/$O/lib/libhookit.so
case $O in /*) library=$O/lib/libhookit.so ;; esac
at=$work/hookit_programs
rm -rf "$at"
at=$(mkdir -p "$at" && cd "$at" && pwd)
trap 'rm -rf "$at"' EXIT
turns=${TURNS:-2}
gz=$(scripts/vm/source gzip) || exit 1
tar xf "$gz" -C "$at" || exit 1
programs=gzip
if [ -n "${SQLITE:-}" ]; then
	programs='gzip sqlite'
	sq=$(scripts/vm/source sqlite3) || exit 1
	kept=${sq%/*}/bench-$(gcc -dumpfullversion)
	mkdir -p "$kept" && [ -e "$kept/sqlite3.c" ] || {
		tar xf "$sq" -C "$at" &&
			(cd "$at"/sqlite3-* && ./configure -q --disable-tcl && make sqlite3.c) >"$at/err" 2>&1 &&
			cp "$at"/sqlite3-*/test/speedtest1.c "$at"/sqlite3-*/sqlite3.h "$at"/sqlite3-*/sqlite3.c "$kept"
	} || { tail "$at/err" >&2; exit 1; }
fi
ln -s "$library" "$at/libhookit.so.0"
(cd "$at"/gzip-* && ./configure -q && make -s -C lib && make -s version.c version.h) >"$at/err" 2>&1 || { tail "$at/err" >&2; exit 1; }
cat "$library" "$O"/lib/*.a | head -c "${INPUT:-4000000}" >"$at/input"

# built WAY COMPILER FLAGS...: $at/gzip.WAY and $at/sqlite.WAY
built() {
	way=$1 compiler=$2
	shift 2
	link=
	case $way in
	entry) link="$library -Wl,-rpath,$at" ;;
	mfentry) link=-pg ;;
	xray) link=-fxray-instrument ;;
	esac
	(
		cd "$at"/gzip-* || exit 1
		objects=
		for file in bits deflate gzip inflate trees unlzh unlzw unpack unzip util zip version; do
			$compiler -O2 "$@" -w -DHAVE_CONFIG_H -I. -Ilib -c $file.c -o "$file.$way.o" || exit 1
			objects="$objects $file.$way.o"
		done
		$compiler $objects lib/libgzip.a -o "$at/gzip.$way" $link
	) || exit 1
	[ -n "${SQLITE:-}" ] || return 0
	for file in sqlite3 speedtest1; do
		[ -e "$kept/$file.$way.o" ] ||
			(cd "$kept" && $compiler -O2 "$@" -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I. -c $file.c -o "$file.$way.new" &&
				mv "$file.$way.new" "$file.$way.o") || exit 1
	done
	$compiler "$kept/sqlite3.$way.o" "$kept/speedtest1.$way.o" -o "$at/sqlite.$way" -lm $link || exit 1
}
built plain gcc
built instrumented gcc -finstrument-functions
built patchable gcc -fpatchable-function-entry=5
ways="instrumented patchable"
if [ "$(uname -m)" = x86_64 ]; then
	built entry gcc -pg -mfentry -minstrument-return=call
	built mfentry gcc -pg -mfentry
	ways="instrumented entry patchable"
fi
if command -v clang >/dev/null; then
	built clang clang
	built xray clang -fxray-instrument -fxray-instruction-threshold=1
fi

# took COMMAND...: user's and system's seconds, the least, into $took
took() {
	took=
	for turn in $(seq "$turns"); do
		(cd "$at" && rm -rf log u.data && mkdir log)
		cost 1 sh -c "cd '$at' && exec \"\$@\" >out" sh "$@"
		took=$(awk -v had="$took" -v now="$cpu" 'BEGIN { print had == "" || now < had ? now : had }')
	done
}
# slower NAME COMMAND...: how many times as long as $bare
slower() {
	name=$1
	shift
	took "$@"
	printf '%-8s %-40s %8.2f s  x%s\n' "$program" "$name" "$took" "$(calc "$took / $bare")"
}
for program in $programs; do
	case $program in
	gzip) arguments="-6 -c input" ;;
	*) arguments="--memdb --size ${SIZE:-20}" ;;
	esac
	took "./$program.plain" $arguments
	bare=$took
	printf '%-8s %-40s %8.2f s\n' "$program" "as it is" "$bare"
	slower "sites that nobody has patched" "./$program.patchable" $arguments
	for way in $ways; do
		sites=
		[ $way != patchable ] || sites=PATCH,
		for kind in CALLTREE CALLFLOW CALLTRACE; do
			slower "$way, $kind" env "HOOKITOPTS=${sites}LOGPATH=log,$kind" \
				"LD_PRELOAD=$library" "./$program.$way" $arguments
			[ $kind != CALLTREE ] ||
				awk '/^entries/ { gsub(",", ""); printf "         %.1f million calls\n", $2 / 1e6 }' "$at"/log/log-rt.*
		done
	done
	if command -v uftrace >/dev/null && [ -e "$at/$program.mfentry" ]; then
		slower "uftrace, -mfentry" uftrace record --no-libcall -d u.data "./$program.mfentry" $arguments
		slower "uftrace -P, patched entries" uftrace record --no-libcall -P . -d u.data "./$program.patchable" $arguments
	fi
	if [ -e "$at/$program.xray" ]; then
		took "./$program.clang" $arguments
		bare=$took
		printf '%-8s %-40s %8.2f s\n' "$program" "as clang makes it" "$bare"
		slower "XRay's sleds that nobody has patched" "./$program.xray" $arguments
		slower "libhookit, XRay's sleds, CALLFLOW" env HOOKITOPTS=PATCH,LOGPATH=log,CALLFLOW "LD_PRELOAD=$library" \
			"./$program.xray" $arguments
		slower "XRay's flight recorder" env \
			"XRAY_OPTIONS=patch_premain=true xray_mode=xray-fdr xray_logfile_base=log/x." \
			XRAY_FDR_OPTIONS=func_duration_threshold_us=0 "./$program.xray" $arguments
	fi
done
