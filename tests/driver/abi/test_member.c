// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Members of the group pitrace: they trace processes of their own, see their user code and nothing
 * else, have a small share of sessions, and lose sight of a program that gains credentials. And
 * root, whom a kernel that is locked down lets see as little of itself.
 */
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "abi.h"

void as_member(void (*part)(int fd), int fd)
{
	struct group *g = getgrnam("pitrace");
	int bad_before = bad;

	check(g);
	if (g)
		as_user(g->gr_gid, part, fd);
	if (bad != bad_before)
		printf("# … as a member\n");
}

static struct pitrace_session_args own(pid_t pid)
{
	struct pitrace_session_args args = plain();

	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = pid;
	return args;
}

static int open_on(pid_t pid)
{
	struct pitrace_session_args args = own(pid);

	return session(&args);
}

/* A child that waits to be killed. */
static pid_t sleeper(void (*first)(void))
{
	int ready[2];
	char c;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		if (first)
			first();
		close(ready[0]);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		wrong("a child died");
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	if (pid > 0)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void hide(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

/* ---- what they may ask for ------------------------------------------------------------------- */

static void rights(int stranger)
{
	static const int refused[] = {
		PITRACE_FAULT, PITRACE_INTERRUPT, PITRACE_SYSCALL, PITRACE_DISPATCH, PITRACE_WAKEUP,
	};
	struct pitrace_session_args args = plain();
	struct pitrace_setup_args setup = setup_args(1000);
	struct pitrace_event_args event = {
		.size = sizeof(event),
		.version = PITRACE_ABI_VERSION,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.period = 1000000,
	};
	uint64_t known[4];
	pid_t child;
	unsigned int i;
	int fd;

	memcpy(known, info().majors, sizeof(known));
	want(EPERM, session(&args));
	want(EPERM, open_on(1));
	want(EPERM, open_on(stranger));
	child = sleeper(hide);
	want(EPERM, open_on(child));
	end(child);
	child = sleeper(NULL);
	fd = want(0, open_on(child));
	close(fd);

	/* A process of its own that becomes unreadable after it was opened: nothing of it is
	 * recorded. */
	fd = want(0, open_on(getpid()));
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup.stacks = PITRACE_WANT_USER;
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup.stacks = PITRACE_WANT_COPY;
	setup.copy = 64;
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup = setup_args(1000);
	setup.stacks = PITRACE_WANT_KERNEL;
	want(EPERM, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup.stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_USER;
	want(EPERM, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup.stacks = PITRACE_WANT_USER | PITRACE_WANT_DISPATCH;
	want(EPERM, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		int major = refused[i];

		setup = setup_args(1000);
		setup.majors[major / 64] |= 1ull << major % 64;
		want(known[major / 64] >> major % 64 & 1 ? EPERM : EOPNOTSUPP,
		     ioctl(fd, PITRACE_IOC_SETUP, &setup));
	}
	want(EPERM, ioctl(fd, PITRACE_IOC_EVENT, &event));
	want(0, ioctl(fd, PITRACE_IOC_ON));
	want(0, ioctl(fd, PITRACE_IOC_SUSPEND));
	want(0, ioctl(fd, PITRACE_IOC_RESUME));
	want(0, ioctl(fd, PITRACE_IOC_OFF));
	close(fd);
	end(child);
}

void test_member_rights(void)
{
	pid_t stranger = sleeper(NULL);

	as_member(rights, stranger);
	end(stranger);
	no_session_left();
}

/* ---- how many, how large --------------------------------------------------------------------- */

static void share(int dev)
{
	struct pitrace_session_args args = own(getpid());
	struct rlimit limit = { 4 * MB, 4 * MB };
	int a, b, tries;

	(void)dev;
	a = want(0, open_on(getpid()));
	b = want(0, open_on(getpid()));
	for (tries = 0; tries < 100; tries++)
		want(EDQUOT, open_on(getpid()));
	close(a);
	a = want(0, open_on(getpid()));
	close(a);
	close(b);
	/* A refused call leaves no trace in the accounts. */
	for (tries = 0; tries < 100; tries++)
		want(EPERM, open_on(1));
	want(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	args.trace_bytes = 8 * MB;
	for (tries = 0; tries < 100; tries++)
		want(ENOMEM, session(&args));
	args.mte_bytes = args.trace_bytes = 128 * KB;
	a = want(0, session(&args));
	close(a);
}

void test_member_share(void)
{
	as_member(share, -1);
	no_session_left();
}

/* ---- what they are shown --------------------------------------------------------------------- */

struct shown {
	uint32_t pid;
	unsigned long user, kernel, wrong;
	unsigned long maps, hidden;
	bool root; /* sees more processes than the one */
};

/* On s390x the kernel's addresses are nothing special. */
static bool of_kernel(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
#if defined(__powerpc64__)
	return v >> 52 == 0xC00;
#elif defined(__s390x__)
	return false;
#else
	return v >> 47 == 0x1FFFF;
#endif
}

/* Returns whether any 8 bytes of a record look like a kernel address, wherever a field may be;
 * clocks and build ids may have any value. */
static bool kernel_address(const struct pitrace_rec *rec)
{
	const struct pitrace_sample *s = (const void *)(rec + 1);
	const char *p = (const char *)(rec + 1), *end;

	end = (const char *)rec + (rec->type_len & PITRACE_LEN_MASK);
	if (rec->major == PITRACE_SYNC ||
	    (rec->major == PITRACE_MTE && rec->minor == PITRACE_MTE_BUILDID))
		return false;
	if (rec->major == PITRACE_TPROF) {
		if (of_kernel(&s->address))
			return true;
		p = (const char *)(s + 1) + sizeof(struct pitrace_stack);
	}
	for (; p + 8 <= end; p += 8)
		if (of_kernel(p))
			return true;
	return false;
}

static void look(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_sample *s = (const void *)(rec + 1);
	const struct pitrace_mte_task *task = (const void *)(rec + 1);
	const struct pitrace_mte_map *map = (const void *)(rec + 1);
	struct shown *f = arg;
	bool bad_one = kernel_address(rec);

	if (rec->major == PITRACE_TPROF) {
		if ((rec->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_KERNEL) {
			const struct pitrace_stack *stack = (const void *)(s + 1);

			f->kernel++;
			bad_one |= s->address != 0;
			bad_one |= rec->minor & PITRACE_TPROF_STACK && stack->kernel;
		} else {
			f->user++;
			bad_one |= !s->address;
		}
		bad_one |= !f->root && s->pid != f->pid;
	} else if (rec->major == PITRACE_MTE && rec->minor >= PITRACE_MTE_CLONE &&
		   rec->minor <= PITRACE_MTE_THREAD_EXIT) {
		bad_one |= !f->root && (task->pid != f->pid || task->flags & PITRACE_TASK_ANCESTOR);
	} else if (rec->major == PITRACE_MTE && rec->minor == PITRACE_MTE_MODULE) {
		f->maps++;
		bad_one |= map->flags & PITRACE_MAP_KERNEL || (!f->root && map->pid != f->pid);
		f->hidden += strstr(map->path, "setuid-abi") != NULL;
	}
	if (bad_one && f->wrong++ < 5)
		wrong("a record of %x %x tells what it must not", rec->major, rec->minor);
}

static void shown(int fd)
{
	struct shown f = { .pid = (uint32_t)getpid() };
	struct pitrace_setup_args setup = setup_args(10000);
	struct pitrace_session_args args = own(getpid());
	int zero = open("/dev/zero", O_RDONLY), i;
	char *buffer = malloc(MB);
	struct view v;

	(void)fd;
	args.trace_bytes = 1 * MB;
	if (!begin(&v, args, 1000))
		return;
	setup.stacks = PITRACE_WANT_USER;
	want(0, ioctl(v.fd, PITRACE_IOC_SETUP, &setup));
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	for (i = 0; i < 200; i++)
		check(read(zero, buffer, MB) == (long)MB);
	spin(100);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	each_record(&v, PITRACE_RING_MTE, look, &f);
	each_record(&v, PITRACE_RING_TRACE, look, &f);
	printf("# %lu samples in user code, %lu in the kernel, %lu mappings\n", f.user, f.kernel,
	       f.maps);
	check(f.user > 20 && f.kernel > 20 && f.maps > 1);
	unview(&v);
	close(zero);
	free(buffer);
}

void test_member_shown(void)
{
	as_member(shown, -1);
	no_session_left();
}

/* ---- a program that gains credentials -------------------------------------------------------- */

#define SETUID "/home/setuid-abi"
#define THREAD 0x10000 /* beside a mode: its second thread executes the program */

static void *become(void *unused)
{
	(void)unused;
	execl(SETUID, SETUID, "spin", "800", (char *)NULL);
	_exit(127);
}

/* Is this the name of the process? */
static bool called(pid_t pid, const char *name)
{
	char path[32], comm[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(comm, sizeof(comm), f))
		comm[0] = '\0';
	fclose(f);
	comm[strcspn(comm, "\n")] = '\0';
	return !strcmp(comm, name);
}

/* A child spins as itself, then as root by way of a set-uid program. */
static void gains(int mode)
{
	struct shown f = { 0 };
	struct pitrace_session_args args;
	unsigned long before = 0, last;
	int go[2], status, turn = 0;
	pthread_t thread;
	struct view v;
	pid_t pid;

	if (pipe(go))
		return;
	pid = fork();
	if (!pid) {
		char c;

		if (read(go[0], &c, 1) != 1)
			_exit(1);
		spin(200);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		if (mode & THREAD && !pthread_create(&thread, NULL, become, NULL))
			for (;;)
				pause();
		become(NULL);
	}
	args = own(pid);
	f.pid = (uint32_t)pid;
	if (!begin(&v, args, 1000))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	check(write(go[1], "", 1) == 1);
	/* Until it has spun, however long a busy host takes for it. */
	do {
		last = before;
		nap(300);
		before = ticks(&v);
	} while ((before <= 10 || before != last) && turn++ < 20);
	check(write(go[1], "", 1) == 1);
	for (int i = 0; i < 100 && !called(pid, "setuid-abi"); i++)
		nap(50);
	/* It cannot be had by a new session either. */
	if (mode & S_ISUID)
		want(EPERM, open_on(pid));
	waitpid(pid, &status, 0);
	check(status == 0);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	each_record(&v, PITRACE_RING_MTE, look, &f);
	each_record(&v, PITRACE_RING_TRACE, look, &f);
	printf("# mode %o: %lu ticks before, %llu in all, %lu of its mappings\n", mode, before,
	       (unsigned long long)ticks(&v), f.hidden);
	check(before > 10);
	/* It spins four times as long then. What the exec itself took is the user's own still. */
	if (mode & S_ISUID)
		check(ticks(&v) < 4 * before && !f.hidden);
	else
		check(ticks(&v) > 2 * before && f.hidden);
	unview(&v);
	close(go[0]);
	close(go[1]);
}

bool copy_self(const char *to)
{
	static char buffer[64 * 1024];
	int in = open("/proc/self/exe", O_RDONLY),
	    out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	ssize_t n = 0;

	while (in >= 0 && out >= 0 && (n = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)n) != n)
			n = -1;
	close(in);
	return in >= 0 && out >= 0 && !n && !close(out);
}

void test_member_exec(void)
{
	static const int modes[] = { 0755, 04755, 0755 | THREAD, 04755 | THREAD };
	unsigned int i;

	mkdir("/home", 0755);
	check(copy_self(SETUID));
	for (i = 0; i < 4; i++) {
		check(!chmod(SETUID, (mode_t)modes[i] & 07777));
		as_member(gains, modes[i]);
	}
	unlink(SETUID);
	no_session_left();
}

/* ---- 32-bit code ----------------------------------------------------------------------------- */

static void narrow(int unused)
{
	struct pitrace_setup_args setup = setup_args(5000);
	struct shown f = { 0 };
	int in[2], out[2], status;
	uint32_t told[4];
	struct view v;
	pid_t pid;

	(void)unused;
	if (pipe(in) || pipe(out))
		return;
	pid = fork();
	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execlp("chain32", "chain32", (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	check(read(out[0], told, sizeof(told)) == sizeof(told));
	f.pid = (uint32_t)pid;
	if (!begin(&v, own(pid), 5000))
		return;
	setup.stacks = PITRACE_WANT_USER;
	want(0, ioctl(v.fd, PITRACE_IOC_SETUP, &setup));
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	check(write(in[1], "", 1) == 1);
	waitpid(pid, &status, 0);
	check(status == 0);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	each_record(&v, PITRACE_RING_MTE, look, &f);
	each_record(&v, PITRACE_RING_TRACE, look, &f);
	printf("# %lu samples in 32-bit user code, %lu mappings\n", f.user, f.maps);
	check(f.user > 20 && f.maps >= 1);
	unview(&v);
	close(in[0]);
	close(in[1]);
	close(out[0]);
}

void test_member_32bit(void)
{
	as_member(narrow, -1);
	no_session_left();
}

/* ---- a kernel that is locked down ------------------------------------------------------------ */

#define SECURITY "/sys/kernel/security"

/* For the rest of this boot: by its name only. */
void test_locked_down(void)
{
	struct pitrace_setup_args setup = setup_args(10000);
	struct pitrace_session_args args = plain();
	struct shown f = { .root = true };
	int fd, i;
	char *buffer = malloc(MB);
	struct view v;

	mount("securityfs", SECURITY, "securityfs", 0, NULL);
	fd = open(SECURITY "/lockdown", O_WRONLY);
	if (fd < 0) {
		printf("# this kernel has no lockdown\n");
		return;
	}
	check(write(fd, "confidentiality", 15) == 15);
	close(fd);
	args.trace_bytes = args.mte_bytes = 4 * MB;
	if (!begin(&v, args, 1000))
		return;
	setup.stacks = PITRACE_WANT_KERNEL;
	want(EPERM, ioctl(v.fd, PITRACE_IOC_SETUP, &setup));
	setup.stacks = PITRACE_WANT_USER;
	/* Arguments of system calls may look like anything. */
	setup.majors[0] |= info().majors[0] & (1ull << PITRACE_FAULT | 1ull << PITRACE_DISPATCH |
					       1ull << PITRACE_INTERRUPT);
	want(0, ioctl(v.fd, PITRACE_IOC_SETUP, &setup));
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	fd = open("/dev/zero", O_RDONLY);
	for (i = 0; i < 50; i++)
		check(read(fd, buffer, MB) == (long)MB);
	spin(100);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	each_record(&v, PITRACE_RING_MTE, look, &f);
	each_record(&v, PITRACE_RING_TRACE, look, &f);
	printf("# locked down: %lu samples in user code, %lu in the kernel, %lu mappings\n", f.user,
	       f.kernel, f.maps);
	check(f.user > 20 && f.kernel > 20 && f.maps > 1);
	unview(&v);
	close(fd);
	free(buffer);
	no_session_left();
}
