// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The workers of harm: calls that are mostly right and have a field or two changed, made with what
 * the calls before have left; and a search in all that can be read.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "harm.h"

#define SESSIONS 2 /* of each worker at most */

const char *const op_names[OPS] = {
	"open",      "info",       "session",    "setup",      "event",    "itrace",   "on",
	"off",       "suspend",    "resume",     "consume",    "flush",    "rescan",   "has",
	"mmap",      "mremap",     "mprotect",   "munmap",     "poll",     "strange",  "ptt",
	"ptt_add",   "ptt_remove", "ptt_charge", "ptt_update", "ptt_here", "ptt_stop", "ptt_mmap",
	"hook_open", "hook",       "hook_mmap",  "hook_file",  "close",
};

struct shared *all;

struct mine {
	int fd;
	unsigned char *map; /* all of it, or NULL */
	size_t bytes;
};

static struct worker {
	bool root, few; /* few: no sessions for this user */
	int device, hook;
	uint32_t serial; /* of a session of its own that it has looked at */
	struct mine s[SESSIONS];
	struct mine held; /* a session that its mapping alone keeps */
} w;

bool did(enum op op, long result)
{
	__atomic_add_fetch(&all->count[op][result >= 0], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&all->calls, 1, __ATOMIC_RELAXED);
	return result >= 0;
}

static long call(int fd, unsigned long request, void *args, size_t size, bool good)
{
	unsigned char copy[256];

	unsigned char before[sizeof(copy)];
	long result;

	memcpy(copy, args, size);
	if (!good) {
		if (chance(15))
			return ioctl(fd, request, nowhere(args, size));
		spoil(copy, size);
	}
	memcpy(before, copy, size);
	result = ioctl(fd, request, copy);
	if (memcmp(before, copy, size))
		__atomic_add_fetch(&all->changed, 1, __ATOMIC_RELAXED);
	return result;
}

static void scan_map(const struct mine *s)
{
	if (s->map)
		scan(s->map, s->bytes, w.root);
}

/* ---- the calls ------------------------------------------------------------------------------- */

static void do_open(bool good)
{
	rlim_t old = good ? 0 : descriptors(3);
	int fd = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC);

	if (!good)
		descriptors(old);
	did(OPEN, fd);
	if (fd >= 0)
		did(CLOSE, close(fd));
}

static void do_info(bool good)
{
	/* Not on the stack, of which samples have copies: a bitmap's half looks like an address. */
	static struct pitrace_info info;

	info = (struct pitrace_info){ .size = good ? sizeof(info) : (uint32_t)(rnd() % 8) };
	did(INFO, good || chance(50) ? ioctl(w.device, PITRACE_IOC_INFO, &info) :
				       ioctl(w.device, PITRACE_IOC_INFO, nowhere(&info, 16)));
	scan(&info, sizeof(info), w.root);
}

static struct mine *slot(bool open)
{
	unsigned int first = (unsigned int)(rnd() % SESSIONS);

	for (unsigned int i = 0; i < SESSIONS; i++)
		if ((w.s[(first + i) % SESSIONS].fd >= 0) == open)
			return &w.s[(first + i) % SESSIONS];
	return NULL;
}

static void do_close(bool good)
{
	struct mine *s = slot(true);

	if (!good) {
		did(CLOSE, close((int)(1000 + rnd() % 100000)));
		return;
	}
	if (!s)
		return;
	scan_map(s);
	if (w.held.map) {
		scan_map(&w.held);
		did(MUNMAP, munmap(w.held.map, w.held.bytes));
		w.held.map = NULL;
	}
	if (s->map && w.root && chance(30))
		w.held = *s;
	else if (s->map)
		did(MUNMAP, munmap(s->map, s->bytes));
	did(CLOSE, close(s->fd));
	*s = (struct mine){ .fd = -1 };
}

static void do_session(bool good)
{
	struct pitrace_session_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.mode = (uint32_t)(rnd() % 3),
		.scope = PITRACE_SCOPE_PROCESS,
		.pid = getpid(),
		.segment_bytes = 32768,
		.mte_bytes = 131072ull << rnd() % 3,
		.trace_bytes = 131072ull << rnd() % 3,
	};
	rlim_t old = 0;
	bool few;
	int fd;

	/* The worker itself, or processes that come and go. */
	if (chance(40))
		args.pid = all->alive;
	/* An ordinary user has two: the workers share. */
	if (!w.root || !slot(false))
		do_close(true);
	if (w.root && chance(30)) {
		args.scope = PITRACE_SCOPE_SYSTEM;
		args.pid = 0;
	}
	/* More than there is memory for. */
	if (!good && chance(20))
		args.trace_bytes = 1ull << (24 + rnd() % 8);
	few = !good && chance(20);
	if (few)
		old = descriptors(3);
	fd = (int)call(w.device, PITRACE_IOC_SESSION, &args, sizeof(args), good || few);
	if (few)
		descriptors(old);
	if (did(SESSION, fd))
		*slot(false) = (struct mine){ .fd = fd };
	/* There are no more to be had until another worker, or a child, lets go of one. */
	else if (good)
		usleep(3000);
}

