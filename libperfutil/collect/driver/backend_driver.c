/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The collector `driver`: pitrace.ko. Segments lie in mapped rings. They are handed over in place
 * and freed by reporting the read position to the driver.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "collect/backend.h"
#include "collect/driver/driver_itrace.h"
#include "collect/driver/driver_diagnosis.h"
#include "base/rc.h"

#define LEAST_SEGMENT 32768
#define DYING_NS      200000000
#define DYING_TRIES   20

struct cpu_rings {
	const struct pitrace_cpu *page;
	const uint8_t *data[PITRACE_RINGS]; /* NULL: no buffers on this CPU */
	uint64_t tail[PITRACE_RINGS];
	uint64_t floor; /* discarded position of the trace ring */
	uint64_t until; /* limit of trace reads in this drain */
};

struct backend {
	int fd;
	struct pitrace_info driver;
	const struct pitrace_control *control;
	size_t control_bytes;
	struct cpu_rings *cpu;
	bool events;       /* sampling by events */
	uint64_t interval; /* the interval (one `on`) that the tails belong to */
	uint64_t mte_lost; /* a rescan was requested at this count */
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

/* The control page states its own layout: map one page first, then all of it. */
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

/* Opens the device; -1 with the reason in check. */
static int open_device(const struct trace_config *config, struct collector_check *check)
{
	int device = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC);

	*check = (struct collector_check){ .state = COLLECTOR_WORKS };
	if (device < 0)
		driver_diagnose_open(errno, config, check);
	return device;
}

static struct pitrace_session_args session_args(const struct trace_config *config)
{
	return (struct pitrace_session_args){
		.size = sizeof(struct pitrace_session_args),
		.version = PITRACE_ABI_VERSION,
		.flags = config->flags,
		.mode = config->mode,
		.scope = config->scope,
		.pid = config->scope == PITRACE_SCOPE_PROCESS ? config->pid : 0,
		.clock = config->clock,
		.segment_bytes = (uint32_t)config->segment_bytes,
		.mte_bytes = config->mte_bytes,
		.trace_bytes = config->trace_bytes,
	};
}

/* Checks whether this session can sample these events. */
static void check_events(int session, const struct trace_config *config,
			 struct collector_check *check)
{
	for (uint32_t i = 0; i < config->nevents; i++) {
		struct pitrace_event_args args = config->events[i];

		args.size = sizeof(args);
		args.version = PITRACE_ABI_VERSION;
		if (!ioctl(session, PITRACE_IOC_EVENT, &args))
			continue;
		check->state = COLLECTOR_REFUSED;
		if (errno == EPERM) {
			snprintf(check->why, sizeof(check->why),
				 "events are sampled with CAP_PERFMON or CAP_SYS_ADMIN only");
			snprintf(check->cure, sizeof(check->cure), "run swtrace as root (sudo)");
		} else {
			snprintf(check->why, sizeof(check->why), "event %s: %s", args.name,
				 strerror(errno));
		}
		return;
	}
}

/* Configures what the session records. 0 or -errno. */
static int set_up(int session, const struct trace_config *config)
{
	struct pitrace_setup_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.rate = config->rate,
		.dither = config->dither,
		.seed = config->seed,
		.stacks = config->stacks,
		.depth = (uint16_t)config->depth,
		.copy = (uint16_t)config->copy,
	};
	int err;

	memcpy(args.majors, config->majors, sizeof(args.majors));
	err = ioctl(session, PITRACE_IOC_SETUP, &args) ? errno : 0;
	/* Users who may not see the kernel get stacks of user code only. */
	if (err == EPERM && args.stacks & PITRACE_WANT_KERNEL &&
	    args.stacks != PITRACE_WANT_KERNEL) {
		args.stacks &= ~PITRACE_WANT_KERNEL;
		err = ioctl(session, PITRACE_IOC_SETUP, &args) ? errno : 0;
	}
	return -err;
}

