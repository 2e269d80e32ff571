# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# itrace.sh COLLECTOR[-ls] WHAT...: in the guest: each program stepped by the judge, then traced by
# that collector (-ls: with what is read and written); what each said comes back.
cd /tmp || exit
collector=${1%-ls}
registers='' ls=''
[ "$collector" = "$1" ] || registers=-r ls=--ls
shift
mkdir logs
# Each time in the same places.
echo 0 >/proc/sys/kernel/randomize_va_space
cp "$(command -v itrace_subject)" subject
for what; do
	case $what in
	busybox) set -- /usr/bin/busybox true ;;
	true) set -- /usr/bin/coreutils-true ;;
	*) set -- ./subject "$what" ;;
	esac
	itrace_judge $registers "logs/$what.log" busybox env -i "$@" >/dev/null 2>"logs/$what.err"
	judged=$?
	swtrace run --itrace $ls -B "$collector" -o "logs/$what.nrm2" -- busybox env -i "$@" \
		>/dev/null 2>>"logs/$what.err"
	echo "$judged $?" >"logs/$what.codes"
	tail -n 1 "logs/$what.err"
done
true
