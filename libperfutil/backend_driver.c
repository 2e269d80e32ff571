/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The collector `driver`: pitrace.ko. Segments lie in mapped rings; they are handed over in place
 * and freed by telling the driver how far we have read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "backend.h"
#include "rc.h"

struct cpu_rings {
	const struct pitrace_cpu *page;
	const uint8_t *data[PITRACE_RINGS];	/* NULL: this CPU has none */
	uint64_t tail[PITRACE_RINGS];
	uint64_t until;				/* trace may be read up to here in this drain */
};

struct backend {
	int fd;
	struct pitrace_info driver;
	const struct pitrace_control *control;
	size_t control_bytes;
	struct cpu_rings *cpu;
	uint64_t mte_lost;		/* a rescan was asked for at this count */
};

static uint64_t ring_bytes(const struct backend *b, int ring)
{
	return ring == PITRACE_RING_MTE ? b->control->mte_bytes : b->control->trace_bytes;
}

static void driver_close(struct backend *b)
{
	if (!b)
		return;
	for (uint32_t c = 0; b->cpu && c < b->control->ncpus; c++)
		if (b->cpu[c].data[0])
			munmap((void *)b->cpu[c].data[0], b->control->data_stride);
	free(b->cpu);
	if (b->control)
		munmap((void *)b->control, b->control_bytes);
	if (b->fd >= 0)
		close(b->fd);
	free(b);
}

static const void *map(struct backend *b, uint64_t offset, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, b->fd, (off_t)offset);

	return p == MAP_FAILED ? NULL : p;
}

/* The control page tells its own layout: one page first, then all of it. */
static int map_rings(struct backend *b)
{
	long page = sysconf(_SC_PAGESIZE);
	const struct pitrace_control *first = map(b, 0, (size_t)page);

	if (!first)
		return -errno;
	b->control_bytes = first->data_offset;
	munmap((void *)first, (size_t)page);
	b->control = map(b, 0, b->control_bytes);
	if (!b->control)
		return -errno;
	b->cpu = calloc(b->control->ncpus, sizeof(*b->cpu));
	if (!b->cpu)
		return -ENOMEM;
	for (uint32_t c = 0; c < b->control->ncpus; c++) {
		struct cpu_rings *r = &b->cpu[c];
		const uint8_t *data;

		r->page = (const void *)((const uint8_t *)b->control + b->control->cpu_offset +
					 (size_t)c * b->control->cpu_stride);
		if (!r->page->present)
			continue;
		data = map(b, b->control->data_offset + c * b->control->data_stride,
			   b->control->data_stride);
		if (!data)
			return -errno;
		r->data[PITRACE_RING_MTE] = data;
		r->data[PITRACE_RING_TRACE] = data + b->control->mte_bytes;
	}
	return 0;
}

static struct backend *open_failed(struct backend *b, int *rc, int code)
{
	*rc = code;
	driver_close(b);
	return NULL;
}

static struct backend *driver_open(const struct trace_config *config, int *rc, char *why,
				   size_t room)
{
	struct pitrace_session_args args = {
		.size = sizeof(args), .version = PITRACE_ABI_VERSION,
		.mode = config->mode, .scope = config->scope,
		.pid = config->scope == PITRACE_SCOPE_PROCESS ? config->pid : 0,
		.clock = config->clock, .segment_bytes = (uint32_t)config->segment_bytes,
		.mte_bytes = config->mte_bytes, .trace_bytes = config->trace_bytes,
	};
	struct backend *b = calloc(1, sizeof(*b));
	int device, err;

	if (!b)
		return open_failed(NULL, rc, PI_NO_MEMORY);
	b->fd = -1;
	device = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0) {
		err = errno;
		if (err == EACCES || err == EPERM)
			snprintf(why, room, "%s: %s; run as root, or as a member of the device's group with CAP_PERFMON",
				 PITRACE_DEVICE, strerror(err));
		else if (err == ENOENT || err == ENXIO || err == ENODEV)
			snprintf(why, room, "%s is not there; load the module: modprobe pitrace (or insmod pitrace.ko)",
				 PITRACE_DEVICE);
		else
			snprintf(why, room, "%s: %s", PITRACE_DEVICE, strerror(err));
		return open_failed(b, rc, rc_of_errno(err));
	}
	b->driver.size = sizeof(b->driver);
	if (ioctl(device, PITRACE_IOC_INFO, &b->driver) ||
	    b->driver.version != PITRACE_ABI_VERSION) {
		snprintf(why, room, "the loaded module speaks version %u of the interface, this program %u; install both from one release",
			 b->driver.version, PITRACE_ABI_VERSION);
		close(device);
		return open_failed(b, rc, PI_BAD_DRIVER);
	}
	b->fd = ioctl(device, PITRACE_IOC_SESSION, &args);
	err = errno;
	close(device);
	if (b->fd < 0) {
		switch (err) {
		case EBUSY:
			snprintf(why, room, "busy: a system-wide trace session exists already (see: swtrace info)");
			break;
		case EPERM:
			snprintf(why, room, "tracing needs CAP_PERFMON or CAP_SYS_ADMIN; run as root (sudo)");
			break;
		case ENOMEM:
			snprintf(why, room, "no memory for buffers of %llu + %llu KB a CPU, or the limit of locked memory (ulimit -l) is too low; ask for less with -s and -sm",
				 (unsigned long long)config->trace_bytes >> 10,
				 (unsigned long long)config->mte_bytes >> 10);
			break;
		case ESRCH:
			snprintf(why, room, "no process %d", config->pid);
			break;
		case EINVAL:
			snprintf(why, room, "the driver refuses the buffer or section size: sections are powers of two, 32 KB to 1 MB, buffers at most 1 GB a CPU");
			break;
		default:
			snprintf(why, room, "the driver makes no session: %s", strerror(err));
		}
		return open_failed(b, rc, rc_of_errno(err));
	}
	err = map_rings(b);
	if (err) {
		snprintf(why, room, "mapping the buffers: %s", strerror(-err));
		return open_failed(b, rc, rc_of_errno(err));
	}
	return b;
}

