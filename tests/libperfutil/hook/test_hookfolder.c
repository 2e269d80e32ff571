/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The folder of hook files: links and names that are taken already, on the program's side and on
 * the collector's; what stands there that is nobody's business stays as it was.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "hook/hookfile.h"
#include "file/record_walk.h"
#include "unit.h"

#define MAJOR 0xD2

static const uint64_t majors[4] = { [MAJOR / 64] = 1ull << MAJOR % 64 };
static char top[] = "/tmp/hookfolder.XXXXXX";
static unsigned int records;
static unsigned int listings; /* of the folder, by whoever reads it */

DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);

DIR *__wrap_fdopendir(int fd)
{
	listings++;
	return __real_fdopendir(fd);
}

static const char *at(const char *name)
{
	static char path[8][300];
	static unsigned int turn;
	char *to = path[turn++ % 8];

	snprintf(to, sizeof(path[0]), "%s/%s", top, name);
	return to;
}

/* This process's file of that number, in the folder `hooks`. */
static const char *own(unsigned int number)
{
	char name[64];

	snprintf(name, sizeof(name), "hooks/%d.%u", getpid(), number);
	return at(name);
}

static void write_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CU_ASSERT_FATAL(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static char kind(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return '-';
	return S_ISREG(st.st_mode)  ? 'f' :
	       S_ISDIR(st.st_mode)  ? 'd' :
	       S_ISLNK(st.st_mode)  ? 'l' :
	       S_ISSOCK(st.st_mode) ? 's' :
	       S_ISFIFO(st.st_mode) ? 'p' :
				      '?';
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
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

static unsigned int drained(struct hooks *h)
{
	records = 0;
	do {
		CU_ASSERT_EQUAL(hooks_collect(h), 0);
		CU_ASSERT_EQUAL(hooks_drain(h, PITRACE_RING_TRACE, true, sink, NULL), 0);
	} while (hooks_pending(h));
	return records;
}

static struct hooks *folder(void)
{
	struct hooks *h = hooks_new(at("hooks"), (uid_t)-1, HOOKS_BYTES_MIN, 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(h);
	CU_ASSERT_EQUAL(hooks_listen(h, majors), 0);
	return h;
}

static int put_one(struct hookfile *f)
{
	struct hookfile_record *r = hookfile_reserve(f, 0, HOOKFILE_RECORD_UNITS);
	const uint32_t head = hookfile_head(MAJOR, HOOKFILE_RECORD_UNITS, 0);

	if (!r)
		return -1;
	hookfile_begin(r, head);
	r->stamp = hookfile_now(f->tsc);
	hookfile_commit(r, head);
	return 0;
}

/* As TraceHook makes it. */
static struct hookfile *make(const struct hookfile_control *c)
{
	struct hookfile *f = hookfile_make(at("hooks"), NULL, c);

	if (f)
		hookfile_announce(f, at("hooks"));
	return f;
}

static void set_up(void)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(top));
	write_file(at("victim"), "dear", 4);
}

/* ---- the program's side ---------------------------------------------------------------------- */

/* A name that is taken is passed over, whatever has it; what a link names stays as it is. */
static void names_taken(void)
{
	struct hooks *h = folder();
	const struct hookfile_control *c = hookfile_control(at("hooks"));
	struct hookfile *f;

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	CU_ASSERT_EQUAL(symlink(at("victim"), own(0)), 0);
	CU_ASSERT_EQUAL(mkdir(own(1), 0700), 0);
	write_file(own(2), "x", 1);
	CU_ASSERT_EQUAL(symlink(at("nothing"), own(3)), 0);
	f = make(c);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(size_of(own(4)), HOOKFILE_DATA + c->slots * (off_t)c->slot_bytes);
	CU_ASSERT_EQUAL(kind(own(5)), '-');
	CU_ASSERT_EQUAL(size_of(at("victim")), 4);
	CU_ASSERT_EQUAL(size_of(own(2)), 1);
	CU_ASSERT_EQUAL(kind(at("nothing")), '-');
	CU_ASSERT_EQUAL(put_one(f), 0);
	CU_ASSERT_EQUAL(drained(h), 1);
	rmdir(own(1));
	hooks_free(h);
	CU_ASSERT_EQUAL(kind(at("hooks")), '-');
	CU_ASSERT_EQUAL(size_of(at("victim")), 4);
}

/* All names are taken: it is told, and nothing is overwritten. */
static void no_name_left(void)
{
	struct hooks *h = folder();
	const struct hookfile_control *c = hookfile_control(at("hooks"));

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	for (unsigned int i = 0; i < 4096; i++)
		CU_ASSERT_EQUAL(symlink(at("victim"), own(i)), 0);
	errno = 0;
	CU_ASSERT_PTR_NULL(make(c));
	CU_ASSERT_EQUAL(errno, EEXIST);
	unlink(own(4095));
	CU_ASSERT_PTR_NOT_NULL(make(c));
	CU_ASSERT_EQUAL(kind(own(4095)), 'f');
	hooks_free(h);
	CU_ASSERT_EQUAL(kind(at("hooks")), '-');
	CU_ASSERT_EQUAL(size_of(at("victim")), 4);
}

/* The control file that sets what is recorded must be valid, complete and undamaged. */
static void control_file(void)
{
	static const struct hookfile_control good = {
		.magic = HOOKFILE_MAGIC,
		.version = HOOKFILE_VERSION,
		.slots = 2,
		.slot_bytes = 32768,
	};
	struct hookfile_control c;
	char path[300];

	snprintf(path, sizeof(path), "%s", at("hooks/control"));
	CU_ASSERT_EQUAL(mkdir(at("hooks"), 0700), 0);
	CU_ASSERT_PTR_NULL(hookfile_control(at("hooks")));
	write_file(path, &good, sizeof(good));
	CU_ASSERT_PTR_NOT_NULL(hookfile_control(at("hooks")));
	write_file(path, &good, sizeof(good) - 1);
	CU_ASSERT_PTR_NULL(hookfile_control(at("hooks")));
#define TRY(field, value, is)                                               \
	do {                                                                \
		c = good;                                                   \
		c.field = (value);                                          \
		write_file(path, &c, sizeof(c));                            \
		CU_ASSERT_EQUAL(hookfile_control(at("hooks")) != NULL, is); \
	} while (0)
	TRY(magic, HOOKFILE_MAGIC + 1, false);
	TRY(version, HOOKFILE_BESIDE_DRIVER, true);
	TRY(version, HOOKFILE_BESIDE_DRIVER + 1, false);
	TRY(version, HOOKFILE_VERSION - 1, false);
	/* Sizes are looked at when a file is made by them. */
#define TRY_SIZE(field, value, is)                                                 \
	do {                                                                       \
		c = good;                                                          \
		c.field = (value);                                                 \
		CU_ASSERT_EQUAL(hookfile_make(at("hooks"), NULL, &c) != NULL, is); \
		CU_ASSERT(is || errno == EINVAL);                                  \
		CU_ASSERT_EQUAL(kind(own(0)), is ? 'f' : '-');                     \
		unlink(own(0));                                                    \
	} while (0)
	TRY_SIZE(slots, 1, false);
	TRY_SIZE(slots, 2, true);
	TRY_SIZE(slots, HOOKFILE_SLOTS_MAX, true);
	TRY_SIZE(slots, HOOKFILE_SLOTS_MAX + 1, false);
	TRY_SIZE(slot_bytes, HOOKFILE_SLOT_MIN, true);
	TRY_SIZE(slot_bytes, HOOKFILE_SLOT_MIN - 1, false);
	TRY_SIZE(slot_bytes, HOOKFILE_SLOT_MIN + 1, false);
	TRY_SIZE(slot_bytes, HOOKFILE_SLOT_MAX, true);
	TRY_SIZE(slot_bytes, HOOKFILE_SLOT_MAX * 2, false);
	TRY_SIZE(slot_bytes, HOOKFILE_SLOT_MAX - 8, false);
	TRY_SIZE(version, 1, false);
	write_file(at("elsewhere"), &good, sizeof(good));
	unlink(path);
	CU_ASSERT_EQUAL(symlink(at("elsewhere"), path), 0);
	CU_ASSERT_PTR_NULL(hookfile_control(at("hooks")));
	unlink(path);
	CU_ASSERT_EQUAL(mkfifo(path, 0600), 0); /* nor does it wait for a writer */
	CU_ASSERT_PTR_NULL(hookfile_control(at("hooks")));
	unlink(path);
	if (!geteuid()) {
		write_file(path, &good, sizeof(good));
		CU_ASSERT_EQUAL(chown(path, 61301, 61301), 0);
		CU_ASSERT_PTR_NULL(hookfile_control(at("hooks")));
		unlink(path);
	}
	rmdir(at("hooks"));
}

/* ---- the collector's side -------------------------------------------------------------------- */

/* It has nothing to do with such a folder, and leaves it as it is. */
static void refused(int err, const char *name, char is)
{
	struct hooks *h = hooks_new(at("hooks"), (uid_t)-1, HOOKS_BYTES_MIN, 1);

	CU_ASSERT_PTR_NULL(h);
	if (errno != err)
		printf("# %s: %s\n", name, strerror(errno));
	CU_ASSERT_EQUAL(errno, err);
	CU_ASSERT_EQUAL(kind(at(name)), is);
	hooks_free(h);
}

static void folders_that_are_none(void)
{
	write_file(at("hooks"), "x", 1);
	refused(ENOTDIR, "hooks", 'f');
	unlink(at("hooks"));
	CU_ASSERT_EQUAL(mkdir(at("real"), 0700), 0);
	CU_ASSERT_EQUAL(symlink(at("real"), at("hooks")), 0);
	refused(ENOTDIR, "hooks", 'l');
	CU_ASSERT_EQUAL(kind(at("real/control")), '-');
	unlink(at("hooks"));
	rmdir(at("real"));
	/* Others can look in, or write. */
	for (mode_t mode = 0701; mode <= 0770; mode += mode < 0704 ? 1 : 4) {
		CU_ASSERT_EQUAL(mkdir(at("hooks"), 0700), 0);
		CU_ASSERT_EQUAL(chmod(at("hooks"), mode), 0);
		if (mode & 077)
			refused(EPERM, "hooks", 'd');
		CU_ASSERT_EQUAL(rmdir(at("hooks")), 0);
	}
	if (!geteuid()) {
		CU_ASSERT_EQUAL(mkdir(at("hooks"), 0700), 0);
		CU_ASSERT_EQUAL(chown(at("hooks"), 61301, 61301), 0);
		refused(EPERM, "hooks", 'd');
		CU_ASSERT_EQUAL(rmdir(at("hooks")), 0);
	}
	CU_ASSERT_EQUAL(mkdir(at("hooks"), 0700), 0);
	CU_ASSERT_EQUAL(symlink(at("victim"), at("hooks/control")), 0);
	refused(EEXIST, "hooks/control", 'l');
	unlink(at("hooks/control"));
	CU_ASSERT_EQUAL(mkdir(at("hooks/control"), 0700), 0);
	refused(EEXIST, "hooks/control", 'd');
	rmdir(at("hooks/control"));
	/* A file that is not a socket of an older collector, and cannot be removed. */
	CU_ASSERT_EQUAL(mkdir(at("hooks/born"), 0700), 0);
	refused(EADDRINUSE, "hooks/born", 'd');
	rmdir(at("hooks/born"));
	CU_ASSERT_EQUAL(rmdir(at("hooks")), 0);
	CU_ASSERT_EQUAL(size_of(at("victim")), 4);
}

/* As a collector that was killed left it; of other things in it none is touched. */
static void left_over(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct hooks *h;
	int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	CU_ASSERT_EQUAL(mkdir(at("hooks"), 0700), 0);
	write_file(at("hooks/control"), "old", 3);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", at("hooks/born"));
	CU_ASSERT_EQUAL(bind(s, (struct sockaddr *)&a, sizeof(a)), 0);
	close(s);
	write_file(own(0), "old", 3);
	write_file(at("hooks/mine"), "keep", 4);
	write_file(at("hooks/12.x"), "keep", 4);
	write_file(at("hooks/012.1"), "keep", 4);
	CU_ASSERT_EQUAL(mkdir(at("hooks/13.1"), 0700), 0);
	CU_ASSERT_EQUAL(symlink(at("victim"), at("hooks/14.1")), 0);
	h = folder();
	CU_ASSERT_EQUAL(size_of(at("hooks/control")), sizeof(struct hookfile_control));
	CU_ASSERT_EQUAL(kind(at("hooks/born")), 's');
	CU_ASSERT_EQUAL(drained(h), 0);
	hooks_free(h);
	CU_ASSERT_EQUAL(kind(at("hooks/control")), '-');
	CU_ASSERT_EQUAL(kind(at("hooks/born")), '-');
	CU_ASSERT_EQUAL(kind(own(0)), '-');
	CU_ASSERT_EQUAL(kind(at("hooks/mine")), 'f');
	CU_ASSERT_EQUAL(kind(at("hooks/12.x")), 'f');
	CU_ASSERT_EQUAL(kind(at("hooks/012.1")), 'f');
	CU_ASSERT_EQUAL(kind(at("hooks/13.1")), 'd');
	CU_ASSERT_EQUAL(kind(at("hooks/14.1")), 'l');
	CU_ASSERT_EQUAL(size_of(at("victim")), 4);
	unlink(at("hooks/mine"));
	unlink(at("hooks/12.x"));
	unlink(at("hooks/012.1"));
	unlink(at("hooks/14.1"));
	rmdir(at("hooks/13.1"));
	CU_ASSERT_EQUAL(rmdir(at("hooks")), 0);
}

/* The folder was moved away: what has its name now is another one. */
static void exchanged(void)
{
	struct hooks *h = folder();

	CU_ASSERT_EQUAL(rename(at("hooks"), at("moved")), 0);
	CU_ASSERT_EQUAL(mkdir(at("hooks"), 0700), 0);
	hooks_free(h);
	CU_ASSERT_EQUAL(kind(at("hooks")), 'd');
	CU_ASSERT_EQUAL(rmdir(at("hooks")), 0);
	CU_ASSERT_EQUAL(kind(at("moved/control")), '-');
	CU_ASSERT_EQUAL(rmdir(at("moved")), 0);
}

/* A file counts under its one name: not by links, soft or hard. What is no file blocks nobody. */
static void links_are_not_read(void)
{
	struct hooks *h = folder();
	const struct hookfile_control *c = hookfile_control(at("hooks"));
	struct hookfile *f;

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	f = make(c);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(put_one(f), 0);
	CU_ASSERT_EQUAL(rename(own(0), at("hooks/away")), 0);
	CU_ASSERT_EQUAL(symlink(at("hooks/away"), own(1)), 0);
	CU_ASSERT_EQUAL(mkfifo(own(2), 0600), 0);
	CU_ASSERT_EQUAL(mkdir(own(3), 0700), 0);
	CU_ASSERT_EQUAL(drained(h), 0);
	CU_ASSERT_EQUAL(link(at("hooks/away"), own(4)), 0);
	CU_ASSERT_EQUAL(drained(h), 0);
	/* One name only, and it is read. */
	CU_ASSERT_EQUAL(unlink(at("hooks/away")), 0);
	CU_ASSERT_EQUAL(drained(h), 1);
	CU_ASSERT_EQUAL(drained(h), 0);
	rmdir(own(3));
	hooks_free(h);
	CU_ASSERT_EQUAL(kind(at("hooks")), '-');
}

/* ---- which files there are ------------------------------------------------------------------- */

/* The announcement alone is enough: its file is read although its name is gone. */
static void announced(void)
{
	struct hooks *h = folder();
	struct hookfile *f = make(hookfile_control(at("hooks")));

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(put_one(f), 0);
	listings = 0;
	CU_ASSERT_EQUAL(hooks_accept(h), 0);
	CU_ASSERT_EQUAL(listings, 0);
	CU_ASSERT_EQUAL(unlink(own(0)), 0);
	CU_ASSERT_EQUAL(drained(h), 1);
	hooks_free(h);
	CU_ASSERT_EQUAL(kind(at("hooks")), '-');
}

/* The folder's change seems to be of that time; how often three drains list it. */
static unsigned int listed(struct hooks *h, time_t seconds, long ns)
{
	const struct timespec times[2] = { { seconds, ns }, { seconds, ns } };

	CU_ASSERT_EQUAL(utimensat(AT_FDCWD, at("hooks"), times, 0), 0);
	listings = 0;
	for (int i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(hooks_collect(h), 0);
	return listings;
}

/* A folder is listed once for each change, whether its seconds or its nanoseconds differ; each time
 * if the change is so recent that another one may have the same time. */
static void listed_once(void)
{
	struct hooks *h = folder();
	time_t now = time(NULL);
	unsigned int recent = 0;
	bool soon = false;

	CU_ASSERT_EQUAL(listed(h, now - 60, 5), 1);
	CU_ASSERT_EQUAL(listed(h, now - 60, 5), 0);
	CU_ASSERT_EQUAL(listed(h, now - 60, 6), 1);
	CU_ASSERT_EQUAL(listed(h, now - 61, 6), 1);
	CU_ASSERT_EQUAL(listed(h, now - 61, 6), 0);
	/* The machine may be so busy that the three take longer. */
	for (int turn = 0; turn < 20 && !soon; turn++) {
		struct timespec before, after;

		clock_gettime(CLOCK_REALTIME, &before);
		recent = listed(h, before.tv_sec, before.tv_nsec);
		clock_gettime(CLOCK_REALTIME, &after);
		soon = after.tv_sec - before.tv_sec + (after.tv_nsec - before.tv_nsec) / 1e9 < 1;
	}
	CU_ASSERT(soon && recent == 3);
	hooks_free(h);
	CU_ASSERT_EQUAL(kind(at("hooks")), '-');
	unlink(at("elsewhere"));
	unlink(at("victim"));
	CU_ASSERT_EQUAL(rmdir(top), 0);
}

int main(void)
{
	static const struct unit_test tests[] = { { "set_up", set_up },
						  { "names_taken", names_taken },
						  { "no_name_left", no_name_left },
						  { "control_file", control_file },
						  { "folders_that_are_none",
						    folders_that_are_none },
						  { "left_over", left_over },
						  { "exchanged", exchanged },
						  { "links_are_not_read", links_are_not_read },
						  { "announced", announced },
						  { "listed_once", listed_once },
						  { NULL, NULL } };

	return unit_run("hookfolder", tests);
}
