// SPDX-License-Identifier: GPL-3.0-or-later
/* Records that programs write: arguments, who listens, what arrives, one user's share. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "abi.h"

#define MAJOR    0xD1
#define DATA_MAX (PITRACE_USER_MAX - 12 - sizeof(struct pitrace_user))

int hook_open(void)
{
	int dev = device(), fd = want(0, ioctl(dev, PITRACE_IOC_HOOK_OPEN));

	close(dev);
	return fd;
}

static struct pitrace_hook_args hook_args(uint32_t major)
{
	return (struct pitrace_hook_args){
		.size = sizeof(struct pitrace_hook_args),
		.version = PITRACE_ABI_VERSION,
		.major = major,
	};
}

int hook_put(int fd, uint32_t major, uint32_t minor, uint64_t value)
{
	struct pitrace_hook_args args = hook_args(major);

	args.minor = minor;
	args.ints = 1;
	args.values = (uintptr_t)&value;
	return ioctl(fd, PITRACE_IOC_HOOK, &args);
}

static void set_budget(const char *percent)
{
	int fd = open("/sys/module/pitrace/parameters/user_budget", O_WRONLY | O_CLOEXEC);

	check(write(fd, percent, strlen(percent)) == (ssize_t)strlen(percent));
	close(fd);
}

/* A session that records user majors and no samples, on. Nobody is held back: who is charged for
 * his time may have been stopped in the midst of a call, machine and all. */
static bool begin_users(struct view *v, struct pitrace_session_args args)
{
	struct pitrace_setup_args setup = setup_args(100);

	set_budget("100");
	setup.majors[0] = 0;
	setup.majors[PITRACE_HOOKIT / 64] = 1ull << PITRACE_HOOKIT % 64;
	setup.majors[MAJOR / 64] |= 1ull << MAJOR % 64;
	if (!begin(v, args, 100))
		return false;
	want(0, ioctl(v->fd, PITRACE_IOC_SETUP, &setup));
	return want(0, ioctl(v->fd, PITRACE_IOC_ON)) == 0;
}

struct cursor {
	unsigned int cpu;
	int ring;
	uint64_t at;
};

/* Returns the data of the next record of this major in a ring, at its place below head; NULL:
 * none. */
static const void *next(const struct view *v, struct cursor *c, uint32_t major)
{
	uint64_t end = head(v, c->cpu, c->ring), segment = v->control->segment_bytes;
	const unsigned char *p = v->data[c->cpu] + (c->ring ? v->control->mte_bytes : 0);

	while (c->at + sizeof(struct pitrace_rec) <= end) {
		const struct pitrace_rec *rec = (const void *)(p + c->at);

		if (c->at % segment == 0) {
			c->at += sizeof(struct pitrace_segment);
			continue;
		}
		if (rec->major == PITRACE_PAD || segment - c->at % segment < sizeof(*rec)) {
			c->at = (c->at / segment + 1) * segment;
			continue;
		}
		c->at += rec->type_len & PITRACE_LEN_MASK;
		if (rec->major == major && (c->ring || rec->minor == PITRACE_MTE_JIT)) {
			check((rec->type_len & PITRACE_TYPE_MASK) ==
			      (major == PITRACE_LOST ? PITRACE_TYPE_STRUCT : PITRACE_TYPE_MIXED));
			return rec + 1;
		}
	}
	return NULL;
}

/* Also in the open segment. */
static const void *first(const struct view *v, int ring, uint32_t major)
{
	want(0, ioctl(v->fd, PITRACE_IOC_FLUSH, &(uint32_t){ 3 }));
	return next(v, &(struct cursor){ .ring = ring }, major);
}

static long count(const struct view *v, uint32_t major)
{
	long sum = 0;

	for (unsigned int cpu = 0; cpu < v->control->ncpus; cpu++) {
		struct cursor c = { .cpu = cpu, .ring = PITRACE_RING_TRACE };

		while (v->data[cpu] && next(v, &c, major))
			sum++;
	}
	return sum;
}

#define REFUSE(error, change)                                    \
	do {                                                     \
		args = hook_args(MAJOR);                         \
		change;                                          \
		want(error, ioctl(fd, PITRACE_IOC_HOOK, &args)); \
	} while (0)

