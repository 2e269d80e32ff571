// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The driver's ABI, asked wrongly in every way we could think of: each bad call must be refused
 * with the error that it deserves, and each good one work. Runs as root in a guest.
 *	abi [NAME]...      these tests, or all
 *	abi trace MS       one short system-wide trace, its rings checked
 *	abi hold [on]      open a session (and switch it on), map it, say "ready", wait to be killed
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include <time.h>
#include <unistd.h>
#include <pitrace.h>

#define KB	1024ull
#define MB	(1024 * KB)

static int bad;			/* of the test that runs */

__attribute__((format(printf, 1, 2))) static void wrong(const char *format, ...)
{
	va_list args;

	bad++;
	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* Expect a call to fail with this errno, or (0) to succeed. Returns its result. */
#define want(error, call) ({						\
	long want_r;							\
	int want_e = (error);						\
	errno = 0;							\
	want_r = (long)(call);						\
	if ((want_r < 0 ? errno : 0) != want_e)				\
		wrong("line %d: %s: %s, not %s", __LINE__, #call,	\
		      want_r < 0 ? strerrorname_np(errno) : "ok",	\
		      want_e ? strerrorname_np(want_e) : "ok");		\
	want_r;								\
})
#define check(cond) ((cond) ? (void)0 : wrong("line %d: not so: %s", __LINE__, #cond))

static int device(void)
{
	int fd = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		perror(PITRACE_DEVICE);
		exit(2);
	}
	return fd;
}

static struct pitrace_session_args plain(void)
{
	return (struct pitrace_session_args){
		.size = sizeof(struct pitrace_session_args), .version = PITRACE_ABI_VERSION,
		.mode = PITRACE_MODE_CONTINUOUS, .segment_bytes = 32 * KB,
		.mte_bytes = 1 * MB, .trace_bytes = 128 * KB,
	};
}

static int session(const struct pitrace_session_args *args)
{
	int dev = device(), fd = ioctl(dev, PITRACE_IOC_SESSION, args), error = errno;

	close(dev);
	errno = error;
	return fd;
}

/* A struct of another size than the driver's: `bytes` of it, the excess filled with `fill`. */
static int session_of_size(uint32_t size, uint32_t version, unsigned char fill)
{
	static union {
		struct pitrace_session_args args;
		unsigned char bytes[8192];
	} u;

	memset(&u, fill, sizeof(u));
	u.args = plain();
	u.args.size = size;
	u.args.version = version;
	return session(&u.args);
}

static struct pitrace_setup_args setup_args(uint32_t rate)
{
	return (struct pitrace_setup_args){
		.size = sizeof(struct pitrace_setup_args), .version = PITRACE_ABI_VERSION,
		.rate = rate, .dither = 100, .majors = { 1ull << PITRACE_TPROF },
	};
}

static struct pitrace_info info(void)
{
	struct pitrace_info i = { .size = sizeof(i) };
	int dev = device();

	want(0, ioctl(dev, PITRACE_IOC_INFO, &i));
	close(dev);
	return i;
}

static void nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static void spin(long ms)
{
	struct timespec t;
	int64_t end;

	clock_gettime(CLOCK_MONOTONIC, &t);
	end = t.tv_sec * 1000000000ll + t.tv_nsec + ms * 1000000ll;
	do
		clock_gettime(CLOCK_MONOTONIC, &t);
	while (t.tv_sec * 1000000000ll + t.tv_nsec < end);
}

/* What every test leaves behind must be nothing. */
static void no_session_left(void)
{
	check(info().sessions == 0);
}

/* ---- a session seen through its pages -------------------------------------------------------- */

struct view {
	int fd;
	struct pitrace_control *control;
	size_t control_bytes;
	unsigned char *data[64];
};

static const struct pitrace_cpu *page_of(const struct view *v, unsigned int cpu)
{
	return (const void *)((const char *)v->control + v->control->cpu_offset +
			      (size_t)cpu * v->control->cpu_stride);
}

static uint64_t head(const struct view *v, unsigned int cpu, int ring)
{
	return __atomic_load_n(&page_of(v, cpu)->ring[ring].head, __ATOMIC_ACQUIRE);
}

static bool view(struct view *v, int fd)
{
	unsigned int cpu;
	void *p;

	memset(v, 0, sizeof(*v));
	v->fd = fd;
	p = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		wrong("control page: %s", strerror(errno));
		return false;
	}
	v->control = p;
	v->control_bytes = v->control->data_offset;
	p = mmap(NULL, v->control_bytes, PROT_READ, MAP_SHARED, fd, 0);
	munmap(v->control, getpagesize());
	v->control = p;
	if (p == MAP_FAILED) {
		wrong("control pages: %s", strerror(errno));
		return false;
	}
	for (cpu = 0; cpu < v->control->ncpus && cpu < 64; cpu++) {
		if (!page_of(v, cpu)->present)
			continue;
		p = mmap(NULL, v->control->mte_bytes + v->control->trace_bytes, PROT_READ, MAP_SHARED,
			 fd, v->control->data_offset + cpu * v->control->data_stride);
		if (p == MAP_FAILED) {
			wrong("rings of CPU %u: %s", cpu, strerror(errno));
			return false;
		}
		v->data[cpu] = p;
	}
	return true;
}

