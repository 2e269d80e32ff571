#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that make it hard to name them, on this machine by the collector perf: a table of cases, each
# with the processes, modules and symbols in which its work must be, and nowhere else.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset SUDO_UID SUDO_GID SUDO_USER DEBUGINFOD_URLS
cd "$work" || exit 1
mkdir debug

for tool in gcc musl-gcc objcopy strip xz unshare jq; do
	command -v $tool >/dev/null && continue
	echo "skip names_host $tool is not installed"
	exit 77
done
if ! "$bin/swtrace" run -q -B perf -o probe.nrm2 -- true >out 2>&1; then
	echo "skip names_host the collector perf does not serve here: $(head -n 1 out)"
	exit 77
fi

# ---- programs. Each works in a function of its own; what it does besides is its argument's.
cat >work.c <<'END_OF_FILE'
#define _GNU_SOURCE
#ifndef STATIC
#include <dlfcn.h>
#endif
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKER(name) __attribute__((noinline)) void name(void) \
{ \
	struct timespec t; \
	long long end; \
	volatile long v; \
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); \
	end = t.tv_sec * 1000000000ll + t.tv_nsec + 250000000; \
	do { \
		for (v = 0; v < 300000; v++) \
			; \
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); \
	} while (t.tv_sec * 1000000000ll + t.tv_nsec < end); \
}

/* perf tells no build ids: swtrace reads them once a second, from whoever is there then. */
static void be_seen(void)
{
	usleep(1500000);
}

#ifdef LIBRARY
WORKER(LIBRARY)
#else
WORKER(plain_work)
WORKER(leader_work)
WORKER(forked_work)
WORKER(waiting_work)

static void again(const char *path, const char *name)
{
	execl(path, path, "plain", name, (char *)NULL);
	_exit(127);
}

static void *in_thread(void *path)
{
	again(path, "execed");
	return NULL;
}

#ifndef STATIC
static void libraries(void)
{
	const char *name[] = { "./liba.so", "./libb.so" }, *symbol[] = { "work_a", "work_b" };
	void *base = NULL;

	for (int i = 0; i < 4; i++) {
		void *lib = dlopen(name[i % 2], RTLD_NOW), *f = lib ? dlsym(lib, symbol[i % 2]) : NULL;

		if (!f || (base && base != f))
			exit(3);	/* not at the same address: the case is not met */
		base = f;
		((void (*)(void))f)();
		dlclose(lib);
	}
}
#endif

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "plain";
	pthread_t thread;
	char path[64];
	pid_t pid;

	if (argc > 2)
		prctl(PR_SET_NAME, argv[2]);
	if (!strcmp(what, "plain")) {
		plain_work();
		be_seen();
#ifndef STATIC
	} else if (!strcmp(what, "libraries")) {
		libraries();
#endif
	} else if (!strcmp(what, "threadexec")) {
		leader_work();
		pthread_create(&thread, NULL, in_thread, argv[0]);
		pause();
	} else if (!strcmp(what, "fork")) {
		pid = fork();
		if (!pid) {
			prctl(PR_SET_NAME, "forkchild");
			forked_work();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	} else if (!strcmp(what, "vfork")) {
		pid = vfork();
		if (!pid)
			again(argv[0], "vforkchild");
		waiting_work();
		waitpid(pid, NULL, 0);
	} else if (!strcmp(what, "memfd")) {
		int fd = memfd_create("hidden", 0), in = open(argv[0], O_RDONLY);

		while (sendfile(fd, in, NULL, 1 << 20) > 0)
			;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		again(path, "memfd");
	} else if (!strcmp(what, "deleted")) {
		unlink(argv[0]);
		plain_work();
		be_seen();
	}
	return 0;
}
#endif
END_OF_FILE

