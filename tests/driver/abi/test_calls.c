// SPDX-License-Identifier: GPL-3.0-or-later
/* Arguments: structs of other sizes and versions, fields out of range, calls in the wrong state. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "abi.h"

void test_info(void)
{
	static union {
		struct pitrace_info i;
		unsigned char bytes[256];
	} u;
	int dev = device();

	u.i.size = sizeof(u.i);
	want(0, ioctl(dev, PITRACE_IOC_INFO, &u));
	check(u.i.size == sizeof(u.i) && u.i.version == PITRACE_ABI_VERSION);
	check(u.i.clock == PITRACE_CLOCK_TSC || u.i.clock == PITRACE_CLOCK_MONOTONIC);
	check(u.i.clock_hz >= 1000000);
	check(u.i.missing == 0);
	check((u.i.have & (PITRACE_HAVE_FORK | PITRACE_HAVE_EXEC | PITRACE_HAVE_EXIT)) ==
	      (PITRACE_HAVE_FORK | PITRACE_HAVE_EXEC | PITRACE_HAVE_EXIT));
	check(u.i.majors[0] & 1ull << PITRACE_TPROF && u.i.majors[0] & 1ull << PITRACE_MTE);

	/* A caller that knows less gets less and not a byte more; one that knows more gets ours. */
	memset(&u, 0xAA, sizeof(u));
	u.i.size = 8;
	want(0, ioctl(dev, PITRACE_IOC_INFO, &u));
	check(u.i.version == PITRACE_ABI_VERSION && u.bytes[8] == 0xAA);
	memset(&u, 0xAA, sizeof(u));
	u.i.size = sizeof(u);
	want(0, ioctl(dev, PITRACE_IOC_INFO, &u));
	check(u.i.size == sizeof(u.i) && u.bytes[sizeof(u.i)] == 0xAA);
	u.i.size = 4;
	want(EINVAL, ioctl(dev, PITRACE_IOC_INFO, &u));
	want(EFAULT, ioctl(dev, PITRACE_IOC_INFO, NULL));
	want(EFAULT, ioctl(dev, PITRACE_IOC_INFO, (void *)-4096l));
	close(dev);
}

void test_numbers(void)
{
	struct pitrace_session_args args = plain();
	int dev = device(), fd = want(0, session(&args));
	char byte = 0;

	want(ENOTTY, ioctl(dev, _IO(PITRACE_IOC_MAGIC, 0x7F), &args));
	want(ENOTTY, ioctl(dev, _IO('T', 0), &args));
	want(ENOTTY, ioctl(dev, PITRACE_IOC_ON));
	want(ENOTTY, ioctl(fd, _IO(PITRACE_IOC_MAGIC, 0x7F), &args));
	want(ENOTTY, ioctl(fd, _IO('T', 0), &args));
	want(ENOTTY, ioctl(fd, PITRACE_IOC_SESSION, &args));
	want(EINVAL, read(fd, &byte, 1));
	want(EINVAL, write(fd, &byte, 1));
	want(EINVAL, read(dev, &byte, 1));
	want(ENODEV, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, dev, 0));
	close(fd);
	close(dev);
}

void test_session_sizes(void)
{
	uint32_t ours = sizeof(struct pitrace_session_args), size;
	int fd;

	want(EINVAL, session_of_size(0, 1, 0));
	want(EINVAL, session_of_size(4, 1, 0));
	want(EINVAL, session_of_size(7, 1, 0));
	want(EINVAL, session_of_size(ours, 0, 0));
	want(EINVAL, session_of_size(ours, 2, 0));
	want(E2BIG, session_of_size(ours + 8, 1, 1));
	want(E2BIG, session_of_size(4096, 1, 0xFF));
	want(EINVAL, session_of_size(8192, 1, 0));
	want(EINVAL, session_of_size(0xFFFFFFFF, 1, 0));
	want(EFAULT, session(NULL));
	want(EFAULT, session((void *)0x1000));
	want(EFAULT, session((void *)-4096l));
	/* Shorter ones mean zeros, also when they end in the middle of a field. */
	for (size = 8; size <= ours; size += 4) {
		fd = want(0, session_of_size(size, 1, 0xFF));
		if (fd >= 0)
			close(fd);
	}
	fd = want(0, session_of_size(ours + 100, 1, 0));
	if (fd >= 0)
		close(fd);
	no_session_left();
}

/* A struct whose end is on a page that is not there. */
void test_session_edge(void)
{
	unsigned char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				-1, 0);
	struct pitrace_session_args args = plain();
	uint32_t ours = sizeof(args);
	int fd;

	munmap(p + PAGE, PAGE);
	memcpy(p + PAGE - ours + 4, &args, ours - 4);
	want(EFAULT, session((void *)(p + PAGE - ours + 4)));
	memcpy(p + PAGE - 4, &args, 4);
	want(EFAULT, session((void *)(p + PAGE - 4)));
	memcpy(p + PAGE - ours, &args, ours);
	fd = want(0, session((void *)(p + PAGE - ours)));
	close(fd);
	munmap(p, PAGE);
	no_session_left();
}

