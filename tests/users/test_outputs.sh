#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each output of each program, written by a user and by root, where a link, a hard link, a FIFO, a
# device, a huge sparse file, a folder or another user's file stands in its place, and where that
# changes all the time.
set -u
# shellcheck source=tests/users/lib.sh
. "$(dirname "$0")/lib.sh"

# ---- what writes where: NAME KIND COMMAND, each run in a folder of its own. OUT is the output's
# name. KIND: report (a FIFO or /dev/null will do), trace (a regular file alone), folder
folder traces 0 755
"$bin/swtrace" run -q -o traces/t -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' >out 2>&1
verdict a_trace $?
chmod 644 traces/t
trace=$work/traces/t
commands=(
	"post report post -q -o OUT $trace"
	"post_json report post -json -q -o OUT $trace"
	"post_csv report post -csv -q -o OUT $trace"
	"post_show report post -show -q -o OUT $trace"
	"post_format report post -format chrome -q -o OUT $trace"
	"post_folder folder post -format ctf -q -o OUT $trace"
	"swtrace_ai report swtrace ai 10ms 1 -l OUT"
	"mpevt report mpevt run -e task-clock -o OUT -- true"
	"cpi report cpi -c -o OUT -- true"
	"ptt report ptt run -o OUT -- true"
	"swtrace_run trace swtrace run -q -o OUT -- true"
	"swtrace_init trace init -t cont -f OUT"
	"swtrace_get trace get OUT"
)
# Those whose output has a name of its own.
own_names=(
	"tprof.out report post -q $trace"
	"post.show report post -show -q $trace"
	"post.trace.json report post -format chrome -q $trace"
	"post.ctf folder post -format ctf -q $trace"
	"swtrace.nrm2 trace swtrace run -q -- true"
	"tprof.out report run.tprof true"
	"swtrace.nrm2 trace run.tprof true"
	"swtrace.nrm2 trace run.itrace true"
)

# write_there OUT WORD...: run it, at most 60 seconds, with a session of its own where it needs one
write_there() {
	local out=$1 words=("${@:2}") code
	words=("${words[@]/OUT/$out}")
	case ${words[0]} in
	init | get)
		export PITRACE_SOCKET=$PWD/socket.$BASHPID
		if [ "${words[0]}" = get ]; then
			"${run[@]}" "$bin/swtrace" init -f "$PWD/session.$BASHPID" || return 99
		fi
		case ${words[0]} in
		init) timeout -k 5 60 "${run[@]}" "$bin/swtrace" "${words[@]}" &&
			timeout -k 5 60 "${run[@]}" "$bin/swtrace" on ;;
		get) timeout -k 5 60 "${run[@]}" "$bin/swtrace" on &&
			timeout -k 5 60 "${run[@]}" "$bin/swtrace" "${words[@]}" ;;
		esac
		code=$?
		"${run[@]}" "$bin/swtrace" free
		rm -f "$PWD/session.$BASHPID"*
		return $code
		;;
	esac
	timeout -k 5 60 "${run[@]}" "$bin/${words[0]}" "${words[@]:1}"
}
# try OUT WORD...: its code in $code, what it said in $work/out
try() {
	(write_there "$@") >"$work/out" 2>&1 </dev/null
	code=$?
}
# refused: it failed, in time
refused() {
	[ "$code" != 0 ] && [ "$code" != 124 ] && [ "$code" != 137 ] && [ -s "$work/out" ]
}
bad() { # WHAT: of the present case
	problems="$problems $1"
}

