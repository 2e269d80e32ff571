/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The folder of hook files and its control page, which shows programs which majors are recorded and
 * how much room each program has. A thread waits for programs that need to be read soon.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "hook/hook_place.h"
#include "hook/hooks_inner.h"
#include "base/leftovers.h"
#include "base/now.h"
#include "base/rc.h"

/* The folders of older releases, pitrace-hooks., were not locked while in use. */
#define FRESH_FOLDER "pitrace-hookfiles."
#define SLOT_BYTES   (32u << 10)
#define WAKE_SLOTS   8

/* ---- the folder ------------------------------------------------------------------------------ */

/* An existing folder must be in the state left by a killed collector: private, of this user. */
static int use_folder(struct hooks *h)
{
	struct stat st;

	if (fstatat(h->dir, HOOKFILE_CONTROL, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return -EEXIST;
	return unlinkat(h->dir, HOOKFILE_CONTROL, 0) ? -errno : 0;
}

/* Creates a folder that nobody else uses. */
static int make_fresh(struct hooks *h, const char *base)
{
	if (asprintf(&h->folder, "%s/" FRESH_FOLDER "XXXXXX", base) < 0) {
		h->folder = NULL;
		return -ENOMEM;
	}
	h->dir = leftovers_make_folder(h->folder);
	return h->dir < 0 ? h->dir : 0;
}

static int make_folder(struct hooks *h, const char *folder)
{
	const char *tmp = getenv("TMPDIR");
	bool fresh = true;
	struct stat st;
	int err;

	if (folder) {
		h->folder = strdup(folder);
		if (!h->folder)
			return -ENOMEM;
		fresh = !mkdir(folder, 0700);
		if (!fresh && errno != EEXIST)
			return -errno;
	} else {
		if (!tmp || !*tmp)
			tmp = "/tmp";
		leftovers_remove_folders(tmp, FRESH_FOLDER, h->owner);
		err = make_fresh(h, tmp);
		if (err)
			return err;
	}
	if (h->dir < 0)
		h->dir = open(h->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (h->dir < 0 || fstat(h->dir, &st))
		return -errno;
	/* Files of other users are neither used nor removed. */
	if (fresh ? st.st_uid != geteuid() :
		    st.st_mode & 077 || (st.st_uid != geteuid() && st.st_uid != h->owner))
		return -EPERM;
	err = fresh ? 0 : use_folder(h);
	if (err)
		return err;
	h->made = true;
	h->fresh = fresh;
	h->control_fd = openat(h->dir, HOOKFILE_CONTROL,
			       O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (h->control_fd < 0 || fchmod(h->control_fd, 0644) || fchmod(h->dir, 0700))
		return -errno;
	if (h->owner != geteuid() && fchown(h->dir, h->owner, (gid_t)-1))
		return -errno;
	return 0;
}

DIR *hooks_list(const struct hooks *h)
{
	int fd = openat(h->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

/* Must come before the control file announces that majors are recorded. */
static int make_socket(struct hooks *h)
{
	unlinkat(h->dir, HOOKFILE_SOCKET, 0); /* left over, like the control file */
	h->announce_fd = hookfile_socket(h->dir, h->owner);
	return h->announce_fd < 0 ? h->announce_fd : 0;
}

/* A folder SOCKET.hooks has its page beside it. */
static int open_listen(struct hooks *h, const char *folder)
{
	size_t n = folder ? strlen(folder) : 0, cut = strlen(HOOK_HOOKS);

	if (n <= cut || strcmp(folder + n - cut, HOOK_HOOKS))
		return 0;
	if (asprintf(&h->listen, "%.*s" HOOK_LISTEN, (int)(n - cut), folder) < 0) {
		h->listen = NULL;
		return -ENOMEM;
	}
	h->listen_fd = hook_page_open(h->listen, true);
	return h->listen_fd < 0 ? h->listen_fd : 0;
}

/* Without the door, programs that have dropped rights have no records. It is not needed for a
 * command run as another user, because that cannot have dropped rights to yet another one. */
static void open_door(struct hooks *h, const char *folder)
{
	size_t n = folder ? strlen(folder) : 0, cut = strlen(HOOK_HOOKS);
	int fd = -1, err;

	if (h->owner != geteuid())
		return;
	if (!h->listen) {
		unlinkat(h->dir, HOOK_FOLDER_DOOR, 0);
		fd = openat(h->dir, HOOK_FOLDER_DOOR,
			    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	} else if (asprintf(&h->door_path, "%.*s" HOOK_DOOR, (int)(n - cut), folder) < 0) {
		h->door_path = NULL;
	} else {
		fd = hook_door_page_open(h->door_path, true);
	}
	if (fd < 0)
		return;
	err = hook_door_open(&h->door, fd, h->folder, h->control.generation);
	if (err)
		close(fd);
}

static int put_page(int fd, const struct hookfile_control *c)
{
	ssize_t n = pwrite(fd, c, sizeof(*c), 0);

	return n == (ssize_t)sizeof(*c) ? 0 : n < 0 ? -errno : -ENOSPC;
}

/* Stores the majors again, in the form that programs' fast paths compare. */
static void put_recorded(struct hookfile_control *c)
{
	memset(c->recorded, 0, sizeof(c->recorded));
	for (uint32_t major = PITRACE_USER_FIRST; major < PITRACE_MAJORS; major++)
		if (c->majors[major / 64] >> (major & 63) & 1)
			c->recorded[major] = c->generation + major;
	c->named = c->majors[PITRACE_NAMED / 64] >> PITRACE_NAMED % 64 & 1 ?
			   c->generation + PITRACE_NAMED :
			   0;
}

static int put_control(struct hooks *h)
{
	int err;

	put_recorded(&h->control);
	err = put_page(h->control_fd, &h->control);

	return err || h->listen_fd < 0 ? err : put_page(h->listen_fd, &h->control);
}

/* ---- programs that need to be read soon ------------------------------------------------------ */

/* The page is not read here: a process that truncates the file could make the read raise a
 * signal. */
static void *wait_for_programs(void *arg)
{
	const struct timespec second = { .tv_sec = 1 };
	struct hooks *h = arg;
	const uint64_t one = 1;

	while (!__atomic_load_n(&h->ending, __ATOMIC_ACQUIRE)) {
		long rc;

		/* In normal mode nobody else takes clock pairs. */
		hook_clock_pair(&h->clock);
		rc = syscall(SYS_futex, &h->page->wake, FUTEX_WAIT, 0, &second, NULL, 0);

		if (!rc && !__atomic_load_n(&h->ending, __ATOMIC_ACQUIRE) &&
		    write(h->full_fd, &one, sizeof(one)) < 0)
			continue;
		/* The file was truncated: continues by time only. */
		if (rc && errno != ETIMEDOUT && errno != EINTR)
			nanosleep(&second, NULL);
	}
	return NULL;
}

/* Without it only time wakes the reader. */
static void start_waker(struct hooks *h)
{
	/* The page that programs map, out of the two. */
	int fd = h->listen_fd >= 0 ? h->listen_fd : h->control_fd;
	sigset_t all, old;
	void *p;

	if (h->waking)
		return;
	p = mmap(NULL, sizeof(*h->page), PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return;
	h->page = p;
	h->full_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	h->waking = h->full_fd >= 0 && !pthread_create(&h->waker, NULL, wait_for_programs, h);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void end_waker(struct hooks *h)
{
	if (h->waking) {
		__atomic_store_n(&h->ending, true, __ATOMIC_RELEASE);
		syscall(SYS_futex, &h->page->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
		pthread_join(h->waker, NULL);
	}
	if (h->full_fd >= 0)
		close(h->full_fd);
	if (h->page)
		munmap((void *)h->page, sizeof(*h->page));
}

int hooks_full_fd(const struct hooks *h)
{
	return h->waking ? h->full_fd : -1;
}

/* Sets the number and size of a process's slots. */
static void share(struct hookfile_control *c, uint64_t bytes)
{
	uint64_t pool = bytes * HOOKS_SHARE;
	uint32_t slot = SLOT_BYTES;

	if (pool > HOOKS_POOL_MAX)
		pool = HOOKS_POOL_MAX;
	while (pool / slot > HOOKFILE_SLOTS_MAX)
		slot *= 2;
	c->slot_bytes = slot;
	c->slots = (uint32_t)(pool / slot);
	/* plus slot 0 */
	if (c->slots < HOOKFILE_SLOTS_MAX)
		c->slots++;
	/* Early enough that few are in use: used slots are warm in the cache, and the pages of a
	 * new one take faults. */
	c->wake_slots = c->slots / 4 < WAKE_SLOTS ? c->slots / 4 : WAKE_SLOTS;
}

static int set_up(struct hooks *h, const char *folder)
{
	int err = 0;

	for (int ring = 0; ring < PITRACE_RINGS && !err; ring++) {
		h->out[ring] = calloc(h->ncpus, sizeof(*h->out[ring]));
		err = h->out[ring] ? 0 : -ENOMEM;
	}
	if (!err)
		err = make_folder(h, folder);
	if (!err)
		err = make_socket(h);
	if (!err)
		err = open_listen(h, folder);
	if (!err)
		open_door(h, folder);
	return err ? err : put_control(h);
}

/* Returns a generation that differs from the previous collector's; with a major added it is not
 * 0. */
static uint32_t new_generation(void)
{
	return PITRACE_MAJORS + (uint32_t)((now_ns() >> 10) % (UINT32_MAX - 2 * PITRACE_MAJORS));
}

struct hooks *hooks_new(const char *folder, uid_t owner, uint64_t bytes, uint32_t session)
{
	struct hooks *h;
	int err;

	if (bytes < HOOKS_BYTES_MIN || bytes > HOOKS_BYTES_MAX) {
		rc_fail(PI_INVALID_ARGUMENT,
			"programs' records: a buffer of %llu bytes: it has %u to %llu",
			(unsigned long long)bytes, HOOKS_BYTES_MIN,
			(unsigned long long)HOOKS_BYTES_MAX);
		errno = ERANGE;
		return NULL;
	}
	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->dir = h->control_fd = h->listen_fd = h->announce_fd = h->full_fd = -1;
	h->owner = owner == (uid_t)-1 ? geteuid() : owner;
	h->session = session + HOOKS_SESSION;
	hook_clock_begin(&h->clock);
	h->ncpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	h->control = (struct hookfile_control){
		.magic = HOOKFILE_MAGIC,
		.version = HOOKFILE_VERSION,
		/* differs from that of the previous collector */
		.generation = new_generation(),
		.clock = h->clock.tsc ? PITRACE_CLOCK_TSC : PITRACE_CLOCK_MONOTONIC,
	};
	share(&h->control, bytes);
	err = set_up(h, folder);
	if (err) {
		hooks_free(h);
		rc_errno(err, "the folder of programs' records");
		errno = -err;
		return NULL;
	}
	return h;
}

/* Inode numbers of the initial namespaces: the driver records pids and users of these, so hook
 * files require that this process is in them. */
#define FIRST_PIDS  0xEFFFFFFCu
#define FIRST_USERS 0xEFFFFFFDu

static bool is_first(const char *namespace, ino_t number)
{
	struct stat st;

	return !stat(namespace, &st) && st.st_ino == number;
}

int hooks_beside(struct hooks *h, const struct hooks_driver *driver)
{
	struct hookfile_control *c = &h->control;
	bool files = driver->files && is_first("/proc/self/ns/pid", FIRST_PIDS) &&
		     is_first("/proc/self/ns/user", FIRST_USERS);

	h->driver = *driver;
	if (driver->clock == PITRACE_CLOCK_TSC && !hook_clock_be_raw(&h->clock))
		files = false;
	c->version = HOOKFILE_BESIDE_DRIVER;
	c->clock = h->clock.tsc ? PITRACE_CLOCK_TSC : PITRACE_CLOCK_MONOTONIC;
	c->serial = driver->serial;
	if (!files)
		c->slots = 0;
	return put_control(h);
}

void hooks_keep(struct hooks *h)
{
	h->keep = true;
}

const char *hooks_folder(const struct hooks *h)
{
	return h->folder;
}

int hooks_listen(struct hooks *h, const uint64_t majors[PITRACE_MAJORS / 64])
{
	uint64_t *m = h->control.majors;

	memset(m, 0, sizeof(h->control.majors));
	if (majors) {
		hooks_order_begin(h);
		hook_door_restart(&h->door);
		if (h->control.slots)
			start_waker(h);
		m[PITRACE_MTE / 64] = 1ull << PITRACE_MTE % 64;
		m[PITRACE_HOOKIT / 64] |= majors[PITRACE_HOOKIT / 64] & 1ull << PITRACE_HOOKIT % 64;
		m[3] = majors[3] & (~0ull << PITRACE_USER_FIRST % 64 | 1ull << PITRACE_NAMED % 64);
		memcpy(h->majors, m, sizeof(h->majors));
		h->control.interval++;
	}
	return put_control(h);
}

bool hooks_listening(const struct hooks *h)
{
	return h->control.majors[PITRACE_MTE / 64] >> PITRACE_MTE % 64 & 1;
}

int hooks_again(struct hooks *h)
{
	h->control.interval++;
	return put_control(h);
}

int hooks_pause(struct hooks *h, bool pause)
{
	uint64_t *m = h->control.majors;

	memcpy(m, h->majors, sizeof(h->majors));
	if (pause)
		m[2] = m[3] = 0;
	return put_control(h);
}

/* ---- removing it ---------------------------------------------------------------------------- */

pid_t hooks_pid_of(const char *name)
{
	char *end;
	long pid = *name >= '1' && *name <= '9' ? strtol(name, &end, 10) : 0;

	if (pid < 1 || pid > 1 << 30 || *end != '.' || strlen(name) >= 32 ||
	    strspn(end + 1, "0123456789") != strlen(end + 1))
		return 0;
	return (pid_t)pid;
}

/* From a folder that existed before, removes only files created by a collector or its programs. */
static void remove_file(const struct hooks *h, const char *name)
{
	struct stat st;

	if (h->fresh || ((hooks_pid_of(name) || !strcmp(name, HOOKFILE_CONTROL) ||
			  !strcmp(name, HOOKFILE_SOCKET) || !strcmp(name, HOOK_FOLDER_DOOR)) &&
			 !fstatat(h->dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
			 (S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode))))
		unlinkat(h->dir, name, 0);
}

static void remove_folder(struct hooks *h)
{
	DIR *d = hooks_list(h);
	struct stat st, named;
	struct dirent *e;

	while (d && (e = readdir(d)))
		remove_file(h, e->d_name);
	if (d)
		closedir(d);
	if (!fstat(h->dir, &st) && !lstat(h->folder, &named) && st.st_dev == named.st_dev &&
	    st.st_ino == named.st_ino)
		rmdir(h->folder); /* fails if it contains anything else */
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Programs that have the page mapped look for another place; those that have the user's page wait
 * for the next session. */
static void say_gone(struct hooks *h)
{
	h->control.generation = 0;
	memset(h->control.majors, 0, sizeof(h->control.majors));
	put_recorded(&h->control);
	if (h->listen_fd >= 0)
		put_page(h->listen_fd, &h->control);
	memset(h->control.majors, 0xFF, sizeof(h->control.majors));
	h->control.gone = 1;
	put_page(h->control_fd, &h->control);
}

static void close_door(struct hooks *h)
{
	int fd = h->door.page_fd;

	if (!h->door.page.magic)
		return;
	hook_door_close(&h->door);
	if (h->door_path)
		hook_page_remove(h->door_path, fd);
	else
		close(fd);
	free(h->door_path);
}

void hooks_free(struct hooks *h)
{
	if (!h)
		return;
	end_waker(h);
	if (h->control_fd >= 0) {
		say_gone(h);
		close(h->control_fd);
	}
	close_door(h);
	if (h->listen_fd >= 0)
		hook_page_remove(h->listen, h->listen_fd);
	if (h->announce_fd >= 0)
		close(h->announce_fd);
	hooks_forget_all(h);
	if (h->listing)
		closedir(h->listing);
	if (h->made)
		remove_folder(h);
	if (h->dir >= 0)
		close(h->dir);
	for (int ring = 0; ring < PITRACE_RINGS; ring++) {
		for (uint32_t c = 0; h->out[ring] && c < h->ncpus; c++)
			segment_free(&h->out[ring][c]);
		free(h->out[ring]);
		room_free(&h->index[ring]);
	}
	room_free(&h->slot);
	room_free(&h->table);
	room_free(&h->bytes);
	room_free(&h->spare);
	room_free(&h->other);
	free(h->visits);
	free(h->listen);
	free(h->folder);
	free(h);
}
