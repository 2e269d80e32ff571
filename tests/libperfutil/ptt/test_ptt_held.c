/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asking PTT's holder: what it must not be able to tell (sizes, counts, names without an end, files
 * that are no ptt), what is said when there is none. What it holds needs the driver: ptt_tool.
 */
#include <errno.h>
#include <fcntl.h>
#include <pttview.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/service.h"
#include "unit.h"

static char folder[] = "/tmp/ptt_held.XXXXXX";
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static int listener = -1;

static void make_socket(void)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	setenv("PITRACE_PTT", address.sun_path, 1);
	CU_ASSERT_EQUAL(pttview_end(), PI_NOT_INITIALIZED);
	CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "ptt init begins"));
	listener = service_bind(&address);
	CU_ASSERT_FATAL(listener >= 0);
	unit_keep_files();
}

static struct pttview_held good(void)
{
	return (struct pttview_held){
		.size = sizeof(struct pttview_held),
		.version = 1,
		.holder = 1,
		.metrics = 1,
		.whom = PTTVIEW_ALL,
		.metric = { "tsc" },
		.cycles = { 1 },
	};
}

static int files(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* The result for a truncated answer. */
static int attach(const void *answer, size_t size, int pass)
{
	int rc = 1, status, before = files();
	pid_t pid = fork();
	struct pttview *v;

	if (!pid) {
		char question[64];
		int fd = accept(listener, NULL, NULL);

		_exit(recv(fd, question, sizeof(question), 0) != 16 ||
		      (size && !service_send(fd, answer, size, pass)));
	}
	v = pttview_attach(NULL, &rc);
	CU_ASSERT_PTR_NULL(v);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(files(), before);
	return rc;
}

static void refused(void)
{
	struct pttview_held h = good();
	int file = memfd_create("no-ptt", MFD_CLOEXEC),
	    null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char longer[sizeof(h) + 1] = { 0 };

	CU_ASSERT_FATAL(file >= 0 && null >= 0);
	CU_ASSERT_EQUAL(ftruncate(file, 1 << 20), 0);
	CU_ASSERT_EQUAL(attach(&h, 0, -1), PI_HOLDER_GONE);
	CU_ASSERT_EQUAL(attach(&h, sizeof(h) - 1, file), PI_HOLDER_GONE);
	CU_ASSERT_EQUAL(attach(longer, sizeof(longer), file), PI_HOLDER_GONE);
	CU_ASSERT_EQUAL(attach(&h, sizeof(h), -1), PI_HOLDER_GONE);
	CU_ASSERT_EQUAL(attach(&h, sizeof(h), file), PI_HOLDER_GONE);
	CU_ASSERT_EQUAL(attach(&h, sizeof(h), null), PI_HOLDER_GONE);
	h.size++;
	CU_ASSERT_EQUAL(attach(&h, sizeof(h), file), PI_HOLDER_GONE);
	h = good();
	h.version++;
	CU_ASSERT_EQUAL(attach(&h, sizeof(h), file), PI_HOLDER_GONE);
	h = good();
	h.metrics = 0;
	CU_ASSERT_EQUAL(attach(&h, sizeof(h), file), PI_HOLDER_GONE);
	h.metrics = PTT_METRICS + 1;
	CU_ASSERT_EQUAL(attach(&h, sizeof(h), file), PI_HOLDER_GONE);
	h = good();
	h.pids = PTTVIEW_HELD_PIDS + 1;
	CU_ASSERT_EQUAL(attach(&h, sizeof(h), file), PI_HOLDER_GONE);
	h = good();
	memset(h.metric[0], 'a', sizeof(h.metric[0]));
	CU_ASSERT_EQUAL(attach(&h, sizeof(h), file), PI_HOLDER_GONE);
	close(file);
	close(null);
}

static bool passes(int pass)
{
	char packet[8], want[8] = "packet!";
	int ends[2], got = -2;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	CU_ASSERT(service_send(ends[0], want, sizeof(want), pass));
	CU_ASSERT_EQUAL(service_receive(ends[1], packet, sizeof(packet), &got), sizeof(packet));
	CU_ASSERT_EQUAL(memcmp(packet, want, sizeof(want)), 0);
	/* A descriptor that nobody wants is not kept. */
	CU_ASSERT(service_send(ends[0], want, sizeof(want), pass));
	CU_ASSERT_EQUAL(service_receive(ends[1], packet, sizeof(packet), NULL), sizeof(packet));
	close(ends[0]);
	CU_ASSERT_EQUAL(service_receive(ends[1], packet, sizeof(packet), NULL), 0);
	close(ends[1]);
	if (got < 0)
		return false;
	CU_ASSERT_EQUAL(fcntl(got, F_GETFD), FD_CLOEXEC);
	close(got);
	return true;
}

/* If several arrive at once, at most one is kept. */
static void too_many(void)
{
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(2 * sizeof(int))] = { 0 };
	struct iovec data = { .iov_base = (char[1]){ 0 }, .iov_len = 1 };
	struct msghdr m = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = room,
		.msg_controllen = sizeof(room),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int ends[2], before = files(), got;
	char byte;

	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(c), (int[2]){ 1, 2 }, 2 * sizeof(int));
	CU_ASSERT_EQUAL(sendmsg(ends[0], &m, 0), 1);
	CU_ASSERT_EQUAL(service_receive(ends[1], &byte, 1, &got), 1);
	if (got >= 0)
		close(got);
	close(ends[0]);
	close(ends[1]);
	CU_ASSERT_EQUAL(files(), before);
}

static void packets(void)
{
	int before = files();

	CU_ASSERT(passes(1));
	CU_ASSERT_FALSE(passes(-1));
	CU_ASSERT_EQUAL(files(), before);
}

/* Its socket stands there still: it was killed. */
static void killed(void)
{
	static const char *const tsc[] = { "tsc" };
	struct pttview_options o = { .count = 1, .metrics = tsc };
	int pids[PTTVIEW_HELD_PIDS + 1] = { 1 }, rc;

	close(listener);
	CU_ASSERT_PTR_NULL(pttview_attach(NULL, &rc));
	CU_ASSERT_EQUAL(rc, PI_HOLDER_GONE);
	CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "was killed"));
	CU_ASSERT_EQUAL(pttview_end(), PI_HOLDER_GONE);
	CU_ASSERT_EQUAL(pttview_hold(&o, PTTVIEW_ALL, pids, 1), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(pttview_hold(&o, PTTVIEW_PROCESS, NULL, 0), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(pttview_hold(&o, PTTVIEW_PROCESS, pids, PTTVIEW_HELD_PIDS + 1),
			PI_INVALID_ARGUMENT);
	/* A PTT that cannot begin leaves nothing behind. */
	if (access(PITRACE_DEVICE, F_OK)) {
		CU_ASSERT_EQUAL(pttview_hold(&o, PTTVIEW_ALL, NULL, 0), PI_DRIVER_NOT_LOADED);
		CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "PTT needs the pitrace module"));
		CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	}
	unlink(address.sun_path);
	rmdir(folder);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "make_socket", make_socket }, { "packets", packets }, { "too_many", too_many },
		{ "refused", refused },         { "killed", killed },   { NULL, NULL },
	};

	return unit_run("ptt_held", tests);
}
