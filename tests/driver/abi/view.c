// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls of the driver for the ABI tests, and the session's pages: mapped, walked, checked. */
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "abi.h"

int bad; /* of the test that runs */

void wrong(const char *format, ...)
{
	va_list args;

	bad++;
	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

int device(void)
{
	int fd = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		perror(PITRACE_DEVICE);
		exit(2);
	}
	return fd;
}

long turns_or(long few)
{
	return getenv("TURNS") ? atol(getenv("TURNS")) : few;
}

struct pitrace_session_args plain(void)
{
	return (struct pitrace_session_args){
		.size = sizeof(struct pitrace_session_args),
		.version = PITRACE_ABI_VERSION,
		.mode = PITRACE_MODE_CONTINUOUS,
		.segment_bytes = 32 * KB,
		.mte_bytes = 1 * MB,
		.trace_bytes = 128 * KB,
	};
}

int session(const struct pitrace_session_args *args)
{
	int dev = device(), fd = ioctl(dev, PITRACE_IOC_SESSION, args), error = errno;

	close(dev);
	errno = error;
	return fd;
}

/* A struct of another size than the driver's: `bytes` of it, the excess filled with `fill`. */
int session_of_size(uint32_t size, uint32_t version, unsigned char fill)
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

struct pitrace_setup_args setup_args(uint32_t rate)
{
	return (struct pitrace_setup_args){
		.size = sizeof(struct pitrace_setup_args),
		.version = PITRACE_ABI_VERSION,
		.rate = rate,
		.dither = 100,
		.majors = { 1ull << PITRACE_TPROF },
	};
}

struct pitrace_info info(void)
{
	struct pitrace_info i = { .size = sizeof(i) };
	int dev = device();

	want(0, ioctl(dev, PITRACE_IOC_INFO, &i));
	close(dev);
	return i;
}

void nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* While the host, or another thread, has the CPU nothing is done: at most 1 ms of a gap counts. */
void spin(long ms)
{
	int64_t left = ms * 1000000ll;
	int64_t before = now_ns();

	while (left > 0) {
		int64_t now = now_ns();

		left -= now - before < 1000000 ? now - before : 1000000;
		before = now;
	}
}

void on_cpu(unsigned int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	want(0, sched_setaffinity(0, sizeof(one), &one));
}

void on_all_cpus(void)
{
	cpu_set_t all;

	memset(&all, 0xFF, sizeof(all));
	want(0, sched_setaffinity(0, sizeof(all), &all));
}

/* No session may be left after a test. */
void no_session_left(void)
{
	check(info().sessions == 0);
}

/* ---- a session seen through its pages -------------------------------------------------------- */

const struct pitrace_cpu *page_of(const struct view *v, unsigned int cpu)
{
	return (const void *)((const char *)v->control + v->control->cpu_offset +
			      (size_t)cpu * v->control->cpu_stride);
}

uint64_t head(const struct view *v, unsigned int cpu, int ring)
{
	return __atomic_load_n(&page_of(v, cpu)->ring[ring].head, __ATOMIC_ACQUIRE);
}

bool view(struct view *v, int fd)
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
		p = mmap(NULL, v->control->mte_bytes + v->control->trace_bytes, PROT_READ,
			 MAP_SHARED, fd, v->control->data_offset + cpu * v->control->data_stride);
		if (p == MAP_FAILED) {
			wrong("rings of CPU %u: %s", cpu, strerror(errno));
			return false;
		}
		v->data[cpu] = p;
	}
	return true;
}

void unview(struct view *v)
{
	unsigned int cpu;

	for (cpu = 0; cpu < 64; cpu++)
		if (v->data[cpu])
			munmap(v->data[cpu], v->control->mte_bytes + v->control->trace_bytes);
	munmap(v->control, v->control_bytes);
	close(v->fd);
}

int consume(const struct view *v, uint32_t cpu, uint32_t ring, uint64_t position)
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
	size_t start = ring ? v->control->mte_bytes : 0;
	const unsigned char *p = v->data[cpu] + start + position % size;
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
long check_rings(const struct view *v)
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

void each_record(const struct view *v, int ring, void (*f)(const struct pitrace_rec *, void *),
		 void *arg)
{
	uint64_t bytes = v->control->segment_bytes;
	uint64_t size = ring ? v->control->trace_bytes : v->control->mte_bytes;
	uint64_t start = ring ? v->control->mte_bytes : 0, at, in;
	unsigned int cpu;

	for (cpu = 0; cpu < v->control->ncpus; cpu++) {
		uint64_t end = v->data[cpu] ? head(v, cpu, ring) / bytes * bytes : 0;

		for (at = end > size ? end - size : 0; at < end; at += bytes) {
			const unsigned char *p = v->data[cpu] + start + at % size;
			const struct pitrace_segment *segment = (const void *)p;
			struct pitrace_rec high = {
				.type_len = sizeof(high),
				.major = PITRACE_HIGH,
				.minor = (uint32_t)(segment->stamp >> 32),
			};

			f(&high, arg);
			for (in = sizeof(struct pitrace_segment); in + 12 <= bytes;) {
				const struct pitrace_rec *rec = (const void *)(p + in);

				if (rec->major == PITRACE_PAD ||
				    (rec->type_len & PITRACE_LEN_MASK) < 12)
					break;
				f(rec, arg);
				in += rec->type_len & PITRACE_LEN_MASK;
			}
		}
	}
}

uint64_t lost(const struct view *v, int kind)
{
	uint64_t sum = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < v->control->ncpus; cpu++)
		sum += page_of(v, cpu)->lost[kind];
	return sum;
}

uint64_t ticks(const struct view *v)
{
	uint64_t sum = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < v->control->ncpus; cpu++)
		sum += page_of(v, cpu)->ticks;
	return sum;
}

bool begin(struct view *v, struct pitrace_session_args args, uint32_t rate)
{
	struct pitrace_setup_args setup = setup_args(rate);
	int fd = want(0, session(&args));

	if (fd < 0 || !view(v, fd))
		return false;
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	return true;
}

/* Records of one major, of the whole machine: what a process does while it ends too. */
bool begin_major(struct view *v, unsigned int major)
{
	struct pitrace_setup_args setup = setup_args(1000);
	struct pitrace_session_args args = plain();

	memset(setup.majors, 0, sizeof(setup.majors));
	setup.majors[major / 64] = 1ull << major % 64;
	args.trace_bytes = 8 * MB;
	return begin(v, args, 1000) && want(0, ioctl(v->fd, PITRACE_IOC_SETUP, &setup)) == 0;
}