static void refuse(int error, const char *what, struct pitrace_session_args args)
{
	int fd;

	errno = 0;
	fd = session(&args);
	if (fd >= 0 || errno != error)
		wrong("%s: %s, not %s", what, fd >= 0 ? "ok" : strerrorname_np(errno),
		      strerrorname_np(error));
	if (fd >= 0)
		close(fd);
}

#define REFUSE(error, ...)                                  \
	({                                                  \
		struct pitrace_session_args args = plain(); \
		__VA_ARGS__;                                \
		refuse(error, #__VA_ARGS__, args);          \
	})

void test_session_fields(void)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		REFUSE(EINVAL, args.flags = 1u << i);
	for (i = 1; i < 32; i++)
		REFUSE(EINVAL, args.flags = 1u << i; args.scope = PITRACE_SCOPE_PROCESS;
		       args.pid = getpid());
	REFUSE(EINVAL, args.reserved[0] = 1);
	REFUSE(EINVAL, args.reserved[1] = 1ull << 63);
	REFUSE(EINVAL, args.mode = 3);
	REFUSE(EINVAL, args.mode = 0xFFFFFFFF);
	REFUSE(EINVAL, args.scope = 2);
	REFUSE(EINVAL, args.scope = 0xFFFFFFFF);
	REFUSE(EINVAL, args.clock = 3);
	REFUSE(EINVAL, args.clock = 0xFFFFFFFF);
	REFUSE(EINVAL, args.pid = 1);
	REFUSE(EINVAL, args.scope = PITRACE_SCOPE_PROCESS);
	REFUSE(EINVAL, args.scope = PITRACE_SCOPE_PROCESS; args.pid = -1);
	REFUSE(ESRCH, args.scope = PITRACE_SCOPE_PROCESS; args.pid = 0x7FFFFFFF);
	REFUSE(ESRCH, args.scope = PITRACE_SCOPE_PROCESS; args.pid = 4000000);
	REFUSE(EINVAL, args.segment_bytes = 1);
	REFUSE(EINVAL, args.segment_bytes = 8192);
	REFUSE(EINVAL, args.segment_bytes = 48 * KB);
	REFUSE(EINVAL, args.segment_bytes = 2 * MB);
	REFUSE(EINVAL, args.segment_bytes = 0x80000000);
	REFUSE(EINVAL, args.mte_bytes = 1024 * MB + 1);
	REFUSE(EINVAL, args.trace_bytes = 1024 * MB + 1);
	REFUSE(EINVAL, args.mte_bytes = ~0ull);
	REFUSE(EINVAL, args.trace_bytes = 1ull << 63);
	/* More than the machine has: a refusal, not a kernel that gasps. */
	REFUSE(ENOMEM, args.trace_bytes = 1024 * MB);
	REFUSE(ENOMEM, args.mte_bytes = 1024 * MB; args.trace_bytes = 1024 * MB);
	no_session_left();
}

void test_session_rounding(void)
{
	struct pitrace_session_args args = plain();
	struct view v;

	args.segment_bytes = 0;
	args.mte_bytes = 1;
	args.trace_bytes = 3 * MB;
	if (begin(&v, args, 0)) {
		check(v.control->segment_bytes == 64 * KB);
		check(v.control->mte_bytes == 256 * KB);
		check(v.control->trace_bytes == 4 * MB);
		unview(&v);
	}
	args.segment_bytes = 1 * MB;
	args.trace_bytes = 0;
	if (begin(&v, args, 0)) {
		check(v.control->segment_bytes == 1 * MB);
		check(v.control->mte_bytes == 4 * MB);
		check(v.control->trace_bytes == 4 * MB);
		unview(&v);
	}
	no_session_left();
}

void test_control_page(void)
{
	struct view v;

	if (!begin(&v, plain(), 1234))
		return;
	check(v.control->size == sizeof(struct pitrace_control));
	check(v.control->version == PITRACE_ABI_VERSION);
	check(v.control->session >= 1 && v.control->session <= PITRACE_MAX_SESSIONS);
	check(v.control->state == PITRACE_STATE_OFF);
	check(v.control->ncpus >= (unsigned int)sysconf(_SC_NPROCESSORS_ONLN));
	check(v.control->cpu_stride >= sizeof(struct pitrace_cpu));
	check(v.control->data_offset % getpagesize() == 0);
	check(v.control->data_stride >= v.control->mte_bytes + v.control->trace_bytes);
	check(v.control->mode == PITRACE_MODE_CONTINUOUS);
	check(v.control->clock == info().clock);
	check(v.control->interval == 0);
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	check(v.control->state == PITRACE_STATE_ON);
	check(v.control->interval == 1 && v.control->rate == 1234 && v.control->dither == 100);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check(v.control->state == PITRACE_STATE_OFF);
	unview(&v);
}

