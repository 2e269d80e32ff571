#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that run are attached to: their functions are counted from then on, and no more when they
# are let go; what they compute is right, whoever is killed meanwhile; what cannot be is said.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
counter=$programs/programs/patch_counter.so attach=$programs/programs/patch_attach
if [ ! -f "$counter" ] || [ "$(uname -m)" != x86_64 ]; then
	echo "skip patch_attach programs of this machine are not attached to"
	exit 77
fi
cd "$work" || exit 1
ask() { # WORD...: of the program that runs
	timeout 60 "$attach" "$pid" "$counter" "$@" 2>err
}
begin() { # PROGRAM: until it is under way
	rm -f over
	timeout 300 "./$1" over >said &
	job=$!
	for _ in $(seq 100); do
		pid=$(pgrep -P $job) && break
		sleep 0.05
	done
	sleep 0.2
}
end() {
	touch over
	wait $job
	code=$?
}

gcc -O2 -fpatchable-function-entry=5 "$here/patch_target.c" -o target -pthread
begin target
first=$(ask events)
calc "${first:-0} > 0"
verdict counted $? "'$first' $(cat err)"
is let_go "$(ask off)" off
before=$(ask events)
sleep 0.3
is no_more "$(ask events)" "$before"
is again "$(ask on)" '6 functions'
sleep 0.3
now=$(ask events)
calc "${now:-0} > ${before:-0}"
verdict counted_again $? "$before, then $now"
ask off >/dev/null
end
is right "$code $(cat said)" '0 0 wrong'

# The attaching program is killed at any moment: the traced one continues, and can be attached again.
begin target
for i in $(seq 60); do
	"$attach" "$pid" "$counter" on off on events off >/dev/null 2>&1 &
	sleep "0.0$(printf '%02d' $((i % 30)))"
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
done 2>/dev/null
is after_kills "$(ask off)" off
end
is right_after_kills "$code $(cat said)" '0 0 wrong'

# One thread, which waits.
gcc -O2 -fpatchable-function-entry=5 -x c - -o waits <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int t_one(int x) { return x + 1; }
int main(void)
{
	char line[64];
	long n = read(0, line, sizeof(line));

	printf("%ld %d\n", n, t_one(3));
	return 0;
}
END
mkfifo in
timeout 60 ./waits <in >said &
job=$!
exec 7>in
sleep 0.3
pid=$(pgrep -P $job)
is waiting "$(ask on)" '2 functions'
echo hello >&7
exec 7>&-
wait $job
is went_on "$? $(cat said)" '0 6 4'

# A stopped process stays stopped.
begin target
kill -STOP "$pid"
ask on
says stopped err 'patch_attach: no thread of it was where it could call a function, or it is stopped'
kill -CONT "$pid"
end
is stopped_right "$code $(cat said)" '0 0 wrong'

# A process that exits meanwhile; one that does not exist; one without a loader.
begin target
(
	sleep 0.05
	kill -9 "$pid"
) &
for _ in $(seq 100); do
	ask on off >/dev/null || break
done
says died err 'patch_attach: .*\(the process has ended\|cannot be traced\|No such process\)'
end
pid=999999999
ask on
says gone err 'patch_attach: it cannot be traced: No such file or directory'
gcc -O1 -static "$here/patch_target.c" -o alone -pthread
begin alone
ask on
says static err 'patch_attach: it is linked statically: nothing can be loaded'
end
is static_right "$code $(cat said)" '0 0 wrong'
begin target
timeout 60 "$attach" "$pid" "$work/no.so" on 2>err
says no_library err "patch_attach: the loader there refused $work/no.so"
end
is no_library_right "$code $(cat said)" '0 0 wrong'

# A file that has the name of its C library by now is not opened: it could block forever, or be another one.
gone() { # WRAPPER...: of the program and of who attaches
	mkdir copy
	cp "$(ldd ./target | awk '/libc\.so/ { print $3 }')" copy/libc.so.6
	rm -f over
	LD_LIBRARY_PATH=$work/copy timeout 300 "$@" ./target over >said &
	job=$!
	for _ in $(seq 100); do
		pid=$(pgrep -P $job) && break
		sleep 0.05
	done
	sleep 0.2
	rm copy/libc.so.6
	mkfifo -m 666 'copy/libc.so.6 (deleted)'
	timeout 60 "$@" "$attach" "$pid" "$counter" on 2>err >out
	end
	rm -r copy
}
chmod 755 .
if [ "$(id -u)" = 0 ]; then
	gone
	is gone_by_root "$(cat out) $code $(cat said)" '6 functions 0 0 wrong'
	gone setpriv --reuid=65534 --regid=65534 --clear-groups
else
	gone env
fi
says gone_library err 'patch_attach: .*libc.so.6 (deleted): its functions cannot be read'
is gone_library_right "$code $(cat said)" '0 0 wrong'

# Other files have its names in another mount namespace.
mkdir hidden && cp "$counter" hidden/own.so
if unshare -m true 2>/dev/null; then
	rm -f over
	timeout 300 unshare -m sh -c 'mount -t tmpfs none hidden && exec ./target over' >said &
	job=$!
	for _ in $(seq 100); do
		pid=$(pgrep -P $job) && break
		sleep 0.05
	done
	sleep 0.2
	timeout 60 "$attach" "$pid" "$work/hidden/own.so" on 2>err
	says other_namespace err "the loader there refused $work/hidden/own.so (it is in another mount namespace"
	end
	is other_namespace_right "$code $(cat said)" '0 0 wrong'
else
	echo "skip patch_attach_namespace mount namespaces are root's"
fi
exit $failures
