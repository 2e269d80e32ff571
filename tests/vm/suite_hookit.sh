#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_hookit.sh KERNEL ARCH PROGRAM...: what libhookit takes off is what it has added. Under an
# instruction counter programs of different shape run with it, by -mfentry and by patch sites: calls of
# each function are those of an instruction trace and of callgrind, to the last one; what each takes,
# without libhookit's part, is beside a trace of all instructions of the same program without it.
. "$(dirname "$0")/suite.sh"

if [ "$arch" != x86_64 ] || ! command -v valgrind >/dev/null; then
	echo "skip hookit there is no -mfentry, or no valgrind"
	exit 77
fi
here=$top/tests/vm/hookit
made=$out/truth
[ -n "${PITRACE_NO_BUILD:-}" ] ||
	(flock 7 && make -s "${build#"$top"/}/lib/libhookit.so") 7>"$build/vm/build.lock" || die "the build failed"
# Code that calls a hook has no red zone, and no values where a compiler knows that they are not changed: so the same
# program without hooks has neither.
how='-O2 -fno-ipa-cp -fno-ipa-icf -fno-ipa-ra -mno-red-zone'
# shellcheck disable=SC2086
make_programs() {
	local kind built link
	mkdir -p "$made/real" && ln -sf "$build/lib/libhookit.so" "$made/real/libhookit.so.0" &&
		gcc $how -c "$here/truth_main.c" -o "$made/main.o" || return
	for kind in plain fentry sites; do
		case $kind in
		plain) built='' link='' ;;
		fentry) built='-pg -mfentry -minstrument-return=call' link="-Wl,--no-as-needed $build/lib/libhookit.so" ;;
		sites) built=-fpatchable-function-entry=5 link="-Wl,--no-as-needed $build/lib/libhookit.so" ;;
		esac
		mkdir -p "$made/$kind"
		(cd "$made/$kind" && gcc $how $built -w -c "$here/truth.c" && g++ $how $built -c "$here/truth.cc" -o cc.o &&
			gcc $how $built -fPIC -c "$here/loaded.c" && gcc truth.o ../main.o -o truth -lpthread $link &&
			g++ cc.o ../main.o -o truthcc $link && gcc -shared loaded.o -o libtruth.so) || return
	done
	"$here/frames" "$made/plain/truth.o" "$made/fentry/truth.o" >"$out/frames" &&
		"$here/frames" "$made/plain/cc.o" "$made/fentry/cc.o" >>"$out/frames" && rm -- "$made"/*/*.o
}
make_programs >"$out/make.log" 2>&1 || die "no programs: $(tail -n 3 "$out/make.log")"
booted guest --icount --timeout 1100 --no-module --add "$made:/truth" --get "/tmp/*.*" \
	--add "$build/lib/libhookit.so:/usr/lib/x86_64-linux-gnu/libhookit.so.0" -- tests/vm/guest/hookit.sh "$@" || exit 1

# off HAVE WANT: in percent
off() {
	awk "BEGIN { printf \"%.2f\", $2 ? 100 * ($1 / $2 - 1) : 999 }"
}
# callgrind has no calls of handlers, counts what a child has of its parent twice, and calls that an
# exception leaves; count_calls takes the program alone, without its library.
uncounted=" signals forks vforks exceptions loads "
# By -mfentry gcc gives functions a frame that have none without: two instructions a call, which are theirs. They are
# told by the code of both builds, and nothing else is different in it but nops where loops begin; beside the trace of
# the program without them they are added to it.
: >"$out/no_frames"
# What is not reached. By sites: who calls a chain of tail calls lacks some 1.5 instructions a chain, which its first
# one has.
unreached_self=" sites.tails "
# Functions that are not judged by what they take, only by their calls: the counter has the kernel's instructions,
# the trace of the program has not, and they make system calls (threads, signals, processes, the loader); the
# program ends in `ends`, whose log is written before it does; and the unwinder looks through one library more
# (exceptions: by 5 to 105 %, nobody has looked further).
beyond=" threads signals forks vforks loads ends exceptions catches throws "
for program in "$@"; do
	which=truth
	case $program in virtuals | exceptions | statics | exits) which=truthcc ;; esac
	(cd "$made/plain" && valgrind -q --tool=callgrind --callgrind-out-file="$out/$program.cg.%p" "./$which" "$program") \
		>/dev/null 2>"$out/callgrind.log"
	"$top/tests/tools/hookit/count_calls" "$which" "$out/$program".cg.* >"$out/$program.counts"
	for kind in fentry sites; do
		equal "${kind}_result_$program" "$(head -n 1 "$out/$kind.$program")" "$(head -n 1 "$out/plain.$program")"
		if ! "$here/judge" "$out/$program.arc" "$out/$program.counts" "$out/$kind.$program.whole" \
			"$out/$kind.$program.log" "$([ $kind = fentry ] && echo before || echo behind)" >"$out/$kind.$program.judged"; then
			not_ok "${kind}_$program" "cannot be judged"
			continue
		fi
		[[ $uncounted = *" $program "* ]] && counted=0 || counted=1
		: >"$out/wrong"
		awk -v "counted=$counted" \
			'$1 == "calls" && ($2 != $3 || (counted && $4 != $5))' "$out/$kind.$program.judged" >"$out/wrong"
		[ ! -s "$out/wrong" ]
		verdict "${kind}_calls_$program" $? "trace, log; callgrind, log: $(paste -sd';' "$out/wrong")"
		frames=$out/frames
		[ $kind = fentry ] || frames=$out/no_frames
		read -r want have raw frame < <(awk -v "beyond=$beyond" 'FILENAME ~ /frames$/ { added[$1] = $2; next }
			$1 == "self" && !index(beyond, " " $6 " ") {
			want += $2
			have += $3
			raw += $4
			frame += $5 * added[$6]
		} END { print want + 0, have + 0, raw + 0, frame + 0 }' "$frames" "$out/$kind.$program.judged")
		error=$(off "$have" $((want + frame)))
		echo "# $kind $program: $want, frames $frame, calibrated $have ($error %, without frames $(off $((have - frame)) "$want") %)," \
			"raw $raw ($(off "$raw" "$want") %)"
		calc "$error <= 0.5 && $error >= -0.5"
		verdict "${kind}_total_$program" $? "$error %"
		[[ $unreached_self != *" $kind.$program "* ]] || continue
		awk -v "beyond=$beyond" 'FILENAME ~ /frames$/ { added[$1] = $2; next }
			$1 == "self" && !index(beyond, " " $6 " ") { d = ($3 - $2) / ($5 ? $5 : 1) - added[$6]; if (d > 2 || d < -2) print }' \
			"$frames" "$out/$kind.$program.judged" >"$out/wrong"
		[ ! -s "$out/wrong" ]
		verdict "${kind}_self_$program" $? "truth, base, raw, calls: $(paste -sd';' "$out/wrong")"
	done
done
rm -rf "$made"
exit $code
