// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls of a ptt for the ABI tests, and its pages: mapped, copied whole, added up. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ptt.h"

struct pitrace_ptt_args ptt_args(void)
{
	return (struct pitrace_ptt_args){
		.size = sizeof(struct pitrace_ptt_args),
		.version = PITRACE_ABI_VERSION,
		.metrics = 1,
		.metric = { { .type = PITRACE_METRIC_CYCLES } },
	};
}

int ptt_open(const struct pitrace_ptt_args *args)
{
	int dev = device(), fd = ioctl(dev, PITRACE_IOC_PTT, args), error = errno;

	close(dev);
	errno = error;
	return fd;
}

static const void *map(int fd, size_t bytes, uint64_t offset)
{
	void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, offset);

	if (at == MAP_FAILED) {
		wrong("mmap of a ptt at %#llx: %s", (unsigned long long)offset, strerror(errno));
		return NULL;
	}
	return at;
}

bool ptt_view(struct ptt *p, int fd)
{
	const struct pitrace_ptt_control *c = fd < 0 ? NULL : map(fd, sizeof(*c), 0);

	*p = (struct ptt){ .fd = fd, .control = c };
	if (!c)
		return false;
	check(c->size == sizeof(*c) && c->version == PITRACE_ABI_VERSION);
	p->threads_bytes = c->slots * c->thread_stride;
	p->threads = map(fd, p->threads_bytes, c->thread_offset);
	if (c->cpu_offset) {
		p->cpus_bytes = c->ncpus * c->cpu_stride;
		p->cpus = map(fd, p->cpus_bytes, c->cpu_offset);
	}
	return p->threads && (p->cpus || !c->cpu_offset);
}

void ptt_close(struct ptt *p)
{
	if (p->threads)
		munmap((void *)p->threads, p->threads_bytes);
	if (p->cpus)
		munmap((void *)p->cpus, p->cpus_bytes);
	if (p->control)
		munmap((void *)p->control, sizeof(*p->control));
	close(p->fd);
}

static long call(int fd, unsigned long request, pid_t tid, uint32_t flags)
{
	struct pitrace_ptt_thread_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.flags = flags,
		.tid = tid,
	};

	return ioctl(fd, request, &args);
}

long ptt_add(int fd, pid_t tid, uint32_t flags)
{
	return call(fd, PITRACE_IOC_PTT_ADD, tid, flags);
}

long ptt_remove(int fd, pid_t tid, uint32_t flags)
{
	return call(fd, PITRACE_IOC_PTT_REMOVE, tid, flags);
}

const struct pitrace_ptt_thread *ptt_thread(const struct ptt *p, long slot)
{
	return (const void *)(p->threads + slot * p->control->thread_stride);
}

const struct pitrace_ptt_cpu *ptt_cpu(const struct ptt *p, unsigned int cpu)
{
	return (const void *)(p->cpus + cpu * p->control->cpu_stride);
}

/* (F) */
static void copy_whole(void *to, const void *page, size_t bytes, const __u64 *sequence)
{
	uint64_t s;

	do {
		s = __atomic_load_n(sequence, __ATOMIC_ACQUIRE);
		memcpy(to, page, bytes);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (s & 1 || s != __atomic_load_n(sequence, __ATOMIC_RELAXED));
}

struct pitrace_ptt_thread ptt_copy(const struct pitrace_ptt_thread *page)
{
	struct pitrace_ptt_thread copy;

	copy_whole(&copy, page, sizeof(copy), &page->sequence);
	return copy;
}

struct pitrace_ptt_cpu ptt_copy_cpu(const struct pitrace_ptt_cpu *page)
{
	struct pitrace_ptt_cpu copy;

	copy_whole(&copy, page, sizeof(copy), &page->sequence);
	return copy;
}

uint64_t counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t now;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(now));
	return now;
#elif defined(__powerpc64__)
	return __builtin_ppc_get_timebase();
#elif defined(__s390x__)
	uint64_t now;

	__asm__ volatile("stckf %0" : "=Q"(now) : : "cc");
	return now >> 2;
#else
#error "the counter of this architecture"
#endif
}

uint64_t ptt_own(const struct pitrace_ptt_thread *page, unsigned long *retries)
{
	const volatile struct pitrace_ptt_thread *t = page;
	uint64_t sequence, value;

	for (;; ++*retries) {
		sequence = t->sequence;
		__asm__ volatile("" : : : "memory");
		value = t->metric[0].value + (counter() - t->metric[0].last);
		__asm__ volatile("" : : : "memory");
		if (t->sequence == sequence)
			return value;
	}
}

uint64_t to_ns(const struct ptt *p, uint64_t counts)
{
	return (double)counts * 1e9 / p->control->cycles_hz;
}

uint64_t ptt_books(const struct ptt *p, uint32_t metric)
{
	uint64_t threads = 0;

	for (unsigned int cpu = 0; cpu < p->control->ncpus; cpu++) {
		struct pitrace_ptt_cpu c = ptt_copy_cpu(ptt_cpu(p, cpu));
		uint64_t sum = 0, wall = c.last[metric] - c.start[metric];

		for (int b = 0; b < PITRACE_PTT_BUCKETS; b++)
			sum += c.bucket[b][metric];
		if (sum != wall)
			wrong("CPU %u, metric %u: %llu in its buckets, %llu went by", cpu, metric,
			      (unsigned long long)sum, (unsigned long long)wall);
		threads += c.bucket[PITRACE_PTT_THREADS][metric];
	}
	return threads;
}

uint64_t ptt_all(const struct ptt *p, uint32_t metric)
{
	uint64_t sum = p->control->gone_value[metric];

	for (uint32_t slot = 0; slot < p->control->slots; slot++) {
		struct pitrace_ptt_thread t = ptt_copy(ptt_thread(p, slot));

		if (t.state != PITRACE_PTT_FREE)
			sum += t.metric[metric].value;
	}
	return sum;
}

void no_ptt_left(void)
{
	check(info().ptts == 0);
}
