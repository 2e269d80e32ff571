// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * TraceHook where programs call it: in hundreds of threads, while threads end, in bursts, before
 * the session begins, after the library was closed. In handlers: test_trace_hook_handlers.c.
 */
#include <span.h>

#include "hook_session.h"

/* ---- threads --------------------------------------------------------------------------------- */

static _Atomic uint64_t written, refused;
static pthread_barrier_t all_there;

static void count(int rc)
{
	if (rc == 0)
		written++;
	else
		refused++;
}

static void *writes_some(void *arg)
{
	for (uint64_t i = 0; i < 20; i++) {
		count(write_one((uintptr_t)arg, i));
		if (i == 0)
			pthread_barrier_wait(&all_there);
	}
	return NULL;
}

#define MANY 400
static void test_many_threads(void)
{
	pthread_t thread[MANY];
	pthread_attr_t small;

	written = refused = 0;
	begin();
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all_there, NULL, MANY);
	for (uintptr_t i = 0; i < MANY; i++)
		CU_ASSERT_FATAL(!pthread_create(&thread[i], &small, writes_some, (void *)i));
	for (int i = 0; i < MANY; i++)
		pthread_join(thread[i], NULL);
	end();
	CU_ASSERT_EQUAL(written, MANY * 20);
	CU_ASSERT_EQUAL(refused, 0);
	CU_ASSERT_EQUAL(records, MANY * 20);
	CU_ASSERT_EQUAL(disorder(), 0);
}

/* The owner of a record, also after any kind of fork. */
static void test_child(void)
{
	pid_t pid[2];

	begin();
	CU_ASSERT_EQUAL(write_one(0, 0), 0);
	for (int i = 0; i < 2; i++) {
		pid[i] = i ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
		if (!pid[i])
			_exit(write_one(1 + (uint64_t)i, 0) != 0);
		CU_ASSERT_EQUAL(outcome(pid[i], 20), 0);
		drain(false);
	}
	end();
	CU_ASSERT_EQUAL_FATAL(narrivals, 3);
	for (size_t i = 0; i < 3; i++) {
		uint32_t is = arrivals[i].who ? (uint32_t)pid[arrivals[i].who - 1] :
						(uint32_t)getpid();

		CU_ASSERT_EQUAL(arrivals[i].pid, is);
		CU_ASSERT_EQUAL(arrivals[i].tid, is);
	}
}

static pthread_key_t key;

static void ends(void *arg)
{
	count(write_one((uintptr_t)arg, 1));
}

static void *begins(void *arg)
{
	pthread_setspecific(key, arg);
	count(write_one((uintptr_t)arg, 0));
	return NULL;
}

/* Their last record is written by a destructor that runs after all others. */
static void test_destructors(void)
{
	pthread_t thread;

	written = refused = 0;
	begin();
	count(write_one(0, 0));
	pthread_key_create(&key, ends);
	for (uintptr_t i = 1; i <= 1000; i++) {
		CU_ASSERT_FATAL(!pthread_create(&thread, NULL, begins, (void *)i));
		pthread_join(thread, NULL);
	}
	pthread_key_delete(key);
	end();
	CU_ASSERT_EQUAL(written, 2001);
	CU_ASSERT_EQUAL(refused, 0);
	CU_ASSERT_EQUAL(records, 2001);
	CU_ASSERT_EQUAL(disorder(), 0);
}

/* ---- bursts ---------------------------------------------------------------------------------- */

#define EACH 100000
static void *writes_many(void *arg)
{
	uint64_t ok = 0;

	for (uint64_t i = 0; i < EACH; i++)
		ok += !write_one((uintptr_t)arg, i);
	written += ok;
	return NULL;
}

