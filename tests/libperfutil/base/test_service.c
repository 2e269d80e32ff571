/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes that hold something: they begin, one at a time, and answer; each is gone after its
 * last answer, after a signal, when it could not begin, when nobody hears how it began and when
 * nobody can reach it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/now.h"
#include "held_service.h"
#include "session/holder.h"

#define QUEUED   4
#define STARTERS 8
#define LARGE    (64u << 20)

static void answers(void)
{
	struct stat st;
	pid_t pid;

	CU_ASSERT_EQUAL(ask(&service, WHO), PI_NOT_INITIALIZED);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "nothing is held");
	CU_ASSERT_EQUAL_FATAL(start(), PI_OK);
	pid = ask(&service, WHO);
	CU_ASSERT(pid > 0 && pid != getpid());
	CU_ASSERT_NOT_EQUAL(getsid(pid), getsid(0));
	CU_ASSERT_EQUAL(ask(&service, WHO), pid);
	CU_ASSERT_EQUAL(start(), PI_BUSY);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "it is held");
	CU_ASSERT_EQUAL(ask(&later, WHO), PI_HOLDER_GONE);
	CU_ASSERT_EQUAL(stat(address.sun_path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 077, 0);
	CU_ASSERT_EQUAL(ask(&service, WHO), pid);
	CU_ASSERT_EQUAL(ask(&service, STOP), pid);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	CU_ASSERT(nobody());
}

static void signals(void)
{
	static const int end[] = { SIGTERM, SIGHUP }, ignored[] = { SIGINT, SIGQUIT, SIGPIPE };
	pid_t pid;

	for (size_t i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL_FATAL(start(), PI_OK);
		pid = ask(&service, WHO);
		CU_ASSERT_FATAL(pid > 0);
		for (size_t k = 0; k < 3; k++)
			kill(pid, ignored[k]);
		CU_ASSERT_EQUAL(ask(&service, WHO), pid);
		kill(pid, end[i]);
		CU_ASSERT_EQUAL(ended(), 0);
		CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
		CU_ASSERT(nobody());
	}
}

/* Those that wait when the signal comes are not answered first: there might be no end of them. */
static void signal_before_requests(void)
{
	struct service_question q = { sizeof(q), service.version, WHO, 0 };
	int fd[QUEUED], answered = 0;
	pid_t pid, got;

	CU_ASSERT_EQUAL_FATAL(start(), PI_OK);
	pid = ask(&service, WHO);
	kill(pid, SIGSTOP);
	for (int i = 0; i < QUEUED; i++) {
		fd[i] = service_connect(&address, true);
		CU_ASSERT(service_send(fd[i], &q, sizeof(q), -1));
	}
	kill(pid, SIGTERM);
	kill(pid, SIGCONT);
	CU_ASSERT_EQUAL(ended(), 0);
	for (int i = 0; i < QUEUED; i++) {
		answered += service_receive(fd[i], &got, sizeof(got), NULL) == (ssize_t)sizeof(got);
		close(fd[i]);
	}
	/* One that it was waiting for may have been taken. */
	CU_ASSERT(answered <= 1);
	CU_ASSERT(nobody());
}

/* A signal that comes while it begins ends it as any other does, and nothing is left. */
static void signal_while_it_begins(void)
{
	struct wish w = { .signal = SIGTERM };

	CU_ASSERT_EQUAL(service_begin(&service, &w, sizeof(w)), PI_OK);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	CU_ASSERT(nobody());
}

static void cannot_begin(void)
{
	struct wish w = { .rc = PI_NO_MEMORY };

	CU_ASSERT_EQUAL(service_begin(&service, &w, sizeof(w)), PI_NO_MEMORY);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "it cannot begin");
	CU_ASSERT_EQUAL(ended(), 1);
	CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	CU_ASSERT(nobody());
}

/* ---- one at a time --------------------------------------------------------------------------- */

static pthread_barrier_t together;

static void *starter(void *arg)
{
	struct wish w = { .ms = 1 };
	int *rc = arg;

	pthread_barrier_wait(&together);
	*rc = service_begin(&service, &w, sizeof(w));
	return NULL;
}

/* If several services start at once, one succeeds, and none is left when that one has ended.
 * In every other round they find the files of a killed one. */
