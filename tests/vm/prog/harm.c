// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Does any call of the driver do harm? Workers make calls that are mostly right and have a field or
 * two changed; they fork with all that they hold, and are killed in the midst of it. Beside them
 * programs are born, mapped, renamed, executed and killed, a CPU goes and comes, root's session of
 * the whole system begins and ends, and a process of another user is at work, of which no worker
 * may ever see anything. Each kind of call succeeds and fails QUOTA times at least; the kernel log
 * is the caller's to look at.
 *	harm CALLS SEED QUOTA UID	UID 0: root; others are in the device's group
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harm.h"

#define WORKERS 4

/* Other activity has its times: a quarter of it happens in bursts, else a slow kernel would do
 * little else. */
static void await_storm(void)
{
	while (__atomic_load_n(&all->calls, __ATOMIC_RELAXED) / 1000 % 4)
		usleep(20000);
}

/* Born, mapped, renamed, killed. */
static _Noreturn void lives(uid_t uid, gid_t group)
{
	become(uid, group);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned int i = 0;; i++) {
		pid_t pid;

		await_storm();
		pid = fork();
		if (!pid) {
			int fd = open("/proc/self/exe", O_RDONLY);
			void *p = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

			prctl(PR_SET_NAME, "short-lived");
			p = mremap(p, 65536, 32768, MREMAP_MAYMOVE);
			munmap(p, 32768);
			if (i & 1)
				execl("/bin/true", "true", NULL);
			pause();
		}
		usleep(2000);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		__atomic_add_fetch(&all->lives, 1, __ATOMIC_RELAXED);
	}
}

/* Another user must not see this one's data, names, mappings, calls and samples. */
static _Noreturn void canary(gid_t group)
{
	static char path[] = "/tmp/hiding/12345678";
	volatile uint64_t secret[64];
	struct pitrace_hook_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.major = MAJOR,
		.ints = 8,
		.values = (uintptr_t)secret,
	};
	int device, hook, file;

	for (int i = 0; i < 64; i++)
		secret[i] = CANARY;
	memcpy(strchr(path, '1'), (const void *)secret, 8);
	mkdir("/tmp/hiding", 0755);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
	if (file < 0 || write(file, (const void *)secret, sizeof(secret)) < 0) {
		perror("harm: a file to map");
		_exit(2);
	}
	become(2000, group);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, (const char *)secret);
	device = open(PITRACE_DEVICE, O_RDWR);
	hook = ioctl(device, PITRACE_IOC_HOOK_OPEN);
	for (;;) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);

		await_storm();
		ioctl(hook, PITRACE_IOC_HOOK, &args);
		syscall(SYS_getpid, CANARY, CANARY, CANARY);
		for (int i = 0; i < 2000; i++)
			secret[i % 64] = secret[(i + 1) % 64];
		munmap(p, 4096);
		usleep(500);
	}
}

/* Root's session of the whole system. It shows what may not be seen by others, by the same search;
 * its pages are the next session's. */
static _Noreturn void listener(void)
{
	struct pitrace_session_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.segment_bytes = 32768,
		.mte_bytes = 262144,
		.trace_bytes = 262144,
	};
	struct pitrace_setup_args setup = {
		.size = sizeof(setup),
		.version = PITRACE_ABI_VERSION,
		.rate = 300,
		.copy = COPY,
		.stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_USER | PITRACE_WANT_COPY,
	};
	int device = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC);
	struct pitrace_info info = { .size = sizeof(info) };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ioctl(device, PITRACE_IOC_INFO, &info)) {
		perror("harm: listening");
		_exit(2);
	}
	for (unsigned int round = 0;; round++) {
		const struct pitrace_control *c;
		size_t start, bytes;
		void *rings;
		int fd;

		await_storm();
		args.mode = round % 2 ? PITRACE_MODE_CONTINUOUS : PITRACE_MODE_WRAP;
		memset(setup.majors, 0, sizeof(setup.majors));
		/* All that there is to record, now and then. */
		if (round % 4 == 0)
			memcpy(setup.majors, info.majors, sizeof(setup.majors));
		setup.majors[0] |= 1ull << PITRACE_TPROF;
		setup.majors[MAJOR / 64] |= 1ull << MAJOR % 64;
		fd = ioctl(device, PITRACE_IOC_SESSION, &args);
		if (fd < 0) {
			usleep(20000);
			continue;
		}
		c = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
		if (c == MAP_FAILED || ioctl(fd, PITRACE_IOC_SETUP, &setup) ||
		    ioctl(fd, PITRACE_IOC_ON)) {
			perror("harm: listening");
			_exit(2);
		}
		bytes = c->data_stride;
		start = c->data_offset;
		for (int i = 0; i < 40; i++) {
			for (uint32_t k = 0; k < 4; k++)
				ioctl(fd, PITRACE_IOC_CONSUME,
				      &(struct pitrace_consume_args){ .cpu = k / 2,
								      .ring = k % 2,
								      .position = ~0ull });
			usleep(5000);
			if (i == 20) {
				ioctl(fd, PITRACE_IOC_OFF);
				ioctl(fd, PITRACE_IOC_ON);
			}
		}
		ioctl(fd, PITRACE_IOC_OFF);
		rings = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)start);
		if (rings != MAP_FAILED) {
			scan(rings, bytes, true);
			munmap(rings, bytes);
		}
		munmap((void *)c, 4096);
		close(fd);
		__atomic_add_fetch(&all->systems, 1, __ATOMIC_RELAXED);
	}
}

