// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The door: who has the key passes a file in memory and is read; whatever else comes is sent away,
 * holds up nobody, and is told. (Linked with --wrap=getsockopt.)
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hook/hook_place.h"
#include "hook/hooks_inner.h"
#include "file/record_walk.h"
#include "unit.h"

#define MAJOR 0xD2

static const uint64_t majors[4] = { [MAJOR / 64] = 1ull << MAJOR % 64 };
static char top[] = "/tmp/hook_door.XXXXXX", folder[64], page[64];
static struct hooks *hooks;
static uint64_t records;

static bool unseen; /* callers are in a pid namespace that has no numbers here */

int __real_getsockopt(int s, int level, int what, void *value, socklen_t *size);
int __wrap_getsockopt(int s, int level, int what, void *value, socklen_t *size);
int __wrap_getsockopt(int s, int level, int what, void *value, socklen_t *size)
{
	int rc = __real_getsockopt(s, level, what, value, size);

	if (!rc && unseen && level == SOL_SOCKET && what == SO_PEERCRED)
		((struct ucred *)value)->pid = 0;
	return rc;
}

static int sink(void *arg, const void *segment, size_t size)
{
	struct pitrace_segment h;
	struct record_walk w;
	struct record r;

	(void)arg;
	if (record_walk_begin(&w, segment, size, &h))
		return -EBADMSG;
	while (record_next(&w, &r) > 0)
		records += r.major == MAJOR;
	return 0;
}

static void begin(void)
{
	hooks = hooks_new(folder, (uid_t)-1, HOOKS_BYTES_MIN * 64, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(hooks);
	CU_ASSERT_EQUAL_FATAL(hooks_listen(hooks, majors), 0);
	CU_ASSERT_FATAL(hooks->door.page.magic != 0);
	records = 0;
}

static void end(void)
{
	CU_ASSERT_EQUAL(hooks_listen(hooks, NULL), 0);
	do {
		CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
		CU_ASSERT_EQUAL(hooks_drain(hooks, PITRACE_RING_TRACE, true, sink, NULL), 0);
	} while (hooks_pending(hooks));
	hooks_free(hooks);
}

static const struct hook_door_page *map(void)
{
	int fd = hook_door_page_open(page, false);
	const void *p = mmap(NULL, sizeof(struct hook_door_page), PROT_READ, MAP_SHARED, fd, 0);

	CU_ASSERT_FATAL(fd >= 0 && p != MAP_FAILED);
	close(fd);
	return p;
}

static int knock(const char *name)
{
	struct sockaddr_un a;
	socklen_t length = hook_door_address(&a, name);
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	CU_ASSERT_EQUAL_FATAL(connect(s, (struct sockaddr *)&a, length), 0);
	return s;
}

static bool say(int s, const void *packet, size_t size, int pass)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(pass))];
	} control = { .room = { 0 } };
	struct iovec data = { (void *)packet, size };
	struct msghdr m = { .msg_iov = &data,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control.room) };

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(pass));
	memcpy(CMSG_DATA(&control.head), &pass, sizeof(pass));
	return sendmsg(s, &m, MSG_NOSIGNAL) == (ssize_t)size;
}

static void test_passed(void)
{
	const struct hook_door_page *door;
	struct hookfile_control control;
	struct hookfile *f;
	struct hookfile_record *r;
	uint32_t head;
	struct stat st;

	begin();
	door = map();
	control = hooks->control;
	f = hookfile_make(NULL, door, &control);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT(f->announced && f->passed);
	head = hookfile_head(MAJOR, 4, 1);
	r = hookfile_reserve(f, 0, 4);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	hookfile_begin(r, head);
	r->stamp = hookfile_now(f->tsc);
	r->tid = (uint32_t)gettid();
	hookfile_commit(r, head);
	CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
	CU_ASSERT_EQUAL_FATAL(hooks->nprocesses, 1);
	CU_ASSERT_EQUAL(hooks->process[0]->pid, getpid());
	CU_ASSERT_EQUAL(hooks->process[0]->uid, geteuid());
	end();
	CU_ASSERT_EQUAL(records, 1);
	/* The session has ended: nothing is passed to a new owner of that name. */
	CU_ASSERT_PTR_NULL(hookfile_make(NULL, door, &control));
	CU_ASSERT_EQUAL(door->key[0] | door->key[1] | door->generation, 0);
	hookfile_discard(f, folder);
	munmap((void *)door, sizeof(*door));
	CU_ASSERT(stat(page, &st) || (st.st_mode & 077) == 0);
}