static void one_of_many(void)
{
	pthread_t thread[STARTERS];
	int rc[STARTERS];

	pthread_barrier_init(&together, NULL, STARTERS);
	for (int round = 0; round < 12; round++) {
		int won = 0, busy = 0, left;

		if (round % 2) {
			left = service_bind(&address);
			CU_ASSERT(left >= 0);
			close(left);
		}
		for (int i = 0; i < STARTERS; i++)
			CU_ASSERT_EQUAL_FATAL(pthread_create(&thread[i], NULL, starter, &rc[i]), 0);
		for (int i = 0; i < STARTERS; i++) {
			pthread_join(thread[i], NULL);
			won += rc[i] == PI_OK;
			busy += rc[i] == PI_BUSY;
		}
		CU_ASSERT_EQUAL(won, 1);
		CU_ASSERT_EQUAL(won + busy, STARTERS);
		CU_ASSERT(ask(&service, STOP) > 0);
		while (ended() >= 0)
			;
		CU_ASSERT(nobody());
		CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	}
	pthread_barrier_destroy(&together);
	/* Nothing but this program's own folder. */
	CU_ASSERT_EQUAL(rmdir(folder), 0);
	CU_ASSERT_EQUAL(mkdir(folder, 0700), 0);
}

/* The lock is held by a slow process, then by none; or there is no lock at all. */
static void the_lock(void)
{
	char path[sizeof(address.sun_path) + 8];
	int lock = service_lock(&address), status;
	uint64_t began = now_ns();
	pid_t pid;
	FILE *f;

	CU_ASSERT_FATAL(lock >= 0);
	snprintf(path, sizeof(path), "%s.lock", address.sun_path);
	pid = fork();
	if (!pid) {
		usleep(200000);
		/* A waiting process must not rely on this file now. */
		service_unlock(&address, lock);
		_exit(0);
	}
	close(lock);
	CU_ASSERT_EQUAL(start(), PI_OK);
	CU_ASSERT(now_ns() - began >= 200000000);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	/* The holder gives its lock back after it has said that it began. */
	for (int i = 0; i < 400 && !access(path, F_OK); i++)
		usleep(5000);
	CU_ASSERT_EQUAL(access(path, F_OK), -1);
	CU_ASSERT(ask(&service, STOP) > 0);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT_EQUAL(symlink("elsewhere", path), 0);
	CU_ASSERT(start() < 0);
	CU_ASSERT_EQUAL(ended(), 1);
	unlink(path);
	/* A killed process's lock is free. */
	f = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fclose(f);
	CU_ASSERT_EQUAL(start(), PI_OK);
	CU_ASSERT(ask(&service, STOP) > 0);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT_EQUAL(access(path, F_OK), -1);
	CU_ASSERT(nobody());
}

/* A holder that cannot be reached cannot be ended by others: it exits itself, and leaves the file
 * alone that has taken its place. */
static void unreachable(void)
{
	char moved[sizeof(address.sun_path) + 8];
	int other;

	snprintf(moved, sizeof(moved), "%s.moved", address.sun_path);
	CU_ASSERT_EQUAL_FATAL(start(), PI_OK);
	newest = ask(&service, WHO);
	unlink(address.sun_path);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT_EQUAL_FATAL(start(), PI_OK);
	newest = ask(&service, WHO);
	CU_ASSERT_EQUAL(rename(address.sun_path, moved), 0);
	other = service_bind(&address);
	CU_ASSERT(other >= 0);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT_EQUAL(access(address.sun_path, F_OK), 0);
	close(other);
	unlink(address.sun_path);
	unlink(moved);
	CU_ASSERT(nobody());
}

/* ---- its program ----------------------------------------------------------------------------- */

static bool holds(pid_t pid, const char *file, const char *text)
{
	char path[64], have[8192];
	size_t n, length = strlen(text);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	f = fopen(path, "r");
	if (!f)
		return false;
	n = fread(have, 1, sizeof(have), f);
	fclose(f);
	return memmem(have, n, text, length) != NULL;
}

static uint64_t signals_of(pid_t pid, const char *key)
{
	char path[64], line[256];
	uint64_t mask = UINT64_MAX;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			mask = strtoull(line + strlen(key), NULL, 16);
	if (f)
		fclose(f);
	return mask;
}

static unsigned int open_files(pid_t pid)
{
	char path[64];
	unsigned int n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n - 2;
}