/* The reader waits as the drain does: for a second, or until it is woken. */
static void test_burst(void)
{
	pid_t pid;

	begin();
	pid = fork();
	if (!pid) {
		pthread_t thread[THREADS];

		for (uintptr_t i = 0; i < THREADS; i++)
			pthread_create(&thread[i], NULL, writes_many, (void *)i);
		for (int i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		_exit(written != THREADS * EACH);
	}
	for (int status; !waitpid(pid, &status, WNOHANG);) {
		struct pollfd p = { .fd = hooks_full_fd(hooks), .events = POLLIN };

		poll(&p, 1, 100);
		drain(false);
	}
	end();
	CU_ASSERT_EQUAL(records, THREADS * EACH);
	CU_ASSERT_EQUAL(lost, 0);
	CU_ASSERT_EQUAL(disorder(), 0);
}

/* It is woken long before a second has passed, by fullness alone. */
static void test_woken(void)
{
	struct pollfd p;
	int before, after;

	begin();
	p = (struct pollfd){ .fd = hooks_full_fd(hooks), .events = POLLIN };
	usleep(50000);
	before = poll(&p, 1, 0);
	for (uint64_t i = 0; i < 1000; i++)
		write_one(1, i);
	CU_ASSERT_EQUAL(before, 0);
	CU_ASSERT_EQUAL(poll(&p, 1, 100), 0);
	/* A quarter and more. */
	for (uint64_t i = 1000; i < 600000; i++)
		write_one(1, i);
	after = poll(&p, 1, 500);
	CU_ASSERT_EQUAL(after, 1);
	drain(false);
	end();
	CU_ASSERT_EQUAL(records, 600000);
}

/* ---- kills ----------------------------------------------------------------------------------- */

static uint64_t *shared;

static void *writes_on(void *arg)
{
	for (uint64_t i = 0;; i++)
		if (!write_one((uintptr_t)arg, i))
			__atomic_store_n(&shared[(uintptr_t)arg], i + 1, __ATOMIC_RELEASE);
	return NULL;
}

/* All records for which TraceHook had returned are present, for each thread. */
static void test_killed(void)
{
	for (int round = 0; round < 15; round++) {
		uint64_t told = 0, most[4] = { 0 };
		pid_t pid;

		memset(shared, 0, 4096);
		begin();
		pid = fork();
		if (!pid) {
			pthread_t thread;

			for (uintptr_t i = 1; i < 4; i++)
				pthread_create(&thread, NULL, writes_on, (void *)i);
			writes_on(NULL);
		}
		while (shared[0] + shared[1] + shared[2] + shared[3] < 2000)
			usleep(100);
		usleep((useconds_t)round * 311);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		end();
		for (size_t i = 0; i < narrivals; i++)
			if (arrivals[i].who < 4 && most[arrivals[i].who] <= arrivals[i].number)
				most[arrivals[i].who] = arrivals[i].number + 1;
		for (int i = 0; i < 4; i++) {
			/* The number of the last may not have been stored any more. */
			CU_ASSERT(most[i] == shared[i] || most[i] == shared[i] + 1);
			told += most[i];
		}
		CU_ASSERT_EQUAL(disorder(), 0);
		/* None is missing between. */
		CU_ASSERT_EQUAL(records, told);
	}
}

/* ---- sessions that come and go --------------------------------------------------------------- */

static void test_sessions(void)
{
	for (int i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL(write_one(0, 0), TRACE_NOBODY);
		CU_ASSERT_EQUAL(TraceEnabled(MAJOR, MINOR), 0);
		begin();
		/* At once. */
		CU_ASSERT_EQUAL(TraceEnabled(MAJOR, MINOR), 1);
		CU_ASSERT_EQUAL(TraceEnabled(MAJOR + 1, MINOR), 0);
		CU_ASSERT_EQUAL(write_one(0, 0), 0);
		CU_ASSERT_EQUAL(hooks_pause(hooks, true), 0);
		CU_ASSERT_EQUAL(write_one(0, 1), TRACE_NOBODY);
		CU_ASSERT_EQUAL(hooks_pause(hooks, false), 0);
		CU_ASSERT_EQUAL(write_one(0, 2), 0);
		end();
		CU_ASSERT_EQUAL(records, 2);
	}
}

/* In normal mode a trace may be written more than once. */
static void test_kept(void)
{
	begin();
	hooks_keep(hooks);
	for (uint64_t i = 0; i < 1000; i++)
		CU_ASSERT_EQUAL(write_one(0, i), 0);
	for (int time = 1; time <= 3; time++) {
		if (time == 3)
			CU_ASSERT_EQUAL(write_one(0, 1000), 0);
		records = narrivals = 0;
		while (hooks_collect(hooks) == 0 && hooks_pending(hooks))
			;
		CU_ASSERT_EQUAL(hooks_drain(hooks, PITRACE_RING_TRACE, true, sink, NULL), 0);
		CU_ASSERT_EQUAL(records, time == 3 ? 1001 : 1000);
		CU_ASSERT_EQUAL(disorder(), 0);
	}
	hooks_discard(hooks);
	CU_ASSERT_EQUAL(write_one(0, 1001), 0);
	records = 0;
	end();
	CU_ASSERT_EQUAL(records, 1);
}

/* A command's session ends before it does; then the user's session counts. */
static void test_after_its_session(void)
{
	struct hooks *first = hooks_new(NULL, (uid_t)-1, TRACER_TRACE_BYTES, 1);
	pid_t pid;
	int rc, go[2];
	char byte;

	CU_ASSERT_PTR_NOT_NULL_FATAL(first);
	CU_ASSERT_EQUAL(hooks_listen(first, majors), 0);
	CU_ASSERT_EQUAL(pipe(go), 0);
	setenv(HOOKFILE_ENV, hooks_folder(first), 1);
	pid = fork();
	if (!pid) {
		rc = write_one(0, 0);
		/* Two signals of the parent: the session has ended, another one has begun. */
		if (read(go[0], &byte, 1) != 1 || rc || write_one(0, 1) != TRACE_NOBODY)
			_exit(1);
		if (read(go[0], &byte, 1) != 1 || write_one(0, 2))
			_exit(2);
		_exit(0);
	}
	unsetenv(HOOKFILE_ENV);
	usleep(100000);
	hooks_free(first);
	CU_ASSERT_EQUAL(write(go[1], "x", 1), 1);
	usleep(100000);
	begin();
	CU_ASSERT_EQUAL(write(go[1], "x", 1), 1);
	CU_ASSERT_EQUAL(outcome(pid, 20), 0);
	end();
	CU_ASSERT_EQUAL(records, 1);
	close(go[0]);
	close(go[1]);
}

/* The page's session takes no files, and this program cannot reach its driver. Where it is another
 * user's by now, it says so at the door, once for each session. */
static void test_not_taken(void)
{
	const uint32_t none = 0;
	const char *names = "";
	pid_t pid;
	int fd;

	if (geteuid()) {
		unit_skip(NULL, "becomes another user: a run without root cannot");
		return;
	}
	begin();
	fd = open(page, O_RDWR | O_CLOEXEC);
	CU_ASSERT_EQUAL(pwrite(fd, &none, 4, offsetof(struct hookfile_control, slots)), 4);
	for (unsigned int i = 1; i < 3; i++) {
		pid = fork();
		if (!pid) {
			prctl(PR_SET_NAME, "untaken");
			for (uint32_t serial = 77; serial < 80; serial++) {
				if (pwrite(fd, &serial, 4,
					   offsetof(struct hookfile_control, serial)) != 4 ||
				    write_one(0, 0) != TRACE_NOBODY ||
				    write_one(0, 1) != TRACE_NOBODY ||
				    (serial == 77 && setresuid(61301, 61301, 61301)))
					_exit(1);
			}
			_exit(0);
		}
		CU_ASSERT_EQUAL(outcome(pid, 20), 0);
		for (int k = 0; k < 1000 && hooks_refused(hooks, &names) < i; k++) {
			CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
			usleep(1000);
		}
		CU_ASSERT_EQUAL(hooks_refused(hooks, &names), i);
	}
	CU_ASSERT(!strncmp(names, "untaken (", 9) && strstr(names, ", untaken ("));
	close(fd);
	end();
	CU_ASSERT_EQUAL(records, 0);
}

/* The page may say anything. */
static void test_hostile_page(void)
{
	static uint8_t junk[sizeof(struct hookfile_control)];
	int fd, status;
	pid_t pid;

	CU_ASSERT_EQUAL(write_one(0, 0), TRACE_NOBODY);
	for (int round = 0; round < 60; round++) {
		pid = fork();
		if (!pid) {
			write_one(0, 0);
			for (int i = 0; i < 300; i++) {
				write_one(1, 1);
				TraceHook(0, MAJOR, 0, 0, 1, NULL, NULL,
					  (const char *const[]){ "text" });
				usleep(100);
			}
			_exit(0);
		}
		fd = open(page, O_WRONLY);
		CU_ASSERT(fd >= 0);
		for (int i = 0; i < 20; i++) {
			struct hookfile_control *c = (void *)junk;

			for (size_t n = 0; n < sizeof(junk); n++)
				junk[n] = round % 3 == 0 ? 0xFF : (uint8_t)random();
			if (round % 3 == 2) {
				c->magic = HOOKFILE_MAGIC;
				c->version = HOOKFILE_VERSION;
				memset(c->majors, 0xFF, sizeof(c->majors));
				c->slots %= 3000;
				c->slot_bytes = 1u << c->slot_bytes % 32;
			}
			CU_ASSERT_EQUAL(pwrite(fd, junk, sizeof(junk), 0), sizeof(junk));
			usleep(1000);
		}
		close(fd);
		status = outcome(pid, 20);
		CU_ASSERT_EQUAL(status, 0);
	}
	unlink(page);
}

/* A file that is not a page is neither used nor changed. */
static void test_no_page(void)
{
	char mine[80];
	struct stat st;
	pid_t pid;

	snprintf(mine, sizeof(mine), "%s/other", top);
	for (int kind = 0; kind < 4; kind++) {
		int fd = open(mine, O_RDWR | O_CREAT | O_TRUNC, 0600);

		CU_ASSERT_EQUAL(write(fd, "mine", 4), 4);
		close(fd);
		unlink(page);
		if (kind == 0)
			CU_ASSERT_EQUAL(symlink(mine, page), 0);
		if (kind == 1)
			CU_ASSERT_EQUAL(link(mine, page), 0);
		if (kind == 2)
			CU_ASSERT_EQUAL(mkfifo(page, 0600), 0);
		if (kind == 3)
			CU_ASSERT_EQUAL(mkdir(page, 0700), 0);
		pid = fork();
		if (!pid)
			_exit(write_one(0, 0) != TRACE_NOBODY);
		CU_ASSERT_EQUAL(outcome(pid, 20), 0);
		CU_ASSERT_PTR_NULL(hooks_new(folder, (uid_t)-1, TRACER_TRACE_BYTES, 1));
		CU_ASSERT_EQUAL(stat(mine, &st), 0);
		CU_ASSERT_EQUAL(st.st_size, 4);
		if (kind == 3)
			rmdir(page);
		unlink(page);
		unlink(mine);
	}
}

static void test_sizes(void)
{
	const uint64_t wrong[] = { 0, 1, HOOKS_BYTES_MIN - 1, HOOKS_BYTES_MAX + 1, UINT64_MAX };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CU_ASSERT_PTR_NULL(hooks_new(NULL, (uid_t)-1, wrong[i], 1));
		CU_ASSERT_EQUAL(errno, ERANGE);
		CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "bytes"));
	}
}

