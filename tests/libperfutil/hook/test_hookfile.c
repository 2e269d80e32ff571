// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * TraceHook through hook files, to the last record: many threads, slots that run out, children,
 * processes that are killed; and files that lie.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "hook/hookfile.h"
#include "file/record_walk.h"
#include "unit.h"

#define MAJOR    0xD2
#define MINOR    5
#define THREADS  4
#define ARRIVALS 4000000

static const uint64_t majors[4] = { [MAJOR / 64] = 1ull << MAJOR % 64, [2] = ~0ull };

/* The records that arrived. Each has two integers: its writer and its number. */
static struct {
	uint64_t records, mte, others, lost, disorder;
	uint64_t next[64]; /* number that each writer's next record has at least */
	uint32_t pid, uid;
	char text[256];
} got;

/* Where and when: a thread may change its CPU, and with it the ring. */
static struct arrival {
	uint64_t stamp, who, number;
} * arrivals;
static size_t narrivals;

static int by_stamp(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	return x->stamp < y->stamp ? -1 : x->stamp > y->stamp;
}

static void put_in_order(void)
{
	qsort(arrivals, narrivals, sizeof(*arrivals), by_stamp);
	for (size_t i = 0; i < narrivals; i++) {
		const struct arrival *a = &arrivals[i];

		got.disorder += i && a->stamp == a[-1].stamp;
		if (a->who >= 64 || a->number < got.next[a->who])
			got.disorder++;
		else
			got.next[a->who] = a->number + 1;
	}
	narrivals = 0;
}

static int sink(void *arg, const void *segment, size_t size)
{
	struct pitrace_segment h;
	struct record_walk w;
	struct record r;

	(void)arg;
	if (record_walk_begin(&w, segment, size, &h))
		return -EBADMSG;
	if (h.session != 1 + HOOKS_SESSION || h.cpu >= sysconf(_SC_NPROCESSORS_CONF))
		return -EINVAL;
	while (record_next(&w, &r) > 0) {
		struct pitrace_user u;
		uint64_t words[2];

		got.disorder += w.backwards;
		if (r.major == PITRACE_LOST) {
			struct pitrace_lost_rec lost;

			memcpy(&lost, r.data, sizeof(lost));
			got.lost += lost.count;
			continue;
		}
		memcpy(&u, r.data, sizeof(u));
		got.pid = u.pid;
		got.uid = u.uid;
		if (r.major != MAJOR) {
			got.mte += r.major == PITRACE_MTE && h.ring == PITRACE_RING_MTE;
			got.others += r.major != PITRACE_MTE;
			continue;
		}
		got.records++;
		if (u.ints == 2) {
			memcpy(words, (const char *)r.data + sizeof(u), sizeof(words));
			if (narrivals < ARRIVALS)
				arrivals[narrivals++] = (struct arrival){ r.stamp, words[0],
									  words[1] };
		}
		if (u.strs) {
			size_t at = sizeof(u) + 8u * u.ints + 4u * u.strs;

			snprintf(got.text, sizeof(got.text), "%.*s", (int)(r.size - at),
				 (const char *)r.data + at);
		}
	}
	return 0;
}

/* One drain reads so much and no more: the last one is several. */
static void drain(struct hooks *h, bool all)
{
	do {
		CU_ASSERT_EQUAL(hooks_collect(h), 0);
		CU_ASSERT_EQUAL(hooks_drain(h, PITRACE_RING_MTE, all, sink, NULL), 0);
		CU_ASSERT_EQUAL(hooks_drain(h, PITRACE_RING_TRACE, all, sink, NULL), 0);
	} while (all && hooks_pending(h));
	if (all)
		put_in_order();
}

static struct hooks *begin(uint64_t bytes)
{
	struct hooks *h = hooks_new(NULL, (uid_t)-1, bytes, 1);

	memset(&got, 0, sizeof(got));
	CU_ASSERT_PTR_NOT_NULL_FATAL(h);
	CU_ASSERT_EQUAL(hooks_listen(h, majors), 0);
	setenv(HOOKFILE_ENV, hooks_folder(h), 1);
	return h;
}

