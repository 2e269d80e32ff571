#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The files that a trace creates while it runs, by rotation and by snapshots (NAME.1, NAME.2, ...): root's, those of
# sudo's caller and a user's, if a link, a hard link, a FIFO, a device, a huge sparse file, a folder or another user's
# file has that name, also if that changes all the time.
set -u
# shellcheck source=tests/users/lib.sh
. "$(dirname "$0")/lib.sh"
if [ -e /dev/pitrace ]; then collector=driver; else collector=perf; fi
# A guest may take long for a rotation.
limit=${LIMIT:-60} slow=1
[ -z "${IN_GUEST:-}" ] || slow=5

# plant: one thing for each number from 1 to 9, as $owner, whose the folder is
plant() {
	as "$owner" sh -c 'echo precious >target; echo precious >second; ln -s target OUT.1; ln -s absent OUT.2
		ln second OUT.3; mkfifo OUT.4; truncate -s 8G OUT.5; mkdir OUT.6; echo precious >OUT.6/in'
	mknod OUT.7 c 1 7
	printf 'precious\n' >OUT.8 && chown "$bob:$bob" OUT.8 && chmod 600 OUT.8
	victim "$work/victim"
	as "$owner" ln -s "$work/victim" OUT.9
}
# has NUMBER TEST...: what was planted has its name or NAME.old
has() {
	test "${@:2}" "OUT.$1" || test "${@:2}" "OUT.$1.old" || bad="$bad OUT.$1"
}
# kept NAME: nothing of it is lost
kept() {
	bad=''
	[ "$(grep -alx precious target second OUT.6*/in OUT.8 OUT.8.old 2>/dev/null | wc -l)" = 4 ] ||
		bad="$bad words"
	[ ! -e absent ] || bad="$bad absent"
	has 1 -L && has 2 -L && has 4 -p && has 6 -d && has 7 -c && has 9 -L
	[ "$(stat -c %h second)" = 2 ] || bad="$bad OUT.3"
	[ "$(find . -name 'OUT.5*' -size +8000000k | wc -l)" = 1 ] || bad="$bad OUT.5"
	[ "$(find . -name 'OUT.8*' -uid "$bob" | wc -l)" = 1 ] || bad="$bad OUT.8"
	[ -z "$bad" ]
	verdict "$1_lost_nothing" $? "lost:$bad"
	untouched "$1_victim" "$work/victim"
}
# written: how many files of the trace are there by number
written() {
	find . -name 'OUT.[0-9]*' ! -name "*.old" -type f -uid "$owner" -size -1000000k -perm 600 | wc -l
}

# A command that ends when there is that file by number, or after so many seconds
# shellcheck disable=SC2016
until='n=0; until [ -e OUT.$1 ] || [ $n -ge $2 ]; do n=$((n + 1)); sleep 1; done'

for who in root sudo user; do
	owner=$alice
	case $who in
	root) owner=0 run=(env) ;;
	sudo) run=(sudo_by "$alice") ;;
	user) run=(as "$alice") ;;
	esac
	with=$collector
	# The device is not this user's.
	[ $who != user ] || with=perf
	for kind in rotation snapshots; do
		name=${who}_$kind
		rm -rf "${work:?}/$name"
		folder "$name" "$owner" 755
		cd "$work/$name" || exit 1
		plant
		case $kind in
		rotation) words=(-t cont --rotate-time 1s -o OUT -- sh -c "$until" - 10 $((limit - 15))) ;;
		snapshots) words=(-t wrap -o OUT -- "$programs/unruly" snapshots 5) ;;
		esac
		"${run[@]}" timeout -k 5 "$limit" "$bin/swtrace" run -q -B $with "${words[@]}" >"$work/out" 2>&1 </dev/null
		verdict "${name}_ends" $?
		# Rotation takes the names, a snapshot takes one that is free.
		n=$(written)
		[ "$n" -ge "$([ $kind = rotation ] && echo 10 || echo 5)" ]
		verdict "${name}_goes_on" $? "$n files by number: $(ls -l | tr '\n' ';') $(head -c 300 "$work/out")"
		kept "$name"
		cd "$work" || exit 1
	done
done

# Where OUT.1.old is another's, too, nothing can make way: the trace ends there, and says so.
folder full 0 1777
cd full || exit 1
as "$bob" sh -c 'umask 77; echo theirs >OUT.1; echo theirs >OUT.1.old'
timeout -k 5 "$limit" "$bin/swtrace" run -q -B $collector -t cont --rotate-time 1s -o OUT -- sleep $((8 * slow)) >"$work/out" 2>&1
code=$?
is no_way_keeps_both "$(head -c 100 OUT.1 OUT.1.old | tr -d '\0' | grep theirs | tr '\n' ' ')" "theirs theirs "
[ $code != 0 ] && [ $code != 124 ] && [ -s OUT ] && [ -s "$work/out" ]
verdict no_way_is_told $? "exit code $code: $(head -c 300 "$work/out")"
cd "$work" || exit 1

# Bob changes what the next number means all the time.
for kind in rotation snapshots; do
	folder "race-$kind" "$bob" 777
	cd "$work/race-$kind" || exit 1
	victim "$work/victim"
	as "$bob" sh -c "mkfifo OUT.1; ln -s $work/victim B"
	as "$bob" "$programs/swap_names" OUT.1 B &
	swapper=$!
	case $kind in
	rotation) words=(-t cont --rotate-time 1s -o OUT -- sh -c "$until" - 3 $((limit / 4))) ;;
	snapshots) words=(-t wrap -o OUT -- "$programs/unruly" snapshots 5) ;;
	esac
	timeout -k 5 "$limit" "$bin/swtrace" run -q -B $collector "${words[@]}" >"$work/out" 2>&1
	code=$?
	end $swapper
	wait $swapper 2>/dev/null
	[ $code != 124 ] && [ $code != 137 ]
	verdict "race_${kind}_ends" $?
	untouched "race_${kind}_victim" "$work/victim"
	cd "$work" || exit 1
done
[ "$failures" = 0 ]
