#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Bob changes what an output's name means while root writes there.
set -u
# shellcheck source=tests/users/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/users/outputs.sh
. "$here/outputs.sh"

# The victim is root's.
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
	is "${name}_ends" "$slow" 0
	untouched "${name}_victim" "$work/victim"
	cd "$work" || exit 1
}
for line in "${commands[@]}"; do
	read -r name kind rest <<<"$line"
	case $name in
	post | post_folder | swtrace_run | swtrace_get)
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
verdict read_fifo_begins $?
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
is read_fifo_ends "$slow" 0
untouched read_fifo_victim "$work/victim"
cd "$work" || exit 1
[ "$failures" = 0 ]