build() { # PROGRAM OPTION...
	gcc -O1 -g -Wl,--build-id -o "$1" work.c "${@:2}" 2>err && return
	echo "not ok names_host_build $1: $(head -n 3 err)"
	exit 1
}
build work
build ./liba.so -DLIBRARY=work_a -shared -fPIC
build ./libb.so -DLIBRARY=work_b -shared -fPIC
build still -static-pie -DSTATIC
build other -Dplain_work=other_work
build debugdata && build split
musl-gcc -O1 -static -DSTATIC -Wl,--build-id -o musl work.c 2>err || {
	echo "not ok names_host_build musl: $(head -n 3 err)"
	exit 1
}
cp work gone && cp work hidden
# Its symbols only in .gnu_debugdata, as Fedora has it.
nm debugdata --format=posix --defined-only | awk '$2 ~ /[Tt]/ { print $1 }' >keep
objcopy --only-keep-debug debugdata mini && objcopy -S --remove-section .comment --keep-symbols=keep mini mini.2 \
	2>/dev/null && xz -f mini.2 && strip -s debugdata && objcopy --add-section .gnu_debugdata=mini.2.xz debugdata
# Its symbols in a debug file that only its build id names; the same for programs that will be gone.
keep() { # PROGRAM
	local id
	id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
	mkdir -p "debug/usr/lib/debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug "$1" "debug/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
}
keep split && strip -s split
keep work

# PROCESS MODULE SYMBOL TICKS of all that is work, and of what has no name in what ran here
rows() { # POST-OPTION...
	"$bin/post" -json "$@" -r case.nrm2 2>err | jq -r '.processes[] | .name as $p | .threads[].modules[] |
		.name as $m | .symbols[] | [$p, $m, .name, .ticks] | @tsv' | awk -F '\t' -v OFS='\t' '
		$3 ~ /work/ || (($3 ~ /[+]0x/ || $3 == "NoSymbols" || $3 == "NoSymbolFound" || $3 == "NoModule") &&
			$1 !~ /^(swtrace|sh|bash|unshare|Idle)$/) {
			sub(".*/", "", $2)
			n[$1 OFS $2 OFS $3] += $4
		}
		END { for (row in n) if (n[row] > 5) print row, n[row] }' | sort
}
judged() { # NAME WANTED [POST-OPTION]...
	rows "${@:3}" >rows
	is "$1" "$(cut -f 1-3 rows | tr '\t' ' ' | sed "s,+0x[0-9a-f]*,+0x," | uniq | paste -sd,)" "$2"
}
# NAME WANTED COMMAND: the rows, sorted, with commas between; of a file's path the last part
row() {
	rm -f case.nrm2
	"$bin/swtrace" run -q -B perf -e timer -o case.nrm2 -- sh -c "$3" >out 2>&1
	[ $? = 0 ] || verdict "$1_ran" 1
	judged "$1" "$2"
}

# ---- the table
row dlopen_reuse 'loads liba.so work_a,loads libb.so work_b' './work libraries loads'
row exec_in_thread 'execed work plain_work,leads work leader_work' './work threadexec leads'
row fork_without_exec 'forkchild work forked_work' './work fork forker'
row vfork 'vforkchild work plain_work,vforker work waiting_work' './work vfork vforker'
row static_pie 'staticpie still plain_work' './still plain staticpie'
row musl 'musl musl plain_work' './musl plain musl'
row gnu_debugdata 'mini debugdata plain_work' './debugdata plain mini'
row split_debug 'split split split+0x' './split plain split'
judged split_debug_found 'split split plain_work' -sympath "$work/debug"
row memfd 'memfd memfd:hidden plain_work' './hidden memfd making'
judged memfd_debug 'memfd memfd:hidden plain_work' -sympath "$work/debug"
row deleted 'deleted gone plain_work' './gone deleted deleted'
judged deleted_debug 'deleted gone plain_work' -sympath "$work/debug"
# In the container, its file has a path at which there is another program outside.
mkdir mnt && cp other mnt/inner
if unshare -m -p -f true 2>/dev/null; then
	row container 'inside inner plain_work' "unshare -m -p -f --mount-proc sh -c 'mount -t tmpfs none mnt &&
		cp work mnt/inner && mnt/inner plain inside'"
	judged container_debug 'inside inner plain_work' -sympath "$work/debug"
else
	echo "skip names_host_container none can be made here"
fi

# A root of its own, which is gone when the trace ends.
if chroot / true 2>/dev/null; then
	row chroot_gone 'jailed inner plain_work' "sh -c 'mkdir jail && cp still jail/inner && chroot jail /inner plain jailed; rm -rf jail'"
else
	echo "skip names_host_chroot_gone only root can change it"
fi

[ $failures = 0 ]