/* A passed descriptor must be of this session, in memory, and come with the key. */
static void test_refused(void)
{
	struct hook_door_packet good, bad;
	struct hookfile_header header = { HOOKFILE_MAGIC, HOOKFILE_VERSION, 0, 1, 0, 0, { 0 } };
	int memory = memfd_create("x", MFD_CLOEXEC), other = memfd_create("y", MFD_CLOEXEC);
	int s[8], fifo[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);

	begin();
	header.generation = hooks->control.generation;
	CU_ASSERT_FATAL(write(memory, &header, sizeof(header)) == sizeof(header));
	good = bad =
		(struct hook_door_packet){ HOOK_DOOR_MAGIC,
					   HOOK_DOOR_VERSION,
					   { hooks->door.page.key[0], hooks->door.page.key[1] },
					   "" };
	bad.key[1] ^= 1;
	CU_ASSERT_EQUAL_FATAL(pipe2(fifo, O_CLOEXEC), 0);
	for (int i = 0; i < 8; i++)
		s[i] = knock(hooks->door.page.name);
	CU_ASSERT(say(s[0], &bad, sizeof(bad), memory));
	CU_ASSERT(say(s[1], &good, sizeof(good), fifo[0]));
	CU_ASSERT(say(s[2], &good, sizeof(good), null));
	CU_ASSERT(say(s[3], &good, sizeof(good) - 1, memory));
	CU_ASSERT(say(s[4], &good, sizeof(good), other));
	CU_ASSERT(send(s[5], &good, sizeof(good), 0) == sizeof(good));
	close(s[6]);
	/* s[7] says nothing. */
	CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
	CU_ASSERT_EQUAL(hooks->nprocesses, 0);
	CU_ASSERT_EQUAL(hooks->door.ncallers, 1);
	hooks->door.caller[0].since = 0;
	CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
	CU_ASSERT_EQUAL(hooks->door.ncallers, 0);
	/* An answer that this test would accept. */
	s[6] = knock(hooks->door.page.name);
	CU_ASSERT(say(s[6], &good, sizeof(good), memory));
	CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
	CU_ASSERT_EQUAL(hooks->nprocesses, 1);
	for (int i = 0; i < 8; i++)
		close(s[i]);
	close(fifo[0]);
	close(fifo[1]);
	close(null);
	close(memory);
	close(other);
	end();
}

/* More than it keeps say nothing: the next one comes in when they are sent away. */
static void test_silent(void)
{
	int s[HOOK_DOOR_CALLERS + 8];
	struct hook_door_packet bad = { .magic = HOOK_DOOR_MAGIC, .version = HOOK_DOOR_VERSION };

	begin();
	for (int i = 0; i < HOOK_DOOR_CALLERS + 8; i++)
		s[i] = knock(hooks->door.page.name);
	CU_ASSERT_EQUAL(send(s[HOOK_DOOR_CALLERS + 7], &bad, sizeof(bad), 0), sizeof(bad));
	CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
	CU_ASSERT_EQUAL(hooks->door.ncallers, HOOK_DOOR_CALLERS);
	for (unsigned int i = 0; i < HOOK_DOOR_CALLERS; i++)
		hooks->door.caller[i].since = 0;
	CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
	CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
	CU_ASSERT_EQUAL(hooks->door.ncallers, 7);
	for (int i = 0; i < HOOK_DOOR_CALLERS + 8; i++)
		close(s[i]);
	end();
}