/* ---- the guard ------------------------------------------------------------------------------- */

static int evaluated;

static int argument(int value)
{
	evaluated++;
	return value;
}

static void test_guard(void)
{
	uint64_t value = 1;
	int major = MAJOR - 1;

	CU_ASSERT_EQUAL(write_one(0, 0), TRACE_NOBODY);
	CU_ASSERT_EQUAL(TraceHook(argument(0), MAJOR, argument(1), argument(1), 0, &value, NULL,
				  NULL),
			TRACE_NOBODY);
	CU_ASSERT_EQUAL(evaluated, 0);
	begin();
	CU_ASSERT_EQUAL(TraceHook(argument(0), ++major, argument(1), argument(1), 0, &value, NULL,
				  NULL),
			0);
	CU_ASSERT_EQUAL(evaluated, 3);
	CU_ASSERT_EQUAL(major, MAJOR);
	/* Invalid arguments are reported whether or not anybody records. */
	CU_ASSERT_EQUAL(TraceHook(0, PITRACE_TPROF, 0, 0, 0, NULL, NULL, NULL),
			PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceHook(0, -1, 0, 0, 0, NULL, NULL, NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, -1, 0, NULL, NULL, NULL), PI_INVALID_ARGUMENT);
	end();
	CU_ASSERT_EQUAL(records, 1);
}

