# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Two users and root against each other. What the test_*.sh here have in common: where things are, who
# they are, verdicts. Sourced by bash, as root, on a machine or in a guest (tests/vm/guest/users.sh),
# where commands are busybox's. The users need no entry in /etc/passwd.
# BIN is a folder with the programs, PROGRAMS one with those of the tests.
suite=$(basename "$0" .sh)
suite=${suite#test_}
if [ "$(id -u)" != 0 ]; then
	echo "skip users_$suite acts as two users and root: it must be root"
	exit 77
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
if [ -z "${BIN:-}" ]; then
	build=$(cd "$top" && cd "${O:-build}" && pwd) || exit 1
	BIN=$build/bin PROGRAMS=$build/tests
fi
programs=${PROGRAMS:-$BIN}
failures=0
umask 022
unset SUDO_UID SUDO_GID SUDO_USER TMPDIR PITRACE_SOCKET PITRACE_HOOKS

# Two unused uids, each with its own gid.
alice=61301 bob=61302
while getent passwd $alice $bob >/dev/null 2>&1; do
	alice=$((alice + 2)) bob=$((bob + 2))
done

work=$(mktemp -d /tmp/users-$suite.XXXXXX)
chmod 711 "$work"
# Files that a test leaves in its own namespaces are not visible here; it ends the processes that it starts, even if
# it fails itself (an unset variable).
trap 'cd /; end $(jobs -p); rm -rf "$work"' EXIT
cd "$work" || exit 1

verdict() { # NAME CODE [WHY]: without a reason what is in $work/out is shown
	if [ "$2" = 0 ]; then
		echo "ok users_${suite}_$1"
		return
	fi
	echo "not ok users_${suite}_$1 ${*:3}"
	[ $# -gt 2 ] || [ ! -s "$work/out" ] || head -c 2000 "$work/out" | sed 's/^/    /'
	failures=$((failures + 1))
}
is() { # NAME HAVE WANT
	[ "$2" = "$3" ]
	verdict "$1" $? "is '$2', not '$3'"
}
says() { # NAME FILE WORDS
	grep -q -e "$3" "$2"
	verdict "$1" $? "no '$3' in: $(head -c 400 "$2")"
}
# as USER COMMAND...: with that user's uid and gid and no other group
as() {
	local user=$1
	shift
	setpriv --reuid "$user" --regid "$user" --clear-groups -- env HOME=/ USER= LOGNAME= "$@"
}
# end PID...: of what was begun in the background, all that it has begun, too
end() {
	local pid
	for pid in "$@"; do
		# shellcheck disable=SC2046
		end $(pgrep -P "$pid")
		kill "$pid" 2>/dev/null
	done
}
# sudo_by USER COMMAND...: root's, called by that user's sudo
sudo_by() {
	SUDO_UID=$1 SUDO_GID=$1 env "${@:2}"
}
# folder NAME OWNER MODE: a folder below $work
folder() {
	mkdir -p "$work/$1" && chown "$2:$2" "$work/$1" && chmod "$3" "$work/$1"
}
# victim FILE [OWNER]: a file that only its owner (root) may read and write, with words that are found
# again where they should not be
words="the-words-of-nobody-else"
victim() {
	rm -f "$1"
	printf 'root:%s:1\nroot:%s:2\n' "$words" "$words" >"$1"
	chmod 600 "$1" && chown "${2:-0}:${2:-0}" "$1"
	state "$1" >"$1.before"
}
state() { # FILE: all that an attack could change
	stat -c '%i %u %g %a %s %F' "$1" 2>&1
	cat "$1" 2>&1
}
# untouched NAME FILE: is a victim as it was?
untouched() {
	state "$2" >"$2.after"
	cmp -s "$2.before" "$2.after"
	verdict "$1" $? "$2 was changed: $(head -n 1 "$2.after")"
}
# kept_secret NAME FILE...: no such file, or none of a victim's words in them
kept_secret() {
	! grep -aq "$words" "${@:2}" 2>/dev/null
	verdict "$1" $? "a root-only file's contents are in ${*:2}"
}

# Programs where other users reach them.
if ! as "$alice" test -x "$BIN/swtrace"; then
	cp -r "$BIN" "$work/bin" && BIN=$work/bin
	[ ! -d "$BIN/../../lib" ] || cp -r "$BIN/../lib" "$work/lib"
fi
if ! as "$alice" test -r "$programs"; then
	mkdir "$work/programs" && find "$programs" -maxdepth 1 -type f -perm -1 -exec cp {} "$work/programs" \;
	programs=$work/programs
fi
bin=$BIN
