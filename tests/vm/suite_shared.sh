#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_shared.sh KERNEL ARCH 'SUITE [ARGUMENT]...'...: several suites in one guest, one after the
# other; each is a suite_SUITE.sh that boots one guest, and all want the same machine. Each suite
# runs twice here: first it only says what it would boot, then it judges what came back.
. "$(dirname "$0")/suite.sh"
shared=$out/shared
machine='' mem=0 limit=0 names=()
options=() files=()

# The part of a boot's options that makes the machine must be the same for all; the rest adds up.
take() { # FOLDER OPTION...
	local folder=$1 here='' get=''
	shift
	while [ "$1" != -- ]; do
		case $1 in
		--mem) [ "$2" -le $mem ] || mem=$2 ;;
		--timeout) limit=$((limit + $2)) ;;
		--add) files+=(--add "$2") ;;
		--prog | --kmod) options+=("$1" "$2") ;;
		--get) get+="${2#/}"$'\n' ;;
		--append | --smp) here+=" $1 $2" ;;
		--icount | --mttcg | --pmu) here+=" $1" ;;
		*) die "a guest with $1 cannot be shared" ;;
		esac
		case $1 in --icount | --mttcg | --pmu) ;; *) shift ;; esac
		shift
	done
	shift
	[ ${#names[@]} = 0 ] || [ "$here" = "$machine" ] || die "$folder wants$here, not$machine"
	machine=$here
	mkdir -p "$folder/guest"
	cp "$1" "$folder/guest/script"
	printf '%s' "$get" >"$folder/guest/get"
	shift
	printf '%s' "${*@Q}" >"$folder/guest/arguments"
}

number=10
for each in "$@"; do
	read -ra words <<<"$each"
	number=$((number + 1))
	folder=$shared/$number-${words[0]}
	mkdir -p "$folder"
	PITRACE_NO_BUILD=1 PITRACE_GUEST=$folder "tests/vm/suite_${words[0]}.sh" "$kernel" "$arch" "${words[@]:1}" ||
		die "$each does not get as far as its guest"
	[ -e "$folder/boot" ] || die "$each boots no guest"
	mapfile -d '' -t boot <"$folder/boot"
	take "$folder" "${boot[@]}"
	names+=("$number-${words[0]}")
done

for name in "${names[@]}"; do
	files+=(--add "$shared/$name/guest:/rig/shared/$name")
done
rc=0
# shellcheck disable=SC2086
boot $machine --mem $((mem > 1024 ? mem : 1024)) --timeout $((limit + 300 * ${#names[@]})) "${options[@]}" \
	"${files[@]}" --get /shared -- tests/vm/guest/shared.sh || rc=$?

for i in "${!names[@]}"; do
	name=${names[$i]} folder=$shared/${names[$i]}
	mkdir -p "$folder/get"
	if [ $rc = 0 ] && [ -e "$out/shared/$name/rc" ]; then
		cp "$out/shared/$name/"{rc,said} "$folder/"
		tar -C "$folder" -xf "$out/shared/$name/get.tar" || echo 123 >"$folder/rc"
	else
		echo "$((rc ? rc : 124))" >"$folder/rc"
		cp "$out/shared/$name/said" "$folder/" 2>/dev/null || : >"$folder/said"
	fi
	cp "$out/kernel.log" "$folder/"
	read -ra words <<<"${*:i+1:1}"
	PITRACE_NO_BUILD=1 PITRACE_GUEST=$folder "tests/vm/suite_${words[0]}.sh" "$kernel" "$arch" "${words[@]:1}" \
		>"$folder/judged" 2>&1 || code=1
	cat "$folder/judged"
	grep -q '^\(not \)\?ok ' "$folder/judged" || not_ok "$name" "the suite says nothing"
done
rm -rf "$shared/"*/get "$out/shared"
exit $code