/* Records of two integers go the shortest way: it has to see that the major is none of the users',
 * with any bit of the number wrong. */
static void test_wrong_major(void)
{
	const uint64_t two[2] = { 1, 2 };

	begin();
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, 2, 0, two, NULL, NULL), 0);
	for (unsigned int bit = 8; bit < 32; bit++)
		CU_ASSERT_EQUAL(TraceHook(0, (int)(MAJOR ^ 1u << bit), 0, 2, 0, two, NULL, NULL),
				PI_INVALID_ARGUMENT);
	for (int major = 0; major < PITRACE_USER_FIRST; major++)
		if (major != PITRACE_HOOKIT)
			CU_ASSERT_EQUAL(TraceHook(0, major, 0, 2, 0, two, NULL, NULL),
					PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, 2, 0, two, NULL, NULL), 0);
	end();
	CU_ASSERT_EQUAL(records, 2);
}

/* Arguments that are announced but not given, with and without the other kind; an empty string may
 * be NULL. */
static void test_not_given(void)
{
	static const char *const none[2] = { "text", NULL };
	static const int empty[2] = { 4, 0 }, long_one[2] = { 4, 1 };
	const uint64_t value = 1;

	begin();
	CU_ASSERT_EQUAL(write_one(0, 0), 0);
	for (int ints = 1; ints <= 3; ints++) {
		CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, ints, 0, NULL, NULL, NULL),
				PI_INVALID_ARGUMENT);
		CU_ASSERT_STRING_EQUAL(TraceLastError(), "no integers given");
	}
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, 1, 2, NULL, NULL, none), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, 1, 1, &value, NULL, NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "no strings given");
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, 1, 2, &value, NULL, none), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, 0, 2, NULL, long_one, none), PI_INVALID_ARGUMENT);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "no string given");
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, 0, 2, NULL, empty, none), 0);
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, 0, 0, NULL, NULL, NULL), 0);
	end();
	CU_ASSERT_EQUAL(records, 3);
	CU_ASSERT_EQUAL(lost, 0);
}

