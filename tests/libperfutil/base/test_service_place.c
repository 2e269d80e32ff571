/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places of daemons, and their owners: each user's folder, files that another user may have put
 * in its place, leftover sockets. The test replaces users, folders and answers.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rc.h"
#include "base/service.h"
#include "unit.h"

#define ME 1000u

struct entry {
	const char *path;
	mode_t mode;
	uid_t uid;
};

static struct {
	struct entry entry[8]; /* what there is; path NULL ends them */
	uid_t euid, peer;
	int no_peer;
	const char *tmp; /* the folder that stands for /tmp */
	int no_mkdir, no_mkdtemp, no_unlink;
	char made[128], removed[128];
	int connected; /* errno of connect; 0: it answers */
	int odd;       /* errno of lstat where nothing is */
} world;

uid_t __wrap_geteuid(void);
uid_t __wrap_geteuid(void)
{
	return world.euid;
}

int __wrap_lstat64(const char *path, struct stat *st);
int __wrap_lstat64(const char *path, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	for (const struct entry *e = world.entry; e->path; e++)
		if (!strcmp(e->path, path)) {
			st->st_mode = e->mode;
			st->st_uid = e->uid;
			return 0;
		}
	errno = world.odd ? world.odd : ENOENT;
	return -1;
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
	return __real_opendir(!strcmp(path, "/tmp") ? world.tmp : path);
}

static int fails(int err)
{
	errno = err;
	return err ? -1 : 0;
}

int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode)
{
	snprintf(world.made, sizeof(world.made), "%s %o", path, mode);
	return fails(world.no_mkdir);
}

char *__real_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path)
{
	if (fails(world.no_mkdtemp))
		return NULL;
	memcpy(path + strlen(path) - 6, "a1b2c3", 6);
	return path;
}

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path)
{
	snprintf(world.removed, sizeof(world.removed), "%s", path);
	return fails(world.no_unlink);
}

int __wrap_connect(int fd, const struct sockaddr *a, socklen_t n);
int __wrap_connect(int fd, const struct sockaddr *a, socklen_t n)
{
	CU_ASSERT(fd >= 0 && a->sa_family == AF_UNIX && n == sizeof(struct sockaddr_un));
	return fails(world.connected);
}

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *n);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *n)
{
	CU_ASSERT(fd >= 0 && level == SOL_SOCKET && name == SO_PEERCRED &&
		  *n == sizeof(struct ucred));
	((struct ucred *)value)->uid = world.peer;
	return fails(world.no_peer);
}

static void begin(void)
{
	memset(&world, 0, sizeof(world));
	world.euid = ME;
	world.tmp = "/proc/self/fdinfo"; /* nothing that is looked for */
	unsetenv("XDG_RUNTIME_DIR");
	unsetenv("PITRACE_TEST_ADDRESS");
}

static void there_is(int i, const char *path, mode_t mode, uid_t uid)
{
	world.entry[i] = (struct entry){ path, mode, uid };
}

static const char *folder(bool make)
{
	static char text[80];

	*world.made = 0;
	service_folder(text, sizeof(text), make);
	return text;
}

/* ---- folders ---- */

static void runtime_folders(void)
{
	begin();
	world.euid = 0;
	setenv("XDG_RUNTIME_DIR", "/given", 1);
	there_is(0, "/given", S_IFDIR | 0755, ME);
	CU_ASSERT_STRING_EQUAL(folder(true), "/run");
	/* A folder that the user provides must belong to the user, but need not be private. */
	world.euid = ME;
	CU_ASSERT_STRING_EQUAL(folder(false), "/given");
	there_is(1, "/run/user/1000", S_IFDIR | 0700, ME);
	CU_ASSERT_STRING_EQUAL(folder(false), "/given");
	there_is(0, "/given", S_IFDIR | 0700, ME + 1);
	CU_ASSERT_STRING_EQUAL(folder(false), "/run/user/1000");
	there_is(0, "/given", S_IFLNK | 0777, ME);
	CU_ASSERT_STRING_EQUAL(folder(false), "/run/user/1000");
	setenv("XDG_RUNTIME_DIR", "", 1);
	CU_ASSERT_STRING_EQUAL(folder(false), "/run/user/1000");
	CU_ASSERT_STRING_EQUAL(world.made, "");
}