/* The folder is gone too. */
static void end(struct hooks *h)
{
	char folder[256];

	snprintf(folder, sizeof(folder), "%s", hooks_folder(h));
	hooks_free(h);
	unsetenv(HOOKFILE_ENV);
	CU_ASSERT_EQUAL(access(folder, F_OK), -1);
}

static int write_one(uint64_t who, uint64_t number)
{
	return TraceHook(0, MAJOR, MINOR, 2, 0, (uint64_t[]){ who, number }, NULL, NULL);
}

/* This process looks for listeners once a second. The records of this are not counted. */
static void ready(void)
{
	int rc;

	for (int i = 0; i < 150; i++) {
		rc = TraceHook(0, PITRACE_MTE, PITRACE_MTE_JIT, 0, 0, NULL, NULL, NULL);
		if (rc != TRACE_NOBODY)
			break;
		usleep(10000);
	}
	CU_ASSERT_EQUAL(rc, 0);
}

/* Processes exchange their counts here. */
struct count {
	uint64_t tried, done, lost, other;
	uint64_t who;
};
static struct count *count;

static void *writer(void *arg)
{
	struct count *c = arg;

	for (uint64_t i = 0; i < c->tried; i++) {
		int rc = write_one(c->who, i);

		*(rc == 0 ? &c->done : rc == PI_BUFFER_FULL ? &c->lost : &c->other) += 1;
	}
	return NULL;
}