/* The service keeps nothing of its caller that it does not need. */
static void is_apart(void)
{
	int file = open("/dev/zero", O_RDONLY), kept[3];
	char link[64], at[4096];
	sigset_t set, old;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, &old);
	signal(SIGUSR2, SIG_IGN);
	setenv("LD_PRELOAD", "/nowhere/liborphan.so", 1);
	setenv("PITRACE_TEST_SECRET", "secret", 1);
	/* Without standard files its own end of the socket has one of their numbers. */
	for (int fd = 0; fd < 3; fd++)
		kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	pid = start() ? -1 : ask(&service, WHO);
	for (int fd = 0; fd < 3; fd++) {
		dup2(kept[fd], fd);
		close(kept[fd]);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGUSR2, SIG_DFL);
	unsetenv("LD_PRELOAD");
	unsetenv("PITRACE_TEST_SECRET");
	CU_ASSERT_FATAL(pid > 0);
	CU_ASSERT(!holds(pid, "environ", "LD_PRELOAD") && !holds(pid, "environ", "SECRET"));
	CU_ASSERT_EQUAL(signals_of(pid, "SigBlk:") & (1 << (SIGUSR1 - 1) | 1 << (SIGALRM - 1)), 0);
	CU_ASSERT_EQUAL(signals_of(pid, "SigIgn:") & 1 << (SIGUSR2 - 1), 0);
	/* The null device, its socket, the watch of its address. */
	for (int i = 0; i < 1000 && open_files(pid) != 5; i++)
		usleep(1000); /* until it has hung up on us */
	CU_ASSERT_EQUAL(open_files(pid), 5);
	snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
	CU_ASSERT_EQUAL(readlink(link, at, sizeof(at)), 1);
	CU_ASSERT_EQUAL(getsid(pid), getpgid(pid));
	close(file);
	CU_ASSERT(ask(&service, STOP) > 0);
	CU_ASSERT_EQUAL(ended(), 0);
}

#define KEPT (1u << CAP_SYS_NICE)

/* In a separate process, which then is the user nobody with one capability. */
static int start_as_nobody(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2] = { { .effective = KEPT, .permitted = KEPT } };
	pid_t pid;

	if (prctl(PR_SET_KEEPCAPS, 1) || setresgid(65534, 65534, 65534) ||
	    setresuid(65534, 65534, 65534) || syscall(SYS_capset, &h, d))
		return 1;
	if (start())
		return 2;
	pid = ask(&service, WHO);
	if (pid <= 0 || signals_of(pid, "CapEff:") != KEPT)
		return 3;
	if (signals_of(getpid(), "CapAmb:") || signals_of(getpid(), "CapInh:") ||
	    signals_of(getpid(), "CapEff:") != KEPT)
		return 4;
	return ask(&service, STOP) == pid ? 0 : 5;
}

/* The service keeps its caller's capabilities; the caller is unchanged. */
static void keeps_capabilities(void)
{
	char exe[4096];
	int status;
	pid_t pid;

	if (geteuid()) {
		unit_skip(NULL, "only root has capabilities to give");
		return;
	}
	CU_ASSERT_PTR_NOT_NULL(realpath("/proc/self/exe", exe));
	CU_ASSERT_EQUAL(chmod(folder, 0777), 0);
	setenv("PITRACE_HOLDER", exe, 1);
	pid = fork();
	if (!pid)
		_exit(start_as_nobody());
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status >> 8, 0);
	setenv("PITRACE_HOLDER", "/proc/self/exe", 1);
	CU_ASSERT_EQUAL(chmod(folder, 0700), 0);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT(nobody());
}

static long resident(pid_t pid)
{
	char path[64];
	long pages = -1, size;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%ld %ld", &size, &pages) != 2)
		pages = -1;
	if (f)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

static long faults(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return r.ru_minflt;
}

/* However large the program is: the holder is small, and the program copies no page for it. */
static void of_a_large_program(void)
{
	char *memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	long before;
	pid_t pid;

	CU_ASSERT_FATAL(memory != MAP_FAILED);
	madvise(memory, LARGE, MADV_NOHUGEPAGE);
	memset(memory, 1, LARGE);
	CU_ASSERT_EQUAL_FATAL(start(), PI_OK);
	pid = ask(&service, WHO);
	before = faults();
	memset(memory, 2, LARGE);
	CU_ASSERT(faults() - before < 1000);
	CU_ASSERT(resident(pid) > 0 && resident(pid) < 32 << 20);
	munmap(memory, LARGE);
	CU_ASSERT(ask(&service, STOP) > 0);
	CU_ASSERT_EQUAL(ended(), 0);
}

static void no_program(void)
{
	setenv("PITRACE_HOLDER", "/nowhere/holder", 1);
	CU_ASSERT_EQUAL(start(), PI_NOT_SUPPORTED);
	CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "pitrace-holder"));
	setenv("PITRACE_HOLDER", "/dev/null", 1);
	CU_ASSERT_EQUAL(start(), PI_NO_PERMISSION);
	CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "/dev/null"));
	/* It is a program, and knows nothing of this. */
	setenv("PITRACE_HOLDER", "/bin/true", 1);
	CU_ASSERT_EQUAL(start(), PI_HOLDER_GONE);
	setenv("PITRACE_HOLDER", holder_program, 1);
	CU_ASSERT_EQUAL(start(), PI_HOLDER_GONE);
	setenv("PITRACE_HOLDER", "/proc/self/exe", 1);
	CU_ASSERT(nobody());
}