/* Somebody has the usual name: it gets another, and whose it is is looked at. */
static void test_taken(void)
{
	char name[48], passed;
	struct sockaddr_un a;
	socklen_t length;
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int memory = memfd_create("x", MFD_CLOEXEC), caller;
	struct hook_door_page other;

	CU_ASSERT_FATAL(hook_door_name(name, sizeof(name), folder));
	length = hook_door_address(&a, name);
	CU_ASSERT_EQUAL_FATAL(bind(s, (struct sockaddr *)&a, length), 0);
	CU_ASSERT_EQUAL_FATAL(listen(s, 8), 0);
	begin();
	CU_ASSERT_STRING_NOT_EQUAL(hooks->door.page.name, name);
	close(knock(hooks->door.page.name));
	other = hooks->door.page;
	strcpy(other.name, name);
	other.owner = geteuid() + 1;
	CU_ASSERT_FALSE(hook_door_pass(&other, other.generation, memory));
	caller = accept4(s, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	CU_ASSERT(caller >= 0);
	CU_ASSERT_EQUAL(recv(caller, &passed, 1, 0), 0);
	close(caller);
	end();
	close(s);
	close(memory);
}

/* ---- beside the driver ----------------------------------------------------------------------- */

static bool in_scope;

static bool has(struct backend *b, pid_t pid)
{
	(void)b;
	(void)pid;
	return in_scope;
}

/* A session of the driver's, whose device no program here can open. */
static void begin_beside(bool files)
{
	in_scope = true;
	hooks = hooks_new(folder, (uid_t)-1, HOOKS_BYTES_MIN * 64, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(hooks);
	hooks->driver = (struct hooks_driver){ .serial = 7, .files = files, .has = has };
	hooks->control.version = HOOKFILE_BESIDE_DRIVER;
	hooks->control.serial = 7;
	if (!files)
		hooks->control.slots = 0;
	CU_ASSERT_EQUAL_FATAL(hooks_listen(hooks, majors), 0);
	records = 0;
}

static int mark(void)
{
	return TraceHook(0, MAJOR, 1, 0, 0, NULL, NULL, NULL);
}

/* A daemon that root began: by another user it finds the session where root did. */
static int by_another_user(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(setgid(65534) || setuid(65534) ? 99 : mark() & 0xff);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	return (signed char)WEXITSTATUS(status);
}

static bool driver_is_here(void)
{
	if (!access(PITRACE_DEVICE, F_OK))
		unit_skip(NULL, "programs here can ask the driver");
	return !access(PITRACE_DEVICE, F_OK);
}

static void test_beside_the_driver(void)
{
	if (driver_is_here())
		return;
	begin_beside(true);
	CU_ASSERT_EQUAL(mark(), PI_OK);
	CU_ASSERT_EQUAL(mark(), PI_OK);
	if (!geteuid())
		CU_ASSERT_EQUAL(by_another_user(), PI_OK);
	end();
	CU_ASSERT_EQUAL(records, geteuid() ? 2 : 3);
	/* A process outside the session's scope is excluded. */
	begin_beside(true);
	in_scope = false;
	CU_ASSERT_EQUAL(mark(), PI_OK);
	end();
	CU_ASSERT_EQUAL(records, 0);
}

/* Where there are no files either, it is named. */
static void test_named(void)
{
	const char *names = "";

	if (driver_is_here())
		return;
	if (geteuid()) {
		unit_skip(NULL, "it takes root to become another user");
		return;
	}
	begin_beside(false);
	CU_ASSERT_EQUAL(by_another_user(), TRACE_NOBODY);
	CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
	CU_ASSERT_EQUAL(hooks_refused(hooks, &names), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(names, "uid 65534)"));
	end();
	CU_ASSERT_EQUAL(records, 0);
}

/* Whose process nobody here can name is sent away at once, and keeps nobody else out. */
static void test_unseen(void)
{
	const struct hook_door_page *door;
	int s[2 * HOOK_DOOR_CALLERS];
	char c;

	begin();
	door = map();
	unseen = true;
	for (size_t i = 0; i < sizeof(s) / sizeof(*s); i++) {
		s[i] = knock(door->name);
		CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
		CU_ASSERT_EQUAL(hooks->door.ncallers, 0);
		CU_ASSERT_EQUAL(recv(s[i], &c, 1, MSG_DONTWAIT), 0);
		close(s[i]);
	}
	unseen = false;
	s[0] = knock(door->name);
	CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
	CU_ASSERT_EQUAL(hooks->door.ncallers, 1);
	close(s[0]);
	munmap((void *)door, sizeof(*door));
	end();
	CU_ASSERT_EQUAL(records, 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "passed", test_passed },   { "unseen", test_unseen },
		{ "refused", test_refused }, { "silent", test_silent },
		{ "taken", test_taken },     { "beside_the_driver", test_beside_the_driver },
		{ "named", test_named },     { NULL, NULL },
	};
	char listening[64], socket_path[64];
	int code;

	if (!mkdtemp(top))
		return 1;
	snprintf(folder, sizeof(folder), "%s/s.hooks", top);
	snprintf(page, sizeof(page), "%s/s.door", top);
	snprintf(listening, sizeof(listening), "%s/s.listen", top);
	snprintf(socket_path, sizeof(socket_path), "%s/s", top);
	setenv("PITRACE_SOCKET", socket_path, 1);
	unsetenv(HOOKFILE_ENV);
	chmod(top, 0711);
	code = unit_run("hook_door", tests);
	unlink(page);
	unlink(listening);
	rmdir(top);
	return code;
}