static _Noreturn void writers(uint64_t each)
{
	pthread_t thread[THREADS];

	for (unsigned int i = 0; i < THREADS; i++) {
		count[i] = (struct count){ .tried = each, .who = i };
		if (pthread_create(&thread[i], NULL, writer, &count[i]))
			_exit(1);
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

/* Four threads of another process; drained each `pause` µs (0: at the end only). */
static void books(uint64_t bytes, uint64_t each, unsigned int pause, bool losses)
{
	struct hooks *h = begin(bytes);
	uint64_t done = 0, lost = 0, other = 0;
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		writers(each);
	while (waitpid(pid, &status, pause ? WNOHANG : 0) == 0) {
		usleep(pause);
		drain(h, false);
	}
	CU_ASSERT_EQUAL(status, 0);
	drain(h, true);
	for (unsigned int i = 0; i < THREADS; i++) {
		done += count[i].done;
		lost += count[i].lost;
		other += count[i].other;
	}
	printf("# %llu written, %llu lost\n", (unsigned long long)done, (unsigned long long)lost);
	CU_ASSERT_EQUAL(other, 0);
	CU_ASSERT_EQUAL(done + lost, THREADS * each);
	CU_ASSERT_EQUAL(got.records, done);
	CU_ASSERT_EQUAL(got.lost, lost);
	CU_ASSERT_EQUAL(hooks_lost(h), lost);
	CU_ASSERT_EQUAL(got.disorder, 0);
	CU_ASSERT_EQUAL(got.pid, (uint32_t)pid);
	CU_ASSERT_EQUAL(got.uid, geteuid());
	CU_ASSERT(losses ? lost > 0 && done > 0 : lost == 0);
	end(h);
}

static void test_million(void)
{
	books(64 << 20, 250000, 500, false);
}

/* So rarely drained that a look takes several drains, while slots that it freed fill again. */
static void test_seldom(void)
{
	books(64 << 20, 250000, 60000, false);
}

static void test_tiny(void)
{
	books(HOOKS_BYTES_MIN, 50000, 100, true);
	books(256 << 10, 50000, 0, true);
}

/* After fork, the child has its own file: by fork(), and by a fork without handlers. */
static void test_fork(void)
{
	struct hooks *h = begin(1 << 20);

	ready();
	CU_ASSERT_EQUAL(write_one(0, 0), 0);
	for (uint64_t who = 1; who < 9; who++) {
		pid_t pid = who & 1 ? fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		int status;

		if (!pid) {
			for (uint64_t i = 0; i < 1000; i++)
				if (write_one(who, i))
					_exit(1);
			_exit(0);
		}
		for (uint64_t i = 0; i < 100; i++)
			CU_ASSERT_EQUAL(write_one(0, 1 + (who - 1) * 100 + i), 0);
		waitpid(pid, &status, 0);
		CU_ASSERT_EQUAL(status, 0);
	}
	drain(h, true);
	CU_ASSERT_EQUAL(got.records, 1 + 8 * 1000 + 8 * 100);
	CU_ASSERT_EQUAL(got.disorder, 0);
	CU_ASSERT_EQUAL(got.next[0], 801);
	for (int who = 1; who < 9; who++)
		CU_ASSERT_EQUAL(got.next[who], 1000);
	end(h);
}

/* A process that is killed loses at most the record that it was writing. */
static void test_killed(void)
{
	struct hooks *h = begin(64 << 20);
	uint64_t written;
	pid_t pid;

	count[0] = (struct count){ .who = 1, .tried = 1ull << 40 };
	pid = fork();
	if (!pid)
		writer(&count[0]);
	while (__atomic_load_n(&count[0].done, __ATOMIC_RELAXED) < 2000)
		usleep(1000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	drain(h, true);
	written = got.records - count[0].done;
	CU_ASSERT(written <= 1);
	CU_ASSERT_EQUAL(got.disorder, 0);
	end(h);
}

/* More processes write and end than the collector is told of while it does not run: the files of
 * those that could not be announced are no one's, and their records are lost, not gone. */
static void test_unheard(void)
{
	enum { MANY = 40 };
	struct hooks *h = begin(TRACER_TRACE_BYTES);
	int written = 0, status;

	for (int i = 0; i < MANY; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(write_one(1, (uint64_t)i) == PI_OK ? 0 : 1);
		CU_ASSERT(pid > 0);
	}
	while (wait(&status) > 0)
		written += status == 0;
	CU_ASSERT_EQUAL(written, MANY);
	drain(h, true);
	CU_ASSERT(got.records > 0);
	CU_ASSERT(got.lost > 0);
	CU_ASSERT_EQUAL(got.records + got.lost, MANY);
	CU_ASSERT_EQUAL(hooks_lost(h), got.lost);
	end(h);
}

static int write_string(const char *text, int length)
{
	return TraceHook(0, MAJOR, MINOR, 0, 1, NULL, &length, &text);
}

/* Nobody listens; another major; suspended; too long; MTE. */
static void test_listen(void)
{
	static const uint64_t none[4] = { 0 };
	const char *const words[2] = { "hello, ", "world" };
	struct hooks *h;
	char *text = calloc(1, 5000);

	unsetenv(HOOKFILE_ENV);
	setenv("PITRACE_SOCKET", "/nonexistent", 1);
	CU_ASSERT_EQUAL(TraceHook(0, PITRACE_TPROF, 0, 0, 0, NULL, NULL, NULL),
			PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceHook(0, PITRACE_MTE, 1, 0, 0, NULL, NULL, NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceHook(0, 0x100, 0, 0, 0, NULL, NULL, NULL), PI_INVALID_ARGUMENT);
	h = begin(1 << 20);
	/* A process that looked in vain looks again, a second later at most. */
	ready();
	CU_ASSERT_EQUAL(write_one(1, 1), 0);
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR + 1, 0, 0, 0, NULL, NULL, NULL), TRACE_NOBODY);
	CU_ASSERT_EQUAL(TraceHook(0, PITRACE_MTE, PITRACE_MTE_JIT, 1, 0, majors, NULL, NULL), 0);
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, 0, 2, NULL, NULL, words), 0);
	CU_ASSERT_EQUAL(write_string(text, 5000), PI_HOOK_TOO_LONG);
	CU_ASSERT_EQUAL(write_string(text, -1), PI_HOOK_TOO_LONG);
	CU_ASSERT_EQUAL(write_string(text, 4060), 0);
	CU_ASSERT_EQUAL(write_string(text, 4061), PI_HOOK_TOO_LONG);
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, 600, 0, (const uint64_t *)text, NULL, NULL),
			PI_HOOK_TOO_LONG);
	CU_ASSERT_EQUAL(hooks_listen(h, NULL), 0);
	CU_ASSERT_EQUAL(write_one(1, 2), TRACE_NOBODY);
	/* Records that were written before off are still there after it. */
	drain(h, true);
	CU_ASSERT_EQUAL(got.mte, 2);
	CU_ASSERT_EQUAL(got.records, 3);
	CU_ASSERT_EQUAL(hooks_listen(h, none), 0);
	CU_ASSERT_EQUAL(TraceHook(0, PITRACE_MTE, PITRACE_MTE_JIT, 1, 0, majors, NULL, NULL), 0);
	drain(h, true);
	CU_ASSERT_EQUAL(got.mte, 3);
	end(h);
	h = begin(1 << 20);
	ready();
	CU_ASSERT_EQUAL(TraceHook(0, MAJOR, 0, 0, 2, NULL, NULL, words), 0);
	drain(h, true);
	CU_ASSERT_STRING_EQUAL(got.text, "hello, world");
	end(h);
	free(text);
}