static _Noreturn void hotplug(void)
{
	const char *path = "/sys/devices/system/cpu/cpu1/online";

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int on = 0;; on = !on) {
		int fd = open(path, O_WRONLY);

		if (!on)
			await_storm();
		if (fd < 0 || write(fd, on ? "1" : "0", 1) != 1)
			usleep(100000);
		else if (!on)
			__atomic_add_fetch(&all->offline, 1, __ATOMIC_RELAXED);
		if (fd >= 0)
			close(fd);
		usleep(on ? 300000 : 50000);
	}
}

/* Returns whether it exited itself, unsuccessfully. */
static bool ended_badly(pid_t pid)
{
	int status = 0;

	if (waitpid(pid, &status, 0) <= 0 || !status ||
	    (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
		return false;
	printf("not ok harm_worker ended with %#x\n", status);
	return true;
}

static pid_t begin_worker(struct worker_args *args)
{
	pid_t pid = fork();

	if (!pid)
		worker(args);
	args->seed++;
	return pid;
}

static pid_t begin(void (*run)(uid_t uid, gid_t group), uid_t uid, gid_t group)
{
	pid_t pid = fork();

	if (!pid)
		run(uid, group);
	return pid;
}

static void run_canary(uid_t uid, gid_t group)
{
	(void)uid;
	canary(group);
}

static void run_hotplug(uid_t uid, gid_t group)
{
	(void)uid;
	(void)group;
	hotplug();
}

static void run_listener(uid_t uid, gid_t group)
{
	(void)uid;
	(void)group;
	listener();
}

static void run_lives(uid_t uid, gid_t group)
{
	lives(uid, group);
}

/* May this user have a session? */
static bool may_session(uid_t uid, gid_t group)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct pitrace_session_args args = {
			.size = sizeof(args),
			.version = PITRACE_ABI_VERSION,
			.mode = 1,
			.scope = PITRACE_SCOPE_PROCESS,
			.pid = getpid(),
			.mte_bytes = 131072,
			.trace_bytes = 131072,
			.segment_bytes = 32768,
		};
		become(uid, group);
		args.pid = getpid();
		_exit(ioctl(open(PITRACE_DEVICE, O_RDWR), PITRACE_IOC_SESSION, &args) < 0 &&
		      errno == EPERM);
	}
	waitpid(pid, &status, 0);
	return !status;
}

#define N(x) ((unsigned long long)(x))

/* Prints the calls, the concurrent activity, and the findings. */
static bool report(const struct worker_args *a)
{
	bool failed = false;

	printf("# uid %u, %llu calls, %llu MB looked at%s\n# %-10s %10s %10s\n", a->uid,
	       N(all->calls), N(all->scanned >> 20),
	       a->sessions ? "" : "; this user may have no sessions", "call", "failed",
	       "succeeded");
	for (unsigned int op = 0; op < OPS; op++) {
		bool counts = a->sessions || op <= INFO || op >= HOOK_OPEN, good = true;
		const uint64_t *n = all->count[op];

		printf("# %-10s %10llu %10llu\n", op_names[op], N(n[0]), N(n[1]));
		/* Events are not for users, instruction traces not everywhere. */
		if ((a->uid && op == EVENT) || (op == ITRACE && !all->itrace))
			good = n[0] >= a->quota && !n[1];
		else if (counts)
			good = n[0] >= a->quota && n[1] >= a->quota;
		if (!good) {
			printf("not ok harm_%s less than %llu times each\n", op_names[op],
			       N(a->quota));
			failed = true;
		}
	}
	printf("# meanwhile: a CPU went offline %llu times, %llu programs lived, %llu workers were killed, "
	       "%llu children of theirs shared descriptors, %llu sessions of the system; in those %llu "
	       "times what another user is not to see, %llu addresses of the kernel\n",
	       N(all->offline), N(all->lives), N(all->killed), N(all->children), N(all->systems),
	       N(all->canaries), N(all->addresses));
	if (!all->offline || !all->lives || !all->killed || !all->children) {
		printf("not ok harm_meanwhile something did not happen\n");
		failed = true;
	}
	/* The same search finds them where they may be seen. */
	if (a->uid && (!all->systems || !all->canaries || !all->addresses)) {
		printf("not ok harm_search root's sessions show nothing to hide\n");
		failed = true;
	}
	if (all->changed) {
		printf("not ok harm_arguments came back otherwise %llu times\n", N(all->changed));
		failed = true;
	}
	if (all->found) {
		printf("not ok harm_seen %llu times what this user may not see: %08x%08x at %llu, after",
		       N(all->found), all->high, all->low, N(all->at));
		for (size_t i = 0; i < sizeof(all->before) / sizeof(*all->before); i++)
			printf(" %08x", all->before[i]);
		putchar('\n');
		failed = true;
	}
	return failed;
}