static void unview(struct view *v)
{
	unsigned int cpu;

	for (cpu = 0; cpu < 64; cpu++)
		if (v->data[cpu])
			munmap(v->data[cpu], v->control->mte_bytes + v->control->trace_bytes);
	munmap(v->control, v->control_bytes);
	close(v->fd);
}

static int consume(const struct view *v, uint32_t cpu, uint32_t ring, uint64_t position)
{
	struct pitrace_consume_args args = { .cpu = cpu, .ring = ring, .position = position };

	return ioctl(v->fd, PITRACE_IOC_CONSUME, &args);
}

/* One segment: its header, and that its records lead to its end. Returns how many records. */
static int check_segment(const struct view *v, unsigned int cpu, int ring, uint64_t position,
			 uint64_t *last)
{
	size_t bytes = v->control->segment_bytes, at = sizeof(struct pitrace_segment);
	size_t size = ring == PITRACE_RING_MTE ? v->control->mte_bytes : v->control->trace_bytes;
	const unsigned char *p = v->data[cpu] + (ring ? v->control->mte_bytes : 0) + position % size;
	const struct pitrace_segment *seg = (const void *)p;
	uint64_t stamp = seg->stamp;
	int records = 0;

	if (seg->magic != PITRACE_SEGMENT_MAGIC || seg->size != sizeof(*seg) ||
	    seg->ring != (unsigned int)ring || seg->cpu != cpu ||
	    seg->session != v->control->session || seg->sequence != position / bytes ||
	    seg->reserved[0] || seg->reserved[1] || seg->reserved[2]) {
		wrong("CPU %u ring %d at %#llx: not a segment's header", cpu, ring,
		      (unsigned long long)position);
		return -1;
	}
	while (at + 12 <= bytes) {
		const struct pitrace_rec *rec = (const void *)(p + at);
		unsigned int length = rec->type_len & PITRACE_LEN_MASK;

		if (rec->major == PITRACE_PAD)
			return records;
		if (length < 12 || at + length > bytes) {
			wrong("CPU %u ring %d at %#llx+%zx: length %u", cpu, ring,
			      (unsigned long long)position, at, length);
			return -1;
		}
		if (rec->major == PITRACE_HIGH)
			stamp = (uint64_t)rec->minor << 32 | rec->stamp;
		else
			stamp = (stamp & ~0xFFFFFFFFull) | rec->stamp;
		if (stamp < *last) {
			wrong("CPU %u ring %d at %#llx+%zx: time went back", cpu, ring,
			      (unsigned long long)position, at);
			return -1;
		}
		*last = stamp;
		records++;
		at += length;
	}
	return records;
}

/* All whole segments that are still there. Returns the records. */
static long check_rings(const struct view *v)
{
	uint64_t segment = v->control->segment_bytes;
	long records = 0;
	unsigned int cpu;
	int ring;

	for (cpu = 0; cpu < v->control->ncpus; cpu++)
		for (ring = 0; v->data[cpu] && ring < PITRACE_RINGS; ring++) {
			uint64_t end = head(v, cpu, ring) / segment * segment, at, last = 0;
			uint64_t size = ring ? v->control->trace_bytes : v->control->mte_bytes;

			for (at = end > size ? end - size : 0; at < end; at += segment) {
				int n = check_segment(v, cpu, ring, at, &last);

				if (n < 0)
					break;
				records += n;
			}
		}
	return records;
}

static uint64_t lost(const struct view *v, int kind)
{
	uint64_t sum = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < v->control->ncpus; cpu++)
		sum += page_of(v, cpu)->lost[kind];
	return sum;
}

static uint64_t ticks(const struct view *v)
{
	uint64_t sum = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < v->control->ncpus; cpu++)
		sum += page_of(v, cpu)->ticks;
	return sum;
}