/* Kernel code cannot be traced here, or not by this user. */
static void no_kernel_side(bool nobody, struct collector_check *check)
{
	if (nobody) {
		snprintf(check->why, sizeof(check->why),
			 "the driver traces the kernel's side of system calls only where it was loaded with kernel_itrace=1 and the machine allows it (the kernel log says why not)");
		snprintf(check->cure, sizeof(check->cure),
			 "sudo rmmod pitrace && sudo modprobe pitrace kernel_itrace=1");
		return;
	}
	snprintf(check->why, sizeof(check->why),
		 "the kernel's side is traced with CAP_PERFMON only, and not where the system is locked down");
	snprintf(check->cure, sizeof(check->cure), "run swtrace as root (sudo)");
}

/* Checks the user's permission. Other errors are reported when tracing is turned on. */
static void check_setup(int session, const struct trace_config *config,
			struct collector_check *check)
{
	bool kernel = config->majors[0] >> PITRACE_BRANCH_KERNEL & 1;
	int err = set_up(session, config);

	switch (err ? err : driver_itrace(session, config)) {
	case -EPERM:
		check->state = COLLECTOR_REFUSED;
		if (kernel) {
			no_kernel_side(false, check);
			break;
		}
		snprintf(check->why, sizeof(check->why),
			 "without CAP_PERFMON the driver records samples of user code, names, and what programs write themselves, nothing else");
		snprintf(check->cure, sizeof(check->cure), "run swtrace as root (sudo)");
		break;
	case -EOPNOTSUPP:
		check->state = COLLECTOR_ABSENT;
		if (kernel) {
			no_kernel_side(true, check);
			break;
		}
		snprintf(check->why, sizeof(check->why),
			 "on this kernel the driver has not all of the records that are wanted (swtrace maj tells which, in a session)");
		break;
	}
}

/* The driver decides who may have a session: try to open a small one. Other errors (busy, no such
 * process) are reported when the real one is opened. */
static void driver_check(const struct trace_config *config, struct collector_check *check)
{
	struct pitrace_session_args args = session_args(config);
	int device = open_device(config, check), fd;

	if (device < 0)
		return;
	/* A command that is not started yet will be a process of the caller. */
	if (config->scope == PITRACE_SCOPE_PROCESS && !args.pid)
		args.pid = getpid();
	args.segment_bytes = LEAST_SEGMENT;
	args.mte_bytes = args.trace_bytes = 2 * LEAST_SEGMENT;
	fd = ioctl(device, PITRACE_IOC_SESSION, &args);
	if (fd >= 0) {
		check_setup(fd, config, check);
		if (check->state == COLLECTOR_WORKS)
			check_events(fd, config, check);
		close(fd);
	} else if (errno == EPERM || errno == EACCES) {
		driver_diagnose_refusal(config, check);
	}
	close(device);
}

/* A killed holder closes its socket first, and its session only a moment later. */
static int ask_for_session(int device, struct pitrace_session_args *args)
{
	const struct timespec pause = { .tv_nsec = DYING_NS / DYING_TRIES };
	int fd = ioctl(device, PITRACE_IOC_SESSION, args);

	for (int i = 0; fd < 0 && errno == EBUSY && i < DYING_TRIES; i++) {
		nanosleep(&pause, NULL);
		fd = ioctl(device, PITRACE_IOC_SESSION, args);
	}
	return fd;
}

/* Halves default sizes until they fit into the limit of locked memory, which a user cannot
 * raise. */
static int open_session(int device, struct pitrace_session_args *args)
{
	int fd = ask_for_session(device, args);

	if (args->trace_bytes != TRACER_TRACE_BYTES || args->mte_bytes != TRACER_MTE_BYTES)
		return fd;
	while (fd < 0 && errno == ENOMEM && args->trace_bytes > 4 * LEAST_SEGMENT) {
		args->trace_bytes /= 2;
		args->mte_bytes /= 2;
		if (args->segment_bytes > args->mte_bytes / 4)
			args->segment_bytes = LEAST_SEGMENT;
		fd = ioctl(device, PITRACE_IOC_SESSION, args);
	}
	return fd;
}