static void do_setup(const struct mine *s, bool good)
{
	struct pitrace_setup_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.rate = (uint32_t)(1 + rnd() % 5000),
		.dither = (uint32_t)(rnd() % 101),
		.seed = rnd(),
	};

	args.majors[0] = 1ull << PITRACE_TPROF;
	args.majors[MAJOR / 64] |= 1ull << MAJOR % 64;
	if (chance(50))
		args.stacks = PITRACE_WANT_USER | (w.root ? PITRACE_WANT_KERNEL : 0);
	if (chance(50)) {
		args.stacks |= PITRACE_WANT_COPY;
		args.copy = COPY;
	}
	if (chance(50))
		args.majors[0] |= all->itrace;
	if (!good && chance(85)) {
		spoil(&args, sizeof(args));
		/* It comes back in the trace and must not look like an address. */
		args.seed &= 0xFFFFFF;
		good = true;
	}
	did(SETUP, call(s->fd, PITRACE_IOC_SETUP, &args, sizeof(args), good));
}

static void do_event(const struct mine *s, bool good)
{
	struct pitrace_event_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.flags = PITRACE_EVENT_CLEAR | (w.root ? 0 : PITRACE_EVENT_USER),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.period = 1000000 + rnd() % 1000000,
		.name = "cpu-clock",
	};

	if (chance(50))
		args.type = PITRACE_EVENT_NONE;
	did(EVENT, call(s->fd, PITRACE_IOC_EVENT, &args, sizeof(args), good));
}

static void know_itrace(void)
{
	struct pitrace_info info = { .size = sizeof(info) };
	static const int majors[] = {
		PITRACE_BRANCH_USER,  PITRACE_BREAK_USER,  PITRACE_ITRACE_SWITCH,
		PITRACE_ITRACE_START, PITRACE_ITRACE_STOP,
	};

	if (ioctl(w.device, PITRACE_IOC_INFO, &info) || !(info.have & PITRACE_HAVE_ITRACE))
		return;
	for (size_t i = 0; i < sizeof(majors) / sizeof(*majors); i++)
		__atomic_fetch_or(&all->itrace, 1ull << majors[i], __ATOMIC_RELAXED);
}

/* Threads of others: this worker never waits for room, nor makes it. So no thread waits; and none
 * is traced for long, or it would not end. */
static void do_itrace(const struct mine *s, bool good)
{
	static const uint32_t flags[] = {
		0,
		PITRACE_ITRACE_FOLLOW,
		PITRACE_ITRACE_STEPS,
		PITRACE_ITRACE_FROM,
		PITRACE_ITRACE_UNTIL,
		PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL,
		PITRACE_ITRACE_NO_THREADS,
	};
	int32_t list[PITRACE_ITRACE_LIST];
	struct pitrace_itrace_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.flags = flags[rnd() % 7],
		.scope = 1 + (uint32_t)(rnd() % 4),
		.skip = rnd() % 1000,
	};

	for (int i = 0; i < PITRACE_ITRACE_LIST; i++)
		list[i] = chance(50) ? all->alive : getppid();
	if (args.scope == PITRACE_ITRACE_PIDS || args.scope == PITRACE_ITRACE_TIDS) {
		args.listed = 1;
		list[0] = chance(70) ? getpid() : list[0];
		args.list = (uintptr_t)list;
		if (chance(20))
			args.listed = 1 + (uint32_t)(rnd() % PITRACE_ITRACE_LIST);
	} else if (args.scope == PITRACE_ITRACE_RANGE) {
		args.first = 1 + (int32_t)(rnd() % 1000);
		args.last = chance(50) ? 0 : args.first + (int32_t)(rnd() % 1000);
	}
	if (args.flags & PITRACE_ITRACE_FROM) {
		args.start.fd = -1;
		args.start.address = (uintptr_t)do_itrace;
	}
	if (args.flags & PITRACE_ITRACE_UNTIL) {
		args.stop.fd = -1;
		args.stop.address = (uintptr_t)rnd;
	}
	if (!good && chance(85)) {
		spoil(&args, sizeof(args));
		good = true;
	}
	args.flags |= PITRACE_ITRACE_LOSSY;
	args.limit = 1 + rnd() % 1000;
	did(ITRACE, call(s->fd, PITRACE_IOC_ITRACE, &args, sizeof(args), good));
}

