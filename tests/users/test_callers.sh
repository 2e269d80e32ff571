#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Callers and obstacles: half-set variables of sudo, a signal that arrives while a holder answers, another user's
# files in the place of a holder's socket, a FIFO in the place of a program.
set -u
# shellcheck source=tests/users/lib.sh
. "$(dirname "$0")/lib.sh"

# A command is not run as root because its caller is only half known.
folder sudo 0 777
cd sudo || exit 1
bad=''
for set in "SUDO_UID=$alice" "SUDO_GID=$alice" "SUDO_UID=-1 SUDO_GID=$alice" "SUDO_UID=$alice SUDO_GID=x" \
	"SUDO_UID= SUDO_GID=$alice" "SUDO_UID=+$alice SUDO_GID=$alice" "SUDO_UID=4294967295 SUDO_GID=$alice" \
	"SUDO_UID=99999999999999999999 SUDO_GID=$alice" "SUDO_UID=0x10 SUDO_GID=$alice"; do
	for command in "swtrace run -q --" "mpevt run -e task-clock --"; do
		rm -f ran
		# shellcheck disable=SC2086
		env $set timeout -k 5 60 "$bin/"$command sh -c 'id -u >ran' >"$work/out" 2>&1 && bad="$bad $set:exit"
		[ ! -e ran ] || bad="$bad $set:ran"
	done
done
[ -z "$bad" ]
verdict half_a_caller $? "$bad"
rm -f ran
sudo_by "$alice" timeout -k 5 60 "$bin/swtrace" run -q -- sh -c 'id -u >ran' >"$work/out" 2>&1
is whole_caller "$(cat ran)" "$alice"
cd "$work" || exit 1

# SIGTERM while the holder waits for a client that says nothing
folder held 0 755
cd held || exit 1
export PITRACE_SOCKET=$PWD/socket
timeout -k 5 60 "$bin/swtrace" init -B perf -t cont -f trace >"$work/out" 2>&1
verdict holder_begins $?
holder=$("$bin/swtrace" info | sed -nE 's/.*, holder ([0-9]+),.*/\1/p')
"$programs/unruly" silent "$PITRACE_SOCKET" &
client=$!
sleep 0.7
[ -n "$holder" ] && kill -TERM "$holder"
for _ in $(seq 100); do
	[ -e "/proc/${holder:-0}" ] || break
	sleep 0.2
done
# (Pages stay that a living program of root's has found when it was loaded: the client's.)
[ -n "$holder" ] && [ ! -e "/proc/$holder" ] &&
	[ -z "$(find . -mindepth 1 ! -name trace ! -name socket.listen ! -name socket.door)" ]
verdict sigterm_is_not_lost $? "the holder ${holder:-?} lives"
kill $client 2>/dev/null
[ -z "$holder" ] || kill "$holder" 2>/dev/null
unset PITRACE_SOCKET
cd "$work" || exit 1

# With rights that a program gains it executes no holder, and takes no address, that its caller chooses.
folder gained "$alice" 755
cd gained || exit 1
mkdir -p bin lib/pitrace
printf '#!/bin/sh\nid -u >>%s/ran\n' "$PWD" >evil
chmod 755 evil
cp evil lib/pitrace/pitrace-holder
chmod 777 .
if "${CC:-gcc}" -O2 -I"$top/driver/uapi" -I"$top/libperfutil/include" -o bin/app "$top/tests/libperfutil/session/holder_app.c" \
	"${BIN%/bin}/lib/libperfutil.a" -lzstd -lpthread 2>"$work/out" && chmod 4755 bin/app; then
	as "$alice" env PITRACE_HOLDER="$PWD/evil" PITRACE_SOCKET="$PWD/socket" SUDO_UID=$bob SUDO_GID=$bob \
		timeout -k 5 60 bin/app gained >said 2>&1
	if grep -qx 'as 0' said; then
		is gained_runs_none_of_its_caller "$(cat ran 2>/dev/null)" ''
		grep -qx 'took 0' said && [ -z "$(find . -name 'socket*')" ]
		verdict gained_takes_no_address $? "$(cat said) $(ls)"
	else
		echo "skip users_callers_gained programs gain no rights here"
	fi
else
	echo "skip users_callers_gained it takes a compiler and the library"
fi
cd "$work" || exit 1

# Bob has taken what names alice's holder might have; her runtime folder is not there.
folder squat "$alice" 755
cd squat || exit 1
find /tmp -maxdepth 1 -name "pitrace-$alice*" -exec rm -rf {} +
names="/tmp/pitrace-$alice /tmp/pitrace-$alice.sock"
as "$bob" sh -c "umask 0; mkdir /tmp/pitrace-$alice; : >/tmp/pitrace-$alice.sock; : >/tmp/pitrace-$alice.aaaaaa"
setpriv --reuid "$alice" --regid "$alice" --clear-groups -- sleep 100 &
target=$!
sleep 0.3
unset XDG_RUNTIME_DIR
her=(as "$alice" timeout -k 5 60)
"${her[@]}" "$bin/swtrace" init -B perf -p "$target" -t cont -f trace >"$work/out" 2>&1
verdict squatted_init $?
"${her[@]}" "$bin/swtrace" info >"$work/out" 2>&1
verdict squatted_info $?
"${her[@]}" "$bin/swtrace" free >"$work/out" 2>&1
verdict squatted_free $?
kill $target
is squatters_things "$(find $names -printf '%U %p\n' | sort | tr '\n' ' ')" "$bob /tmp/pitrace-$alice $bob /tmp/pitrace-$alice.sock "
find /tmp -maxdepth 1 -name "pitrace-$alice*" -exec rm -rf {} +
cd "$work" || exit 1

# No program at the end of a FIFO
folder fifo 0 755
cd fifo || exit 1
mkfifo -m 755 fifo
timeout -k 5 20 "$bin/swtrace" run -q --itrace --from main -- ./fifo >"$work/out" 2>&1
code=$?
[ $code != 0 ] && [ $code != 124 ] && [ $code != 137 ]
verdict from_a_fifo $? "exit code $code"
timeout -k 5 20 "$bin/swtrace" run -q --itrace --from "$PWD/fifo:main" -- true >"$work/out" 2>&1
code=$?
[ $code != 0 ] && [ $code != 124 ] && [ $code != 137 ]
verdict from_in_a_fifo $? "exit code $code"
cd "$work" || exit 1
[ "$failures" = 0 ]