/* Records from a signal handler that comes while one is being written are told as lost. */
static volatile uint64_t by_handler[2];

static void on_alarm(int number)
{
	int saved = errno;

	(void)number;
	by_handler[write_one(2, by_handler[0] + by_handler[1]) != 0]++;
	errno = saved;
}

static void test_signal(void)
{
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	struct hooks *h = begin(64 << 20);
	uint64_t done = 0;

	ready();
	CU_ASSERT_EQUAL(write_one(1, 0), 0);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	while (done < 300000)
		done += write_one(1, done + 1) == 0;
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
	drain(h, true);
	CU_ASSERT(by_handler[0] + by_handler[1] > 10);
	CU_ASSERT_EQUAL(got.records, 1 + done + by_handler[0]);
	CU_ASSERT_EQUAL(got.lost, by_handler[1]);
	CU_ASSERT_EQUAL(got.disorder, 0);
	end(h);
}

/* A file as TraceHook makes it, then changed at one place or cut: nothing that isn't the users'
 * passes, and nothing is read beyond its end. */
static void put_file(const struct hooks *h, const char *name, const void *data, size_t size)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", hooks_folder(h), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	CU_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

/* One record in slot 1 of two: where it ends in the data. */
static size_t make_file(const struct hooks *h, uint8_t *file)
{
	const struct hookfile_control *c = hookfile_control(hooks_folder(h));
	struct hookfile_header *t = (void *)file;
	struct hookfile_slot *slot = (void *)(file + HOOKFILE_TABLE + sizeof(*slot));
	struct hookfile_record *r = (void *)(file + HOOKFILE_DATA + 32768);

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	t->magic = HOOKFILE_MAGIC;
	t->version = HOOKFILE_VERSION;
	t->generation = c->generation;
	t->table = 2;
	r->stamp = hookfile_now(c->clock == PITRACE_CLOCK_TSC);
	r->cpu_strs = hookfile_cpu_strs(77, 1);
	((uint8_t *)(r + 1))[8] = 4;
	r->head = hookfile_head(MAJOR, (sizeof(*r) + 8 + 8) / 8, 1) | HOOKFILE_COMMITTED;
	*slot = (struct hookfile_slot){
		.position = (sizeof(*r) + 16) / 8 | HOOKFILE_CLOSED,
		.stamp = r->stamp,
		.state = HOOKFILE_OPEN,
	};
	return 32768 + sizeof(*r) + 16;
}