static void do_consume(const struct mine *s, bool good)
{
	struct pitrace_consume_args args = {
		.cpu = (uint32_t)(rnd() % 2),
		.ring = (uint32_t)(rnd() % 2),
		.position = odd(),
	};

	did(CONSUME, call(s->fd, PITRACE_IOC_CONSUME, &args, sizeof(args), good));
}

static void do_flush(const struct mine *s, bool good)
{
	uint32_t what = good ? (uint32_t)(rnd() % 4) : (uint32_t)odd() | 4;

	did(FLUSH, ioctl(s->fd, PITRACE_IOC_FLUSH, good || chance(70) ? &what : NULL));
}

/* Asks for itself, which is in the scope of most of its sessions; for others, and for processes
 * that do not exist. */
static void do_has(const struct mine *s, bool good)
{
	int32_t pid = good ? getpid() : chance(50) ? all->alive : (int32_t)odd();

	did(HAS, call(s->fd, PITRACE_IOC_HAS, &pid, sizeof(pid), good || chance(70)));
}

static void do_mmap(struct mine *s, bool good)
{
	long page = sysconf(_SC_PAGESIZE);
	const struct pitrace_control *c;
	size_t bytes, start, cpus;
	void *p;

	if (!good) {
		static const int prot[] = { PROT_READ, PROT_WRITE, PROT_READ | PROT_WRITE,
					    PROT_READ | PROT_EXEC };
		bytes = (size_t)page << rnd() % 16;
		p = mmap(NULL, bytes, prot[rnd() % 4], chance(50) ? MAP_SHARED : MAP_PRIVATE, s->fd,
			 (off_t)(odd() & ~4095ull & ~(1ull << 63)));
		if (did(MMAP, p == MAP_FAILED ? -1 : 0))
			munmap(p, bytes);
		return;
	}
	if (s->map) {
		did(MUNMAP, munmap(s->map, s->bytes));
		s->map = NULL;
	}
	c = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, s->fd, 0);
	if (!did(MMAP, c == MAP_FAILED ? -1 : 0))
		return;
	bytes = c->data_stride;
	start = c->data_offset;
	w.serial = c->serial;
	cpus = c->ncpus < 2 ? 1 : 2;
	munmap((void *)c, (size_t)page);
	/* The control pages, whole; then the rings of one CPU. */
	c = mmap(NULL, start, PROT_READ, MAP_SHARED, s->fd, 0);
	if (!did(MMAP, c == MAP_FAILED ? -1 : 0))
		return;
	scan(c, start, w.root);
	munmap((void *)c, start);
	p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, s->fd, (off_t)(start + rnd() % cpus * bytes));
	if (!did(MMAP, p == MAP_FAILED ? -1 : 0))
		return;
	s->map = p;
	s->bytes = bytes;
	scan_map(s);
}

static void do_mremap(struct mine *s, bool good)
{
	void *p;

	if (!s->map)
		do_mmap(s, true);
	if (!s->map)
		return;
	/* Moved or cut it may be, never made longer. */
	p = mremap(s->map, s->bytes, good ? s->bytes : s->bytes + 4096 * (1 + rnd() % 100),
		   MREMAP_MAYMOVE);
	if (did(MREMAP, p == MAP_FAILED ? -1 : 0))
		s->map = p;
}

static void do_mprotect(struct mine *s, bool good)
{
	static const int wrong[] = { PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC };

	if (!s->map)
		do_mmap(s, true);
	if (s->map)
		did(MPROTECT, mprotect(s->map, s->bytes, good ? PROT_READ : wrong[rnd() % 3]));
}

