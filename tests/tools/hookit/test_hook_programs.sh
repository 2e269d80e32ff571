#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that do to themselves what daemons and services do, under swtrace run --calls: give up their rights, change
# their root or folder, close what is open, lower their limits, fork without executing anything, execute themselves,
# return from main while threads run; and those that have no calls. What each has counted is in a log, or a message says
# why not. The program's output and exit code are its own.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset HOOKITOPTS LD_PRELOAD
library=$build/lib/libhookit.so
if [ ! -f "$library" ]; then
	echo "skip hook_programs it is not built with sanitizers"
	exit 77
fi
export XDG_CACHE_HOME=$work/cache
cd "$work" || exit 1

cat >acts.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#define QUIET __attribute__((no_instrument_function))
static _Atomic int sum;
__attribute__((noinline)) void leaf(void) { sum++; }
__attribute__((noinline)) void counted(void)
{
	for (int i = 0; i < 1000; i++)
		leaf();
}
static void limit(int what)
{
	struct rlimit none = { 0, 0 };
	setrlimit(what, &none);
}
QUIET static void *spin(void *name)
{
	pthread_setname_np(pthread_self(), name);
	counted();
	for (;;)
		usleep(1000);
}
QUIET static int act(const char *what, char **argv)
{
	pthread_t t;
	if (!strcmp(what, "rights")) {
		if (setgid(65534) || setuid(65534))
			return 1;
	} else if (!strcmp(what, "root")) {
		if (mkdir("empty", 0755) || chroot("empty") || chdir("/"))
			return 1;
	} else if (!strcmp(what, "folder")) {
		if (chdir("/"))
			return 1;
	} else if (!strcmp(what, "close")) {
		for (int fd = 3; fd < 2000; fd++)
			close(fd);
	} else if (!strcmp(what, "reuse")) {
		for (int fd = 3; fd < 2000; fd++)
			close(fd);
		for (int fd = 3; fd < 600; fd++)
			if (open("own", O_CREAT | O_RDWR | O_APPEND, 0644) < 0)
				return 1;
	} else if (!strcmp(what, "size")) {
		limit(RLIMIT_FSIZE);
	} else if (!strcmp(what, "files")) {
		limit(RLIMIT_NOFILE);
	} else if (!strcmp(what, "fork")) {
		if (!fork()) {
			counted();
			return 0;
		}
		wait(NULL);
	} else if (!strcmp(what, "daemon")) {
		if (daemon(0, 0))
			return 1;
	} else if (!strcmp(what, "again")) {
		execv("/proc/self/exe", (char *[]){ argv[0], "last", NULL });
		return 1;
	} else if (!strcmp(what, "threads")) {
		for (int i = 0; i < 10; i++) {
			static char names[10][16];
			snprintf(names[i], sizeof(names[i]), "worker %d", i);
			pthread_create(&t, NULL, spin, names[i]);
		}
		while (sum < 11000)
			usleep(1000);
		usleep(100000);
	}
	return 0;
}
QUIET int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int rc;
	if (!strcmp(what, "nothing"))
		return 3;
	counted();
	rc = act(what, argv);
	if (!strcmp(what, "daemon"))
		counted();
	return rc ? 100 + rc : 3;
}
END
gcc -O2 -g -finstrument-functions acts.c -o acts -pthread || exit 1

acts() { # WHAT [OPTION OF swtrace]...: its exit code; the logs are in logs/
	local what=$1
	shift
	rm -rf logs
	mkdir logs
	"$bin/swtrace" run --calls -o logs/t.nrm2 "$@" -- ./acts "$what" >out 2>err
}
leaves() { # how often leaf was called, each log, from the least
	awk 'FNR == 1 { n++ } $NF == "F:leaf" { calls[n] += $2 } END { for (i = 1; i <= n; i++) print calls[i] + 0 }' logs/log-rt* |
		sort -n | xargs
}
for what in folder:1000 close:1000 reuse:1000 fork:'1000 1000' again:'1000 1000' threads:11000; do
	acts "${what%:*}"
	is "${what%:*}" "$? $(leaves)" "3 ${what#*:}"
done
is reuse_own "$(wc -c <own)" 0
acts threads
is thread_names "$(grep -cE ' worker [0-9]_[0-9]+$' logs/log-rt*)" 10
if [ "$(id -u)" = 0 ]; then
	chmod 755 "$work"
	acts rights
	is rights "$? $(leaves)" '3 1000'
	# Its own file is out of reach then.
	mkdir private && cp acts private/ && chmod 700 private
	rm -rf logs && mkdir logs
	"$bin/swtrace" run --calls -o logs/t.nrm2 -- private/acts rights >out 2>err
	is rights_private "$? $(leaves)" '3 1000'
	acts root
	is root "$? $(leaves)" '3 1000'
else
	echo "skip hook_programs_rights only root can give up its rights"
	echo "skip hook_programs_rights_private the same"
	echo "skip hook_programs_root only root has another root"
fi
# One that runs with other rights than its user's: who runs it must not choose where it writes.
cat >secure.c <<'END'
#include <stdio.h>
#include <sys/auxv.h>
int main(void)
{
	printf("%lu\n", getauxval(AT_SECURE));
	return 0;
}
END
ln -s "$library" libhookit.so.0
gcc -O2 -finstrument-functions secure.c -o secure -L. -l:libhookit.so.0 -Wl,-rpath,"$work" || exit 1
chmod 4755 secure
rm -rf logs && mkdir logs
secure=$(cd logs && HOOKITOPTS=LOGPATH=$work/logs setpriv --reuid 65534 --regid 65534 --clear-groups ../secure 2>../err)
if [ "$secure" = 1 ]; then
	is setuid "$(ls logs | wc -l) $(grep -c 'nothing is measured' err)" '0 1'
