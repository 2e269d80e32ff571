// SPDX-License-Identifier: GPL-3.0-or-later
/* Rings: what suspend stops, what a consumer may claim, what may be mapped, when a ring is full. */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "abi.h"

/* While suspended there are no ticks. */
void test_suspend(void)
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

void test_consume_arguments(void)
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

/* A consumer that sets a wrong position (far ahead, then back) gains no room: the ring fills and
 * reports it. */
void test_consume_lies(void)
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
	/* Once it has really read, recording continues, and the gap is recorded. */
	want(0, consume(&v, cpu, PITRACE_RING_TRACE, filled));
	for (i = 0; i < 200 && head(&v, cpu, PITRACE_RING_TRACE) == filled; i++)
		spin(20);
	check(head(&v, cpu, PITRACE_RING_TRACE) > filled);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check_rings(&v);
	unview(&v);
	sched_setaffinity(0, sizeof(one), &(cpu_set_t){ { ~0ul } });
}

void test_mmap(void)
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

	/* A read-only mapping stays so, does not grow, and is not inherited by children. */
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
void test_mapping_holds(void)
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
void test_zeroed(void)
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

void test_poll(void)
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
void test_mte_full(void)
{
	struct pitrace_session_args args = plain();
	pid_t child[100];
	int i, status, fd;
	char *p;

	args.mode = PITRACE_MODE_NORMAL;
	args.mte_bytes = 128 * KB;
	/* Each of them has 60 pieces of code, which nothing can join. */
	p = mmap(NULL, 120 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < 120; i += 2)
		want(0, mprotect(p + i * PAGE, PAGE, PROT_READ | PROT_EXEC));
	for (i = 0; i < 100; i++) {
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
	munmap(p, 120 * PAGE);
	for (i = 0; i < 100; i++)
		if (child[i] > 0) {
			kill(child[i], SIGKILL);
			waitpid(child[i], &status, 0);
		}
	want(0, ioctl(fd, PITRACE_IOC_ON));
	want(0, ioctl(fd, PITRACE_IOC_OFF));
	close(fd);
	no_session_left();
}

/* A process's session sees that process only. */
void test_scope(void)
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