static bool begin(struct view *v, struct pitrace_session_args args, uint32_t rate)
{
	struct pitrace_setup_args setup = setup_args(rate);
	int fd = want(0, session(&args));

	if (fd < 0 || !view(v, fd))
		return false;
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	return true;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_info(void)
{
	static union {
		struct pitrace_info i;
		unsigned char bytes[256];
	} u;
	int dev = device();

	u.i.size = sizeof(u.i);
	want(0, ioctl(dev, PITRACE_IOC_INFO, &u));
	check(u.i.size == sizeof(u.i) && u.i.version == PITRACE_ABI_VERSION);
	check(u.i.clock == PITRACE_CLOCK_TSC || u.i.clock == PITRACE_CLOCK_MONOTONIC);
	check(u.i.clock_hz >= 1000000);
	check(u.i.missing == 0);
	check((u.i.have & (PITRACE_HAVE_FORK | PITRACE_HAVE_EXEC | PITRACE_HAVE_EXIT)) ==
	      (PITRACE_HAVE_FORK | PITRACE_HAVE_EXEC | PITRACE_HAVE_EXIT));
	check(!u.i.reserved[0] && !u.i.reserved[1] && !u.i.reserved[2] && !u.i.reserved[3]);

	/* A caller that knows less gets less and not a byte more; one that knows more gets ours. */
	memset(&u, 0xAA, sizeof(u));
	u.i.size = 8;
	want(0, ioctl(dev, PITRACE_IOC_INFO, &u));
	check(u.i.version == PITRACE_ABI_VERSION && u.bytes[8] == 0xAA);
	memset(&u, 0xAA, sizeof(u));
	u.i.size = sizeof(u);
	want(0, ioctl(dev, PITRACE_IOC_INFO, &u));
	check(u.i.size == sizeof(u.i) && u.bytes[sizeof(u.i)] == 0xAA);
	u.i.size = 4;
	want(EINVAL, ioctl(dev, PITRACE_IOC_INFO, &u));
	want(EFAULT, ioctl(dev, PITRACE_IOC_INFO, NULL));
	want(EFAULT, ioctl(dev, PITRACE_IOC_INFO, (void *)-4096l));
	close(dev);
}

static void test_numbers(void)
{
	struct pitrace_session_args args = plain();
	int dev = device(), fd = want(0, session(&args));
	char byte = 0;

	want(ENOTTY, ioctl(dev, _IO(PITRACE_IOC_MAGIC, 0x7F), &args));
	want(ENOTTY, ioctl(dev, _IO('T', 0), &args));
	want(ENOTTY, ioctl(dev, PITRACE_IOC_ON));
	want(ENOTTY, ioctl(fd, _IO(PITRACE_IOC_MAGIC, 0x7F), &args));
	want(ENOTTY, ioctl(fd, _IO('T', 0), &args));
	want(ENOTTY, ioctl(fd, PITRACE_IOC_SESSION, &args));
	want(EINVAL, read(fd, &byte, 1));
	want(EINVAL, write(fd, &byte, 1));
	want(EINVAL, read(dev, &byte, 1));
	want(ENODEV, mmap(NULL, 4096, PROT_READ, MAP_SHARED, dev, 0));
	close(fd);
	close(dev);
}

static void test_session_sizes(void)
{
	uint32_t ours = sizeof(struct pitrace_session_args), size;
	int fd;

	want(EINVAL, session_of_size(0, 1, 0));
	want(EINVAL, session_of_size(4, 1, 0));
	want(EINVAL, session_of_size(7, 1, 0));
	want(EINVAL, session_of_size(ours, 0, 0));
	want(EINVAL, session_of_size(ours, 2, 0));
	want(E2BIG, session_of_size(ours + 8, 1, 1));
	want(E2BIG, session_of_size(4096, 1, 0xFF));
	want(EINVAL, session_of_size(8192, 1, 0));
	want(EINVAL, session_of_size(0xFFFFFFFF, 1, 0));
	want(EFAULT, session(NULL));
	want(EFAULT, session((void *)0x1000));
	want(EFAULT, session((void *)-4096l));
	/* Shorter ones mean zeros, also when they end in the middle of a field. */
	for (size = 8; size <= ours; size += 4) {
		fd = want(0, session_of_size(size, 1, 0xFF));
		if (fd >= 0)
			close(fd);
	}
	fd = want(0, session_of_size(ours + 100, 1, 0));
	if (fd >= 0)
		close(fd);
	no_session_left();
}

/* A struct whose end is on a page that is not there. */
static void test_session_edge(void)
{
	unsigned char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pitrace_session_args args = plain();
	uint32_t ours = sizeof(args);
	int fd;

	munmap(p + 4096, 4096);
	memcpy(p + 4096 - ours + 4, &args, ours - 4);
	want(EFAULT, session((void *)(p + 4096 - ours + 4)));
	memcpy(p + 4096 - 4, &args, 4);
	want(EFAULT, session((void *)(p + 4096 - 4)));
	memcpy(p + 4096 - ours, &args, ours);
	fd = want(0, session((void *)(p + 4096 - ours)));
	close(fd);
	munmap(p, 4096);
	no_session_left();
}

static void refuse(int error, const char *what, struct pitrace_session_args args)
{
	int fd;

	errno = 0;
	fd = session(&args);
	if (fd >= 0 || errno != error)
		wrong("%s: %s, not %s", what, fd >= 0 ? "ok" : strerrorname_np(errno),
		      strerrorname_np(error));
	if (fd >= 0)
		close(fd);
}

#define REFUSE(error, ...) ({				\
	struct pitrace_session_args args = plain();	\
	__VA_ARGS__;					\
	refuse(error, #__VA_ARGS__, args);		\
})