else
	echo "skip hook_programs_setuid no program runs with other rights here"
fi
# A program that can write nothing says so, and ends as it would; the log stays what it was.
rm -rf logs && mkdir logs
{ "$bin/swtrace" run --calls -q -o logs/t.nrm2 -- ./acts size; } 2>&1 | cat >err
is size "${PIPESTATUS[0]} $(grep -c 'File too large: the log is incomplete' err) $(sed -n 2p logs/log-rt* | cut -d: -f1)" '3 1 not whole'
acts files
is files "$? $(grep -c 'Too many open files: the log is incomplete' err)" '3 1'
# A daemon: its parent has ended long since.
acts daemon
code=$?
for _ in $(seq 100); do
	[ "$(leaves)" = '1000 1000' ] && break
	sleep 0.1
done
is daemon "$code $(leaves)" '0 1000 1000'
# Without the front: the folder is the one where the program began.
rm -rf logs && mkdir logs
(cd logs && LD_PRELOAD=$library exec ../acts folder)
is folder_alone "$(awk '$NF == "leaf" { print $2 }' logs/log-rt*)" 1000
acts nothing
is nothing "$? $(grep -c 'no Java VM has written calls, and no compiled program' err)" '3 1'
acts folder -F nobody
is nobody "$? $(grep -c 'no call was counted: no function that was called has a name that' err)" '3 1'

acts folder --min-time 1000s
code=$?
is min_time "$code $(leaves) $(grep -c '^left out: calls that took less than [0-9]*: 1001$' logs/log-rt*)" '3 0 1'
# Scripts have no compiled functions of their own.
for script in python3:'print(1)' node:'console.log(1)'; do
	command -v "${script%%:*}" >/dev/null || {
		echo "skip hook_programs_${script%%:*} it is not installed"
		continue
	}
	echo "${script#*:}" >script
	rm -rf logs && mkdir logs
	"$bin/swtrace" run --calls -o logs/t.nrm2 -- "${script%%:*}" script >out 2>err
	is "${script%%:*}" "$? $(cat out) $(grep -c 'functions of scripts (Python, JavaScript) are not counted' err)" '0 1 1'
done

# Threads' names in the log of each call.
rm -rf logs && mkdir logs
HOOKITOPTS=CALLTRACE acts threads
(cd logs && "$bin/post" -q -r log-gen.1_* -calls >/dev/null 2>../err)
is thread_names_of_calls "$(grep -ohE 'worker [0-9]' logs/calls.out | sort -u | wc -l)" 10

# As programs are built.
cat >built.cc <<'END'
#include <cstdio>
#include <stdexcept>
#include <vector>
struct shape {
	virtual ~shape() {}
	virtual int area(int n) const = 0;
};
struct square : shape {
	__attribute__((noinline)) int area(int n) const override { if (n == 7) throw std::runtime_error("seven"); return n * n; }
};
__attribute__((target_clones("default", "avx2"), noinline)) int spread(const int *p, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += p[i];
	return s;
}
int main()
{
	std::vector<int> v;
	const shape *s = new square;
	for (int i = 0; i < 100; i++) {
		try {
			v.push_back(s->area(i % 10));
		} catch (const std::exception &) {
			v.push_back(0);
		}
	}
	std::printf("%d\n", spread(v.data(), (int)v.size()));
	delete s;
	return 0;
}
END
g++ -O3 built.cc -o plain || exit 1
want=$(./plain)
if [ "$(uname -m)" = x86_64 ]; then
	ways='-finstrument-functions -fpatchable-function-entry=5'
else
	echo "skip hook_programs_built_sites sites are patched on x86-64 here"
	ways=-finstrument-functions
	sed -i '/target_clones/s/__attribute__((target_clones.*noinline))/__attribute__((noinline))/' built.cc
fi
for way in $ways; do
	n=0
	for how in '-O3' '-O2 -flto' '-O2 -fPIE -pie -Wl,-z,now' '-O2 -no-pie' '-O2 -s' \
		'-O2 -fno-plt -Wl,-z,relro,-z,now -D_FORTIFY_SOURCE=2 -fstack-protector-strong'; do
		n=$((n + 1))
		# shellcheck disable=SC2086
		g++ $how "$way" built.cc -o built || exit 1
		rm -rf logs && mkdir logs
		"$bin/swtrace" run --calls -q -o logs/t.nrm2 -- ./built >out 2>err
		name='square::area'
		[ "$how" != '-O2 -s' ] || name='built[+]0x'
		awk -v "name=$name" '$1 > 0 && $0 ~ name && $2 == 100 { n++ } END { exit !n }' logs/log-rt* &&
			[ "$(cat out)" = "$want" ]
		verdict "built${way//[^a-z]/_}_$n" $? "$how: $(cat out err logs/log-rt* | tail -12)"
	done
done
# Nothing can be loaded into these.
for how in -static -static-pie; do
	gcc -O2 -finstrument-functions $how acts.c -o fixed -pthread 2>make.out || {
		echo "skip hook_programs_${how#-} no static C library"
		continue
	}
	rm -rf logs && mkdir logs
	"$bin/swtrace" run --calls -o logs/t.nrm2 -- ./fixed nothing >out 2>err
	is "${how#-}" "$? $(grep -c 'fixed has no calls: it is linked statically: link it dynamically' err)" '3 1'
done
exit $((failures != 0))