/* ---- spans ----------------------------------------------------------------------------------- */

struct span_seen {
	uint32_t minor;
	uint64_t id;
	uint16_t ints, strs;
	char name[16];
};
static struct span_seen spans[4];
static unsigned int nspans;

static int span_sink(void *arg, const void *segment, size_t size)
{
	struct pitrace_segment h;
	struct record_walk w;
	struct record r;

	(void)arg;
	if (record_walk_begin(&w, segment, size, &h))
		return -EBADMSG;
	while (record_next(&w, &r) > 0) {
		struct span_seen *s = &spans[nspans % 4];
		struct pitrace_user u;
		uint32_t length;

		if (r.major != PITRACE_HOOKIT)
			continue;
		nspans++;
		memcpy(&u, r.data, sizeof(u));
		memcpy(&s->id, (const char *)r.data + sizeof(u), sizeof(s->id));
		memcpy(&length, (const char *)r.data + sizeof(u) + sizeof(s->id), sizeof(length));
		CU_ASSERT_FATAL(length < sizeof(s->name));
		memcpy(s->name, (const char *)r.data + sizeof(u) + sizeof(s->id) + sizeof(length),
		       length);
		s->minor = r.minor;
		s->ints = u.ints;
		s->strs = u.strs;
	}
	return 0;
}