/* Finds the addresses of the kernel's image and its modules, from root's kallsyms, and a megabyte
 * after them. In a separate process: the workers would have the values on their stacks, and show
 * them. */
static bool learn_kernel(void)
{
	char line[1024];
	pid_t pid;
	FILE *f;

	pid = fork();
	if (pid) {
		waitpid(pid, NULL, 0);
		return all->kernel[1].last != 0;
	}
	f = fopen("/proc/kallsyms", "r");
	all->kernel[0].first = all->kernel[1].first = UINT32_MAX;
	while (f && fgets(line, sizeof(line), f)) {
		uint64_t v = strtoull(line, NULL, 16);
		uint32_t low = (uint32_t)v, end = low < 0xFFF00000 ? low + (1 << 20) : UINT32_MAX;
		int module = strchr(line, '[') != NULL;

		/* Those of a CPU's own variables count from 0. */
		if (!(v >> 32))
			continue;
		if (low < all->kernel[module].first)
			all->kernel[module].first = low;
		if (end > all->kernel[module].last)
			all->kernel[module].last = end;
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	struct group *g = getgrnam("pitrace");
	struct worker_args a = { .group = g ? g->gr_gid : 0 };
	pid_t workers[WORKERS], others[4];
	unsigned int nothers = 3, nworkers;
	bool failed = false;
	uint64_t done, told = 0;

	if (argc != 5 || (strcmp(argv[4], "0") && !g)) {
		fprintf(stderr, "usage: harm CALLS SEED QUOTA UID\n");
		return 2;
	}
	a.calls = strtoull(argv[1], NULL, 0);
	a.seed = strtoull(argv[2], NULL, 0) * 1000000;
	a.quota = strtoull(argv[3], NULL, 0);
	a.uid = (uid_t)atoi(argv[4]);
	srand((unsigned int)a.seed);
	all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!learn_kernel()) {
		fputs("harm: /proc/kallsyms shows no addresses\n", stderr);
		return 2;
	}
	nworkers = a.uid ? 2 : WORKERS;
	a.sessions = may_session(a.uid, a.group);
	others[0] = all->alive = begin(run_lives, a.uid, a.group);
	others[1] = begin(run_canary, 0, a.group);
	others[2] = begin(run_hotplug, 0, 0);
	/* Users' own sessions listen to no hooks of others. */
	if (a.uid)
		others[nothers++] = begin(run_listener, 0, 0);
	for (unsigned int i = 0; i < nworkers; i++)
		workers[i] = begin_worker(&a);
	/* They are killed at any moment, and replaced. Progress is printed: a slow kernel takes
	 * long. */
	while (__atomic_load_n(&all->calls, __ATOMIC_RELAXED) < a.calls && !failed) {
		unsigned int i = (unsigned int)rand() % nworkers;
		uint64_t then = __atomic_load_n(&all->calls, __ATOMIC_RELAXED) + 50 +
				(uint64_t)rand() % 700;

		for (int ms = 0; ms < 5000 && __atomic_load_n(&all->calls, __ATOMIC_RELAXED) < then;
		     ms += 10)
			usleep(10000);
		done = __atomic_load_n(&all->calls, __ATOMIC_RELAXED);
		if (done * 10 / a.calls > told) {
			told = done * 10 / a.calls;
			printf("# uid %u, %llu calls so far\n", a.uid, N(done));
			fflush(stdout);
		}
		kill(workers[i], SIGKILL);
		failed = ended_badly(workers[i]);
		all->killed++;
		workers[i] = begin_worker(&a);
	}
	for (unsigned int i = 0; i < nworkers; i++)
		failed |= ended_badly(workers[i]);
	for (unsigned int i = 0; i < nothers; i++) {
		/* None of them ever ends. */
		failed |= waitpid(others[i], NULL, WNOHANG) != 0;
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
	return report(&a) || failed;
}
