// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Each call of the driver, again and again: the first time its first allocation of memory fails,
 * the second time its second, until none is left to fail. It must say so (ENOMEM) or do without,
 * and leave nothing behind. For kernels with fault injection (/proc/self/fail-nth). On and off are
 * left out: kprobes themselves warn (6.1: __disarm_kprobe_ftrace) when ftrace gets no memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <pitrace.h>

#define MAJOR 0xD5
#define MOST  20000 /* more allocations no call makes */

static int nth, device, session, hook;
static size_t data_offset, data_stride;
static void *mapped = MAP_FAILED;

/* The nth allocation from here on fails; 0: none. */
static void fail(unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth, text, (size_t)length, 0) != length) {
		perror("starve: fail-nth");
		exit(2);
	}
}

/* Did it come to that? */
static bool failed(void)
{
	char text[16] = "";

	if (pread(nth, text, sizeof(text) - 1, 0) < 1) {
		perror("starve: fail-nth");
		exit(2);
	}
	fail(0);
	return !strtoul(text, NULL, 10);
}

static struct pitrace_session_args session_args(void)
{
	return (struct pitrace_session_args){
		.size = sizeof(struct pitrace_session_args),
		.version = PITRACE_ABI_VERSION,
		.mode = PITRACE_MODE_CONTINUOUS,
		.scope = PITRACE_SCOPE_PROCESS,
		.pid = getpid(),
		.segment_bytes = 32768,
		.mte_bytes = 131072,
		.trace_bytes = 131072,
	};
}

/* ---- the calls: what they need is there ------------------------------------------------------ */

static long call_open(void)
{
	return open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC);
}

static long call_session(void)
{
	struct pitrace_session_args args = session_args();

	return ioctl(device, PITRACE_IOC_SESSION, &args);
}

static long call_hook_open(void)
{
	return ioctl(device, PITRACE_IOC_HOOK_OPEN);
}

static long call_setup(void)
{
	struct pitrace_setup_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.rate = 100,
		.stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_USER | PITRACE_WANT_COPY,
		.copy = 1024,
	};

	args.majors[0] = 1ull << PITRACE_TPROF | 1ull << PITRACE_SYSCALL;
	args.majors[MAJOR / 64] = 1ull << MAJOR % 64;
	return ioctl(session, PITRACE_IOC_SETUP, &args);
}

static long call_mmap(void)
{
	mapped = mmap(NULL, data_stride, PROT_READ, MAP_SHARED, session, (off_t)data_offset);
	return mapped == MAP_FAILED ? -1 : 0;
}

static long call_hook(void)
{
	static const uint64_t values[40];
	static const uint32_t lengths[80] = { 1000 };
	static const char bytes[1000];
	struct pitrace_hook_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.major = MAJOR,
		.ints = 40,
		.strs = 80,
		.values = (uintptr_t)values,
		.lengths = (uintptr_t)lengths,
		.strings = (uintptr_t)bytes,
	};

	return ioctl(hook, PITRACE_IOC_HOOK, &args);
}

static long call_rescan(void)
{
	return ioctl(session, PITRACE_IOC_RESCAN);
}

static const struct call {
	const char *name;
	long (*call)(void);
	enum { NOTHING, A_SESSION, IS_ON } needs;
	bool gives; /* a descriptor */
} calls[] = {
	{ "open", call_open, NOTHING, true },           { "session", call_session, NOTHING, true },
	{ "hook_open", call_hook_open, NOTHING, true }, { "setup", call_setup, A_SESSION, false },
	{ "mmap", call_mmap, A_SESSION, false },        { "hook", call_hook, IS_ON, false },
	{ "rescan", call_rescan, IS_ON, false },
};

static void need(const struct call *c)
{
	const struct pitrace_control *control;

	if (c->needs == NOTHING)
		return;
	session = (int)call_session();
	control = mmap(NULL, 4096, PROT_READ, MAP_SHARED, session, 0);
	if (session < 0 || control == MAP_FAILED) {
		perror("starve: a session");
		exit(2);
	}
	data_offset = control->data_offset;
	data_stride = control->data_stride;
	munmap((void *)control, 4096);
	if (c->needs == IS_ON && (call_setup() || ioctl(session, PITRACE_IOC_ON))) {
		perror("starve: on");
		exit(2);
	}
}

static bool nothing_left(void)
{
	struct pitrace_info info = { .size = sizeof(info) };

	return !ioctl(device, PITRACE_IOC_INFO, &info) && !info.sessions;
}

/* Until no allocation is left to fail. */
static bool starve(const struct call *c)
{
	unsigned int n, refused = 0;

	for (n = 1; n < MOST; n++) {
		bool was;
		long r;
		int err;

		need(c);
		fail(n);
		r = c->call();
		err = errno;
		was = failed();
		if (r < 0 && !(was && err == ENOMEM)) {
			printf("not ok starve_%s %s%s, allocation %u\n", c->name, strerror(err),
			       was ? "" : ", and nothing had failed", n);
			return false;
		}
		refused += r < 0;
		if (c->gives && r >= 0)
			close((int)r);
		if (mapped != MAP_FAILED)
			munmap(mapped, data_stride);
		mapped = MAP_FAILED;
		if (c->needs != NOTHING)
			close(session);
		if (!nothing_left()) {
			printf("not ok starve_%s a session is left, allocation %u\n", c->name, n);
			return false;
		}
		if (!was)
			break;
	}
	printf("# %s: %u allocations failed, %u calls with them\n", c->name, n - 1, refused);
	printf("ok starve_%s\n", c->name);
	return true;
}

int main(void)
{
	bool good = true;

	setvbuf(stdout, NULL, _IOLBF, 0);
	nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	device = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC);
	hook = (int)call_hook_open();
	if (nth < 0 || device < 0 || hook < 0) {
		perror("starve: /proc/thread-self/fail-nth, " PITRACE_DEVICE);
		return 2;
	}
	for (unsigned int i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		good &= starve(&calls[i]);
	return !good;
}
