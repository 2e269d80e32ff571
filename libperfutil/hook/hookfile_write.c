/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's side of hook files. Each thread writes to a slot of its own, so no lock is needed;
 * slots are taken by compare-and-exchange. On a full disk writing to mapped memory would be a
 * signal: a slot's pages are allocated before it is used.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "hook/hookfile.h"
#include "base/now.h"
#include "file/segment.h"

/* attempts to announce, 1 ms apart, while the socket is full */
#define TRIES 20
#define NAMES 4096 /* files that one pid may have created, by exec */

struct hookfile {
	struct hookfile *older; /* never freed: other threads may be writing */
	struct hookfile_header *header;
	uint32_t slots, slot_bytes;
	bool reserve_slots; /* pages are allocated slot by slot */
};

/* A lane is a thread's place: the slot that it fills. */
struct lane {
	struct hookfile *file;
	struct hookfile_slot *slot;
	struct segment_out out;
	bool busy;
};
static __thread struct lane lane;
static pthread_key_t lane_key;
static pthread_once_t lane_once = PTHREAD_ONCE_INIT;

const struct hookfile_control *hookfile_control(const char *folder)
{
	const struct hookfile_control *c = NULL;
	char path[4096];
	struct stat st;
	int fd;

	if (snprintf(path, sizeof(path), "%s/" HOOKFILE_CONTROL, folder) >= (int)sizeof(path))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	/* Only this user or root may say what is recorded. */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof(*c) &&
	    (st.st_uid == geteuid() || st.st_uid == 0))
		c = mmap(NULL, sizeof(*c), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (!c || c == MAP_FAILED)
		return NULL;
	if (c->magic != HOOKFILE_MAGIC || c->version != HOOKFILE_VERSION || !c->slots ||
	    c->slots > HOOKFILE_SLOTS_MAX || c->slot_bytes < PITRACE_USER_MAX * 2 ||
	    c->slot_bytes > PIFILE_SEGMENT_MAX) {
		munmap((void *)c, sizeof(*c));
		return NULL;
	}
	return c;
}

/* Allocates the pages: false when the disk is full. */
static bool have(void *p, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)p & ~(page - 1);

	return !madvise((void *)start, (uintptr_t)p + size - start, MADV_POPULATE_WRITE);
}

