// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opens the driver's ptt, or explains why it cannot; maps its pages and copies them consistently.
 * */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "collect/driver/driver_diagnosis.h"
#include "ptt/ptt_pages.h"
#include "base/rc.h"

/* ---- the descriptor -------------------------------------------------------------------------- */

static int refused(const struct ptt_config *config, const struct pitrace_ptt_args *args)
{
	int err = errno;

	switch (err) {
	case EUSERS:
		return rc_fail(PI_BUSY,
			       "no PTT is free: there are %d at most, and fewer for users without CAP_PERFMON",
			       PITRACE_MAX_PTTS);
	case EDQUOT:
		return rc_fail(PI_BUSY, "this user has as many PTTs as one may have");
	case ENOMEM:
		return rc_fail(PI_NO_MEMORY,
			       "no memory for pages of %d threads: raise what this user may lock (ulimit -l), or ask for fewer threads",
			       config->threads);
	case ENOTTY:
	case EINVAL:
		if (err == ENOTTY || !args->failed)
			return rc_fail(PI_BAD_DRIVER,
				       "the pitrace module is of another version: it has no such PTT");
		break;
	case EPERM:
		return rc_fail(PI_NO_PERMISSION,
			       "metric %s: without CAP_PERFMON the module counts user code alone (:u), and by hardware counters only where kernel.perf_event_paranoid is 0 or less",
			       config->metric[args->failed].event.name);
	}
	return ptt_refused(&config->metric[args->failed], err);
}

/* The device cannot be opened: explain what to do. */
static int closed(int err)
{
	struct trace_config config = { .scope = PITRACE_SCOPE_PROCESS };
	struct collector_check check = { 0 };

	driver_diagnose_open(err, &config, &check);
	return rc_fail(rc_of_errno(err), "PTT needs the pitrace module: %s%s%s", check.why,
		       *check.cure ? ": " : "", check.cure);
}

int ptt_device(const struct ptt_config *config, int *fd)
{
	struct pitrace_ptt_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.flags = config->charged ? PITRACE_PTT_CHARGE : 0,
		.metrics = (uint32_t)config->metrics,
		.slots = (uint32_t)config->threads,
	};
	int device = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC), err;

	if (device < 0)
		return closed(errno);
	for (int i = 0; i < config->metrics; i++) {
		const struct pitrace_event_args *e = &config->metric[i].event;

		if (config->metric[i].cycles) {
			args.metric[i].type = PITRACE_METRIC_CYCLES;
			continue;
		}
		args.metric[i] = (struct pitrace_metric){
			.type = e->type,
			.config = e->config,
			.config1 = e->config1,
			.config2 = e->config2,
			.flags = (e->flags & PITRACE_EVENT_USER ? PITRACE_METRIC_USER : 0) |
				 (e->flags & PITRACE_EVENT_KERNEL ? PITRACE_METRIC_KERNEL : 0),
		};
	}
	*fd = ioctl(device, PITRACE_IOC_PTT, &args);
	err = *fd < 0 ? refused(config, &args) : PI_OK;
	close(device);
	return err;
}

long ptt_call(int fd, unsigned long request, int tid, uint32_t flags)
{
	struct pitrace_ptt_thread_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.flags = flags,
		.tid = tid,
	};

	return ioctl(fd, request, &args);
}

/* ---- pages ----------------------------------------------------------------------------------- */

size_t ptt_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void *ptt_map(void *at, size_t bytes, int fd, uint64_t offset)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
	void *p = mmap(at, bytes, PROT_READ, flags | (at ? MAP_FIXED : 0), fd, (off_t)offset);

	return p == MAP_FAILED ? NULL : p;
}

void ptt_copy(void *to, const void *page, size_t bytes, const __u64 *sequence)
{
	uint64_t before;

	do {
		before = __atomic_load_n(sequence, __ATOMIC_ACQUIRE);
		memcpy(to, page, bytes);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (before & 1 || before != __atomic_load_n(sequence, __ATOMIC_RELAXED));
}

void ptt_take(struct ptt_thread_data *data, const struct pitrace_ptt_thread *page)
{
	struct pitrace_ptt_thread t;

	ptt_copy(&t, page, sizeof(t), &page->sequence);
	*data = (struct ptt_thread_data){
		.size = sizeof(*data),
		.version = 1,
		.metrics = t.metrics,
		.pid = (int32_t)t.pid,
		.tid = (int32_t)t.tid,
		.ended = t.state == PITRACE_PTT_ENDED,
		.dispatches = t.dispatches,
		.interrupts = t.interrupts,
		.generation = t.generation,
	};
	memcpy(data->name, t.comm, sizeof(data->name));
	for (uint32_t i = 0; i < data->metrics; i++) {
		data->value[i] = t.metric[i].value;
		data->interrupt[i] = t.metric[i].interrupt;
	}
}

const char *ptt_note(const struct pitrace_ptt_control *control)
{
	if (control->flags & PITRACE_PTT_BLIND)
		return "this kernel has no hooks for interrupts: they are in the values";
	if (control->flags & PITRACE_PTT_UNSURE)
		return "this machine's counter may change its rate, or differ by CPU: cycles are unreliable";
	return NULL;
}
