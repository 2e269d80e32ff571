/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The module's device for tests of PTT, linked with open and ioctl wrapped: it keeps what it is
 * asked for, answers what the test says, and its pages are memory that the test writes.
 */
#ifndef PTT_MODULE_H
#define PTT_MODULE_H

#include <errno.h>
#include <fcntl.h>
#include <pttread.h>
#include <pttview.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/rc.h"
#include "ptt/ptt_pages.h"
#include "unit.h"

enum { SLOTS = 3, CPUS = 2, CPU_STRIDE = 512, METRICS = 2 };

/* ---- the module ---- */

static struct {
	int fd; /* its pages */
	struct pitrace_ptt_control *control;
	int no_device;         /* errno of opening it */
	int refusals, refused; /* of so many requests for a ptt, the errno */
	int failed;
	struct pitrace_ptt_args args; /* the last request for one; of a thread; of others */
	struct pitrace_ptt_thread_args thread;
	uint32_t flags;
	unsigned long request;
	int asked;  /* requests for a ptt */
	int answer; /* of the others: a number, or -errno */
	uint32_t ptts;
} module;

static size_t page;

static inline struct pitrace_ptt_thread *slot_page(int slot)
{
	return (void *)((char *)module.control + page * (size_t)(2 + slot));
}

static inline struct pitrace_ptt_cpu *cpu_page(int cpu)
{
	return (void *)((char *)module.control + page + (size_t)(cpu * CPU_STRIDE));
}

static inline void load_module(void)
{
	size_t size;

	page = ptt_page_size();
	size = page * (2 + SLOTS);
	memset(&module, 0, sizeof(module));
	module.fd = memfd_create("ptt", MFD_CLOEXEC);
	CU_ASSERT_EQUAL_FATAL(ftruncate(module.fd, (off_t)size), 0);
	module.control = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, module.fd, 0);
	CU_ASSERT_PTR_NOT_EQUAL_FATAL(module.control, MAP_FAILED);
	*module.control = (struct pitrace_ptt_control){
		.size = sizeof(*module.control),
		.version = PITRACE_ABI_VERSION,
		.metrics = METRICS,
		.ncpus = CPUS,
		.slots = SLOTS,
		.cpu_offset = page,
		.cpu_stride = CPU_STRIDE,
		.thread_offset = 2 * page,
		.thread_stride = page,
	};
}

static inline void unload_module(void)
{
	munmap(module.control, page * (2 + SLOTS));
	close(module.fd);
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
	va_list list;
	mode_t mode = 0;

	if (flags & O_CREAT) {
		va_start(list, flags);
		mode = va_arg(list, mode_t);
		va_end(list);
	}
	if (strcmp(path, PITRACE_DEVICE) != 0)
		return __real_open64(path, flags, mode);
	CU_ASSERT_EQUAL(flags, O_RDWR | O_CLOEXEC);
	if (!module.no_device)
		return __real_open64("/dev/null", O_RDWR | O_CLOEXEC);
	errno = module.no_device;
	return -1;
}

static inline int begin_ptt(struct pitrace_ptt_args *args)
{
	module.args = *args;
	module.asked++;
	if (!module.refusals)
		return dup(module.fd);
	module.refusals--;
	args->failed = (uint32_t)module.failed;
	errno = module.refused;
	return -1;
}

int __wrap_ioctl(int fd, unsigned long request, void *arg);
int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	CU_ASSERT(fd >= 0);
	module.request = request;
	switch (request) {
	case PITRACE_IOC_PTT:
		return begin_ptt(arg);
	case PITRACE_IOC_PTT_ADD:
	case PITRACE_IOC_PTT_REMOVE:
		module.thread = *(struct pitrace_ptt_thread_args *)arg;
		break;
	case PITRACE_IOC_PTT_CHARGE:
		module.flags = *(uint32_t *)arg;
		break;
	case PITRACE_IOC_INFO:
		CU_ASSERT_EQUAL(((struct pitrace_info *)arg)->size, sizeof(struct pitrace_info));
		((struct pitrace_info *)arg)->ptts = module.ptts;
		break;
	}
	if (module.answer >= 0)
		return module.answer;
	errno = -module.answer;
	return -1;
}

/* The call failed with this code, and said so. */
#define FAILS(call, code, words)                                   \
	do {                                                       \
		CU_ASSERT_EQUAL(call, code);                       \
		CU_ASSERT_STRING_EQUAL(TraceLastError(), (words)); \
	} while (0)

static const struct ptt_config two = {
	.metrics = METRICS,
	.threads = SLOTS,
	.metric[0] = { .cycles = true,
		       .event = { .name = "tsc", .type = 9, .config = 9, .flags = 3 } },
	.metric[1] = { .event = { .name = "thing",
				  .type = 4,
				  .config = 5,
				  .config1 = 6,
				  .config2 = 7,
				  .flags = PITRACE_EVENT_USER } },
};

static inline void fill_thread(int slot, int tid)
{
	struct pitrace_ptt_thread *t = slot_page(slot);

	*t = (struct pitrace_ptt_thread){
		.size = sizeof(*t),
		.state = PITRACE_PTT_WATCHED,
		.metrics = METRICS,
		.sequence = 4,
		.dispatches = 11,
		.interrupts = 12,
		.generation = 13,
		.pid = 14,
		.tid = (uint32_t)tid,
		.comm = "a thread",
	};
	for (uint64_t i = 0; i < PITRACE_METRICS; i++)
		t->metric[i] = (struct pitrace_ptt_value){ .value = 100 + i,
							   .last = 200 + i,
							   .interrupt = 300 + i };
}

static inline bool is_thread(const struct ptt_thread_data *d, int tid, bool ended)
{
	return d->size == sizeof(*d) && d->version == 1 && d->pid == 14 && d->tid == tid &&
	       d->ended == ended && d->metrics == METRICS && d->dispatches == 11 &&
	       d->interrupts == 12 && d->generation == 13 && d->value[0] == 100 &&
	       d->value[1] == 101 && !d->value[2] && d->interrupt[0] == 300 &&
	       d->interrupt[1] == 301 && !d->interrupt[2] && !strcmp(d->name, "a thread");
}

#endif