/* Library and program that are not of one release refuse each other. */
static void of_another_release(void)
{
	struct service_start s = { sizeof(s), service.version, PITRACE_VERSION, "/a", 0 }, other;
	struct service_started got = { 0 };
	char *whole = malloc(sizeof(s));

	CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
	CU_ASSERT_PTR_NOT_NULL(service_start_read(&service, &s, sizeof(s), &got));
	CU_ASSERT_EQUAL(got.rc, PI_OK);
	for (size_t n = 0; n < sizeof(s); n++)
		CU_ASSERT_PTR_NULL(service_start_read(&service, memcpy(whole, &s, n), n, &got));
	CU_ASSERT_PTR_NULL(service_start_read(&later, &s, sizeof(s), &got));
	CU_ASSERT_EQUAL(got.rc, PI_NOT_SUPPORTED);
	other = s;
	strcpy(other.release, "0.0.9");
	CU_ASSERT_PTR_NULL(service_start_read(&service, &other, sizeof(s), &got));
	CU_ASSERT_PTR_NOT_NULL(strstr(got.why, "release"));
	memset(other.release, 'x', sizeof(other.release));
	CU_ASSERT_PTR_NULL(service_start_read(&service, &other, sizeof(s), &got));
	other = s;
	memset(other.address, 'x', sizeof(other.address));
	CU_ASSERT_PTR_NULL(service_start_read(&service, &other, sizeof(s), &got));
	CU_ASSERT_EQUAL(got.rc, PI_INVALID_ARGUMENT);
	free(whole);
	/* The check of the program's own version is tested with a copy: see test_holder.sh. */
	CU_ASSERT_EQUAL(service_begin(&later, NULL, 0), PI_NOT_SUPPORTED);
	CU_ASSERT_EQUAL(ended(), 1);
	CU_ASSERT(nobody());
}

/* ---- its place ------------------------------------------------------------------------------- */

/* A file in the service's place that is not a socket is kept. */
static void place_is_taken(void)
{
	struct stat st;
	FILE *f = fopen(address.sun_path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fclose(f);
	CU_ASSERT(start() < 0);
	CU_ASSERT_EQUAL(ended(), 1);
	CU_ASSERT(!lstat(address.sun_path, &st) && S_ISREG(st.st_mode));
	unlink(address.sun_path);
	CU_ASSERT_EQUAL(symlink("elsewhere", address.sun_path), 0);
	CU_ASSERT(start() < 0);
	CU_ASSERT_EQUAL(ended(), 1);
	CU_ASSERT(!lstat(address.sun_path, &st) && S_ISLNK(st.st_mode));
	unlink(address.sun_path);
	CU_ASSERT(nobody());
}

/* A socket that a killed one left is taken over; one that is listened at is not. */
static void left_over(void)
{
	int fd = service_bind(&address);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(service_bind(&address), -EADDRINUSE);
	close(fd);
	CU_ASSERT_EQUAL(ask(&service, WHO), PI_HOLDER_GONE);
	CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "was killed"));
	CU_ASSERT_EQUAL(start(), PI_OK);
	CU_ASSERT(ask(&service, STOP) > 0);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT(nobody());
}

/* The process that started it is gone, so its report is not read. */
static void starter_is_gone(void)
{
	struct {
		struct service_start head;
		struct wish wish;
	} packet = { { sizeof(packet), service.version, PITRACE_VERSION, "", 0 }, { .ms = 50 } };
	char *argv[] = { "held", "test", NULL };
	int ends[2], status;
	pid_t pid;

	memcpy(packet.head.address, address.sun_path, sizeof(packet.head.address));
	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		dup2(ends[1], SERVICE_FD);
		execv("/proc/self/exe", argv);
		_exit(9);
	}
	close(ends[1]);
	CU_ASSERT(service_send(ends[0], &packet, sizeof(packet), -1));
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	close(ends[0]);
	CU_ASSERT_EQUAL(ended(), 1);
	CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	CU_ASSERT(nobody());
}