/* The number of a call counts, whatever size is stated; any other number is invalid. */
static void do_strange(const struct mine *s, bool good)
{
	struct pitrace_consume_args args = { .position = rnd() };
	unsigned int nr = good ? _IOC_NR(PITRACE_IOC_CONSUME) : 0x30 + (unsigned int)(rnd() % 200);
	unsigned int type = good || chance(50) ? PITRACE_IOC_MAGIC : (unsigned int)(rnd() % 256);
	const int fds[] = { s->fd, w.device, w.hook };
	unsigned long request = _IOC((unsigned int)(rnd() % 4), type, nr,
				     (unsigned int)(rnd() % (1 << _IOC_SIZEBITS)));

	/* These two numbers of this type are others' than the driver's. */
	if (!good && chance(30))
		request = chance(50) ? PITRACE_IOC_HOOK : PITRACE_IOC_SESSION;
	args.ring = PITRACE_RING_MTE;
	did(STRANGE, ioctl(good || request == PITRACE_IOC_HOOK || request == PITRACE_IOC_SESSION ?
				   s->fd :
				   fds[rnd() % 3],
			   request, &args));
}

static void do_munmap(struct mine *s, bool good)
{
	if (!good) {
		did(MUNMAP, munmap((void *)(4096 * rnd() + 1), 4096));
		return;
	}
	if (!s->map)
		do_mmap(s, true);
	if (s->map)
		did(MUNMAP, munmap(s->map, s->bytes));
	s->map = NULL;
}

static void do_poll(const struct mine *s, bool good)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	did(POLL, poll(good ? &p : (struct pollfd *)8, 1, chance(5) ? 1 : 0));
}

static void do_hook_open(bool good)
{
	rlim_t old = good ? 0 : descriptors(3);
	int fd = ioctl(w.device, PITRACE_IOC_HOOK_OPEN);

	if (!good)
		descriptors(old);
	if (!did(HOOK_OPEN, fd))
		return;
	if (w.hook >= 0)
		did(CLOSE, close(w.hook));
	w.hook = fd;
}

static void do_hook(bool good)
{
	static const uint64_t values[512];
	static const char bytes[PITRACE_USER_MAX];
	uint32_t lengths[8];
	struct pitrace_hook_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.major = MAJOR,
		.minor = (uint32_t)rnd() & 0xFFFFFF,
		.ints = (uint32_t)(rnd() % 64),
		.strs = (uint32_t)(rnd() % 8),
		.values = (uintptr_t)values,
		.lengths = (uintptr_t)lengths,
		.strings = (uintptr_t)bytes,
	};

	for (int i = 0; i < 8; i++)
		lengths[i] = (uint32_t)(good ? rnd() % 400 : odd());
	if (chance(10)) {
		args.major = PITRACE_MTE;
		args.minor = PITRACE_MTE_JIT;
	}
	did(HOOK, call(w.hook, PITRACE_IOC_HOOK, &args, sizeof(args), good));
}

static void do_hook_mmap(bool good)
{
	int prot = good ? PROT_READ : PROT_READ | PROT_WRITE;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, page, prot, MAP_SHARED, w.hook, 0);

	if (!did(HOOK_MMAP, p == MAP_FAILED ? -1 : 0))
		return;
	if (good)
		scan(p, page, w.root);
	munmap(p, page);
}

/* The session whose serial is known may be off, or another worker's by now. */
static void do_hook_file(const struct mine *s, bool good)
{
	uint32_t serial = good || chance(30) ? w.serial : (uint32_t)odd();

	if (good && s)
		did(ON, ioctl(s->fd, PITRACE_IOC_ON));
	did(HOOK_FILE,
	    call(w.hook, PITRACE_IOC_HOOK_FILE, &serial, sizeof(serial), good || chance(70)));
}

static void plain(const struct mine *s, enum op op, unsigned long request)
{
	did(op, ioctl(s->fd, request));
}

