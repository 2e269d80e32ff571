# SPDX-License-Identifier: GPL-3.0-or-later
# itrace.sh COLLECTOR WHAT...: in the guest: each program stepped by the judge, then traced by that
# collector; what each said comes back.
cd /tmp
collector=$1
shift
mkdir logs
case $collector-$(uname -m) in
driver-s390x | driver-ppc64le) rmmod pitrace && insmod /rig/pitrace.ko itrace=1 || exit 1 ;;
esac
# Each time in the same places.
echo 0 >/proc/sys/kernel/randomize_va_space
cp "$(command -v itrace_subject)" subject
for what; do
	case $what in
	busybox) set -- /usr/bin/busybox true ;;
	true) set -- /usr/bin/coreutils-true ;;
	*) set -- ./subject "$what" ;;
	esac
	itrace_judge "logs/$what.log" busybox env -i "$@" >/dev/null 2>"logs/$what.err"
	judged=$?
	swtrace run --itrace -B "$collector" -o "logs/$what.nrm2" -- busybox env -i "$@" \
		>/dev/null 2>>"logs/$what.err"
	echo "$judged $?" >"logs/$what.codes"
	tail -n 1 "logs/$what.err"
done
true
