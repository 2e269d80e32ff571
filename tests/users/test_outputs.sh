#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_outputs.sh [PATTERN]: each output of each program (of those names, as user_own_*), written by a
# user and by root, where a link, a hard link, a FIFO, a device, a huge sparse file, a folder or another
# user's file stands in its place.
set -u
only=${1:-*}
# shellcheck source=tests/users/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/users/outputs.sh
. "$here/outputs.sh"

steps=$work/traces/i
chown "$alice:$alice" traces
as "$alice" "$bin/swtrace" run -q --itrace -B ptrace -n 20000 -o traces/i -- true >out 2>&1
verdict a_trace_of_steps $?
chown -R 0:0 traces && chmod 644 traces/i

# Those whose output has a name of its own.
own_names=(
	"tprof.out report post -q $trace"
	"post.show report post -show -q $trace"
	"post.trace.json report post -format chrome -q $trace"
	"swtrace.nrm2 trace swtrace run -q -- true"
	"tprof.out report run.tprof true"
	"swtrace.nrm2 trace run.tprof true"
	"swtrace.nrm2 trace run.itrace -n 2000 true"
	"arc.out report run.itrace -n 2000 true"
	"post.ctf folder post -format ctf -q $trace"
)
# Reports and formats that have a name each, of a trace and of one of instructions. An emulated machine
# takes long for them, and no kernel is in it that this machine has not.
[ -n "${IN_GUEST:-}" ] || while read -r out words; do
	own_names+=("$out report post $words -q $trace")
done <<'END'
sched.out -sched
offcpu.out -offcpu
critical.out -critical
irq.out -irq
syscalls.out -syscalls
faults.out -faults
marks.out -marks
calltree.out -calltree
callers.out -callers
post.data -format perf.data
post.prof -format gperftools
post.pb.gz -format pprof
post.folded -format folded
post.speedscope.json -format speedscope
post.firefox.json -format firefox
post.perfetto-trace -format perfetto
END
[ -n "${IN_GUEST:-}" ] || while read -r out words; do
	own_names+=("$out report post $words -q $steps")
done <<'END'
arc.out -arc
flow.out -flow
disasm.out -disasm
calltree.out -tree
post.xray.map -format xray-map
END