static void test_session_fields(void)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		REFUSE(EINVAL, args.flags = 1u << i);
	REFUSE(EINVAL, args.reserved[0] = 1);
	REFUSE(EINVAL, args.reserved[1] = 1ull << 63);
	REFUSE(EOPNOTSUPP, args.mode = PITRACE_MODE_WRAP);
	REFUSE(EINVAL, args.mode = 3);
	REFUSE(EINVAL, args.mode = 0xFFFFFFFF);
	REFUSE(EINVAL, args.scope = 2);
	REFUSE(EINVAL, args.scope = 0xFFFFFFFF);
	REFUSE(EINVAL, args.clock = 3);
	REFUSE(EINVAL, args.clock = 0xFFFFFFFF);
	REFUSE(EINVAL, args.pid = 1);
	REFUSE(EINVAL, args.scope = PITRACE_SCOPE_PROCESS);
	REFUSE(EINVAL, args.scope = PITRACE_SCOPE_PROCESS; args.pid = -1);
	REFUSE(ESRCH, args.scope = PITRACE_SCOPE_PROCESS; args.pid = 0x7FFFFFFF);
	REFUSE(ESRCH, args.scope = PITRACE_SCOPE_PROCESS; args.pid = 4000000);
	REFUSE(EINVAL, args.segment_bytes = 1);
	REFUSE(EINVAL, args.segment_bytes = 8192);
	REFUSE(EINVAL, args.segment_bytes = 48 * KB);
	REFUSE(EINVAL, args.segment_bytes = 2 * MB);
	REFUSE(EINVAL, args.segment_bytes = 0x80000000);
	REFUSE(EINVAL, args.mte_bytes = 1024 * MB + 1);
	REFUSE(EINVAL, args.trace_bytes = 1024 * MB + 1);
	REFUSE(EINVAL, args.mte_bytes = ~0ull);
	REFUSE(EINVAL, args.trace_bytes = 1ull << 63);
	/* More than the machine has: a refusal, not a kernel that gasps. */
	REFUSE(ENOMEM, args.trace_bytes = 1024 * MB);
	REFUSE(ENOMEM, args.mte_bytes = 1024 * MB; args.trace_bytes = 1024 * MB);
	no_session_left();
}

static void test_session_rounding(void)
{
	struct pitrace_session_args args = plain();
	struct view v;

	args.segment_bytes = 0;
	args.mte_bytes = 1;
	args.trace_bytes = 3 * MB;
	if (begin(&v, args, 0)) {
		check(v.control->segment_bytes == 64 * KB);
		check(v.control->mte_bytes == 256 * KB);
		check(v.control->trace_bytes == 4 * MB);
		unview(&v);
	}
	args.segment_bytes = 1 * MB;
	args.trace_bytes = 0;
	if (begin(&v, args, 0)) {
		check(v.control->segment_bytes == 1 * MB);
		check(v.control->mte_bytes == 4 * MB);
		check(v.control->trace_bytes == 4 * MB);
		unview(&v);
	}
	no_session_left();
}

static void test_control_page(void)
{
	struct view v;

	if (!begin(&v, plain(), 1234))
		return;
	check(v.control->size == sizeof(struct pitrace_control));
	check(v.control->version == PITRACE_ABI_VERSION);
	check(v.control->session >= 1 && v.control->session <= PITRACE_MAX_SESSIONS);
	check(v.control->state == PITRACE_STATE_OFF);
	check(v.control->ncpus >= (unsigned int)sysconf(_SC_NPROCESSORS_ONLN));
	check(v.control->cpu_stride >= sizeof(struct pitrace_cpu));
	check(v.control->data_offset % getpagesize() == 0);
	check(v.control->data_stride >= v.control->mte_bytes + v.control->trace_bytes);
	check(v.control->mode == PITRACE_MODE_CONTINUOUS);
	check(v.control->clock == info().clock);
	check(v.control->interval == 0);
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	check(v.control->state == PITRACE_STATE_ON);
	check(v.control->interval == 1 && v.control->rate == 1234 && v.control->dither == 100);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check(v.control->state == PITRACE_STATE_OFF);
	unview(&v);
}

static void test_busy(void)
{
	struct pitrace_session_args args = plain(), process = plain();
	int first = want(0, session(&args)), more[PITRACE_MAX_SESSIONS], i;

	want(EBUSY, session(&args));
	check(info().sessions == 1);
	process.scope = PITRACE_SCOPE_PROCESS;
	process.pid = getpid();
	process.mte_bytes = 128 * KB;
	for (i = 1; i < PITRACE_MAX_SESSIONS; i++)
		more[i] = want(0, session(&process));
	want(EBUSY, session(&process));
	check(info().sessions == PITRACE_MAX_SESSIONS);
	close(first);
	check(info().sessions == PITRACE_MAX_SESSIONS - 1);
	first = want(0, session(&args));
	close(first);
	for (i = 1; i < PITRACE_MAX_SESSIONS; i++)
		close(more[i]);
	no_session_left();
}