void test_hook_arguments(void)
{
	static uint32_t lengths[1024];
	static char bytes[2 * PITRACE_USER_MAX];
	int fd = hook_open(), major, page = getpagesize();
	struct pitrace_hook_args args;
	struct view v;
	char *hole;

	want(ENOTTY, ioctl(fd, PITRACE_IOC_ON));
	want(ENOTTY, ioctl(fd, PITRACE_IOC_INFO, &args));
	want(ENOTTY, ioctl(fd, 0x5401, &args));
	if (!begin_users(&v, plain()))
		return;
	want(ENOTTY, ioctl(v.fd, PITRACE_IOC_HOOK, &args));
	want(EFAULT, ioctl(fd, PITRACE_IOC_HOOK, NULL));
	REFUSE(EINVAL, args.size = 4);
	REFUSE(EINVAL, args.version = 2);
	REFUSE(EINVAL, args.except = 1ull << 32);
	for (major = 0; major < 260; major++) {
		bool ours = major == 0xB0 || major == 0xC8 || (major >= 0xD0 && major <= 0xFF);
		bool listened = major == 0xB0 || major == MAJOR;

		REFUSE(!ours ? EINVAL : listened ? 0 : ENODATA, args.major = major);
	}
	REFUSE(EINVAL, args.major = 0x100000D1);
	REFUSE(EINVAL, args.major = PITRACE_MTE; args.minor = PITRACE_MTE_MODULE);
	REFUSE(EINVAL, args.major = PITRACE_MTE; args.minor = PITRACE_MTE_JIT | 0x80000000);
	REFUSE(0, args.major = PITRACE_MTE; args.minor = PITRACE_MTE_JAVA_THREAD);
	REFUSE(0, args.major = PITRACE_MTE; args.minor = PITRACE_MTE_DECLARE);
	REFUSE(EINVAL, args.major = PITRACE_MTE; args.minor = PITRACE_MTE_DECLARE + 1);
	REFUSE(EMSGSIZE, args.ints = 0xFFFFFFFF);
	REFUSE(EMSGSIZE, args.strs = 0xFFFFFFFF);
	REFUSE(EMSGSIZE, args.ints = 0x20000000; args.strs = 0x40000000);
	REFUSE(EMSGSIZE, args.ints = DATA_MAX / 8 + 1; args.values = (uintptr_t)bytes);
	REFUSE(0, args.ints = DATA_MAX / 8; args.values = (uintptr_t)bytes);
	REFUSE(EFAULT, args.ints = 1);
	REFUSE(EFAULT, args.strs = 1);
	REFUSE(EFAULT, args.ints = 1; args.values = 1ull << 63);
	lengths[0] = 1;
	REFUSE(EFAULT, args.strs = 1; args.lengths = (uintptr_t)lengths);
	lengths[0] = DATA_MAX - 4;
	REFUSE(0, args.strs = 1; args.lengths = (uintptr_t)lengths;
	       args.strings = (uintptr_t)bytes);
	lengths[0]++;
	REFUSE(EMSGSIZE, args.strs = 1; args.lengths = (uintptr_t)lengths;
	       args.strings = (uintptr_t)bytes);
	/* Lengths whose sum wraps around. */
	lengths[0] = 0xFFFFFFFF;
	lengths[1] = 2;
	REFUSE(EMSGSIZE, args.strs = 2; args.lengths = (uintptr_t)lengths;
	       args.strings = (uintptr_t)bytes);
	memset(lengths, 0, sizeof(lengths));
	REFUSE(0, args.strs = DATA_MAX / 4; args.lengths = (uintptr_t)lengths);
	REFUSE(EMSGSIZE, args.strs = DATA_MAX / 4 + 1);
	/* Strings that end where nothing is mapped. */
	hole = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(hole + page, page);
	lengths[0] = 100;
	REFUSE(0, args.strs = 1; args.lengths = (uintptr_t)lengths;
	       args.strings = (uintptr_t)hole + page - 100);
	REFUSE(EFAULT, args.strs = 1; args.lengths = (uintptr_t)lengths;
	       args.strings = (uintptr_t)hole + page - 99);
	munmap(hole, page);
	unview(&v);
	close(fd);
	no_session_left();
}