/* The usual folder of a user without one: private, or made so. */
static void usual_folder(void)
{
	static const struct {
		mode_t mode;
		uid_t uid;
	} others[] = {
		{ S_IFDIR | 0701, ME }, { S_IFDIR | 0710, ME },     { S_IFDIR | 0740, ME },
		{ S_IFREG | 0700, ME }, { S_IFDIR | 0700, ME + 1 }, { S_IFDIR | 0700, 0 },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		begin();
		there_is(0, "/run/user/1000", others[i].mode, others[i].uid);
		there_is(1, "/tmp/pitrace-1000", S_IFDIR | 0700, ME);
		CU_ASSERT_STRING_EQUAL(folder(true), "/tmp/pitrace-1000");
		CU_ASSERT_STRING_EQUAL(world.made, "");
		/* Another user has made it. */
		begin();
		there_is(0, "/tmp/pitrace-1000", others[i].mode, others[i].uid);
		world.no_mkdir = EEXIST;
		CU_ASSERT_STRING_EQUAL(folder(true), "/tmp/pitrace-1000.a1b2c3");
		CU_ASSERT_STRING_EQUAL(world.made, "/tmp/pitrace-1000 700");
		CU_ASSERT_STRING_EQUAL(folder(false), "/proc/none");
		CU_ASSERT_STRING_EQUAL(world.made, "");
		world.no_mkdtemp = EACCES;
		CU_ASSERT_STRING_EQUAL(folder(true), "/proc/none");
	}
	begin();
	CU_ASSERT_STRING_EQUAL(folder(true), "/tmp/pitrace-1000");
	CU_ASSERT_STRING_EQUAL(world.made, "/tmp/pitrace-1000 700");
}

/* One with an unpredictable name is found again, if it is his. */
static void other_folder(void)
{
	static const char *const names[] = { "pitrace-1000.x1y2z3", "pitrace-1000.x1y2z34",
					     "pitrace-1000.x1y2z",  "pitrace-1000-x1y2z3",
					     "pitrace-1001.x1y2z3", "pitrace-1000" };
	char place[] = "/tmp/pitrace-test-XXXXXX", path[128];

	begin();
	CU_ASSERT_PTR_NOT_NULL_FATAL(__real_mkdtemp(place));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", place, names[i]);
		f = fopen(path, "w");
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		fclose(f);
	}
	world.tmp = place;
	world.no_mkdir = EEXIST;
	there_is(0, "/tmp/pitrace-1000.x1y2z34", S_IFDIR | 0700, ME);
	there_is(1, "/tmp/pitrace-1000.x1y2z", S_IFDIR | 0700, ME);
	there_is(2, "/tmp/pitrace-1000-x1y2z3", S_IFDIR | 0700, ME);
	there_is(3, "/tmp/pitrace-1001.x1y2z3", S_IFDIR | 0700, ME);
	CU_ASSERT_STRING_EQUAL(folder(false), "/proc/none");
	there_is(4, "/tmp/pitrace-1000.x1y2z3", S_IFDIR | 0700, ME + 1);
	CU_ASSERT_STRING_EQUAL(folder(true), "/tmp/pitrace-1000.a1b2c3");
	there_is(4, "/tmp/pitrace-1000.x1y2z3", S_IFDIR | 0700, ME);
	CU_ASSERT_STRING_EQUAL(folder(false), "/tmp/pitrace-1000.x1y2z3");
	CU_ASSERT_STRING_EQUAL(folder(true), "/tmp/pitrace-1000.x1y2z3");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", place, names[i]);
		CU_ASSERT_EQUAL(__real_unlink(path), 0);
	}
	CU_ASSERT_EQUAL(rmdir(place), 0);
}