# check NAME KIND OUT WORD...: in the folder where we are, which is $user's. All variants when $all,
# else those that differ by who it is
check() {
	local name=$1 kind=$2 out=$3 words=("${@:4}")
	# shellcheck disable=SC2053
	[[ $name == $only ]] || return
	problems=''
	rm -rf ./*
	try "$out" "${words[@]}"
	if ! wrote "$out"; then
		lacking "$name" || verdict "$name" 1 "exit code $code: $(tail -n 3 "$work/out")"
		return
	fi
	[ "$(stat -c %u "$out")" = "$user" ] || bad plain
	try "$out" "${words[@]}"
	# A log has its program's number in its name: one of the same number is replaced.
	wrote "$out" && { [ "$kind" = log ] || [ -s "$out.old" ]; } || bad older

	# Links: to what the user may write, and to nothing
	rm -rf ./*
	as "$user" sh -c 'echo precious >target; ln -s target "$1"' - "$out"
	try "$out" "${words[@]}"
	refused && [ "$(cat target)" = precious ] && [ -L "$out" ] || bad link
	rm -rf ./*
	as "$user" mkfifo "$out"
	try "$out" "${words[@]}"
	refused && [ -p "$out" ] || bad fifo
	[ "$all" = no ] || more_of "$@"

	# Another user's file, in a folder of everybody's
	rm -rf ./*
	if [ "$user" = "$alice" ]; then
		chown "$bob:$bob" . && chmod 1777 .
		as "$bob" sh -c 'echo theirs >"$1"; chmod 666 "$1"' - "$out"
		try "$out" "${words[@]}"
		refused && [ "$(cat "$out")" = theirs ] || bad theirs
		rm -rf ./*
		chown "$user:$user" . && chmod 755 .
	else
		chmod 1777 .
		as "$bob" sh -c 'echo theirs >"$1"; chmod 666 "$1"' - "$out"
		try "$out" "${words[@]}"
		refused && [ "$(cat "$out")" = theirs ] || bad theirs
		rm -rf ./*
		chmod 755 .
	fi
	[ -z "$problems" ]
	verdict "$name" $? "wrong with:$problems; at last: $(head -c 300 "$work/out")"
}
more_of() {
	local name=$1 kind=$2 out=$3 words=("${@:4}") reader

	rm -rf ./*
	as "$user" ln -s absent "$out"
	try "$out" "${words[@]}"
	refused && [ ! -e absent ] && [ -L "$out" ] || bad dangling

	# A second name of a file: that keeps what it has
	if [ "$kind" != folder ]; then
		rm -rf ./*
		as "$user" sh -c 'echo precious >target; ln target "$1"' - "$out"
		try "$out" "${words[@]}"
		[ "$(cat target)" = precious ] || bad hard_link
	fi

	# A FIFO that is read; /dev/null
	if [ "$kind" = report ]; then
		rm -rf ./*
		as "$user" mkfifo "$out"
		cat "$out" >read &
		reader=$!
		sleep 0.3
		try "$out" "${words[@]}"
		[ "$code" -le 1 ] || { bad read_fifo; : >"$out"; }
		wait $reader
		[ -s read ] || bad read_fifo_empty
		if [ "$out" = OUT ]; then
			try /dev/null "${words[@]}"
			[ "$code" = 0 ] && [ -c /dev/null ] || bad null
		fi
	fi

	# Devices: of characters (what /dev/zero is) and blocks
	for device in "c 1 5" "b 7 0"; do
		rm -rf ./*
		# shellcheck disable=SC2086
		if mknod "$out" $device 2>/dev/null; then
			chmod 666 "$out"
			try "$out" "${words[@]}"
			refused && [ ! -f "$out" ] && [ ! -e "$out.old" ] || bad "device_${device%% *}"
		fi
	done

	# A huge sparse file makes way at once
	rm -rf ./*
	as "$user" truncate -s 1T "$out" 2>/dev/null || as "$user" truncate -s 8G "$out"
	try "$out" "${words[@]}"
	if [ "$kind" = folder ]; then
		refused || bad sparse
	else
		wrote "$out" && [ "$(stat -c %s "$out")" -lt 100000000 ] || bad sparse
	fi

	# A folder, and what is in it
	if [ "$kind" != folder ]; then
		rm -rf ./*
		as "$user" sh -c 'mkdir "$1" && echo precious >"$1/in"' - "$out"
		try "$out" "${words[@]}"
		refused && [ "$(cat "$out/in")" = precious ] || bad folder
	fi

	# NAME.old is not a file
	rm -rf ./*
	as "$user" sh -c 'echo precious >target; ln -s target "$1.old"; echo old >"$1"' - "$out"
	try "$out" "${words[@]}"
	[ "$(cat target)" = precious ] && [ -L "$out.old" ] || bad old_link
}

for user in 0 "$alice"; do
	folder "of-$user" "$user" 755
	cd "$work/of-$user" || exit 1
	run=(setpriv --reuid "$user" --regid "$user" --clear-groups --)
	who=root
	[ "$user" = 0 ] && run=(env) || who=user
	for line in "${commands[@]}" "${agents[@]}"; do
		all=yes
		[ "$user" = 0 ] || all=no
		read -r name kind rest <<<"$line"
		# shellcheck disable=SC2086
		check "${who}_$name" "$kind" OUT $rest
	done
	for line in "${own_names[@]}"; do
		read -r out kind rest <<<"$line"
		read -r program option _ <<<"$rest"
		[[ $option == -* && $option != -q ]] || option=
		# shellcheck disable=SC2086
		check "${who}_own_$program${option}_$out" "$kind" "$out" $rest
	done
done
cd "$work" || exit 1
[ "$failures" = 0 ]
