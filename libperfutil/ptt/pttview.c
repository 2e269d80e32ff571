// SPDX-License-Identifier: LGPL-2.1-or-later
/* PTT of other programs' threads and of CPUs. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pttview.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ptt/ptt_pages.h"
#include "base/rc.h"

#define THREADS 1024 /* default number of threads ... */
#define FEWEST  64   /* ... and the minimum if memory is short */

struct pttview {
	struct ptt_config config;
	int fd;
	const struct pitrace_ptt_control *control;
	const char *threads, *cpus; /* cpus NULL: not visible to this user */
};

static_assert(PTTVIEW_THREADS == (int)PITRACE_PTT_THREADS &&
		      PTTVIEW_OTHER == (int)PITRACE_PTT_OTHER &&
		      PTTVIEW_IDLE == (int)PITRACE_PTT_IDLE &&
		      PTTVIEW_INTERRUPTS == (int)PITRACE_PTT_INTERRUPTS &&
		      PTTVIEW_BUCKETS == (int)PITRACE_PTT_BUCKETS,
	      "buckets");

/* ---- open ------------------------------------------------------------------------------------ */

static size_t threads_bytes(const struct pttview *v)
{
	return v->control->slots * v->control->thread_stride;
}

static size_t cpus_bytes(const struct pttview *v)
{
	return v->control->ncpus * v->control->cpu_stride;
}

static int map_all(struct pttview *v)
{
	v->control = ptt_map(NULL, ptt_page_size(), v->fd, 0);
	if (v->control)
		v->threads = ptt_map(NULL, threads_bytes(v), v->fd, v->control->thread_offset);
	if (v->threads && v->control->cpu_offset)
		v->cpus = ptt_map(NULL, cpus_bytes(v), v->fd, v->control->cpu_offset);
	if (v->threads && (v->cpus || !v->control->cpu_offset))
		return PI_OK;
	return rc_errno(-errno, "PTT's pages cannot be mapped");
}

static struct pttview *make(int *rc)
{
	struct pttview *v = calloc(1, sizeof(*v));

	*rc = v ? PI_OK : rc_fail(PI_NO_MEMORY, "no memory for PTT");
	if (v)
		v->fd = -1;
	return v;
}

struct pttview *pttview_open(const struct pttview_options *o, int *rc)
{
	struct pttview *v;

	if (!o) {
		*rc = rc_null("options");
		return NULL;
	}
	v = make(rc);
	if (!v)
		return NULL;
	v->config.threads = o->threads ? o->threads : THREADS;
	v->config.charged = o->charged;
	*rc = v->config.threads < 0 || v->config.threads > PITRACE_PTT_SLOTS ?
		      rc_fail(PI_INVALID_ARGUMENT, "%d threads: 1 to %d", o->threads,
			      PITRACE_PTT_SLOTS) :
		      ptt_find_metrics(&v->config, o->count, o->metrics, o->priv);
	if (!*rc)
		*rc = ptt_device(&v->config, &v->fd);
	while (*rc == PI_NO_MEMORY && !o->threads && v->config.threads > FEWEST) {
		v->config.threads /= 2;
		*rc = ptt_device(&v->config, &v->fd);
	}
	if (!*rc)
		*rc = map_all(v);
	if (!*rc)
		return v;
	pttview_close(v);
	return NULL;
}

struct pttview *ptt_view_of(const struct ptt_config *config, int fd, int *rc)
{
	struct pttview *v = make(rc);

	if (!v) {
		close(fd);
		return NULL;
	}
	v->config = *config;
	v->fd = fd;
	*rc = map_all(v);
	if (!*rc && (v->control->size != sizeof(*v->control) ||
		     v->control->version != PITRACE_ABI_VERSION ||
		     v->control->metrics != (uint32_t)config->metrics))
		*rc = rc_fail(PI_BAD_DRIVER, "PTT's pages are of another version");
	if (!*rc) {
		v->config.threads = (int)v->control->slots;
		return v;
	}
	pttview_close(v);
	return NULL;
}

int ptt_view_fd(const struct pttview *v)
{
	return v->fd;
}