void test_busy(void)
{
	struct pitrace_session_args args = plain(), process = plain();
	int first = want(0, session(&args)), more[PITRACE_MAX_SESSIONS], i;

	want(EBUSY, session(&args));
	check(info().sessions == 1);
	process.scope = PITRACE_SCOPE_PROCESS;
	process.pid = getpid();
	process.mte_bytes = 128 * KB;
	for (i = 1; i < PITRACE_MAX_SESSIONS; i++)
		more[i] = want(0, session(&process));
	want(EUSERS, session(&process));
	check(info().sessions == PITRACE_MAX_SESSIONS);
	close(first);
	check(info().sessions == PITRACE_MAX_SESSIONS - 1);
	first = want(0, session(&args));
	close(first);
	for (i = 1; i < PITRACE_MAX_SESSIONS; i++)
		close(more[i]);
	no_session_left();
}

void test_setup(void)
{
	struct pitrace_session_args args = plain();
	int fd = want(0, session(&args)), i;
	struct pitrace_setup_args setup;
	bool known;
	union {
		struct pitrace_setup_args args;
		unsigned char bytes[128];
	} u;

	want(EFAULT, ioctl(fd, PITRACE_IOC_SETUP, NULL));
	setup = setup_args(20000);
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup.rate = 20001;
	want(EINVAL, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup.rate = 0xFFFFFFFF;
	want(EINVAL, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup = setup_args(1);
	setup.dither = 101;
	want(EINVAL, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup = setup_args(1);
	setup.version = 0;
	want(EINVAL, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup = setup_args(1);
	setup.size = 7;
	want(EINVAL, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup = setup_args(1);
	setup.size = 16;
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	memset(&u, 0, sizeof(u));
	u.args = setup_args(1);
	u.args.size = sizeof(u);
	want(0, ioctl(fd, PITRACE_IOC_SETUP, &u));
	u.bytes[sizeof(u) - 1] = 1;
	want(E2BIG, ioctl(fd, PITRACE_IOC_SETUP, &u));
	/* Majors that this driver does not record are refused, each of them. */
	for (i = 0; i < PITRACE_MAJORS; i++) {
		setup = setup_args(1);
		setup.majors[i / 64] |= 1ull << (i % 64);
		known = info().majors[i / 64] >> (i % 64) & 1;
		want(known ? 0 : EOPNOTSUPP, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	}
	close(fd);
	no_session_left();
}

void test_states(void)
{
	struct pitrace_setup_args setup = setup_args(100);
	struct pitrace_session_args args = plain();
	int fd = want(0, session(&args)), i;

	want(EALREADY, ioctl(fd, PITRACE_IOC_OFF));
	want(EINVAL, ioctl(fd, PITRACE_IOC_SUSPEND));
	want(EINVAL, ioctl(fd, PITRACE_IOC_RESUME));
	want(EINVAL, ioctl(fd, PITRACE_IOC_RESCAN));
	for (i = 0; i < 3; i++) {
		want(0, ioctl(fd, PITRACE_IOC_ON));
		want(EBUSY, ioctl(fd, PITRACE_IOC_ON));
		want(EBUSY, ioctl(fd, PITRACE_IOC_SETUP, &setup));
		want(0, ioctl(fd, PITRACE_IOC_RESUME));
		want(0, ioctl(fd, PITRACE_IOC_SUSPEND));
		want(0, ioctl(fd, PITRACE_IOC_SUSPEND));
		want(EBUSY, ioctl(fd, PITRACE_IOC_ON));
		want(0, ioctl(fd, PITRACE_IOC_RESCAN));
		want(0, ioctl(fd, PITRACE_IOC_RESUME));
		want(0, ioctl(fd, PITRACE_IOC_RESCAN));
		want(0, ioctl(fd, PITRACE_IOC_OFF));
		want(EALREADY, ioctl(fd, PITRACE_IOC_OFF));
		want(EINVAL, ioctl(fd, PITRACE_IOC_RESUME));
		want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	}
	/* Calls off while suspended, and close while on. */
	want(0, ioctl(fd, PITRACE_IOC_ON));
	want(0, ioctl(fd, PITRACE_IOC_SUSPEND));
	want(0, ioctl(fd, PITRACE_IOC_OFF));
	want(0, ioctl(fd, PITRACE_IOC_ON));
	close(fd);
	no_session_left();
}
