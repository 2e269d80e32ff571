/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The timer collector's folder: creates, reads and removes it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/leftovers.h"
#include "collect/timer/timer_files.h"

/* The folders of older releases, pitrace-timer-, were not locked while in use. */
#define TIMER_FOLDER "pitrace-rings-"
#define NAME_ROOM    64
#define RING_MAX     (8u << 20)

/* ---- the folder ------------------------------------------------------------------------------ */

/* Under sudo the traced programs run as another user. */
static bool give(int fd, uid_t user)
{
	return user == geteuid() || !fchown(fd, user, (gid_t)-1);
}

/* Programs only read this file. It is written by pwrite and never read again, so truncating or
 * replacing it does no harm. */
static bool make_control(struct timer_folder *f, const struct timer_control *control)
{
	f->control_fd = openat(f->fd, TIMER_CONTROL, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	/* Rings are created likewise: a file system that cannot reserve space is not usable. */
	if (f->control_fd < 0 || fallocate(f->control_fd, 0, 0, sizeof(*control)) ||
	    fchmod(f->control_fd, 0444))
		return false;
	f->control = *control;
	return pwrite(f->control_fd, control, sizeof(*control), 0) == (ssize_t)sizeof(*control);
}

void timer_folder_state(struct timer_folder *f, uint32_t state)
{
	f->control.state = state;
	/* A full disk does no harm: space was reserved before. */
	if (f->control_fd >= 0 &&
	    pwrite(f->control_fd, &state, sizeof(state), offsetof(struct timer_control, state)) < 0)
		errno = 0;
}

static int try_place(struct timer_folder *f, const char *base, const struct timer_control *control,
		     uid_t user)
{
	int err;

	if (strlen(base) + 32 > sizeof(f->path) || strpbrk(base, ": \t\n"))
		return -ENAMETOOLONG;
	leftovers_remove_folders(base, TIMER_FOLDER, user);
	snprintf(f->path, sizeof(f->path), "%s/" TIMER_FOLDER "XXXXXX", base);
	f->fd = leftovers_make_folder(f->path);
	if (f->fd < 0) {
		err = f->fd;
		f->fd = -1;
		return err;
	}
	if (make_control(f, control) && give(f->fd, user))
		return 0;
	err = errno ? -errno : -EIO;
	timer_folder_remove(f);
	return err;
}

/* In memory if possible: the user's own folder, else the shared one. */
int timer_folder_make(struct timer_folder *f, const struct timer_control *control, uid_t user,
		      char *why, size_t room)
{
	const char *own = user == geteuid() ? secure_getenv("XDG_RUNTIME_DIR") : NULL;
	const char *const places[] = { own, "/dev/shm", "/tmp" };
	struct stat st;
	int err = -ENOENT;

	f->fd = f->control_fd = -1;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!places[i] || (i == 0 && (stat(own, &st) || st.st_uid != geteuid())))
			continue;
		err = try_place(f, places[i], control, user);
		if (!err)
			return 0;
	}
	snprintf(why, room,
		 "no place for the rings of traced programs in $XDG_RUNTIME_DIR, /dev/shm or /tmp: %s",
		 strerror(-err));
	return err;
}