static bool check_page(const struct pitrace_hook_page *page)
{
	check(page != MAP_FAILED);
	return page != MAP_FAILED;
}

/* The page says who listens; the ioctl too. */
void test_hook_listen(void)
{
	const struct pitrace_hook_page *page;
	uint32_t begun;
	struct pitrace_session_args args = plain();
	int fd = hook_open();
	struct view v;
	pid_t pid;

	want(EPERM, (long)mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	want(EINVAL, (long)mmap(NULL, 2 * getpagesize(), PROT_READ, MAP_SHARED, fd, 0));
	want(EINVAL, (long)mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, getpagesize()));
	page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	if (!check_page(page))
		return;
	begun = page->begun;
	want(EACCES, mprotect((void *)page, getpagesize(), PROT_READ | PROT_WRITE));
	check(page->size == sizeof(*page) && page->version == PITRACE_ABI_VERSION);
	check(!page->majors[0] && !page->majors[1] && !page->majors[2] && !page->majors[3]);
	want(ENODATA, hook_put(fd, MAJOR, 0, 1));
	want(ENODATA, hook_put(fd, PITRACE_MTE, PITRACE_MTE_JIT, 1));

	/* The session is of another process: this one is out of its scope. */
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = pid;
	if (!begin_users(&v, args))
		return;
	check(page->majors[0] == 1ull << PITRACE_MTE && !page->majors[1]);
	check(page->majors[2] == 1ull << PITRACE_HOOKIT % 64);
	check(page->majors[3] == 1ull << MAJOR % 64);
	check(page->begun != begun);
	begun = page->begun;
	want(ENODATA, hook_put(fd, MAJOR, 0, 1));
	unview(&v);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);

	if (!begin_users(&v, plain()))
		return;
	want(0, hook_put(fd, MAJOR, 0, 1));
	want(ENODATA, hook_put(fd, MAJOR + 1, 0, 1));
	want(0, ioctl(v.fd, PITRACE_IOC_SUSPEND));
	want(ENODATA, hook_put(fd, MAJOR, 0, 1));
	want(0, hook_put(fd, PITRACE_MTE, PITRACE_MTE_JIT, 1));
	want(0, ioctl(v.fd, PITRACE_IOC_RESUME));
	want(0, hook_put(fd, MAJOR, 0, 1));
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	want(ENODATA, hook_put(fd, MAJOR, 0, 1));
	check(!page->majors[0] && !page->majors[3]);
	check(page->begun != begun);
	unview(&v);
	munmap((void *)page, getpagesize());
	close(fd);
	no_session_left();
}

