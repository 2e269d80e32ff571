#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs and libraries whose file is another one by the time that somebody names their code: while
# they run, after they ran, by a mount, in a chroot. Each name is judged by what nm says of the
# program that really ran: one that it does not have is wrong.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
swtrace=$bin/swtrace post=$bin/post
cd "$work" || exit 1
unset LD_PRELOAD PITRACE_TIMER XDG_CACHE_HOME DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS
export HOME=$work/home
mkdir home

# ---- the programs: the same code, with other names at other places
source_of() { # WHOSE PAD
	cat <<-C
		#include <stdio.h>
		#include <stdlib.h>
		#include <time.h>
		static volatile long sum;
		__attribute__((noinline)) void $1_first(long n) { while (n--) sum += n; }
		__attribute__((noinline, used)) void $1_pad(void) { __asm__ volatile(".skip $2"); }
		__attribute__((noinline)) void $1_second(long n) { while (n--) sum ^= n; }
		__attribute__((noinline)) void spin(long ms)
		{
			struct timespec t;

			do {
				$1_first(2000);
				$1_second(4000);
				clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
			} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
		}
	C
}
main='int main(int argc, char **argv) {
	spin(argc > 1 ? atol(argv[1]) : 1);
	return argc > 2 ? rename(argv[2], argv[0]) : 0;
}'
{ source_of ran 16; echo "$main"; } >ran.c
{ source_of new 700; echo "$main"; } >new.c
pad=16
for who in ran new; do
	gcc -O1 -o $who $who.c &&
		gcc -O1 -static -o $who.static $who.c &&
		gcc -O1 -Wl,--build-id=none -o $who.bare $who.c &&
		source_of $who $pad | gcc -O1 -shared -fPIC -x c -o $who.so - || exit 1
	pad=700
done
cat >user.c <<-C
	#include <stdio.h>
	#include <stdlib.h>
	void spin(long ms);
	$main
C
cp ran.so libspin.so
gcc -O1 -o user user.c -L. -lspin -Wl,-rpath,"$work" || exit 1

# Where perf keeps what it recorded, by build id.
keep() { # FILE
	local id
	id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
	mkdir -p "$HOME/.debug/.build-id/${id:0:2}/${id:2}"
	cp "$1" "$HOME/.debug/.build-id/${id:0:2}/${id:2}/elf"
}
unkeep() {
	rm -rf "$HOME/.debug"
}

# Ticks by name: "wrong N" of those that the file which ran has not, "named N", "none N", "all N".
judge() { # TRACE RAN MODULE [OPTION]...
	"$post" -q -csv -o csv -r "$1" "${@:4}" 2>said
	nm "$2" | awk '{ print $3 }' >has
	awk -F, -v module="/$3$" 'FNR == NR { has[$1] = 1; next }
		$5 ~ module { all += $7
			if ($6 ~ /^No/) none += $7; else if ($6 in has || $6 ~ /@plt$/) named += $7
			else wrong += $7 }
		END { print "wrong", wrong + 0, "named", named + 0, "none", none + 0, "all", all + 0 }' has csv >judged
	cat judged
}
# Nothing has a wrong name, and there were ticks.
none_wrong() { # NAME TRACE RAN MODULE [OPTION]...
	judge "${@:2}" >/dev/null
	awk '{ exit !($2 == 0 && $8 >= 5) }' judged
	verdict "$1" $? "$(cat judged)"
}
# … and all but a few have one.
all_named() { # NAME TRACE RAN MODULE [OPTION]...
	judge "${@:2}" >/dev/null
	awk '{ exit !($2 == 0 && $8 >= 5 && $4 >= 0.9 * $8) }' judged
	verdict "$1" $? "$(cat judged)"
}
# No name at all: the one that is there is another one, and that is said.
not_named() { # NAME TRACE RAN MODULE
	none_wrong "$@"
	awk '{ exit !($4 == 0) }' judged
	verdict "$1_no_name" $? "$(cat judged)"
	"$post" -o /dev/null -r "$2" >said 2>&1
	says "$1_said" said "$4: the file was"
}
fresh() { # FROM TO
	rm -f "$2"
	cp "$1" "$2"
}
# As a compiler does it, or an installer.
replace='cp "$1" "$2.n" && mv "$2.n" "$2"'