static void one(enum op op, bool good)
{
	struct mine *s = slot(true);

	if (!s && op >= SETUP && op <= STRANGE) {
		do_session(true);
		s = slot(true);
		if (!s)
			return;
	}
	switch (op) {
	case OPEN:
		do_open(good);
		break;
	case INFO:
		do_info(good);
		break;
	case SESSION:
		do_session(good);
		break;
	case SETUP:
	case EVENT:
	case ITRACE:
	case ON:
		/* These want a session that is off, and fail with one that is on. */
		if (good)
			plain(s, OFF, PITRACE_IOC_OFF);
		if (op == SETUP)
			do_setup(s, good);
		else if (op == EVENT)
			do_event(s, good);
		else if (op == ITRACE)
			do_itrace(s, good);
		else
			plain(s, ON, PITRACE_IOC_ON);
		break;
	case OFF:
		plain(s, OFF, PITRACE_IOC_OFF);
		break;
	case SUSPEND:
	case RESUME:
	case RESCAN:
		plain(s, good ? ON : OFF, good ? PITRACE_IOC_ON : PITRACE_IOC_OFF);
		plain(s, op,
		      op == SUSPEND ? PITRACE_IOC_SUSPEND :
		      op == RESUME  ? PITRACE_IOC_RESUME :
				      PITRACE_IOC_RESCAN);
		break;
	case CONSUME:
		do_consume(s, good);
		break;
	case FLUSH:
		do_flush(s, good);
		break;
	case HAS:
		do_has(s, good);
		break;
	case MMAP:
		do_mmap(s, good);
		break;
	case MREMAP:
		do_mremap(s, good);
		break;
	case MPROTECT:
		do_mprotect(s, good);
		break;
	case MUNMAP:
		do_munmap(s, good);
		break;
	case STRANGE:
		do_strange(s, good);
		break;
	case POLL:
		do_poll(s, good);
		break;
	case PTT:
	case PTT_ADD:
	case PTT_REMOVE:
	case PTT_CHARGE:
	case PTT_UPDATE:
	case PTT_HERE:
	case PTT_STOP:
	case PTT_MMAP:
		ptt_one(op, good, w.root, w.device);
		break;
	case HOOK_OPEN:
		do_hook_open(good);
		break;
	case HOOK:
		do_hook(good);
		break;
	case HOOK_MMAP:
		do_hook_mmap(good);
		break;
	case HOOK_FILE:
		do_hook_file(s, good);
		break;
	case CLOSE:
		do_close(good);
		break;
	default:
		break;
	}
}

/* Now and then the rarest call so far; else any, hooks most of all. */
static void any(uint64_t quota)
{
	enum op op = chance(30) ? HOOK : (enum op)(rnd() % OPS);
	bool good = chance(50);

	if (w.few)
		op = chance(50) ? HOOK : (enum op)(rnd() % OPS);
	else if (chance(50))
		for (unsigned int i = 0, k = (unsigned int)rnd(); i < 2 * OPS; i++, k++)
			if (all->count[k % (2 * OPS) / 2][k % 2] < quota &&
			    (w.root || k % (2 * OPS) != 2 * EVENT + 1)) {
				op = (enum op)(k % (2 * OPS) / 2);
				good = k % 2;
				break;
			}
	/* Calls that create or switch something wait for all CPUs and are expensive. */
	if (((op >= SESSION && op <= RESUME) || op == RESCAN || op == CLOSE || op == PTT ||
	     op == PTT_STOP) &&
	    all->count[op][0] > quota && all->count[op][1] > quota && !chance(5))
		op = HOOK;
	one(op, good);
}

/* ---- workers --------------------------------------------------------------------------------- */

void become(uid_t uid, gid_t group)
{
	if (!uid)
		return;
	if (setgroups(group ? 1 : 0, &group) || setgid(uid) || setuid(uid) ||
	    prctl(PR_SET_DUMPABLE, 1)) {
		perror("harm: becoming a user");
		_exit(2);
	}
}

/* A child has the same descriptors and no mapping; it makes calls of its own at the same time, then
 * is another program, or gone. */
static void bear(uint64_t quota)
{
	pid_t pid = fork();

	if (pid)
		return;
	seed(rnd() + (uint64_t)getpid());
	w.held.map = NULL;
	for (int i = 0; i < SESSIONS; i++)
		w.s[i].map = NULL;
	ptt_born();
	for (int i = 0; i < 5; i++)
		any(quota);
	if (chance(50))
		execl("/bin/true", "true", NULL);
	_exit(0);
}

void worker(const struct worker_args *a)
{
	become(a->uid, a->group);
	signal(SIGCHLD, SIG_IGN);
	w = (struct worker){ .root = !a->uid, .hook = -1, .few = !a->sessions };
	seed(a->seed);
	for (int i = 0; i < SESSIONS; i++)
		w.s[i].fd = -1;
	w.device = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC);
	if (w.device < 0) {
		perror(PITRACE_DEVICE);
		_exit(2);
	}
	w.hook = ioctl(w.device, PITRACE_IOC_HOOK_OPEN);
	know_itrace();
	while (__atomic_load_n(&all->calls, __ATOMIC_RELAXED) < a->calls) {
		any(a->quota);
		if (!(rnd() % 500)) {
			__atomic_add_fetch(&all->children, 1, __ATOMIC_RELAXED);
			bear(a->quota);
		}
	}
	for (int i = 0; i < SESSIONS; i++)
		scan_map(&w.s[i]);
	ptt_scan(w.root);
	_exit(0);
}