/* In another pid namespace ids are not those that the driver records. */
static int elsewhere(int fd, uint32_t serial)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(99);
		pid = fork();
		if (!pid)
			_exit(ioctl(fd, PITRACE_IOC_HOOK_FILE, &serial) ? errno : 0);
		waitpid(pid, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

/* Records that go into files: who may write them, who else listens, who has a record already. */
void test_hook_file(void)
{
	const int32_t strange[] = { 0, -1, INT32_MIN, INT32_MAX, 4194304 };
	int fd = hook_open(), i;
	const struct pitrace_hook_page *page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd,
						    0);
	struct pitrace_session_args of_one = plain();
	struct pitrace_hook_args args = hook_args(MAJOR);
	uint32_t serial, second, none = 0;
	const uint64_t major = 1ull << MAJOR % 64;
	int32_t me = getpid();
	struct view v, w;
	pid_t pid;

	if (!check_page(page) || !begin_users(&v, plain()))
		return;
	serial = v.control->serial;
	check(serial && PITRACE_SERIAL_PLACE(serial) == v.control->session - 1);
	check(page->others[PITRACE_SERIAL_PLACE(serial)][3] == (serial & PITRACE_SERIAL_MASK));
	check(!page->others[PITRACE_SERIAL_PLACE(serial)][0]);
	want(0, ioctl(fd, PITRACE_IOC_HOOK_FILE, &serial));
	want(ENODATA, ioctl(fd, PITRACE_IOC_HOOK_FILE, &none));
	want(EFAULT, ioctl(fd, PITRACE_IOC_HOOK_FILE, NULL));
	want(EFAULT, ioctl(v.fd, PITRACE_IOC_HAS, NULL));
	check(elsewhere(fd, serial) == EPERM);

	/* Another session, only for a child. */
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	of_one.scope = PITRACE_SCOPE_PROCESS;
	of_one.pid = pid;
	if (!begin_users(&w, of_one))
		return;
	second = w.control->serial;
	check(second != serial);
	check(page->others[PITRACE_SERIAL_PLACE(serial)][3] ==
	      (major | (serial & PITRACE_SERIAL_MASK)));
	check(page->others[PITRACE_SERIAL_PLACE(second)][3] ==
	      (major | (second & PITRACE_SERIAL_MASK)));
	check(page->others[PITRACE_SERIAL_PLACE(second)][0] == 1ull << PITRACE_MTE);
	want(EPERM, ioctl(fd, PITRACE_IOC_HOOK_FILE, &second));
	want(ESRCH, ioctl(w.fd, PITRACE_IOC_HAS, &me));
	want(0, ioctl(v.fd, PITRACE_IOC_HAS, &me));
	want(0, ioctl(w.fd, PITRACE_IOC_HAS, &pid));
	for (i = 0; i < 5; i++)
		want(ESRCH, ioctl(w.fd, PITRACE_IOC_HAS, &strange[i]));
	args.except = serial;
	want(ENODATA, ioctl(fd, PITRACE_IOC_HOOK, &args));
	args.except = second;
	want(0, ioctl(fd, PITRACE_IOC_HOOK, &args));
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check(count(&v, MAJOR) == 1);
	/* It counts among the others no more. */
	check(!page->others[PITRACE_SERIAL_PLACE(serial)][3]);
	check(page->others[PITRACE_SERIAL_PLACE(second)][3] == (second & PITRACE_SERIAL_MASK));
	want(ENODATA, ioctl(fd, PITRACE_IOC_HOOK_FILE, &serial));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	want(0, ioctl(w.fd, PITRACE_IOC_HAS, &pid));
	unview(&w);
	unview(&v);
	/* The next one in its place is another. */
	if (!begin_users(&v, plain()))
		return;
	check(v.control->serial != serial && v.control->serial != second);
	want(ENODATA, ioctl(fd, PITRACE_IOC_HOOK_FILE, &serial));
	unview(&v);
	munmap((void *)page, getpagesize());
	close(fd);
	no_session_left();
}

/* A record has the data that was written, and its writer according to the kernel, not to the
 * writer. */