static void test_setup(void)
{
	struct pitrace_session_args args = plain();
	int fd = want(0, session(&args)), i;
	struct pitrace_setup_args setup;
	bool known;
	union {
		struct pitrace_setup_args args;
		unsigned char bytes[128];
	} u;

	want(EFAULT, ioctl(fd, PITRACE_IOC_SETUP, NULL));
	setup = setup_args(20000);
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup.rate = 20001;
	want(EINVAL, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup.rate = 0xFFFFFFFF;
	want(EINVAL, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup = setup_args(1);
	setup.dither = 101;
	want(EINVAL, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup = setup_args(1);
	setup.version = 0;
	want(EINVAL, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup = setup_args(1);
	setup.size = 7;
	want(EINVAL, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup = setup_args(1);
	setup.size = 16;
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	memset(&u, 0, sizeof(u));
	u.args = setup_args(1);
	u.args.size = sizeof(u);
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &u));
	u.bytes[sizeof(u) - 1] = 1;
	want(E2BIG, ioctl(fd, PITRACE_IOC_SETUP, &u));
	/* Majors that nobody writes yet are refused, each of them. */
	for (i = 0; i < PITRACE_MAJORS; i++) {
		setup = setup_args(1);
		setup.majors[i / 64] |= 1ull << (i % 64);
		known = i == PITRACE_TPROF || i == PITRACE_SYSINFO || i == PITRACE_MTE;
		want(known ? 0 : EOPNOTSUPP, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	}
	close(fd);
	no_session_left();
}

static void test_states(void)
{
	struct pitrace_setup_args setup = setup_args(100);
	struct pitrace_session_args args = plain();
	int fd = want(0, session(&args)), i;

	want(EALREADY, ioctl(fd, PITRACE_IOC_OFF));
	want(EINVAL, ioctl(fd, PITRACE_IOC_SUSPEND));
	want(EINVAL, ioctl(fd, PITRACE_IOC_RESUME));
	want(EINVAL, ioctl(fd, PITRACE_IOC_RESCAN));
	for (i = 0; i < 3; i++) {
		want(0, ioctl(fd, PITRACE_IOC_ON));
		want(EBUSY, ioctl(fd, PITRACE_IOC_ON));
		want(EBUSY, ioctl(fd, PITRACE_IOC_SETUP, &setup));
		want(0, ioctl(fd, PITRACE_IOC_RESUME));
		want(0, ioctl(fd, PITRACE_IOC_SUSPEND));
		want(0, ioctl(fd, PITRACE_IOC_SUSPEND));
		want(EBUSY, ioctl(fd, PITRACE_IOC_ON));
		want(0, ioctl(fd, PITRACE_IOC_RESCAN));
		want(0, ioctl(fd, PITRACE_IOC_RESUME));
		want(0, ioctl(fd, PITRACE_IOC_RESCAN));
		want(0, ioctl(fd, PITRACE_IOC_OFF));
		want(EALREADY, ioctl(fd, PITRACE_IOC_OFF));
		want(EINVAL, ioctl(fd, PITRACE_IOC_RESUME));
		want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	}
	/* Off while suspended, closed while on. */
	want(0, ioctl(fd, PITRACE_IOC_ON));
	want(0, ioctl(fd, PITRACE_IOC_SUSPEND));
	want(0, ioctl(fd, PITRACE_IOC_OFF));
	want(0, ioctl(fd, PITRACE_IOC_ON));
	close(fd);
	no_session_left();
}

/* While suspended there are no ticks. */
static void test_suspend(void)
{
	struct view v;
	uint64_t n;

	if (!begin(&v, plain(), 5000))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	spin(50);
	n = ticks(&v);
	check(n > 10);
	want(0, ioctl(v.fd, PITRACE_IOC_SUSPEND));
	check(v.control->state == PITRACE_STATE_SUSPENDED);
	n = ticks(&v);
	spin(50);
	check(ticks(&v) == n);
	want(0, ioctl(v.fd, PITRACE_IOC_RESUME));
	spin(50);
	check(ticks(&v) > n);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	n = ticks(&v);
	spin(20);
	check(ticks(&v) == n);
	check(check_rings(&v) > 20);
	unview(&v);
}

static void test_consume_arguments(void)
{
	struct view v;

	if (!begin(&v, plain(), 5000))
		return;
	want(EINVAL, consume(&v, v.control->ncpus, 0, 0));
	want(EINVAL, consume(&v, 0xFFFFFFFF, 0, 0));
	want(EINVAL, consume(&v, 0, PITRACE_RINGS, 0));
	want(EINVAL, consume(&v, 0, 0xFFFFFFFF, 0));
	want(EFAULT, ioctl(v.fd, PITRACE_IOC_CONSUME, NULL));
	want(0, consume(&v, 0, 0, 0));
	want(EFAULT, ioctl(v.fd, PITRACE_IOC_FLUSH, NULL));
	want(EINVAL, ioctl(v.fd, PITRACE_IOC_FLUSH, &(uint32_t){ 4 }));
	want(EINVAL, ioctl(v.fd, PITRACE_IOC_FLUSH, &(uint32_t){ 0x80000001 }));
	want(0, ioctl(v.fd, PITRACE_IOC_FLUSH, &(uint32_t){ 0 }));
	want(0, ioctl(v.fd, PITRACE_IOC_FLUSH, &(uint32_t){ 3 }));
	unview(&v);
}

/* A consumer that lies (far ahead, then back) gains no room: the ring fills and says so. */
static void test_consume_lies(void)
{
	uint64_t filled, before;
	unsigned int cpu = 0;
	cpu_set_t one;
	struct view v;
	int i;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (!begin(&v, plain(), 20000))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	spin(20);
	want(0, consume(&v, cpu, PITRACE_RING_TRACE, ~0ull));
	want(0, consume(&v, cpu, PITRACE_RING_TRACE, 1ull << 62));
	want(0, consume(&v, cpu, PITRACE_RING_TRACE, 0));
	check(lost(&v, PITRACE_LOST_TPROF) == 0);
	for (i = 0; i < 200 && !lost(&v, PITRACE_LOST_TPROF); i++)
		spin(20);
	check(lost(&v, PITRACE_LOST_TPROF) > 0);
	filled = head(&v, cpu, PITRACE_RING_TRACE);
	/* The segment that was open when it lied could not be freed, nor can one be twice. */
	check(filled <= v.control->trace_bytes + v.control->segment_bytes);
	want(0, consume(&v, cpu, PITRACE_RING_TRACE, 0));
	before = lost(&v, PITRACE_LOST_TPROF);
	spin(20);
	check(head(&v, cpu, PITRACE_RING_TRACE) == filled);
	check(lost(&v, PITRACE_LOST_TPROF) > before);
	/* Once it really has read, it goes on, and the gap is told in the stream. */
	want(0, consume(&v, cpu, PITRACE_RING_TRACE, filled));
	spin(20);
	check(head(&v, cpu, PITRACE_RING_TRACE) > filled);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check_rings(&v);
	unview(&v);
	sched_setaffinity(0, sizeof(one), &(cpu_set_t){ { ~0ul } });
}

static void test_mmap(void)
{
	struct pitrace_control *c;
	int page = getpagesize();
	size_t bytes, rings;
	struct view v;
	void *p;

	if (!begin(&v, plain(), 0))
		return;
	c = v.control;
	bytes = v.control_bytes;
	rings = c->mte_bytes + c->trace_bytes;
#define MAP(length, prot, flags, offset) mmap(NULL, length, prot, flags, v.fd, offset)
	want(EPERM, MAP(page, PROT_READ | PROT_WRITE, MAP_SHARED, 0));
	want(EPERM, MAP(page, PROT_WRITE, MAP_SHARED, 0));
	want(EPERM, MAP(page, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0));
	want(EPERM, MAP(page, PROT_READ | PROT_WRITE, MAP_SHARED, c->data_offset));
	want(EINVAL, MAP(page, PROT_READ, MAP_SHARED, 1));
	want(EINVAL, MAP(page, PROT_READ, MAP_SHARED, page / 2));
	want(EINVAL, MAP(0, PROT_READ, MAP_SHARED, 0));
	want(EINVAL, MAP(bytes + page, PROT_READ, MAP_SHARED, 0));
	want(EINVAL, MAP(bytes, PROT_READ, MAP_SHARED, page));
	want(EINVAL, MAP(rings + page, PROT_READ, MAP_SHARED, c->data_offset));
	want(EINVAL, MAP(rings, PROT_READ, MAP_SHARED, c->data_offset + page));
	want(ENXIO, MAP(page, PROT_READ, MAP_SHARED, c->data_offset + c->ncpus * c->data_stride));
	want(ENXIO, MAP(page, PROT_READ, MAP_SHARED, 1ull << 50));
	want(ENXIO, MAP(page, PROT_READ, MAP_SHARED, 0x7FFFFFFFFFFF0000ull));

	/* What was mapped for reading stays so, does not grow, and no child inherits it. */
	p = MAP(page, PROT_READ, MAP_SHARED, 0);
	want(EACCES, mprotect(p, page, PROT_READ | PROT_WRITE));
	want(EACCES, mprotect(p, page, PROT_READ | PROT_EXEC));
	want(EFAULT, mremap(p, page, 2 * page, MREMAP_MAYMOVE));
	munmap(p, page);
	p = MAP(page, PROT_READ, MAP_PRIVATE, 0);
	if (p != MAP_FAILED) {
		want(EACCES, mprotect(p, page, PROT_READ | PROT_WRITE));
		munmap(p, page);
	}
	/* Each last page can be read. */
	check(v.data[0][rings - 1] == 0);
	check(((char *)c)[bytes - 1] == 0);
	unview(&v);
	no_session_left();
}

/* A session lives as long as anything of it is held: here its mapping. */
static void test_mapping_holds(void)
{
	struct view v;

	if (!begin(&v, plain(), 1000))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	close(v.fd);
	check(info().sessions == 1);
	spin(30);
	check(v.control->state == PITRACE_STATE_ON && ticks(&v) > 0);
	v.fd = -1;
	unview(&v);
	no_session_left();
}

/* Memory is clean for its next owner. */
static void test_zeroed(void)
{
	size_t size, i;
	int round, dirty = 0;
	struct view v;

	for (round = 0; round < 3; round++) {
		if (!begin(&v, plain(), 20000))
			return;
		size = v.control->mte_bytes + v.control->trace_bytes;
		for (i = 0; i < size; i++)
			dirty += v.data[0][i] != 0;
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		spin(30);
		unview(&v);
	}
	check(!dirty);
}

static void test_poll(void)
{
	struct pitrace_session_args args = plain();
	struct pollfd pfd = { .events = POLLIN };
	struct view v;

	if (!begin(&v, args, 20000))
		return;
	pfd.fd = v.fd;
	check(poll(&pfd, 1, 0) == 0);
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	want(0, ioctl(v.fd, PITRACE_IOC_FLUSH, &(uint32_t){ 3 }));
	check(poll(&pfd, 1, 1000) == 1 && pfd.revents == POLLIN);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	unview(&v);

	/* Normal mode: it fills, stops itself, says where, and poll hangs up. */
	args.mode = PITRACE_MODE_NORMAL;
	if (!begin(&v, args, 20000))
		return;
	pfd.fd = v.fd;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	while (poll(&pfd, 1, 0) >= 0 && !(pfd.revents & POLLHUP) && ticks(&v) < 100000)
		spin(10);
	check(pfd.revents == (POLLIN | POLLHUP));
	check(v.control->state == PITRACE_STATE_STOPPED);
	check(v.control->stop_cpu < v.control->ncpus);
	check(v.control->stop_ring == PITRACE_RING_TRACE);
	check(page_of(&v, v.control->stop_cpu)->lost[PITRACE_LOST_TPROF] > 0);
	want(EBUSY, ioctl(v.fd, PITRACE_IOC_ON));
	want(EINVAL, ioctl(v.fd, PITRACE_IOC_SUSPEND));
	want(EINVAL, ioctl(v.fd, PITRACE_IOC_RESUME));
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check(check_rings(&v) > 1000);
	/* The next interval begins with empty rings. */
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	check(v.control->state == PITRACE_STATE_ON && v.control->interval == 2);
	check(lost(&v, PITRACE_LOST_TPROF) == 0);
	unview(&v);
	no_session_left();
}

/* Normal mode with an MTE ring too small for what lives: *on* fails, cleanly. */
static void test_mte_full(void)
{
	struct pitrace_session_args args = plain();
	int i, status, fd;
	pid_t child[200];

	args.mode = PITRACE_MODE_NORMAL;
	args.mte_bytes = 128 * KB;
	for (i = 0; i < 200; i++) {
		child[i] = fork();
		if (!child[i]) {
			pause();
			_exit(0);
		}
	}
	fd = want(0, session(&args));
	want(ENOBUFS, ioctl(fd, PITRACE_IOC_ON));
	want(ENOBUFS, ioctl(fd, PITRACE_IOC_ON));
	want(EALREADY, ioctl(fd, PITRACE_IOC_OFF));
	for (i = 0; i < 200; i++)
		if (child[i] > 0) {
			kill(child[i], SIGKILL);
			waitpid(child[i], &status, 0);
		}
	want(0, ioctl(fd, PITRACE_IOC_ON));
	want(0, ioctl(fd, PITRACE_IOC_OFF));
	close(fd);
	no_session_left();
}

/* Run part in a child that is an ordinary user, perhaps in the device's group. */
static void as_user(gid_t group, void (*part)(int fd), int fd)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		bad = 0;
		if (setgroups(group ? 1 : 0, &group) || setgid(1000) || setuid(1000))
			wrong("cannot become uid 1000");
		part(fd);
		fflush(stdout);
		_exit(bad != 0);
	}
	waitpid(pid, &status, 0);
	bad += status != 0;
}

static void outsider(int fd)
{
	(void)fd;
	want(EACCES, open(PITRACE_DEVICE, O_RDWR));
	want(EACCES, open(PITRACE_DEVICE, O_RDONLY));
}

static void member(int fd)
{
	struct pitrace_session_args args = plain();

	(void)fd;
	info();
	want(EPERM, session(&args));
	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = getpid();
	want(EPERM, session(&args));
}

/* A descriptor that came into the wrong hands can be read and stopped, never started. */
static void heir(int fd)
{
	want(EPERM, ioctl(fd, PITRACE_IOC_ON));
	want(EPERM, ioctl(fd, PITRACE_IOC_RESUME));
}

static void test_permissions(void)
{
	struct pitrace_session_args args = plain();
	struct group *g = getgrnam("pitrace");
	int fd;

	as_user(0, outsider, -1);
	if (g)
		as_user(g->gr_gid, member, -1);
	fd = want(0, session(&args));
	as_user(0, heir, fd);
	close(fd);
	no_session_left();
}

/* Who may trace but not lock memory beyond its limit gets no more than the limit. */
static void limited(int fd)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { { 0 } };
	struct pitrace_session_args args = plain();
	struct rlimit limit = { 600 * KB, 600 * KB };	/* two CPUs of two rings of 128 KB: fits */

	want(0, prctl(PR_SET_KEEPCAPS, 1));
	want(0, setuid(1000));
	caps[CAP_PERFMON / 32].effective = caps[CAP_PERFMON / 32].permitted = 1u << CAP_PERFMON % 32;
	want(0, syscall(SYS_capset, &header, caps));
	want(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	want(ENOMEM, ioctl(fd, PITRACE_IOC_SESSION, &args));
	args.mte_bytes = args.trace_bytes = 128 * KB;
	fd = want(0, ioctl(fd, PITRACE_IOC_SESSION, &args));
	want(0, ioctl(fd, PITRACE_IOC_ON));
	want(0, ioctl(fd, PITRACE_IOC_OFF));
	close(fd);
}

static void test_memlock(void)
{
	int dev = device(), status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		bad = 0;
		limited(dev);
		fflush(stdout);
		_exit(bad != 0);
	}
	waitpid(pid, &status, 0);
	bad += status != 0;
	close(dev);
	no_session_left();
}

/* A process's session sees that process only. */
static void test_scope(void)
{
	struct pitrace_session_args args = plain();
	uint64_t out = 0;
	unsigned int cpu;
	struct view v;
	pid_t busy = fork();
	int status;

	if (!busy) {
		for (;;)
			;
	}
	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = busy;
	if (!begin(&v, args, 5000))
		goto end;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	spin(200);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	for (cpu = 0; cpu < v.control->ncpus; cpu++) {
		out += page_of(&v, cpu)->out_of_scope;
		check(page_of(&v, cpu)->idle_ticks == 0);
	}
	check(ticks(&v) > 0);
	check(out > 0);
	unview(&v);
end:
	kill(busy, SIGKILL);
	waitpid(busy, &status, 0);
	no_session_left();
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "info", test_info },
	{ "numbers", test_numbers },
	{ "session_sizes", test_session_sizes },
	{ "session_edge", test_session_edge },
	{ "session_fields", test_session_fields },
	{ "session_rounding", test_session_rounding },
	{ "control_page", test_control_page },
	{ "busy", test_busy },
	{ "setup", test_setup },
	{ "states", test_states },
	{ "suspend", test_suspend },
	{ "consume_arguments", test_consume_arguments },
	{ "consume_lies", test_consume_lies },
	{ "mmap", test_mmap },
	{ "mapping_holds", test_mapping_holds },
	{ "zeroed", test_zeroed },
	{ "poll", test_poll },
	{ "mte_full", test_mte_full },
	{ "permissions", test_permissions },
	{ "scope", test_scope },
	{ "memlock", test_memlock },
};