static void addresses(void)
{
	struct sockaddr_un a;
	char name[200];

	begin();
	there_is(0, "/run/user/1000", S_IFDIR | 0700, ME);
	service_address(&a, "PITRACE_TEST_ADDRESS", "counted", false);
	CU_ASSERT_EQUAL(a.sun_family, AF_UNIX);
	CU_ASSERT_STRING_EQUAL(a.sun_path, "/run/user/1000/counted.sock");
	service_address(&a, "PITRACE_TEST_ADDRESS", "twenty-letters-and-more", false);
	CU_ASSERT_STRING_EQUAL(a.sun_path, "/run/user/1000/twenty-letters-and-m.sock");
	setenv("PITRACE_TEST_ADDRESS", "", 1);
	service_address(&a, "PITRACE_TEST_ADDRESS", "counted", false);
	CU_ASSERT_STRING_EQUAL(a.sun_path, "/run/user/1000/counted.sock");
	setenv("PITRACE_TEST_ADDRESS", "/some/where", 1);
	service_address(&a, "PITRACE_TEST_ADDRESS", "counted", false);
	CU_ASSERT_STRING_EQUAL(a.sun_path, "/some/where");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	setenv("PITRACE_TEST_ADDRESS", name, 1);
	service_address(&a, "PITRACE_TEST_ADDRESS", "counted", false);
	CU_ASSERT_EQUAL(strlen(a.sun_path), sizeof(a.sun_path) - 1);
	unsetenv("PITRACE_TEST_ADDRESS");
}

/* ---- sockets ---- */

static void left_over(void)
{
	static const struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "/a.sock" };
	static const struct {
		mode_t mode;
		uid_t uid;
		int connected, no_unlink, rc;
		const char *removed;
	} cases[] = {
		{ S_IFSOCK | 0600, ME, ECONNREFUSED, 0, 0, "/a.sock" },
		{ S_IFSOCK | 0600, ME, ECONNREFUSED, ENOENT, 0, "/a.sock" },
		{ S_IFSOCK | 0600, ME, ECONNREFUSED, EPERM, -EPERM, "/a.sock" },
		{ S_IFSOCK | 0600, ME, ENOENT, 0, 0, "" },
		{ S_IFSOCK | 0600, ME, 0, 0, -EADDRINUSE, "" },
		{ S_IFSOCK | 0600, ME, EAGAIN, 0, -EADDRINUSE, "" },
		{ S_IFSOCK | 0600, ME + 1, ECONNREFUSED, 0, -EPERM, "" },
		{ S_IFREG | 0600, ME, ECONNREFUSED, 0, -EEXIST, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin();
		there_is(0, "/a.sock", cases[i].mode, cases[i].uid);
		world.connected = cases[i].connected;
		world.no_unlink = cases[i].no_unlink;
		CU_ASSERT_EQUAL(service_make_way(&a), cases[i].rc);
		CU_ASSERT_STRING_EQUAL(world.removed, cases[i].removed);
	}
	begin();
	CU_ASSERT_EQUAL(service_make_way(&a), 0);
	world.odd = EACCES;
	CU_ASSERT_EQUAL(service_make_way(&a), -EACCES);
}

