# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: names.sh RATE SHORT_ONES MS THREAD_MS AT_ONCE [short]. Processes that make it hard to
# name them, each kind in a trace of its own. MS is the work of each case; more where ticks are lost.
# short: the first two kinds only.
cd /tmp || exit
rate=$1 count=$2 ms=$3 at_once=$5

traced() { # NAME COMMAND...
	local name=$1
	shift
	swtrace run -a -e timer -F "$rate" -s 16 -sm 8 -o "$name.nrm2" -- "$@" >"$name.txt" 2>"$name.err" && return
	echo "not ok names_${name}_ran"
	cat "$name.txt" "$name.err"
	exit 1
}

if [ "${6:-}" = short ]; then
	traced brief brief "$count" "$at_once"
	traced reuse reuse 12 "$ms"
	exit
fi

export MS=$ms THREAD_MS=$4
cat >lives.sh <<'END'
for each in rename threadexec vfork fork clone mprotect mremap; do
	lives $each $MS || exit 1
done
lives threads $THREAD_MS
END

# Programs at strange places: PATH NAME of the process.
cat >paths.sh <<'END'
newline=$(printf '/tmp/odd/two\nlines')
wait_for() { # PID NAME: until the process has this name, so that its file is mapped
	while [ "$(cat /proc/$1/comm 2>/dev/null)" != "$2" ]; do
		kill -0 $1 || exit 1
		sleep 0.02
	done
}
worked() { # PID: until it has had 200 ms of a CPU, so that ticks fell on it
	while [ "$(cut -d' ' -f14 /proc/$1/stat)" -lt 20 ]; do
		kill -0 $1 || exit 1
		sleep 0.02
	done
}
"/tmp/odd/with blank/a b" $MS blank
"$newline" $MS newline
/tmp/odd/still $MS static
/tmp/odd/gone 600000 deleted &
gone=$!
wait_for $gone deleted
rm /tmp/odd/gone
/tmp/odd/replaced 600000 replaced &
replaced=$!
wait_for $replaced replaced
cp /usr/local/bin/plain-other /tmp/odd/new
mv /tmp/odd/new /tmp/odd/replaced
worked $gone
worked $replaced
kill $gone $replaced
unshare -m sh -c 'mount -t tmpfs none /mnt && cp /usr/local/bin/plain /mnt/inner && /mnt/inner $MS namespace'
chroot /tmp/jail /prisoner $MS chroot
kill $early
END

mkdir -p "/tmp/odd/with blank" /tmp/jail /mnt
cp /usr/local/bin/plain "/tmp/odd/with blank/a b"
cp /usr/local/bin/plain "$(printf '/tmp/odd/two\nlines')"
cp /usr/local/bin/plain-static /tmp/odd/still
for name in gone replaced early; do
	cp /usr/local/bin/plain /tmp/odd/$name
done
cp /usr/local/bin/plain-static /tmp/jail/prisoner
# The file that a tool would find if it trusted the path: another program.
cp /usr/local/bin/plain-other /mnt/inner
cp /usr/local/bin/plain-other /prisoner

traced brief brief "$count" "$at_once"
traced reuse reuse 12 "$ms"
traced lives sh lives.sh
# One that is there, and deleted, before the trace begins.
/tmp/odd/early 600000 early &
export early=$!
while [ "$(cat /proc/$early/comm)" != early ]; do sleep 0.02; done
rm /tmp/odd/early
traced paths sh paths.sh
post -q -json -r paths.nrm2 >paths.guest.json
[ $? -le 1 ] || echo "not ok names_post_in_guest"