static void test_lies(void)
{
	size_t size = HOOKFILE_DATA + 3 * 32768, at;
	struct hooks *h = begin(HOOKS_BYTES_MIN);
	uint8_t *good = calloc(1, size), *bad = malloc(size);
	char name[64];

	at = HOOKFILE_DATA + make_file(h, good);
	/* Names that are none, one of a process of another user, one of no process: none is
	 * read. */
	put_file(h, "0.1", good, size);
	put_file(h, "x.1", good, size);
	put_file(h, "12", good, size);
	put_file(h, "99999999.1", good, size);
	put_file(h, "99999999999999999999.1", good, size);
	if (geteuid())
		put_file(h, "1.0", good, size);
	drain(h, true);
	CU_ASSERT_EQUAL(got.records, 0);

	snprintf(name, sizeof(name), "%d.7", getpid());
	put_file(h, name, good, size);
	drain(h, true);
	CU_ASSERT_EQUAL(got.records, 1);
	CU_ASSERT_EQUAL(got.pid, (uint32_t)getpid());
	CU_ASSERT_EQUAL(got.uid, geteuid());
	drain(h, true);
	CU_ASSERT_EQUAL(got.records, 1);

	for (size_t i = 0; i < at; i++) {
		/* Zeros between the header, the table and the slot are not looked at. */
		if (i == sizeof(struct hookfile_header))
			i = HOOKFILE_TABLE;
		if (i == HOOKFILE_TABLE + 2 * sizeof(struct hookfile_slot))
			i = HOOKFILE_DATA + 32768;
		memcpy(bad, good, size);
		bad[i] ^= i & 1 ? 0xFF : 0x01;
		snprintf(name, sizeof(name), "%d.%zu", getpid(), 100 + i);
		put_file(h, name, bad, size);
		if (i % 16 == 0)
			drain(h, true);
	}
	for (size_t cut = 0, step; cut < size; cut += step) {
		step = cut > 256 && (cut < at - 256 || cut > at) ? 4093 : 7;
		snprintf(name, sizeof(name), "%d.%zu", getpid(), 1000000 + cut);
		put_file(h, name, good, cut);
	}
	drain(h, true);
	CU_ASSERT_EQUAL(got.others, 0);
	CU_ASSERT_EQUAL(got.disorder, 0);
	CU_ASSERT(got.records > 50);
	free(good);
	free(bad);
	end(h);
}

/* A record of two integers in a slot of a made file, from this place on: its length. */
static size_t put_record(uint8_t *at, uint64_t who, uint64_t number, uint32_t committed)
{
	struct hookfile_record *r = (void *)at;
	size_t size = sizeof(*r) + 2 * sizeof(uint64_t);

	r->stamp = hookfile_now(hookfile_control(getenv(HOOKFILE_ENV))->clock == PITRACE_CLOCK_TSC);
	memcpy(r + 1, (uint64_t[]){ who, number }, 2 * sizeof(uint64_t));
	r->head = hookfile_head(MAJOR, (uint32_t)size / 8, 2) | committed;
	return size;
}

/* A thread has lost its processor in the middle of a record for so long: what another thread wrote
 * behind it, and then on another CPU, stays in order. */
static void test_preempted(void)
{
	enum { SLOT = 32768, MS = 300 };
	const size_t size = HOOKFILE_DATA + 3 * SLOT;
	struct hooks *h = begin(HOOKS_BYTES_MIN);
	uint8_t *file = calloc(1, size), *first = file + HOOKFILE_DATA + SLOT;
	struct hookfile_slot *slot = (void *)(file + HOOKFILE_TABLE);
	char name[64];
	size_t used[2];

	make_file(h, file);
	memset(first, 0, SLOT);
	((struct hookfile_header *)file)->table = 3;
	/* Its second integer is not there yet. */
	used[0] = put_record(first, 1, 99, 0);
	used[0] += put_record(first + used[0], 2, 0, HOOKFILE_COMMITTED);
	used[1] = put_record(first + SLOT, 2, 1, HOOKFILE_COMMITTED);
	for (uint32_t i = 0; i < 2; i++) {
		slot[1 + i] = slot[1];
		slot[1 + i].position = used[i] / 8;
	}
	snprintf(name, sizeof(name), "%d.7", getpid());
	put_file(h, name, file, size);
	for (int i = 0; i < MS; i += 10) {
		drain(h, false);
		usleep(10000);
	}
	memset(first + sizeof(struct hookfile_record) + 8, 0, 8);
	((struct hookfile_record *)first)->head |= HOOKFILE_COMMITTED;
	put_file(h, name, file, size);
	drain(h, true);
	CU_ASSERT_EQUAL(got.records, 3);
	CU_ASSERT_EQUAL(got.lost, 0);
	CU_ASSERT_EQUAL(got.next[1], 1);
	CU_ASSERT_EQUAL(got.disorder, 0);
	free(file);
	end(h);
}