static int make_file(const char *folder, char path[4096])
{
	int fd = -1;

	for (unsigned int n = 0; n < NAMES; n++) {
		if (snprintf(path, 4096, "%s/%d.%u", folder, getpid(), n) >= 4096)
			return -ENAMETOOLONG;
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

/* The kernel passes this process's credentials to the receiver of the name. A collector without the
 * socket (an older one) trusts the name. */
static void announce(const char *folder, const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const char *name = path + strlen(folder) + 1;
	int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* The folder's path may be longer than a socket address. */
	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/" HOOKFILE_SOCKET, dir);
	for (int i = 0; dir >= 0 && s >= 0 && i < TRIES; i++) {
		if (sendto(s, name, strlen(name), MSG_DONTWAIT | MSG_NOSIGNAL,
			   (struct sockaddr *)&a, sizeof(a)) >= 0 ||
		    errno != EAGAIN)
			break;
		usleep(1000);
	}
	if (s >= 0)
		close(s);
	if (dir >= 0)
		close(dir);
}

struct hookfile *hookfile_make(const char *folder, const struct hookfile_control *control)
{
	static struct hookfile *newest;
	struct hookfile *f = calloc(1, sizeof(*f));
	char path[4096];
	size_t size;
	void *p;
	int fd, err = 0;

	if (!f)
		return NULL;
	f->slots = control->slots;
	f->slot_bytes = control->slot_bytes;
	size = HOOKFILE_DATA + (size_t)f->slots * f->slot_bytes;
	fd = make_file(folder, path);
	if (fd < 0) {
		free(f);
		errno = -fd;
		return NULL;
	}
	p = ftruncate(fd, (off_t)size) ?
		    MAP_FAILED :
		    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		err = errno;
	} else if (have(p, HOOKFILE_DATA)) {
		f->reserve_slots = true;
	} else if (errno == EINVAL) {
		/* Kernels before 5.14 lack MADV_POPULATE_WRITE: allocate the whole file now. */
		err = posix_fallocate(fd, 0, (off_t)size);
	} else {
		err = ENOSPC;
	}
	close(fd);
	if (err) {
		if (p != MAP_FAILED)
			munmap(p, size);
		free(f);
		errno = err;
		return NULL;
	}
	/* A child makes a file of its own. */
	madvise(p, size, MADV_DONTFORK);
	f->older = newest;
	newest = f;
	f->header = p;
	f->header->version = HOOKFILE_VERSION;
	__atomic_store_n(&f->header->magic, HOOKFILE_MAGIC, __ATOMIC_RELEASE);
	announce(folder, path);
	return f;
}

static void give_slot(struct lane *l)
{
	if (l->slot)
		__atomic_store_n(&l->slot->state, HOOKFILE_FULL, __ATOMIC_RELEASE);
	l->slot = NULL;
	l->out.data = NULL;
	l->out.used = 0;
}

static bool take_slot(struct lane *l)
{
	struct hookfile *f = l->file;

	for (uint32_t i = 0; i < f->slots; i++) {
		struct hookfile_slot *s = &f->header->slot[i];
		uint8_t *data = (uint8_t *)f->header + HOOKFILE_DATA + (size_t)i * f->slot_bytes;
		uint32_t is_free = HOOKFILE_FREE;

		if (s->state != HOOKFILE_FREE ||
		    !__atomic_compare_exchange_n(&s->state, &is_free, HOOKFILE_OPEN, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&s->used, 0, __ATOMIC_RELEASE);
		if (f->reserve_slots && !have(data, f->slot_bytes)) {
			__atomic_store_n(&s->state, HOOKFILE_FREE, __ATOMIC_RELEASE);
			return false;
		}
		l->slot = s;
		l->out.data = data;
		l->out.used = 0;
		return true;
	}
	return false;
}

/* The full segment is in its slot already; use another slot for the next. */
static int next_slot(void *arg, const void *segment, size_t size)
{
	struct lane *l = arg;

	(void)segment;
	(void)size;
	give_slot(l);
	return take_slot(l) ? 0 : -ENOBUFS;
}

static void thread_ends(void *arg)
{
	give_slot(arg);
}

static void make_key(void)
{
	if (pthread_key_create(&lane_key, thread_ends))
		lane_key = (pthread_key_t)-1;
}

static void begin_lane(struct lane *l, struct hookfile *f)
{
	/* A forked child must not write to its parent's slot. */
	memset(l, 0, sizeof(*l));
	l->file = f;
	l->out.size = f->slot_bytes;
	l->out.ring = PITRACE_RING_TRACE;
	pthread_once(&lane_once, make_key);
	if (lane_key != (pthread_key_t)-1)
		pthread_setspecific(lane_key, l);
}

int hookfile_put(struct hookfile *f, uint16_t major, uint32_t minor, const struct pitrace_user *who,
		 const void *data, size_t bytes)
{
	struct lane *l = &lane;
	uint8_t *p = NULL;
	int err = 0;

	if (l->file != f)
		begin_lane(l, f);
	if (l->busy) {
		__atomic_add_fetch(&f->header->lost, 1, __ATOMIC_RELAXED);
		return -EBUSY;
	}
	l->busy = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (l->slot || take_slot(l))
		p = segment_put(&l->out, major, minor, PITRACE_TYPE_MIXED, sizeof(*who) + bytes,
				now_ns(), next_slot, l, &err);
	if (p) {
		memcpy(p, who, sizeof(*who));
		memcpy(p + sizeof(*who), data, bytes);
		/* The bytes below `used` are complete records. */
		__atomic_store_n(&l->slot->used, (uint32_t)l->out.used, __ATOMIC_RELEASE);
	} else {
		err = -ENOBUFS;
		__atomic_add_fetch(&f->header->lost, 1, __ATOMIC_RELAXED);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	l->busy = false;
	return err;
}
