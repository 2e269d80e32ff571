# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: hookit.sh PROGRAM.... Each runs as it is, its instructions traced to PROGRAM.arc; and built
# for libhookit in both ways, KIND: what is measured between the marks to KIND.PROGRAM.log, of the whole
# program to KIND.PROGRAM.whole. Here the time stamp counter counts instructions.
cd /tmp || exit
export XDG_CACHE_HOME=/tmp/cache
for program in "$@"; do
	which=truth
	case $program in virtuals | exceptions | statics | exits) which=truthcc ;; esac
	cd /truth/plain || exit
	swtrace run -q --itrace --from ./$which:truth_begin --until ./$which:truth_end -o /tmp/trace.nrm2 -- \
		./$which "$program" >"/tmp/plain.$program" 2>/tmp/log
	post -arc -c -q -r /tmp/trace.nrm2 -o "/tmp/$program.arc" >>/tmp/log 2>&1 || cat /tmp/log
	rm -f /tmp/trace.nrm2
	for kind in fentry sites; do
		cd /truth/$kind || exit
		[ $kind = sites ] && patch=,PATCH || patch=''
		# A timer interrupt belongs to no function: the run is repeated.
		for try in 1 2 3 4 5 6; do
			rm -f /tmp/log-rt.*
			HOOKITOPTS=NOSTART,LOGPATH=/tmp,CALIBRATION=/tmp/cache.$kind$patch \
				./$which "$program" >"/tmp/$kind.$program" 2>"/tmp/$kind.$program.err"
			! grep -q '^[1-9][0-9]* interrupts' "/tmp/$kind.$program" || continue
			break
		done
		echo "# $program $kind: try $try"
		cat /tmp/log-rt.* >"/tmp/$kind.$program.log"
		rm -f /tmp/log-rt.*
		HOOKITOPTS=LOGPATH=/tmp,CALIBRATION=none$patch ./$which "$program" >/dev/null 2>&1
		cat /tmp/log-rt.* >"/tmp/$kind.$program.whole"
		rm -f /tmp/log-rt.*
	done
	echo "# $(cut -d' ' -f1 /proc/uptime) s: $program"
done
