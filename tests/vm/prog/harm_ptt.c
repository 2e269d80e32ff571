// SPDX-License-Identifier: GPL-3.0-or-later
/* harm's calls of a ptt: a worker has one, watches itself and what comes and goes. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "harm.h"

static struct {
	int fd;
	bool stopped;
	unsigned char *map; /* the threads' pages, or NULL */
	size_t bytes;
} p = { .fd = -1 };

static void let_go(void)
{
	if (p.map)
		did(MUNMAP, munmap(p.map, p.bytes));
	if (p.fd >= 0)
		did(CLOSE, close(p.fd));
	p.map = NULL;
	p.fd = -1;
}

void ptt_scan(bool root)
{
	if (p.map)
		scan(p.map, p.bytes, root);
}

void ptt_born(void)
{
	p.map = NULL;
}

static void do_ptt(bool good, bool root, int device)
{
	struct pitrace_ptt_args args = {
		.size = sizeof(args), .version = PITRACE_ABI_VERSION,
		.flags = chance(30) ? PITRACE_PTT_CHARGE : 0,
		.metrics = 1 + (uint32_t)(rnd() % 3), .slots = 1 + (uint32_t)(rnd() % 16),
		.metric = {
			{ .type = PITRACE_METRIC_CYCLES },
			{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
			  .flags = root ? 0 : PITRACE_METRIC_USER },
			{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
			  .flags = PITRACE_METRIC_USER },
		},
	};
	bool few = !good && chance(20);
	rlim_t old = 0;
	int fd;

	ptt_scan(root);
	let_go();
	if (few)
		old = descriptors(3);
	else if (!good && chance(85))
		spoil(&args, sizeof(args));
	fd = ioctl(device, PITRACE_IOC_PTT,
		   good || few || chance(80) ? &args : nowhere(&args, sizeof(args)));
	if (few)
		descriptors(old);
	if (did(PTT, fd))
		p.fd = fd;
	/* There are no more to be had until another worker, or a child, lets go of one. */
	else if (good)
		usleep(3000);
	p.stopped = false;
}

/* Itself, short-lived processes with their children, or (root) all. */
static void do_threads(enum op op, bool good, bool root)
{
	static const uint32_t flags[] = {
		0,
		PITRACE_PTT_PROCESS,
		PITRACE_PTT_PROCESS | PITRACE_PTT_CHILDREN,
	};
	struct pitrace_ptt_thread_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.flags = flags[rnd() % 3],
		.tid = chance(50) ? 0 : all->alive,
	};
	unsigned long request = op == PTT_ADD ? PITRACE_IOC_PTT_ADD : PITRACE_IOC_PTT_REMOVE;

	if (op == PTT_ADD && root && chance(10)) {
		args.flags = PITRACE_PTT_ALL;
		args.tid = 0;
	} else if (op == PTT_REMOVE && good) {
		args.flags = 0;
		args.tid = 0;
		did(PTT_ADD, ioctl(p.fd, PITRACE_IOC_PTT_ADD, &args));
		if (chance(20))
			args.flags = PITRACE_PTT_ALL;
	} else if (op == PTT_REMOVE && chance(50)) {
		args.flags = PITRACE_PTT_SLOT;
		args.tid = (int32_t)(rnd() % 20);
	}
	if (!good && chance(85))
		spoil(&args, sizeof(args));
	did(op, ioctl(p.fd, request, good || chance(80) ? &args : nowhere(&args, sizeof(args))));
}

static void do_charge(bool good)
{
	uint32_t flags = good ? (uint32_t)(rnd() % 2) : (uint32_t)odd() | 2;

	did(PTT_CHARGE, ioctl(p.fd, PITRACE_IOC_PTT_CHARGE,
			      good || chance(70) ? &flags : nowhere(&flags, sizeof(flags))));
}

static void map_wrongly(void)
{
	static const int prot[] = { PROT_READ, PROT_WRITE, PROT_READ | PROT_WRITE,
				    PROT_READ | PROT_EXEC };
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE) << rnd() % 8;
	void *at = mmap(NULL, bytes, prot[rnd() % 4], chance(50) ? MAP_SHARED : MAP_PRIVATE, p.fd,
			(off_t)(odd() & ~4095ull & ~(1ull << 63)));

	if (did(PTT_MMAP, at == MAP_FAILED ? -1 : 0))
		munmap(at, bytes);
}

/* All areas that this user is shown; that of threads stays. */
static void do_mmap(bool good, bool root)
{
	struct pitrace_ptt_control c;
	size_t cpus;
	void *at;

	if (!good) {
		map_wrongly();
		return;
	}
	at = mmap(NULL, sizeof(c), PROT_READ, MAP_SHARED, p.fd, 0);
	if (!did(PTT_MMAP, at == MAP_FAILED ? -1 : 0))
		return;
	scan(at, (size_t)sysconf(_SC_PAGESIZE), root);
	c = *(struct pitrace_ptt_control *)at;
	munmap(at, sizeof(c));
	cpus = c.ncpus * c.cpu_stride;
	at = c.cpu_offset ? mmap(NULL, cpus, PROT_READ, MAP_SHARED, p.fd, (off_t)c.cpu_offset) :
			    MAP_FAILED;
	if (at != MAP_FAILED) {
		scan(at, cpus, root);
		munmap(at, cpus);
	}
	if (p.map)
		return;
	p.bytes = c.slots * c.thread_stride;
	at = mmap(NULL, p.bytes, PROT_READ, MAP_SHARED, p.fd, (off_t)c.thread_offset);
	if (did(PTT_MMAP, at == MAP_FAILED ? -1 : 0))
		p.map = at;
	ptt_scan(root);
}

void ptt_one(enum op op, bool good, bool root, int device)
{
	/* A stopped one adds no threads. */
	if (op != PTT && (p.fd < 0 || p.stopped))
		do_ptt(true, root, device);
	if (op != PTT && p.fd < 0)
		return;
	switch (op) {
	case PTT:
		do_ptt(good, root, device);
		break;
	case PTT_ADD:
	case PTT_REMOVE:
		do_threads(op, good, root);
		break;
	case PTT_CHARGE:
		do_charge(good);
		break;
	case PTT_UPDATE:
		did(op, ioctl(good ? p.fd : device, PITRACE_IOC_PTT_UPDATE));
		break;
	case PTT_HERE:
		did(op, ioctl(good ? p.fd : device, PITRACE_IOC_PTT_UPDATE_HERE));
		break;
	case PTT_STOP:
		did(op, ioctl(good ? p.fd : device, PITRACE_IOC_PTT_STOP));
		p.stopped |= good;
		break;
	default:
		do_mmap(good, root);
		break;
	}
}