/* The kernel determines the owner of a file: the process that announced it, whatever its name; it
 * must be a living process of the user; root's files are never accepted in a folder of another
 * user. */
static void test_whose(void)
{
	const uid_t user = geteuid() ? geteuid() : 61301;
	struct hooks *h = hooks_new(NULL, user, HOOKS_BYTES_MIN, 1);
	char path[1200], from[300], *name;
	uint64_t record[2] = { 1, 1 };
	int status;
	pid_t pid;

	memset(&got, 0, sizeof(got));
	CU_ASSERT_PTR_NOT_NULL_FATAL(h);
	CU_ASSERT_EQUAL(hooks_listen(h, majors), 0);
	setenv(HOOKFILE_ENV, hooks_folder(h), 1);
	pid = fork();
	if (!pid) {
		if (setresgid(user, user, user) || setresuid(user, user, user))
			_exit(1);
		_exit(TraceHook(0, MAJOR, MINOR, 2, 0, record, NULL, NULL) != 0);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL_FATAL(status, 0);
	/* Before it is looked at: the same file under the names of a process of root's and of
	 * none. */
	for (int i = 0; i < 2; i++) {
		snprintf(from, sizeof(from), "%s/%d.0", hooks_folder(h), pid);
		snprintf(path, sizeof(path), "cp %s %s/%s.0 && chown %u %s/%s.0", from,
			 hooks_folder(h), i ? "1" : "99999999", user, hooks_folder(h),
			 i ? "1" : "99999999");
		CU_ASSERT_EQUAL(system(path), 0);
	}
	drain(h, true);
	CU_ASSERT_EQUAL(got.records, 1);
	CU_ASSERT_EQUAL(got.pid, (uint32_t)pid);
	CU_ASSERT_EQUAL(got.uid, user);
	name = strdup(hooks_folder(h));
	hooks_free(h);
	unsetenv(HOOKFILE_ENV);
	CU_ASSERT_EQUAL(access(name, F_OK), -1);
	free(name);
}

/* A daemon may have closed 0, 1 and 2: its records come as those of others do, and what was opened
 * in their places is closed. */
static void test_closed(void)
{
	uint64_t record[2] = { 1, 1 };

	for (int n = 1; n <= 3; n++) {
		struct hooks *h = begin(HOOKS_BYTES_MIN);
		pid_t pid = fork();
		int status;

		if (!pid) {
			for (int fd = 0; fd < n; fd++)
				close(fd);
			if (TraceHook(0, MAJOR, MINOR, 2, 0, record, NULL, NULL))
				_exit(1);
			for (int fd = 0; fd < n; fd++)
				if (fcntl(fd, F_GETFD) >= 0)
					_exit(2);
			_exit(0);
		}
		CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
		CU_ASSERT_EQUAL(status, 0);
		drain(h, true);
		CU_ASSERT_EQUAL(got.records, 1);
		end(h);
	}
}

static const struct unit_test tests[] = {
	{ "whose", test_whose },
	{ "million", test_million },
	{ "seldom", test_seldom },
	{ "tiny", test_tiny },
	{ "fork", test_fork },
	{ "killed", test_killed },
	{ "listen", test_listen },
	{ "signal", test_signal },
	{ "lies", test_lies },
	{ "unheard", test_unheard },
	{ "preempted", test_preempted },
	{ "closed", test_closed },
	{ 0 },
};

int main(void)
{
	count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	arrivals = calloc(ARRIVALS, sizeof(*arrivals));
	return count == MAP_FAILED || !arrivals || unit_run("hookfile", tests);
}