static struct backend *driver_open(const struct trace_config *config, int *rc, char *why,
				   size_t room)
{
	struct pitrace_session_args args = session_args(config);
	struct backend *b = calloc(1, sizeof(*b));
	struct collector_check check;
	int device, err;

	if (!b)
		return open_failed(NULL, rc, PI_NO_MEMORY);
	b->fd = -1;
	device = open_device(config, &check);
	if (device < 0) {
		snprintf(why, room, "%s%s%s", check.why, *check.cure ? "; " : "", check.cure);
		return open_failed(b, rc,
				   check.state == COLLECTOR_REFUSED ? PI_NO_PERMISSION :
								      PI_DRIVER_NOT_LOADED);
	}
	b->driver.size = sizeof(b->driver);
	if (ioctl(device, PITRACE_IOC_INFO, &b->driver) ||
	    b->driver.version != PITRACE_ABI_VERSION) {
		snprintf(why, room,
			 "the loaded module speaks version %u of the interface, this program %u; install both from one release",
			 b->driver.version, PITRACE_ABI_VERSION);
		close(device);
		return open_failed(b, rc, PI_BAD_DRIVER);
	}
	b->fd = open_session(device, &args);
	err = errno;
	close(device);
	if (b->fd < 0) {
		switch (err) {
		case EBUSY:
			snprintf(why, room,
				 "busy: a system-wide trace session exists already (see: swtrace info)");
			break;
		case EPERM:
			driver_diagnose_refusal(config, &check);
			snprintf(why, room, "%s; %s", check.why, check.cure);
			break;
		case EUSERS:
			snprintf(why, room,
				 "busy: no trace session is free: there are %d at most, and fewer for users without CAP_PERFMON; wait until one ends",
				 PITRACE_MAX_SESSIONS);
			break;
		case EDQUOT:
			snprintf(why, room,
				 "busy: you have as many trace sessions as a user may have without CAP_PERFMON; end one (swtrace free)");
			return open_failed(b, rc, PI_BUSY);
		case ENOMEM:
			snprintf(why, room,
				 "no memory for buffers of %llu + %llu KB a CPU, or the limit of locked memory (ulimit -l) is too low; ask for less with -s and -sm",
				 (unsigned long long)config->trace_bytes >> 10,
				 (unsigned long long)config->mte_bytes >> 10);
			break;
		case ESRCH:
			snprintf(why, room, "no process %d", config->pid);
			break;
		case EINVAL:
			snprintf(why, room,
				 "the driver refuses the buffer or section size: sections are powers of two, 32 KB to 1 MB, buffers at most 1 GB a CPU");
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

static int set_events(struct backend *b, const struct trace_config *config)
{
	struct pitrace_event_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.flags = PITRACE_EVENT_CLEAR,
		.type = PITRACE_EVENT_NONE,
	};

	if (b->events && ioctl(b->fd, PITRACE_IOC_EVENT, &args))
		return -errno;
	b->events = config->nevents;
	for (uint32_t i = 0; i < config->nevents; i++) {
		args = config->events[i];
		args.size = sizeof(args);
		args.version = PITRACE_ABI_VERSION;
		if (ioctl(b->fd, PITRACE_IOC_EVENT, &args))
			return -errno;
	}
	return 0;
}

static int driver_on(struct backend *b, const struct trace_config *config)
{
	int err = set_up(b->fd, config);

	if (err)
		return err;
	err = set_events(b, config);
	if (!err)
		err = driver_itrace(b->fd, config);
	if (err)
		return err;
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

/* Hands over the full segments of one ring up to a position. */
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
		/* In normal mode rings are not consumed: they may be written to several files. */
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

/* A new interval begins with empty rings. This is detected here, not at *on*, because a drain may
 * run before `on` returns. */
static void follow(struct backend *b)
{
	/* (E) the interval before the heads */
	uint64_t interval = __atomic_load_n(&b->control->interval, __ATOMIC_ACQUIRE);

	if (interval == b->interval)
		return;
	b->interval = interval;
	for (uint32_t c = 0; c < b->control->ncpus; c++) {
		b->cpu[c].tail[0] = b->cpu[c].tail[1] = 0;
		b->cpu[c].floor = b->cpu[c].until = 0;
	}
	b->mte_lost = 0;
}

/*
 * First records the end of each trace ring, then closes and hands over all MTE, then the trace up
 * to the recorded positions: the names that a sample needs were written before it, so they come
 * first.
 */
static int driver_drain(struct backend *b, bool all, segment_sink sink, void *arg)
{
	bool wrap = b->control->mode == PITRACE_MODE_WRAP, any = all;
	uint32_t what = PITRACE_FLUSH_MTE;
	uint32_t c;
	int err;

	follow(b);
	if (all && !wrap) {
		what = PITRACE_FLUSH_TRACE;
		if (ioctl(b->fd, PITRACE_IOC_FLUSH, &what))
			return -errno;
		what = PITRACE_FLUSH_MTE;
	}
	for (c = 0; c < b->control->ncpus; c++) {
		struct cpu_rings *r = &b->cpu[c];

		if (!r->data[0])
			continue;
		if (b->control->mode == PITRACE_MODE_NORMAL) {
			r->tail[PITRACE_RING_MTE] = 0;
			r->tail[PITRACE_RING_TRACE] = r->floor;
		}
		if (!wrap) {
			r->until = head(r, PITRACE_RING_TRACE);
			any |= r->until - r->tail[PITRACE_RING_TRACE] >= b->control->segment_bytes;
		}
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
	for (c = 0; c < b->control->ncpus && !wrap; c++) {
		if (!b->cpu[c].data[0])
			continue;
		err = drain_ring(b, c, PITRACE_RING_TRACE, b->cpu[c].until, sink, arg);
		if (err)
			return err;
	}
	/* Names were lost: request a rescan of all live tasks, now that the ring has space. */
	if (mte_lost(b) != b->mte_lost && b->control->state == PITRACE_STATE_ON &&
	    b->control->mode != PITRACE_MODE_NORMAL) {
		b->mte_lost = mte_lost(b);
		call(b, PITRACE_IOC_RESCAN);
	}
	return 0;
}

static int driver_mark(struct backend *b)
{
	uint32_t what = PITRACE_FLUSH_TRACE;

	follow(b);
	if (ioctl(b->fd, PITRACE_IOC_FLUSH, &what))
		return -errno;
	for (uint32_t c = 0; c < b->control->ncpus; c++)
		if (b->cpu[c].data[0])
			b->cpu[c].until = head(&b->cpu[c], PITRACE_RING_TRACE);
	return 0;
}

/* Hands over the segments of one CPU; each is copied first and then checked to be intact. */
static int window_of(struct backend *b, const struct cpu_rings *r, void *copy, segment_sink sink,
		     void *arg)
{
	const struct pitrace_ring *ring = &r->page->ring[PITRACE_RING_TRACE];
	uint64_t size = b->control->trace_bytes, segment = b->control->segment_bytes, opened;
	uint64_t at = r->until > size ? r->until - size : 0;
	int err = 0;

	if (at < r->floor)
		at = r->floor;
	for (; at + segment <= r->until && !err; at += segment) {
		memcpy(copy, r->data[PITRACE_RING_TRACE] + (at & (size - 1)), segment);
		/* (D) the copy before opened */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		opened = __atomic_load_n(&ring->opened, __ATOMIC_RELAXED);
		if (at + size >= opened)
			err = sink(arg, copy, segment);
		else
			at = opened - size - segment; /* the oldest segment that may be intact */
	}
	return err;
}

static int driver_window(struct backend *b, segment_sink sink, void *arg)
{
	void *copy = malloc(b->control->segment_bytes);
	int err = copy ? 0 : -ENOMEM;

	for (uint32_t c = 0; c < b->control->ncpus && !err; c++)
		if (b->cpu[c].data[0])
			err = window_of(b, &b->cpu[c], copy, sink, arg);
	free(copy);
	return err;
}

static int driver_discard(struct backend *b)
{
	uint32_t what = PITRACE_FLUSH_TRACE;

	follow(b);
	if (ioctl(b->fd, PITRACE_IOC_FLUSH, &what))
		return -errno;
	for (uint32_t c = 0; c < b->control->ncpus; c++) {
		struct cpu_rings *r = &b->cpu[c];
		struct pitrace_consume_args done = { .cpu = c, .ring = PITRACE_RING_TRACE };

		if (!r->data[0])
			continue;
		r->floor = head(r, PITRACE_RING_TRACE) & ~(uint64_t)(b->control->segment_bytes - 1);
		r->tail[PITRACE_RING_TRACE] = done.position = r->floor;
		if (b->control->mode != PITRACE_MODE_WRAP &&
		    ioctl(b->fd, PITRACE_IOC_CONSUME, &done))
			return -errno;
	}
	return 0;
}

static int driver_rescan(struct backend *b, uint64_t *ticket)
{
	int err = call(b, PITRACE_IOC_RESCAN);

	*ticket = __atomic_load_n(&b->control->rescans_asked, __ATOMIC_RELAXED);
	return err;
}

static bool driver_rescanned(struct backend *b, uint64_t ticket)
{
	return __atomic_load_n(&b->control->rescans_done, __ATOMIC_ACQUIRE) >= ticket;
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
	info->stop_pid = (int32_t)c->stop_pid;
	info->stop_signal = c->stop_signal;
	info->mte_bytes = c->mte_bytes;
	info->trace_bytes = c->trace_bytes;
	info->segment_bytes = c->segment_bytes;
	info->interval = c->interval;
	info->clock = c->clock;
	info->driver_have = b->driver.have;
	info->driver_missing = b->driver.missing;
	memcpy(info->available, b->driver.majors, sizeof(info->available));
	info->ncpus = 0;
	info->ticks = info->idle_ticks = info->late = 0;
	info->instructions = info->branches = info->waits = info->waited = info->taken = 0;
	memset(info->lost, 0, sizeof(info->lost));
	for (uint32_t i = 0; i < c->ncpus; i++) {
		const struct pitrace_cpu *p = b->cpu[i].page;

		if (!b->cpu[i].data[0])
			continue;
		info->ncpus++;
		info->ticks += p->ticks;
		info->idle_ticks += p->idle_ticks;
		info->late += p->late;
		info->instructions += p->instructions;
		info->branches += p->branches;
		info->waits += p->waits;
		info->waited += p->waited;
		info->taken += p->taken;
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
			.cpu = i,
			.online = p->online,
			.ticks = p->ticks,
			.idle_ticks = p->idle_ticks,
			.late = p->late,
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

static uint32_t driver_serial(struct backend *b)
{
	return b->control->serial;
}

static bool driver_has(struct backend *b, pid_t pid)
{
	int32_t process = pid;

	return !ioctl(b->fd, PITRACE_IOC_HAS, &process);
}

const struct collector collector_driver = {
	.name = "driver",
	.dither = 100,
	.repeats = true,
	.modules = MODULES_ITS_OWN,
	.what = "the kernel module pitrace; distances of ticks vary by 10 %",
	.check = driver_check,
	.open = driver_open,
	.close = driver_close,
	.on = driver_on,
	.off = driver_off,
	.suspend = driver_suspend,
	.drain = driver_drain,
	.mark = driver_mark,
	.window = driver_window,
	.discard = driver_discard,
	.rescan = driver_rescan,
	.rescanned = driver_rescanned,
	.fd = driver_fd,
	.info = driver_info,
	.clock_hz = driver_clock_hz,
	.stats = driver_stats,
	.serial = driver_serial,
	.has = driver_has,
};