static int call(struct backend *b, unsigned long request)
{
	int n;

	do
		n = ioctl(b->fd, request);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static int driver_on(struct backend *b, const struct trace_config *config)
{
	struct pitrace_setup_args args = {
		.size = sizeof(args), .version = PITRACE_ABI_VERSION,
		.rate = config->rate, .dither = config->dither, .seed = config->seed,
	};

	memcpy(args.majors, config->majors, sizeof(args.majors));
	if (ioctl(b->fd, PITRACE_IOC_SETUP, &args))
		return -errno;
	for (uint32_t c = 0; c < b->control->ncpus; c++)
		b->cpu[c].tail[0] = b->cpu[c].tail[1] = 0;
	b->mte_lost = 0;
	return call(b, PITRACE_IOC_ON);
}

static int driver_off(struct backend *b)
{
	return call(b, PITRACE_IOC_OFF);
}

static int driver_suspend(struct backend *b, bool suspend)
{
	return call(b, suspend ? PITRACE_IOC_SUSPEND : PITRACE_IOC_RESUME);
}

static uint64_t head(const struct cpu_rings *r, int ring)
{
	/* (A) head before the records below it */
	return __atomic_load_n(&r->page->ring[ring].head, __ATOMIC_ACQUIRE);
}

/* Whole segments of one ring up to a position. */
static int drain_ring(struct backend *b, uint32_t cpu, int ring, uint64_t until, segment_sink sink,
		      void *arg)
{
	uint64_t size = b->control->segment_bytes, mask = ring_bytes(b, ring) - 1;
	struct cpu_rings *r = &b->cpu[cpu];
	struct pitrace_consume_args done = { .cpu = cpu, .ring = (uint32_t)ring };
	int err;

	while (r->tail[ring] + size <= until) {
		err = sink(arg, r->data[ring] + (r->tail[ring] & mask), size);
		if (err)
			return err;
		r->tail[ring] += size;
		/* A normal session's rings are kept whole: they may be written to several files. */
		if (b->control->mode == PITRACE_MODE_NORMAL)
			continue;
		done.position = r->tail[ring];
		if (ioctl(b->fd, PITRACE_IOC_CONSUME, &done))
			return -errno;
	}
	return 0;
}

static uint64_t mte_lost(const struct backend *b)
{
	uint64_t lost = 0;

	for (uint32_t c = 0; c < b->control->ncpus; c++)
		if (b->cpu[c].data[0])
			lost += b->cpu[c].page->lost[PITRACE_LOST_MTE];
	return lost;
}

/*
 * First note how far each trace ring reaches, then close and hand over all MTE, then the trace up
 * to the noted place: whatever a sample needs was written before it, and so stands before it.
 */
static int driver_drain(struct backend *b, bool all, segment_sink sink, void *arg)
{
	uint32_t what = PITRACE_FLUSH_MTE;
	bool any = all;
	uint32_t c;
	int err;

	if (all) {
		what = PITRACE_FLUSH_TRACE;
		if (ioctl(b->fd, PITRACE_IOC_FLUSH, &what))
			return -errno;
		what = PITRACE_FLUSH_MTE;
	}
	for (c = 0; c < b->control->ncpus; c++) {
		struct cpu_rings *r = &b->cpu[c];

		if (!r->data[0])
			continue;
		if (b->control->mode == PITRACE_MODE_NORMAL)
			r->tail[PITRACE_RING_MTE] = r->tail[PITRACE_RING_TRACE] = 0;
		r->until = head(r, PITRACE_RING_TRACE);
		any |= r->until - r->tail[PITRACE_RING_TRACE] >= b->control->segment_bytes;
		any |= head(r, PITRACE_RING_MTE) - r->tail[PITRACE_RING_MTE] >=
		       b->control->segment_bytes;
	}
	if (!any)
		return 0;
	if (ioctl(b->fd, PITRACE_IOC_FLUSH, &what))
		return -errno;
	for (c = 0; c < b->control->ncpus; c++) {
		if (!b->cpu[c].data[0])
			continue;
		err = drain_ring(b, c, PITRACE_RING_MTE, head(&b->cpu[c], PITRACE_RING_MTE), sink,
				 arg);
		if (err)
			return err;
	}
	for (c = 0; c < b->control->ncpus; c++) {
		if (!b->cpu[c].data[0])
			continue;
		err = drain_ring(b, c, PITRACE_RING_TRACE, b->cpu[c].until, sink, arg);
		if (err)
			return err;
	}
	/* Names were lost: have all live tasks written again, now that there is room. */
	if (mte_lost(b) != b->mte_lost && b->control->state == PITRACE_STATE_ON &&
	    b->control->mode != PITRACE_MODE_NORMAL) {
		b->mte_lost = mte_lost(b);
		call(b, PITRACE_IOC_RESCAN);
	}
	return 0;
}

static int driver_fd(struct backend *b)
{
	return b->fd;
}

static void driver_info(struct backend *b, struct trace_info *info)
{
	const struct pitrace_control *c = b->control;

	/* (C) state before stop_* */
	info->state = __atomic_load_n(&c->state, __ATOMIC_ACQUIRE);
	info->stop_cpu = c->stop_cpu;
	info->stop_ring = c->stop_ring;
	info->mte_bytes = c->mte_bytes;
	info->trace_bytes = c->trace_bytes;
	info->segment_bytes = c->segment_bytes;
	info->interval = c->interval;
	info->clock = c->clock;
	info->driver_have = b->driver.have;
	info->driver_missing = b->driver.missing;
	info->ncpus = 0;
	info->ticks = info->idle_ticks = info->late = 0;
	memset(info->lost, 0, sizeof(info->lost));
	for (uint32_t i = 0; i < c->ncpus; i++) {
		const struct pitrace_cpu *p = b->cpu[i].page;

		if (!b->cpu[i].data[0])
			continue;
		info->ncpus++;
		info->ticks += p->ticks;
		info->idle_ticks += p->idle_ticks;
		info->late += p->late;
		for (int k = 0; k < PITRACE_LOST_KINDS; k++)
			info->lost[k] += p->lost[k];
	}
}

static uint64_t driver_clock_hz(struct backend *b)
{
	return b->control->clock_hz;
}

static int driver_stats(struct backend *b, struct pifile_stats **out)
{
	const struct pitrace_control *c = b->control;
	struct pifile_stats *s = calloc(c->ncpus, sizeof(*s));
	int n = 0;

	if (!s)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->ncpus; i++) {
		const struct pitrace_cpu *p = b->cpu[i].page;

		if (!b->cpu[i].data[0])
			continue;
		s[n] = (struct pifile_stats){
			.cpu = i, .online = p->online, .ticks = p->ticks,
			.idle_ticks = p->idle_ticks, .late = p->late,
			.out_of_scope = p->out_of_scope,
			.mte_bytes = p->ring[PITRACE_RING_MTE].head,
			.trace_bytes = p->ring[PITRACE_RING_TRACE].head,
		};
		memcpy(s[n].lost, p->lost, sizeof(s[n].lost));
		n++;
	}
	*out = s;
	return n;
}

const struct collector collector_driver = {
	.name = "driver",
	.open = driver_open,
	.close = driver_close,
	.on = driver_on,
	.off = driver_off,
	.suspend = driver_suspend,
	.drain = driver_drain,
	.fd = driver_fd,
	.info = driver_info,
	.clock_hz = driver_clock_hz,
	.stats = driver_stats,
};
