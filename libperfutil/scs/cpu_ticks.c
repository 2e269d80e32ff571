/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scs/cpu_ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define PAGES 2 /* of the event's records: a power of two */

/* ---- by an event ----------------------------------------------------------------------------- */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int open_event(pid_t tid, uint64_t period, bool kernel)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
		.exclude_callchain_user = 1,
		.exclude_callchain_kernel = !kernel,
		.wakeup_events = 1,
	};

	return (int)syscall(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int send_to(int fd, pid_t tid, int signal)
{
	const struct f_owner_ex owner = { F_OWNER_TID, tid };

	if (fcntl(fd, F_SETSIG, signal) || fcntl(fd, F_SETOWN_EX, &owner) ||
	    fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

/* An event without the kernel's part would not tick while the thread is in the kernel. */
static int begin_event(struct cpu_ticks *c, pid_t tid, uint64_t period, int signal)
{
	int err;

	c->fd = open_event(tid, period, true);
	if (c->fd < 0)
		return -errno;
	c->ring = mmap(NULL, (1 + PAGES) * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, c->fd,
		       0);
	err = c->ring == MAP_FAILED ? -errno : send_to(c->fd, tid, signal);
	if (c->ring == MAP_FAILED)
		c->ring = NULL;
	if (err)
		cpu_ticks_end(c);
	return err;
}

static void copy_from(const uint8_t *data, size_t size, uint64_t at, void *to, size_t n)
{
	size_t from = at & (size - 1), part = n < size - from ? n : size - from;

	memcpy(to, data + from, part);
	memcpy((uint8_t *)to + part, data, n - part);
}

/* Context markers in the chain, which say whose addresses follow, are numbers just below 0. */
static unsigned int take_chain(const uint8_t *data, size_t size, uint64_t at, uint64_t end,
			       uint64_t kernel[CPU_TICKS_KERNEL])
{
	unsigned int n = 0;
	uint64_t count, address;

	if (end - at < sizeof(count))
		return 0;
	copy_from(data, size, at, &count, sizeof(count));
	at += sizeof(count);
	while (count-- && end - at >= sizeof(address) && n < CPU_TICKS_KERNEL) {
		copy_from(data, size, at, &address, sizeof(address));
		at += sizeof(address);
		if (address < (uint64_t)-4095)
			kernel[n++] = address;
	}
	return n;
}

/* Returns the complete periods that the thread has run by then; the rest belongs to the next
 * call. */
static uint32_t ticks_until(struct cpu_ticks *c, uint64_t value)
{
	uint64_t ticks = value > c->counted ? (value - c->counted + c->period / 2) / c->period : 0;

	c->counted += ticks * c->period;
	return (uint32_t)ticks;
}

static bool next_record(struct cpu_ticks *c, uint32_t *ticks, uint64_t kernel[CPU_TICKS_KERNEL],
			unsigned int *n)
{
	struct perf_event_mmap_page *p = c->ring;
	const uint8_t *data = (uint8_t *)c->ring + page_size();
	size_t size = PAGES * page_size();
	uint64_t head = __atomic_load_n(&p->data_head, __ATOMIC_ACQUIRE), tail = p->data_tail;
	struct perf_event_header h;
	uint64_t value;

	*ticks = 0;
	*n = 0;
	while (!*ticks && head - tail >= sizeof(h) && head - tail <= size) {
		copy_from(data, size, tail, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - tail)
			break;
		if (h.type == PERF_RECORD_SAMPLE && h.size >= sizeof(h) + sizeof(value)) {
			copy_from(data, size, tail + sizeof(h), &value, sizeof(value));
			*ticks = ticks_until(c, value);
			*n = take_chain(data, size, tail + sizeof(h) + sizeof(value), tail + h.size,
					kernel);
		}
		tail += h.size;
	}
	__atomic_store_n(&p->data_tail, *ticks ? tail : head, __ATOMIC_RELEASE);
	return *ticks;
}

/* ---- by a timer ------------------------------------------------------------------------------ */

/* Returns the kernel's id of another thread's CPU clock. */
static clockid_t clock_of(pid_t tid)
{
	return (clockid_t)(~(unsigned int)tid << 3 | 6);
}

int cpu_ticks_begin_timer(struct cpu_ticks *c, pid_t tid, uint64_t period, int signal)
{
	struct timespec each = { (time_t)(period / 1000000000), (long)(period % 1000000000) };
	struct itimerspec when = { each, each };
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal };

	*c = (struct cpu_ticks){ .fd = -1, .period = period };
	e.sigev_notify_thread_id = tid;
	if (syscall(SYS_timer_create, clock_of(tid), &e, &c->timer))
		return -errno;
	c->has_timer = true;
	if (syscall(SYS_timer_settime, c->timer, 0, &when, NULL)) {
		int err = -errno;

		cpu_ticks_end(c);
		return err;
	}
	return 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

int cpu_ticks_begin(struct cpu_ticks *c, pid_t tid, uint64_t period, int signal)
{
	*c = (struct cpu_ticks){ .fd = -1, .period = period };
	return begin_event(c, tid, period, signal) ? cpu_ticks_begin_timer(c, tid, period, signal) :
						     0;
}

void cpu_ticks_end(struct cpu_ticks *c)
{
	if (c->fd >= 0)
		ioctl(c->fd, PERF_EVENT_IOC_DISABLE, 0);
	if (c->ring)
		munmap(c->ring, (1 + PAGES) * page_size());
	if (c->fd >= 0)
		close(c->fd);
	if (c->has_timer)
		syscall(SYS_timer_delete, c->timer);
	*c = (struct cpu_ticks){ .fd = -1 };
}

bool cpu_ticks_next(struct cpu_ticks *c, const siginfo_t *info, bool first, uint32_t *ticks,
		    uint64_t kernel[CPU_TICKS_KERNEL], unsigned int *n)
{
	if (c->ring)
		return next_record(c, ticks, kernel, n);
	*n = 0;
	*ticks = 1 + (info->si_code == SI_TIMER && info->si_overrun > 0 ?
			      (uint32_t)info->si_overrun :
			      0);
	return first && c->has_timer;
}