void timer_folder_remove(struct timer_folder *f)
{
	struct stat st, named;
	struct dirent *e;
	DIR *d;

	if (f->control_fd >= 0) {
		timer_folder_state(f, TIMER_OVER);
		close(f->control_fd);
		f->control_fd = -1;
	}
	d = f->fd >= 0 ? fdopendir(f->fd) : NULL;
	if (d) {
		rewinddir(d);
		while ((e = readdir(d)))
			unlinkat(f->fd, e->d_name, 0);
		if (!fstat(f->fd, &st) && !lstat(f->path, &named) && st.st_dev == named.st_dev &&
		    st.st_ino == named.st_ino)
			rmdir(f->path);
		closedir(d);
	}
	f->fd = -1;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void name_of(const struct timer_name *name, char out[NAME_ROOM])
{
	snprintf(out, NAME_ROOM, "%u-%" PRIx64 "-%u", name->pid, name->image, name->number);
}

bool timer_name_parse(const char *file, struct timer_name *name)
{
	char again[NAME_ROOM];

	if (sscanf(file, "%" SCNu32 "-%" SCNx64 "-%" SCNu32, &name->pid, &name->image,
		   &name->number) != 3)
		return false;
	name_of(name, again);
	return !strcmp(file, again) && name->pid && name->number < TIMER_RINGS;
}

void timer_file_remove(const struct timer_folder *f, const struct timer_name *name)
{
	char file[NAME_ROOM];

	name_of(name, file);
	unlinkat(f->fd, file, 0);
}

/* Reads records of a part that does not wrap. False: damaged. */
static bool walk(const uint8_t *data, uint32_t bytes, bool to_ring_end, timer_record_fn fn,
		 void *arg)
{
	uint32_t at = 0;

	while (bytes - at >= 8) {
		const struct timer_record *r = (const void *)(data + at);

		if (r->kind == TIMER_PAD)
			return to_ring_end;
		if (r->length < sizeof(*r) || r->length % 8 || r->length > bytes - at)
			return false;
		fn(arg, r, r + 1, r->length - (uint32_t)sizeof(*r));
		at += r->length;
	}
	return at == bytes;
}

static bool read_ring(int fd, off_t data, uint32_t size, struct timer_ring *ring, off_t ring_at,
		      timer_record_fn fn, void *arg)
{
	uint64_t head = ring->head, tail = ring->tail;
	bool good = true;

	if (head == tail)
		return true;
	if (head < tail || head - tail > size || (head | tail) & 7)
		return false;
	while (good && tail < head) {
		uint32_t at = (uint32_t)(tail & (size - 1));
		uint32_t n = size - at < head - tail ? size - at : (uint32_t)(head - tail);
		uint8_t *copy = malloc(n);

		if (!copy)
			return true; /* left for the next read */
		good = pread(fd, copy, n, data + at) == (ssize_t)n &&
		       walk(copy, n, at + n == size, fn, arg);
		free(copy);
		tail += n;
	}
	/* (U): read(2) has copied everything before this is written. */
	ring_at += (off_t)offsetof(struct timer_ring, tail);
	return good && pwrite(fd, &tail, sizeof(tail), ring_at) == (ssize_t)sizeof(tail);
}

static int read_open(const struct timer_folder *f, int fd, const struct timer_name *name,
		     struct timer_read *read, timer_record_fn fn, void *arg)
{
	uint32_t events = name->number ? 0 : f->control.event_bytes;
	uint32_t samples = f->control.sample_bytes;
	struct timer_file h;
	struct stat st;
	bool has_records;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return -EBADMSG;
	if (!st.st_size)
		return -EAGAIN;
	if (st.st_size != (off_t)TIMER_DATA + events + samples ||
	    pread(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h))
		return -EBADMSG;
	/* (T): the head is read before the data below it. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!h.magic)
		return -EAGAIN;
	if (h.magic != TIMER_MAGIC || h.version != TIMER_VERSION || h.pid != name->pid ||
	    h.image != name->image || h.number != name->number || h.event_bytes != events ||
	    h.sample_bytes != samples)
		return -EBADMSG;
	read->lost_events = events ? h.events.lost : 0;
	read->lost_samples = h.samples.lost;
	read->unsampled = h.unsampled;
	read->parent = h.parent;
	has_records = h.samples.head != h.samples.tail ||
		      (events && h.events.head != h.events.tail);
	if (events && !read_ring(fd, TIMER_DATA, events, &h.events,
				 offsetof(struct timer_file, events), fn, arg))
		return -EBADMSG;
	if (!read_ring(fd, TIMER_DATA + (off_t)events, samples, &h.samples,
		       offsetof(struct timer_file, samples), fn, arg))
		return -EBADMSG;
	return has_records;
}

int timer_file_read(const struct timer_folder *f, const struct timer_name *name,
		    struct timer_read *read, timer_record_fn fn, void *arg)
{
	char file[NAME_ROOM];
	int fd, rc;

	name_of(name, file);
	fd = openat(f->fd, file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -ENOENT;
	rc = read_open(f, fd, name, read, fn, arg);
	close(fd);
	return rc;
}