perf=0
"$swtrace" run -q -B perf -o try.nrm2 true >out 2>&1 && perf=1
[ $perf = 1 ] || echo "skip replaced_own no perf events here: $(head -n 1 out)"
collectors=timer
[ $perf = 1 ] && collectors="perf timer"
for b in $collectors; do
	# ---- replaced while it runs: soon after its begin
	fresh ran prog
	"$swtrace" run -q -B $b -o a.nrm2 -- \
		sh -c "./prog 700 & sleep 0.2; $replace; wait" sh new prog
	not_named ${b}_program a.nrm2 ran prog
	# The build id of the replaced file is known: a kept copy provides the names.
	keep ran
	all_named ${b}_program_kept a.nrm2 ran prog
	unkeep
	# The folder where it still is: all the same.
	mkdir -p "old$work" && cp ran "old$work/prog"
	all_named ${b}_program_sympath a.nrm2 ran prog -sympath old
	cp new "old$work/prog"
	none_wrong ${b}_program_wrong_sympath a.nrm2 ran prog -sympath old
	rm -rf old
	# One that is there as it was keeps its names.
	fresh ran prog
	"$swtrace" run -q -B $b -o same.nrm2 -- ./prog 200
	all_named ${b}_same same.nrm2 ran prog
	# ---- after it ran, and shorter than any look that comes once a second
	sh -c "$replace" sh new prog
	not_named ${b}_after same.nrm2 ran prog
	keep ran
	all_named ${b}_after_kept same.nrm2 ran prog
	unkeep
	# ---- removed while it runs, another one made at once: the inode may be the same
	fresh ran prog
	"$swtrace" run -q -B $b -o a.nrm2 -- sh -c './prog 300 & sleep 0.1; rm prog; cp new prog; wait'
	not_named ${b}_removed a.nrm2 ran prog
	# ---- several times, each with a file that is gone when it has ended
	fresh ran prog
	"$swtrace" run -q -B $b -o a.nrm2 -- \
		sh -c 'for i in 1 2 3; do cp ran p$i; ./p$i 100; rm p$i; cp new p$i; done'
	for i in 1 2 3; do
		none_wrong ${b}_short_$i a.nrm2 ran p$i
	done
	keep ran
	for i in 1 2 3; do
		all_named ${b}_short_kept_$i a.nrm2 ran p$i
	done
	unkeep
	rm -f p1 p2 p3
	# ---- without a build id the inode tells
	fresh ran.bare prog
	"$swtrace" run -q -B $b -o a.nrm2 -- ./prog 200
	all_named ${b}_bare_same a.nrm2 ran.bare prog
	sh -c "$replace" sh new.bare prog
	not_named ${b}_bare a.nrm2 ran.bare prog
	# … and one that has one is none that had none.
	cat new >prog
	not_named ${b}_bare_by_id a.nrm2 ran.bare prog
	# … but not of one that is written in place, with its old time or a new one
	fresh ran.bare prog
	"$swtrace" run -q -B $b -o a.nrm2 -- ./prog 200
	cat new.bare >prog
	not_named ${b}_bare_in_place a.nrm2 ran.bare prog
	touch -d '1 day ago' prog
	not_named ${b}_bare_in_place_old a.nrm2 ran.bare prog
	# Its content is known: a file with the same content is accepted, whatever its times, name and mode.
	fresh ran.bare prog
	ln prog another
	"$swtrace" run -q -B $b -o a.nrm2 -- ./prog 200
	chmod 700 prog && rm another
	all_named ${b}_bare_mode a.nrm2 ran.bare prog
	"$post" -v -o /dev/null -r a.nrm2 >said 2>&1
	! grep -q 'time of its last write' said
	verdict ${b}_bare_mode_sure $? "$(cat said)"
	touch prog
	all_named ${b}_bare_touched a.nrm2 ran.bare prog
	touch -r ran.bare prog && cat new.bare >prog && touch -r ran.bare prog
	not_named ${b}_bare_in_place_back a.nrm2 ran.bare prog
	cp new.bare prog
	mkdir -p "old$work" && cp ran.bare "old$work/prog"
	all_named ${b}_bare_in_place_sympath a.nrm2 ran.bare prog -sympath old
	rm -rf old
	fresh ran.bare prog
	"$swtrace" run -q -B $b -o a.nrm2 -- sh -c './prog 300; sleep 0.1; cat new.bare >prog; ./prog 300'
	none_wrong ${b}_bare_in_place_meanwhile a.nrm2 ran.bare prog
	# ---- a library
	fresh ran.so libspin.so
	"$swtrace" run -q -B $b -o a.nrm2 -- \
		sh -c "./user 500 & sleep 0.2; $replace; wait" sh new.so libspin.so
	not_named ${b}_library a.nrm2 ran.so libspin.so
	keep ran.so
	all_named ${b}_library_kept a.nrm2 ran.so libspin.so
	unkeep
done

# ---- an instruction trace of what replaces its own file: it is looked at while it stands still
fresh ran.static prog
cp new.static prog.n
if timeout 200 "$swtrace" run --itrace -q -B ptrace -o i.nrm2 -- ./prog 0 prog.n >out 2>&1; then
	"$post" -q -json -tree -o tree -r i.nrm2 2>/dev/null
	! grep -qE '"new_(first|second)' tree
	verdict ptrace $?
	keep ran.static
	"$post" -q -json -tree -o tree -r i.nrm2 2>/dev/null
	grep -q 'ran_first' tree && grep -q 'ran_second' tree && ! grep -qE '"new_(first|second)' tree
	verdict ptrace_kept $?
	unkeep
else
	echo "skip replaced_instructions none by ptrace here: $(head -n 1 out)"
fi

