#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/deps with a made-up dpkg and apt in place of the real ones: what it asks for, when it
# reads the lists anew, and that it leaves a machine alone that has everything.
set -u

deps=$(cd "$(dirname "$0")/../../scripts" && pwd)/deps
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export W=$work PATH=$work:$PATH
failures=0

cat >"$work/dpkg-query" <<'END'
#!/bin/sh
shift 3
printf '%s\n' "$@" | grep -vxF -f "$W/absent" | sed 's/^/installed /'
! printf '%s\n' "$@" | grep -qxF -f "$W/absent"
END
cat >"$work/apt-get" <<'END'
#!/bin/sh
echo "apt-get $*" >>"$W/calls"
case $* in
update) touch "$W/updated" ;;
*) [ ! -e "$W/stale" ] || [ -e "$W/updated" ] ;;
esac
END
cat >"$work/apt-cache" <<'END'
#!/bin/sh
if [ -e "$W/unknown" ]; then echo "  Candidate: (none)"; else echo "  Candidate: 1.0"; fi
END
# Root or not, by wish.
cat >"$work/id" <<'END'
#!/bin/sh
cat "$W/uid"
END
cat >"$work/sudo" <<'END'
#!/bin/sh
[ "$1" != -E ] || shift
echo "sudo" >>"$W/calls"
exec "$@"
END
chmod +x "$work"/{dpkg-query,apt-get,apt-cache,id,sudo}

# try NAME CODE CALLS -- [ARGUMENT]...: CALLS are apt's and sudo's, joined by a semicolon
try() {
	local name=$1 want=$2 calls=$3 code=0 got
	shift 4
	rm -f "$work/calls" "$work/updated"
	"$deps" "$@" </dev/null >"$work/out" 2>&1 || code=$?
	got=$(paste -sd';' "$work/calls" 2>/dev/null)
	if [ $code = "$want" ] && [ "$got" = "$calls" ]; then
		echo "ok deps_$name"
	else
		echo "not ok deps_$name: exit code $code, calls '$got'"
		sed 's/^/    /' "$work/out"
		failures=$((failures + 1))
	fi
}

get="apt-get install -y --no-install-recommends"
: >"$work/absent"
echo 0 >"$work/uid"
try nothing_missing 0 "" -- build check
if [ -s "$work/out" ]; then
	echo "not ok deps_silent"
	failures=$((failures + 1))
else
	echo "ok deps_silent"
fi
printf '%s\n' make jq cpio >"$work/absent"
try no_set_installs_nothing 1 "" --
try yes_alone_installs_nothing 2 "" -- --yes
try root_goes_ahead 0 "$get cpio jq make" -- build check
printf '%s\n' clang-format cppcheck shellcheck >"$work/absent"
try check_lints 0 "$get clang-format cppcheck shellcheck" -- check
printf '%s\n' make jq cpio >"$work/absent"
try build_only 0 "$get make" -- build
try demo_without_tests 0 "$get cpio make" -- demo
try bad_word 2 "" -- everything
touch "$work/unknown"
try unknown_package 0 "apt-get update;$get cpio jq make" -- build check
rm "$work/unknown"
touch "$work/stale"
try stale_lists 0 "$get cpio jq make;apt-get update;$get cpio jq make" -- build check
rm "$work/stale"
echo 1000 >"$work/uid"
try user_is_told 1 "" -- build check
try user_says_yes 0 "sudo;$get cpio jq make" -- --yes build check

# Another machine's files are made by that machine's compiler, or nothing is.
foreign=riscv64
[ "$(uname -m)" != $foreign ] || foreign=s390x
if make -C "$(dirname "$deps")/.." --no-print-directory -n ARCH=$foreign CC=gcc >"$work/out" 2>&1 ||
	! grep -q "ARCH=$foreign needs a compiler for it, and gcc is none" "$work/out"; then
	echo "not ok deps_other_machine $(head -n 3 "$work/out")"
	failures=$((failures + 1))
else
	echo "ok deps_other_machine"
fi

[ $failures = 0 ]