# check NAME KIND OUT WORD...: in the folder where we are, which is $user's. All variants when $all,
# else those that differ by who it is
check() {
	local name=$1 kind=$2 out=$3 words=("${@:4}")
	problems=''
	rm -rf ./*
	try "$out" "${words[@]}"
	if [ "$code" != 0 ]; then
		case $name in
		*_cpi | *_ptt | *_mpevt | user_swtrace_init | user_swtrace_get)	# what they need is not everywhere
			echo "skip users_${suite}_$name $(head -n 1 "$work/out")"
			;;
		*) verdict "$name" 1 ;;
		esac
		return
	fi
	[ -s "$out" ] && [ "$(stat -c %u "$out")" = "$user" ] || bad plain
	try "$out" "${words[@]}"
	[ "$code" = 0 ] && [ -s "$out.old" ] && [ -s "$out" ] || bad older

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
		[ "$code" = 0 ] || { bad read_fifo; : >"$out"; }
		wait $reader
		[ -s read ] || bad read_fifo_empty
		try /dev/null "${words[@]}"
		[ "$code" = 0 ] && [ -c /dev/null ] || bad null
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
		[ "$code" = 0 ] && [ "$(stat -c %s "$out")" -lt 100000000 ] || bad sparse
	fi

	# A folder, and what is in it
	if [ "$kind" != folder ]; then
		rm -rf ./*
		as "$user" sh -c 'mkdir "$1" && echo precious >"$1/in"' - "$out"
		try "$out" "${words[@]}"
		refused && [ "$(cat "$out/in")" = precious ] || bad folder
	fi

	# NAME.old is no file
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
	for line in "${commands[@]}"; do
		all=yes
		[ "$user" = 0 ] || all=no
		read -r name kind rest <<<"$line"
		# shellcheck disable=SC2086
		check "${who}_$name" "$kind" OUT $rest
	done
	all=no
	for line in "${own_names[@]}"; do
		read -r out kind rest <<<"$line"
		# shellcheck disable=SC2086
		check "${who}_own_${rest%% *}_$out" "$kind" "$out" $rest
	done
done
cd "$work" || exit 1

# ---- sudo's caller has their own files written, and nothing where root alone may write: by a path, or by
# a folder of theirs that is a link
folder roots 0 755
folder called "$alice" 755
as "$alice" ln -s ../roots "$work/called/lent"
cd called || exit 1
run=(env "SUDO_UID=$alice" "SUDO_GID=$alice")
for line in "${commands[@]}"; do
	read -r name kind rest <<<"$line"
	find . -mindepth 1 ! -name lent -delete
	# shellcheck disable=SC2086
	try own $rest
	if [ "$code" != 0 ]; then
		case $name in
		cpi | ptt | mpevt) echo "skip users_${suite}_called_$name $(head -n 1 "$work/out")" ;;
		*) verdict "called_$name" 1 "$(head -n 1 "$work/out")" ;;
		esac
		continue
	fi
	problems=''
	[ -e own ] && [ -z "$(find own ! -uid "$alice")" ] || bad "another user owns what is made"
	for out in "$work/roots/new" lent/new; do
		# shellcheck disable=SC2086
		try "$out" $rest
		refused && [ -z "$(ls "$work/roots")" ] || bad "$out"
		rm -rf "$work"/roots/*
	done
	[ -z "$problems" ]
	verdict "called_$name" $? "wrong with:$problems; at last: $(head -c 300 "$work/out")"
done
cd "$work" || exit 1

# ---- standard output may be named
folder dump "$alice" 755
cd dump || exit 1
"$bin/post" -q -o /dev/stdout "$trace" >named 2>"$work/out" && [ -s named ]
verdict standard_output_by_name $?
"$bin/post" -q -o >(cat >substituted) "$trace" && sleep 0.3 && [ -s substituted ]
verdict process_substitution $?
cd "$work" || exit 1

# ---- races: bob changes what the name means while root writes there. The victim is root's.
race() { # NAME MAKE WORD...: MAKE makes, as bob, A and B, which are exchanged
	local name=$1 make=$2 turn words=("${@:3}") swapper slow=0
	rm -rf "$work/race"
	folder race "$bob" 777
	cd "$work/race" || exit 1
	victim "$work/victim"
	as "$bob" sh -c "$make"
	as "$bob" "$programs/swap_names" OUT B &
	swapper=$!
	run=(env)
	for turn in $(seq 12); do
		try OUT "${words[@]}"
		[ $code != 124 ] && [ $code != 137 ] || slow=$((slow + 1))
	done
	end $swapper
	wait $swapper 2>/dev/null
	is "race_${name}_ends" "$slow" 0
	untouched "race_${name}_victim" "$work/victim"
	cd "$work" || exit 1
}
for line in "${commands[@]}"; do
	read -r name kind rest <<<"$line"
	case $name in
	post | post_folder | swtrace_run)
		# shellcheck disable=SC2086
		race "${name}_fifo_link" "mkfifo OUT; ln -s $work/victim B" $rest
		# shellcheck disable=SC2086
		race "${name}_file_link" "echo x >OUT; ln -s $work/victim B" $rest
		;;
	esac
done
# A FIFO that bob reads, so that it opens, and a link: what is opened is what was looked at.
folder race "$bob" 777
cd "$work/race" || exit 1
rm -rf ./*
victim "$work/victim"
as "$bob" sh -c "mkfifo OUT; ln -s $work/victim B"
as "$bob" sh -c 'exec 3<>OUT; : >reads; exec cat <&3 >/dev/null' &
reader=$!
for turn in $(seq 100); do
	[ ! -e reads ] || break
	sleep 0.1
done
[ -e reads ]
verdict race_read_fifo_begins $?
as "$bob" "$programs/swap_names" OUT B &
swapper=$!
run=(env)
slow=0
for turn in $(seq 60); do
	try OUT post -q -o OUT "$trace"
	[ $code != 124 ] || slow=$((slow + 1))
done
end $swapper $reader
wait $swapper $reader 2>/dev/null
is race_read_fifo_ends "$slow" 0
untouched race_read_fifo_victim "$work/victim"
cd "$work" || exit 1
[ "$failures" = 0 ]
