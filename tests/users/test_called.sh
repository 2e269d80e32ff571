#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each output of each program under sudo: its caller has their own files written, and nothing where root
# alone may write: by a path, or by a folder of theirs that is a link. Standard output may be named.
set -u
# shellcheck source=tests/users/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/users/outputs.sh
. "$here/outputs.sh"

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
	if ! wrote own && [ ! -d own ]; then
		lacking "$name" || verdict "$name" 1 "exit code $code: $(tail -n 3 "$work/out")"
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
	verdict "$name" $? "wrong with:$problems; at last: $(head -c 300 "$work/out")"
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

# ---- who the command is: the caller, or root if that is asked for; its files are the caller's
folder asked "$alice" 755
cd asked || exit 1
problems=''
who() { # UID COMMAND...: the command that it runs has this uid
	local uid=$1
	shift
	rm -f id
	"${run[@]}" "$@" sh -c 'id -u >id' >"$work/out" 2>&1
	[ -n "$(lacking_why "$work/out")" ] || [ "$(cat id 2>/dev/null)" = "$uid" ] || bad "$1 $2: $(cat id 2>&1)"
	rm -f id
}
lacking_why() { grep -m 1 -E 'needs the pitrace module|no collector|not permitted|has no counter' "$1"; }
for kept in '' --root; do
	uid=${kept:+0} uid=${uid:-$alice}
	# shellcheck disable=SC2086
	{
		who "$uid" "$bin/swtrace" run $kept -B timer -o run.nrm2 --
		who "$uid" "$bin/run.tprof" -t $kept -B timer
		who "$uid" "$bin/mpevt" run $kept -e task-clock --
		who "$uid" "$bin/ptt" run $kept -m task-clock --
		who "$uid" "$bin/cpi" $kept -c
	}
	[ -z "$(find . ! -uid "$alice")" ] || bad "${kept:-none}: another user owns what is made"
	[ -z "$problems" ]
	verdict "command${kept:+_root}" $? "wrong with:$problems; at last: $(head -c 300 "$work/out")"
done
cd "$work" || exit 1
[ "$failures" = 0 ]