static void unlinked(void)
{
	static const struct {
		mode_t mode;
		uid_t uid;
		bool removed;
	} cases[] = {
		{ S_IFSOCK | 0600, ME, true },      { S_IFSOCK | 0600, 55, true },
		{ S_IFSOCK | 0600, ME + 1, false }, { S_IFSOCK | 0600, 0, false },
		{ S_IFREG | 0600, ME, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin();
		there_is(0, "/a.sock", cases[i].mode, cases[i].uid);
		service_unlink("/a.sock", 55);
		CU_ASSERT_STRING_EQUAL(world.removed, cases[i].removed ? "/a.sock" : "");
	}
	begin();
	service_unlink("/a.sock", 55);
	CU_ASSERT_STRING_EQUAL(world.removed, "");
}

static void peers(void)
{
	static const struct {
		uid_t peer, also;
		bool allowed;
	} cases[] = {
		{ ME, 55, true },  { 0, 55, true },  { 55, 55, true },
		{ 56, 55, false }, { 1, 55, false },
	};
	static const struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "/a.sock" };
	int fd;

	begin();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		world.peer = cases[i].peer;
		CU_ASSERT_EQUAL(service_peer_allowed(0, cases[i].also), cases[i].allowed);
	}
	world.peer = ME;
	world.no_peer = EINVAL;
	CU_ASSERT_FALSE(service_peer_allowed(0, ME));
	CU_ASSERT_EQUAL(service_connect(&a, true), -EPERM);
	world.no_peer = 0;
	world.peer = 55;
	CU_ASSERT_EQUAL(service_connect(&a, false), -EPERM);
	world.peer = 0;
	for (int wait = 0; wait < 2; wait++) {
		fd = service_connect(&a, wait);
		CU_ASSERT(fd >= 0 && !close(fd));
	}
	world.connected = EAGAIN;
	CU_ASSERT_EQUAL(service_connect(&a, false), -EAGAIN);
}

/* ---- requests ---- */

static const struct service service = {
	.named = "PITRACE_TEST_ADDRESS",
	.leaf = "counted",
	.request = 16,
	.holder = "the holder of things",
	.none = "there is none",
	.not_owner = "it is another user's",
	.restart_hint = "begin anew",
};

static bool asked(const struct service *s, int connected, int rc, const char *words)
{
	struct service_question q = { 0 };
	uint32_t reply;

	world.connected = connected;
	return service_request(s, &q, &reply, sizeof(reply), NULL) == rc &&
	       !strcmp(TraceLastError(), words);
}

static void not_reached(void)
{
	struct service plain = service;

	begin();
	setenv("PITRACE_TEST_ADDRESS", "/a.sock", 1);
	CU_ASSERT(asked(&service, ENOENT, PI_NOT_INITIALIZED, "there is none"));
	/* Its socket is still there: it was killed. */
	CU_ASSERT(asked(&service, ECONNREFUSED, PI_NOT_INITIALIZED, "there is none"));
	there_is(0, "/a.sock", S_IFSOCK | 0600, ME);
	CU_ASSERT(asked(&service, ECONNREFUSED, PI_HOLDER_GONE,
			"the holder of things was killed: what it counted is lost (begin anew)"));
	plain.restart_hint = NULL;
	CU_ASSERT(asked(&plain, ECONNREFUSED, PI_NOT_INITIALIZED, "there is none"));
	CU_ASSERT(asked(&service, EPERM, PI_NOT_OWNER, "it is another user's"));
	CU_ASSERT(asked(&service, EACCES, PI_NOT_OWNER, "it is another user's"));
	CU_ASSERT(asked(&service, EAGAIN, PI_ERROR,
			"reaching the holder of things: Resource temporarily unavailable"));
	CU_ASSERT_EQUAL(service_lost(&service), PI_HOLDER_GONE);
	CU_ASSERT_STRING_EQUAL(TraceLastError(),
			       "the holder of things died, or is of another release");
	unsetenv("PITRACE_TEST_ADDRESS");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "runtime_folders", runtime_folders },
		{ "usual_folder", usual_folder },
		{ "other_folder", other_folder },
		{ "addresses", addresses },
		{ "left_over", left_over },
		{ "unlinked", unlinked },
		{ "peers", peers },
		{ "not_reached", not_reached },
		{ NULL, NULL },
	};

	return unit_run("service_place", tests);
}