# ---- normal mode: files are read long after
if [ $perf = 1 ]; then
	fresh ran prog
	"$swtrace" run -q -B perf -t norm -o a.nrm2 -- \
		sh -c "./prog 300 & sleep 0.1; $replace; wait" sh new prog >out 2>&1
	verdict normal_runs $?
	none_wrong normal a.nrm2 ran prog
	keep ran
	all_named normal_kept a.nrm2 ran prog
	unkeep
fi

# ---- a mount over the path, in a namespace of its own
mkdir -p inner
cp ran inner/
fresh new prog
over="mount --bind $work/inner/ran $work/prog && exec $work/prog 400"
spaces="unshare -m"
[ "$(id -u)" = 0 ] || spaces="unshare -Urm"
if $spaces true 2>/dev/null && [ $perf = 1 ]; then
	"$swtrace" run -q -B perf -o a.nrm2 -- $spaces sh -c "$over"
	# It is known where the file is.
	all_named mount a.nrm2 ran ran
	none_wrong mount_path a.nrm2 ran '(ran|prog)'
	rm -rf inner/ran
	none_wrong mount_gone a.nrm2 ran '(ran|prog)'
	mkdir -p "old$work" && cp ran inner/ && cp ran "old$work/prog"
	if perf record -q -e cpu-clock:u -F 1000 -o c.data $spaces sh -c "$over" >out 2>&1; then
		# perf's header says the build id of what was there at its end: of new.
		not_named perf_data_mount c.data ran prog
		all_named perf_data_mount_sympath c.data ran prog -sympath old
		perf record -q --buildid-mmap -e cpu-clock:u -F 1000 -o c.data \
			$spaces sh -c "$over" >out 2>&1 &&
			not_named perf_data_ids_mount c.data ran prog
		perf record -q -B -e cpu-clock:u -F 1000 -o c.data $spaces sh -c "$over" >out 2>&1 &&
			not_named perf_data_bare_mount c.data ran prog
	else
		echo "skip replaced_perf_record it does not work here: $(head -n 1 out)"
	fi
	rm -rf old
else
	echo "skip replaced_mounts no mounts, or no perf events, here"
fi

# ---- perf.data of a program that is replaced
if [ $perf = 1 ] && command -v perf >/dev/null; then
	fresh ran prog
	perf record -q -e cpu-clock:u -F 1000 -o c.data \
		sh -c "./prog 400 & sleep 0.1; $replace; wait" sh new prog >out 2>&1
	not_named perf_data c.data ran prog
	# The same file, as it was: and in the same place with another inode, by its build id.
	fresh ran prog
	perf record -q -e cpu-clock:u -F 1000 -o c.data ./prog 300 >out 2>&1
	all_named perf_data_same c.data ran prog
	sleep 0.1
	sh -c "$replace" sh ran prog
	all_named perf_data_same_again c.data ran prog
	sh -c "$replace" sh new prog
	all_named perf_data_after_kept c.data ran prog
	unkeep
	not_named perf_data_after c.data ran prog
else
	echo "skip replaced_perf_data no perf, or no perf events, here"
fi

# ---- … that has no build id: its inode tells, and written in place when it was changed
if [ $perf = 1 ] && command -v perf >/dev/null; then
	for clock in "" "-k mono"; do
		fresh ran.bare prog
		perf record -q $clock -e cpu-clock:u -F 1000 -o c.data ./prog 300 >out 2>&1
		all_named "perf_data_bare_same${clock:+_mono}" c.data ran.bare prog
		sleep 0.1
		# As perf keeps it when it records again.
		ln prog kept
		all_named "perf_data_bare_linked${clock:+_mono}" c.data ran.bare prog
		rm kept
		chmod 700 prog
		all_named "perf_data_bare_mode${clock:+_mono}" c.data ran.bare prog
		"$post" -v -o /dev/null -r c.data >said 2>&1
		says "perf_data_bare_mode${clock:+_mono}_said" said 'prog: it has no build id .* the time of its last write alone'
		cat new.bare >prog
		not_named "perf_data_bare_in_place${clock:+_mono}" c.data ran.bare prog
	done
else
	echo "skip replaced_perf_data_bare no perf, or no perf events, here"
fi

# ---- in a chroot
if [ "$(id -u)" = 0 ] && [ $perf = 1 ]; then
	mkdir -p root/bin
	cp ran.static root/bin/prog
	"$swtrace" run -q -B perf -o a.nrm2 -- chroot root /bin/prog 300
	all_named chroot a.nrm2 ran.static prog
	# The path that it had in there is another's here.
	mkdir -p root"$work"
	cp ran.static "root$work/prog"
	fresh new.static prog
	"$swtrace" run -q -B perf -o a.nrm2 -- chroot root "$work/prog" 300
	all_named chroot_same_path a.nrm2 ran.static prog
	rm "root$work/prog"
	none_wrong chroot_gone a.nrm2 ran.static prog
else
	echo "skip replaced_chroot none here"
fi

echo "$failures failures"
[ $failures = 0 ]
