# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: hook.sh RECORDS cost|. Programs' own records from four threads, with the module: no
# limit, the limit of every user, a buffer that is too small; without it: by hook files.
cd /tmp || exit
records=$1 budget=/sys/module/pitrace/parameters/user_budget

# books NAME RECORDS OPTION...
books() {
	local name=$1 n=$2
	shift 2
	swtrace run -q -M user "$@" -o "$name.nrm2" -- marks "$n" 4 0 >"$name.txt" || echo "not ok hook_run_$name"
}
echo 100 >$budget
books all "$records" -s 64
books tiny $((records / 10)) -s 128k -ss 32
echo 10 >$budget
books limited $((records / 5)) -s 16
books file $((records / 5)) -B perf -s 64
books file_tiny $((records / 10)) -B perf -s 64k
if [ "$2" = cost ]; then
	echo 100 >$budget
	mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
	# As make bench has it: nobody drains meanwhile, and stamps are the processor's own where they can be.
	[ "$(uname -m)" != x86_64 ] || clock='--clock tsc'
	# shellcheck disable=SC2086
	swtrace run -q -a -t norm $clock -M 0xD1 -s 32 -o cost.nrm2 -- marks cost 20000 /sys/kernel/tracing/trace_marker >cost.txt
fi
# Ordinary users who may not open the device, in a session of root's: a script's mark, four threads.
# What does not write gets no descriptor: a process that outlives the session keeps no module.
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