/* One record each: the id is the first integer, the name the first string. */
static void test_span(void)
{
	unsigned int first;

	CU_ASSERT_EQUAL(TraceSpanBegin("request", 1), TRACE_NOBODY);
	begin();
	CU_ASSERT_EQUAL(TraceSpanBegin("request", UINT64_MAX - 1), 0);
	CU_ASSERT_EQUAL(TraceSpanEnd("request", UINT64_MAX - 1), 0);
	CU_ASSERT_EQUAL(hooks_listen(hooks, NULL), 0);
	CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
	CU_ASSERT_EQUAL(hooks_drain(hooks, PITRACE_RING_TRACE, true, span_sink, NULL), 0);
	end();
	CU_ASSERT_EQUAL_FATAL(nspans, 2);
	/* The thread may have changed its CPU in between: each has a ring of its own. */
	first = spans[0].minor != TRACE_SPAN_BEGIN;
	CU_ASSERT_EQUAL(spans[first].minor, TRACE_SPAN_BEGIN);
	CU_ASSERT_EQUAL(spans[!first].minor, TRACE_SPAN_END);
	for (unsigned int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(spans[i].id, UINT64_MAX - 1);
		CU_ASSERT_EQUAL(spans[i].ints, 1);
		CU_ASSERT_EQUAL(spans[i].strs, 1);
		CU_ASSERT_STRING_EQUAL(spans[i].name, "request");
	}
}

/* ---- the library is closed ------------------------------------------------------------------- */

static sem_t has_written, may_end;

static void *writes_by(void *hook)
{
	int (*put)(int, int, int, int, int, const uint64_t *, const int *,
		   const char *const *) = (int (*)(int, int, int, int, int, const uint64_t *,
						   const int *, const char *const *))hook;
	uint64_t value = 1;

	count(put(0, MAJOR, 0, 1, 0, &value, NULL, NULL));
	sem_post(&has_written);
	sem_wait(&may_end);
	return NULL;
}

/* A thread that has called it ends after that. */
static void test_dlclose(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);
	pthread_t thread;
	void *library;
	pid_t pid;

	CU_ASSERT_FATAL(n > 0);
	path[n] = 0;
	*strrchr(path, '/') = 0;
	strcat(path, "/../../lib/libperfutil.so");
	begin();
	pid = fork();
	if (!pid) {
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!library)
			_exit(1);
		written = 0;
		pthread_create(&thread, NULL, writes_by, dlsym(library, "TraceHook"));
		sem_wait(&has_written);
		if (dlclose(library))
			_exit(2);
		sem_post(&may_end);
		pthread_join(thread, NULL);
		_exit(written != 1);
	}
	CU_ASSERT_EQUAL(outcome(pid, 20), 0);
	end();
	CU_ASSERT_EQUAL(records, 1);
}

int main(void)
{
	static const struct unit_test tests[] = {
		/* Before this process has ever looked for listeners. */
		{ "after_its_session", test_after_its_session },
		{ "guard", test_guard },
		{ "wrong_major", test_wrong_major },
		{ "not_given", test_not_given },
		{ "span", test_span },
		{ "child", test_child },
		{ "many_threads", test_many_threads },
		{ "destructors", test_destructors },
		{ "burst", test_burst },
		{ "woken", test_woken },
		{ "killed", test_killed },
		{ "sessions", test_sessions },
		{ "sizes", test_sizes },
		{ "kept", test_kept },
		{ "dlclose", test_dlclose },
		{ "not_taken", test_not_taken },
		{ "hostile_page", test_hostile_page },
		{ "no_page", test_no_page },
		{ NULL, NULL },
	};

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	sem_init(&has_written, 0, 0);
	sem_init(&may_end, 0, 0);
	return hook_session_run("trace_hook", tests);
}