void test_hook_record(void)
{
	uint64_t values[2] = { 0x1122334455667788, ~0ull };
	uint32_t lengths[3] = { 3, 0, 5 };
	struct pitrace_hook_args args = hook_args(MAJOR);
	const struct pitrace_user *u;
	int fd = hook_open(), status;
	struct view v;
	pid_t pid;

	on_cpu(0);
	if (!begin_users(&v, plain()))
		return;
	args.minor = 7;
	args.ints = 2;
	args.strs = 3;
	args.values = (uintptr_t)values;
	args.lengths = (uintptr_t)lengths;
	args.strings = (uintptr_t) "abcdefgh";
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (setgid(1000) || setuid(1000) || ioctl(fd, PITRACE_IOC_HOOK, &args))
			_exit(1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	check(status == 0);
	u = first(&v, PITRACE_RING_TRACE, MAJOR);
	check(u != NULL);
	if (u) {
		const char *p = (const char *)(u + 1);

		check(u->pid == (uint32_t)pid && u->tid == (uint32_t)pid && u->uid == 1000);
		check(u->cpu == 0 && u->ints == 2 && u->strs == 3);
		check(!memcmp(p, values, 16) && !memcmp(p + 16, lengths, 12));
		check(!memcmp(p + 28, "abcdefgh", 8));
		check(((const struct pitrace_rec *)u)[-1].minor == 7);
	}
	want(0, hook_put(fd, PITRACE_MTE, PITRACE_MTE_JIT, 5));
	u = first(&v, PITRACE_RING_MTE, PITRACE_MTE);
	check(u && u->pid == (uint32_t)getpid() && u->uid == 0 && u->ints == 1);
	unview(&v);
	close(fd);
	no_session_left();
}

/* Without a consumer user records fill half a ring; the rest is counted, and nothing stops. */
static void crowd(int mode)
{
	struct pitrace_session_args args = plain();
	static char bytes[1000];
	struct pitrace_hook_args hook = hook_args(MAJOR);
	uint32_t length = sizeof(bytes);
	long done = 0, refused = 0;
	int fd = hook_open();
	struct view v;

	args.mode = mode;
	if (!begin_users(&v, args))
		return;
	hook.strs = 1;
	hook.lengths = (uintptr_t)&length;
	hook.strings = (uintptr_t)bytes;
	for (int i = 0; i < 300; i++) {
		if (!ioctl(fd, PITRACE_IOC_HOOK, &hook))
			done++;
		else if (errno == ENOBUFS)
			refused++;
		usleep(100);
	}
	check(done >= 60 && done + refused == 300 && refused > 0);
	check(v.control->state == PITRACE_STATE_ON);
	check((uint64_t)refused == lost(&v, PITRACE_LOST_USER) + lost(&v, PITRACE_LOST_BUDGET));
	check(lost(&v, PITRACE_LOST_USER) > 0);
	check(head(&v, 0, PITRACE_RING_TRACE) <= args.trace_bytes / 2 + 2 * args.segment_bytes);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check(count(&v, MAJOR) == done);
	unview(&v);
	close(fd);
}

void test_hook_crowd(void)
{
	on_cpu(0);
	crowd(PITRACE_MODE_CONTINUOUS);
	crowd(PITRACE_MODE_NORMAL);
	no_session_left();
}

/* One user floods the buffer while another one writes now and then: the flood is limited and
 * counted for the first, and all records of the second arrive. If a call costs far more on its way
 * to the driver than in it (s390x under emulation), no process reaches a tenth of a CPU: the limit
 * is lower. */
void test_hook_budget(void)
{
	struct pitrace_session_args args = plain();
	uint64_t dropped;
	int fd = hook_open(), steady = 0;
	struct cursor c = { .ring = PITRACE_RING_TRACE };
	const struct pitrace_lost_rec *lost_rec;
	long told[2] = { 0, 0 }, more;
	volatile long *done;
	struct view v;
	pid_t pid;

	on_cpu(0);
	args.trace_bytes = 64 * MB;
	if (!begin_users(&v, args))
		return;
	set_budget("5");
	done = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (setgid(1001) || setuid(1001))
			_exit(1);
		for (struct pitrace_hook_args a = hook_args(MAJOR);;)
			*done += ioctl(fd, PITRACE_IOC_HOOK, &a) == 0;
	}
	for (int i = 0; i < 200; i++) {
		struct pitrace_hook_args a = hook_args(PITRACE_HOOKIT);

		steady += ioctl(fd, PITRACE_IOC_HOOK, &a) == 0;
		usleep(2000);
	}
	for (int i = 0; i < 1000 && !lost(&v, PITRACE_LOST_BUDGET); i++)
		usleep(2000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	set_budget("10");
	/* An emulated CPU that pauses during a call adds to the call's time: once or twice. */
	check(steady >= 198);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	dropped = lost(&v, PITRACE_LOST_BUDGET);
	check(dropped > 0 && lost(&v, PITRACE_LOST_USER) == 0);
	/* The last one may have been written and not yet added when it was killed. */
	more = count(&v, MAJOR) - *done;
	check(more == 0 || more == 1);
	check(count(&v, PITRACE_HOOKIT) == steady);
	while ((lost_rec = next(&v, &c, PITRACE_LOST)))
		told[lost_rec->uid == 1001] += lost_rec->count;
	check(told[0] == 200 - steady && told[0] + told[1] == (long)dropped);
	printf("# flood: %ld written, %ld beyond the budget; beside it %d of 200\n", *done, told[1],
	       steady);
	unview(&v);
	close(fd);
	no_session_left();
}