void pttview_close(struct pttview *v)
{
	if (!v)
		return;
	if (v->cpus)
		munmap((void *)v->cpus, cpus_bytes(v));
	if (v->threads)
		munmap((void *)v->threads, threads_bytes(v));
	if (v->control)
		munmap((void *)v->control, ptt_page_size());
	if (v->fd >= 0)
		close(v->fd);
	free(v);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int call(struct pttview *v, unsigned long request, int whom, int pid)
{
	static const uint32_t flags[] = {
		[PTTVIEW_PROCESS] = PITRACE_PTT_PROCESS,
		[PTTVIEW_ALL] = PITRACE_PTT_ALL,
		[PTTVIEW_CHILDREN] = PITRACE_PTT_PROCESS | PITRACE_PTT_CHILDREN,
	};
	bool remove = request == PITRACE_IOC_PTT_REMOVE;
	long n;

	if (whom < PTTVIEW_PROCESS || whom > PTTVIEW_ALL || (remove && whom == PTTVIEW_CHILDREN))
		return rc_fail(PI_INVALID_ARGUMENT, "whom?");
	n = ptt_call(v->fd, request, whom == PTTVIEW_ALL ? 0 : pid, flags[whom]);
	if (n >= 0)
		return (int)n;
	switch (errno) {
	case ENOSPC:
		return rc_fail(PI_BUFFER_FULL, "there is room for %u threads, not for all of these",
			       v->control->slots);
	case EPERM:
		return whom == PTTVIEW_ALL ?
			       rc_fail(PI_NO_PERMISSION,
				       "watching all threads needs CAP_PERFMON: run it as root (sudo)") :
			       rc_fail(PI_NO_PERMISSION, "this user may not watch process %d", pid);
	case ESRCH:
		return rc_fail(PI_NO_PROCESS, "no process %d%s", pid, remove ? " is watched" : "");
	}
	return rc_errno(-errno, "process %d", pid);
}

int pttview_add(struct pttview *v, int whom, int pid)
{
	return call(v, PITRACE_IOC_PTT_ADD, whom, pid);
}

int pttview_remove(struct pttview *v, int whom, int pid)
{
	return call(v, PITRACE_IOC_PTT_REMOVE, whom, pid);
}

static int plain(struct pttview *v, unsigned long request, void *arg)
{
	return ioctl(v->fd, request, arg) ? rc_errno(-errno, "PTT") : PI_OK;
}

int pttview_charge(struct pttview *v, int charged)
{
	uint32_t flags = charged ? PITRACE_PTT_CHARGE : 0;

	return plain(v, PITRACE_IOC_PTT_CHARGE, &flags);
}

int pttview_update(struct pttview *v)
{
	return plain(v, PITRACE_IOC_PTT_UPDATE, NULL);
}

int pttview_stop(struct pttview *v)
{
	return plain(v, PITRACE_IOC_PTT_STOP, NULL);
}

int pttview_users(void)
{
	struct pitrace_info info = { .size = sizeof(info) };
	int fd = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC), rc;

	if (fd < 0)
		return rc_errno(-errno, "%s", PITRACE_DEVICE);
	rc = ioctl(fd, PITRACE_IOC_INFO, &info) ? rc_errno(-errno, "PTT") : (int)info.ptts;
	close(fd);
	return rc;
}

/* ---- values ---------------------------------------------------------------------------------- */

int pttview_slots(const struct pttview *v)
{
	return (int)v->control->slots;
}

int pttview_thread(const struct pttview *v, int slot, struct ptt_thread_data *data)
{
	const struct pitrace_ptt_thread *page;

	if (!data || slot < 0 || slot >= pttview_slots(v))
		return 0;
	page = (const void *)(v->threads + (size_t)slot * v->control->thread_stride);
	if (__atomic_load_n(&page->state, __ATOMIC_ACQUIRE) == PITRACE_PTT_FREE)
		return 0;
	ptt_take(data, page);
	return 1;
}

void pttview_gone(const struct pttview *v, struct pttview_gone *gone)
{
	struct pitrace_ptt_control c;

	ptt_copy(&c, v->control, sizeof(c), &v->control->sequence);
	*gone = (struct pttview_gone){
		.threads = c.gone,
		.dispatches = c.gone_dispatches,
		.interrupts = c.gone_interrupts,
		.unwatched = c.unwatched,
	};
	memcpy(gone->value, c.gone_value, sizeof(gone->value));
	memcpy(gone->interrupt, c.gone_interrupt, sizeof(gone->interrupt));
}

int pttview_cpus(const struct pttview *v)
{
	return v->cpus ? (int)v->control->ncpus : 0;
}

int pttview_cpu(const struct pttview *v, int cpu, struct pttview_cpu *data)
{
	const struct pitrace_ptt_cpu *page;
	struct pitrace_ptt_cpu c;

	if (!data || cpu < 0 || cpu >= pttview_cpus(v))
		return 0;
	page = (const void *)(v->cpus + (size_t)cpu * v->control->cpu_stride);
	if (!page->present)
		return 0;
	ptt_copy(&c, page, sizeof(c), &page->sequence);
	*data = (struct pttview_cpu){
		.online = c.online,
		.missing = c.missing,
		.dispatches = c.dispatches,
		.interrupts = c.interrupts,
		.steal = c.steal,
	};
	for (int i = 0; i < v->config.metrics; i++)
		data->wall[i] = c.last[i] - c.start[i];
	memcpy(data->bucket, c.bucket, sizeof(data->bucket));
	return 1;
}

void pttview_info(const struct pttview *v, struct ptt_info *info)
{
	const char *note = ptt_note(v->control);

	ptt_name_metrics(&v->config, info);
	strcpy(info->collector, "driver");
	info->apart = !(v->control->flags & PITRACE_PTT_BLIND);
	if (note)
		strcpy(info->note, note);
}

static int has(const struct pttview *v, uint32_t flag)
{
	return !!(__atomic_load_n(&v->control->flags, __ATOMIC_RELAXED) & flag);
}

int pttview_charged(const struct pttview *v)
{
	return has(v, PITRACE_PTT_CHARGE);
}

int pttview_stopped(const struct pttview *v)
{
	return has(v, PITRACE_PTT_STOPPED);
}
