# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: hook.sh RECORDS cost|. Programs' own records from four threads, with the module, by hook
# files and (where a program is not told of them) by calls: no limit, the limit of every user, a buffer
# that is too small; without it; a burst of eight threads; a program that is killed, one that traces itself.
cd /tmp || exit
records=$1 budget=/sys/module/pitrace/parameters/user_budget

# run NAME "OPTION..." COMMAND...
run() {
	local name=$1 options=$2
	shift 2
	# shellcheck disable=SC2086
	swtrace run -q -M user $options -o "$name.nrm2" -- "$@" >"$name.txt" || echo "not ok hook_run_$name"
}
# books NAME RECORDS OPTION...
books() {
	local name=$1 n=$2
	shift 2
	run "$name" "$*" marks "$n" 4 0
}
# By calls.
calls() {
	local name=$1 n=$2
	shift 2
	run "$name" "$*" env -u PITRACE_HOOKS marks "$n" 4 0
}
# No limit of time is for those that go into files.
books all "$records"
books normal $((records / 5)) -t norm
[ "$(uname -m)" != x86_64 ] || books tsc $((records / 5)) --clock tsc
run burst '' marks 800000 8 0
run killed '' marks killed $((records / 5)) 8
echo 100 >$budget
run both '' sh -c "marks $((records / 10)) 4 0 >a; env -u PITRACE_HOOKS marks 100 1 0 >b; cat a b" &&
	awk '{ w += $2; l += $4; n += $6 } END { print "written", w, "lost", l, "nobody", n }' both.txt >sum &&
	mv sum both.txt
calls calls "$records" -s 64
calls tiny $((records / 10)) -s 128k -ss 32
# Two sessions listen: each has each record, once.
swtrace init -t cont -s 64 -f whole.nrm2 >/dev/null && swtrace enable 0xD1 >/dev/null && swtrace on >/dev/null ||
	echo "not ok hook_whole_on"
books part $((records / 10)) -s 64
swtrace off >/dev/null && swtrace free >/dev/null || echo "not ok hook_whole_off"
cp part.txt whole.txt
books wrap $((records / 10)) -t wrap -s 32
echo 10 >$budget
calls limited $((records / 5)) -s 16
books file $((records / 5)) -B perf -s 64
for mode in 0 1 2; do
	marks self "self$mode.nrm2" $mode >"self$mode.txt" || echo "not ok hook_run_self$mode $(cat self$mode.txt)"
done
books file_tiny $((records / 10)) -B perf -s 64k
if [ "$2" = cost ]; then
	echo 100 >$budget
	mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
	# As in make bench: it is not drained meanwhile, and stamps are the processor's own if possible.
	[ "$(uname -m)" != x86_64 ] || clock='--clock tsc'
	# shellcheck disable=SC2086
	swtrace run -q -a -t norm $clock -M 0xD1 -s 32 -o cost.nrm2 -- marks cost 20000 /sys/kernel/tracing/trace_marker >cost.txt
	# shellcheck disable=SC2086
	swtrace run -q -a -t norm $clock -M 0xD1 -s 32 -o cost.nrm2 -- env -u PITRACE_HOOKS \
		marks cost 20000 /sys/kernel/tracing/trace_marker >cost_calls.txt
fi
# Ordinary users who may not open the device, in a session of root's: a script's mark, four threads.
# A process that does not write gets no descriptor: if it outlives the session, it does not keep the module.
cat >mark.sh <<'END'
swtrace mark -m 7 -i 42 from "a script"
sleep 1000 </dev/null &
echo "descriptors $(ls -l /proc/$$/fd /proc/$!/fd | grep -c pitrace-hook)"
END
export SUDO_UID=1000 SUDO_GID=1000 SUDO_USER=user
swtrace run -q -M user -o mark.nrm2 -- sh mark.sh >mark.txt 2>&1
echo "exit $?" >>mark.txt
books others $((records / 10)) -s 16
unset SUDO_UID SUDO_GID SUDO_USER
[ -e "/proc/$(pidof sleep)/fd" ] && echo "ok hook_outlived" || echo "not ok hook_outlived"
rmmod pitrace && echo "ok hook_rmmod" || { echo "not ok hook_rmmod"; exit 1; }
