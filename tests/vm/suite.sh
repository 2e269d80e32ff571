# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the guest suites, sourced by bash: builds what the guest needs, boots it once or a few times, judges the
# results on the host (an emulated machine is slow), prints `ok NAME`. A suite is called with KERNEL and ARCH first.
# PITRACE_NO_BUILD=1 skips the build; PITRACE_MODULE is another pitrace.ko to be tested (one with a fault must be
# caught).

set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/vm/common.sh"
cd "$top" || exit 1
[ $# -ge 2 ] || die "usage: ${0##*/} KERNEL ARCH [ARGUMENT]..."
set_kernel "$1" "$2"
shift 2
suite=${0##*/suite_}
suite=${suite%.sh}
# Two of one suite may run at once, with other arguments.
arguments=$*
out=$build/out/$suite-$kernel-$arch${arguments:+-${arguments//[^a-zA-Z0-9]/-}}
judge=$top/tests/vm/judge
code=0

# A suite may need only some programs of another machine: it sets guest_programs before it sources this file.
foreign=(bin/{swtrace,run.tprof,ptt,cpi,post} lib/pitrace/pitrace-holder) foreign_target=vm-programs
[ -z "${guest_programs:-}" ] || foreign=("${guest_programs[@]}") foreign_target=

# Programs, for the guest and (post) for this machine.
build_all() {
	[ -z "${PITRACE_NO_BUILD:-}" ] || return 0
	local o=${build#"$top/"}	# as the Makefile spells it
	mkdir -p "$build/vm"
	(
		flock 7
		make -s "$o/bin/swtrace" "$o/bin/run.tprof" "$o/bin/run.itrace" "$o/bin/ptt" "$o/bin/cpi" "$o/bin/post" \
			"$o/lib/pitrace/pitrace-holder" vm-programs || exit 1
		[ -z "$cross" ] || make -s ARCH="$arch" CROSS_COMPILE="$cross" \
			SYSROOT="$(scripts/vm/sysroot "$arch")" "${foreign[@]/#/$o/$arch/}" $foreign_target
	) 7>"$build/vm/build.lock" || die "the build failed"
}
# build_judge FILE: a program of this machine that judges what comes back.
build_judge() {
	[ -n "${PITRACE_NO_BUILD:-}" ] ||
		(flock 7 && make -s "${1#"$top/"}") 7>"$build/vm/build.lock" || die "the build failed"
}
if [ -n "$cross" ]; then
	programs=$build/$arch/tests
	sympath=$programs:$build/$arch/bin:$(scripts/vm/sysroot "$arch")
else
	programs=$build/tests
	sympath=$programs:$build/bin
fi
build_all
rm -rf "$out"
mkdir -p "$out"

ok() {
	echo "ok ${suite}_$1"
}

not_ok() { # NAME WHY
	echo "not ok ${suite}_$1 ${*:2}"
	code=1
}

# verdict NAME CODE [WHY]: of a command that was just run
verdict() {
	if [ "$2" = 0 ]; then ok "$1"; else not_ok "$1" "${@:3}"; fi
}

# equal NAME HAVE WANT
equal() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "is '$2', not '$3'"; fi
}

# calc EXPRESSION: true or not, in decimals
calc() {
	awk "BEGIN { exit !($1) }"
}

# The CPU of guests that trace instructions: QEMU's POWER10 loses a trap if the next instruction's page is not in
# memory (it checks whether that one is prefixed).
itrace_cpu=()
[ "$arch" != ppc64le ] || itrace_cpu=(--cpu power9)

# boot [OPTION]... -- SCRIPT [ARGUMENT]...: one guest. What it says goes through. PITRACE_GUEST is this
# suite's folder when it shares a guest with others (suite_shared.sh): before that guest has run, what
# would be booted is noted there and the suite ends; afterwards what came back is found there.
boot() {
	if [ -n "${PITRACE_GUEST:-}" ]; then
		if [ ! -e "$PITRACE_GUEST/rc" ]; then
			printf '%s\0' "$@" >"$PITRACE_GUEST/boot"
			exit 0
		fi
		cat "$PITRACE_GUEST/said"
		cp "$PITRACE_GUEST/kernel.log" "$out/"
		find "$PITRACE_GUEST/get" -mindepth 1 -maxdepth 1 -exec cp -a -t "$out" {} +
		return "$(cat "$PITRACE_GUEST/rc")"
	fi
	tests/vm/run.sh --kernel "$kernel" --arch "$arch" --out "$out" --log "$out/kernel.log" \
		${PITRACE_MODULE:+--module "$PITRACE_MODULE"} "$@"
}

# booted NAME OPTION...: a guest whose script must end well.
booted() {
	local name=$1 rc=0
	shift
	boot "$@" || rc=$?
	[ $rc = 0 ] || not_ok "$name" "the guest ended with $rc"
	return $rc
}

# report TRACE [SYMPATH [OPTION]...]: TRACE.json, the report; records TRACE: TRACE.show, every record as a line of JSON
report() {
	local rc=0
	"$build/bin/post" -q -json -r "$1" -sympath "${2:-$sympath}" "${@:3}" >"$1.json" || rc=$?
	# 1: records were lost, which emulated machines cannot help; the suites look at what and where.
	[ $rc -le 1 ] || { echo "post: exit code $rc for $1" && return 1; } >&2
}

records() {
	local rc=0
	(cd "$(dirname "$1")" && mkdir -p show.$$ && cd show.$$ &&
		"$build/bin/post" -q -show -json -r "../${1##*/}") || rc=$?
	mv "$(dirname "$1")/show.$$/post.show" "$1.show" && rm -rf "$(dirname "$1")/show.$$"
	[ $rc -le 1 ] || { echo "post -show: exit code $rc for $1" && return 1; } >&2
}