/* A session's holder: gone after free, by a signal, and when it could not begin. */
static int session(const char *collector)
{
	struct tracer_options o;

	tracer_defaults(&o);
	o.collector = collector;
	o.mode = TRACE_NORMAL;
	return holder_start(&o);
}

static int session_ends(void)
{
	struct holder_request q = {
		.size = sizeof(q),
		.version = HOLDER_VERSION,
		.op = HOLDER_TERMINATE,
	};

	return holder_call(&q, NULL);
}

/* Requests return what was set. */
static void is_controlled(void)
{
	CU_ASSERT_EQUAL(IsTraceActive(), 1);
	CU_ASSERT_EQUAL(IsTraceOn(), 0);
	CU_ASSERT_EQUAL(IsContMode(), 0);
	CU_ASSERT_EQUAL(IsWrapMode(), 0);
	CU_ASSERT_EQUAL(TraceGetIntervalId(), 0);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_MTE), 1);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_TPROF), 0);
	CU_ASSERT_EQUAL(TraceEnable(PITRACE_TPROF), PI_OK);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_TPROF), 1);
	CU_ASSERT_EQUAL(TraceDisable(PITRACE_TPROF), PI_OK);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_TPROF), 0);
	CU_ASSERT_EQUAL(TraceEnable(PITRACE_TPROF), PI_OK);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_TPROF), 1);
	CU_ASSERT_EQUAL(TraceQueryMajor(-1), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_MAJORS), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceOn(), PI_OK);
	CU_ASSERT_EQUAL(IsTraceOn(), 1);
	CU_ASSERT_EQUAL(TraceGetIntervalId(), 1);
	CU_ASSERT(TraceOn() < 0);
	CU_ASSERT_EQUAL(TraceSuspend(), PI_OK);
	CU_ASSERT_EQUAL(IsTraceOn(), 1);
	CU_ASSERT_EQUAL(TraceResume(), PI_OK);
	CU_ASSERT_EQUAL(TraceOff(), PI_OK);
	CU_ASSERT_EQUAL(IsTraceOn(), 0);
	CU_ASSERT_EQUAL(IsTraceActive(), 1);
}

static void of_a_session(void)
{
	setenv("PITRACE_SOCKET", address.sun_path, 1);
	setenv("PITRACE_HOLDER", holder_program, 1);
	CU_ASSERT_NOT_EQUAL(session("timer"), PI_OK); /* it has no sessions of the system */
	CU_ASSERT_EQUAL(ended(), 1);
	CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	CU_ASSERT_EQUAL(session_ends(), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(IsTraceActive(), 0);
	CU_ASSERT_EQUAL(IsTraceOn(), 0);
	CU_ASSERT_EQUAL(TraceOn(), PI_NOT_INITIALIZED);
	if (session("perf") == PI_OK) {
		is_controlled();
		CU_ASSERT_EQUAL(session("perf"), PI_BUSY);
		CU_ASSERT_EQUAL(session_ends(), PI_OK);
		CU_ASSERT_EQUAL(ended(), 0);
		CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	} else {
		CU_ASSERT_EQUAL(ended(), 1);
		printf("# perf does not work here: %s\n", TraceLastError());
	}
	CU_ASSERT(nobody());
	CU_ASSERT_EQUAL(IsTraceActive(), 0);
	CU_ASSERT_EQUAL(session_ends(), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

int main(int argc, char **argv)
{
	static const struct unit_test tests[] = {
		{ "set_up", set_up },
		{ "answers", answers },
		{ "signals", signals },
		{ "signal_before_requests", signal_before_requests },
		{ "signal_while_it_begins", signal_while_it_begins },
		{ "cannot_begin", cannot_begin },
		{ "one_of_many", one_of_many },
		{ "the_lock", the_lock },
		{ "unreachable", unreachable },
		{ "is_apart", is_apart },
		{ "keeps_capabilities", keeps_capabilities },
		{ "of_a_large_program", of_a_large_program },
		{ "no_program", no_program },
		{ "of_another_release", of_another_release },
		{ "place_is_taken", place_is_taken },
		{ "left_over", left_over },
		{ "starter_is_gone", starter_is_gone },
		{ "of_a_session", of_a_session },
		{ NULL, NULL },
	};

	be_held(argc, argv);
	return unit_run("service", tests);
}