/* ---- not tests, but parts of them ------------------------------------------------------------ */

static int trace(long ms)
{
	struct pitrace_session_args args = plain();
	long records;
	struct view v;

	args.mte_bytes = 4 * MB;
	args.trace_bytes = 1 * MB;
	if (!begin(&v, args, 5000))
		return 1;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	nap(ms);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	records = check_rings(&v);
	check(records > 0);
	check(lost(&v, PITRACE_LOST_MTE) == 0);
	printf("# %ld records\n", records);
	unview(&v);
	return bad != 0;
}

static int hold(bool on)
{
	struct view v;

	if (!begin(&v, plain(), 1000) || (on && want(0, ioctl(v.fd, PITRACE_IOC_ON))))
		return 1;
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	unsigned int i;
	int failed = 0, k;

	if (argc == 3 && !strcmp(argv[1], "trace"))
		return trace(atol(argv[2]));
	if (argc >= 2 && !strcmp(argv[1], "hold"))
		return hold(argc > 2);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		bool chosen = argc < 2;

		for (k = 1; k < argc; k++)
			chosen |= !strcmp(argv[k], tests[i].name);
		if (!chosen)
			continue;
		bad = 0;
		tests[i].run();
		printf(bad ? "not ok abi_%s\n" : "ok abi_%s\n", tests[i].name);
		fflush(stdout);
		failed |= bad;
	}
	return failed != 0;
}
