/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's side of hook files: creating them, and the slow path of writing (the fast path is
 * in hookfile.h). On a full disk, writing to mapped memory would raise a signal, so pages are
 * allocated before they are used. All of it may run in a signal handler that interrupted any of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "hook/hook_door.h"
#include "hook/hook_text.h"
#include "hook/hookfile.h"

/* How long announcing is retried, every 1 ms, while the socket is full: on a busy machine the
 * collector may have to wait that long for a CPU. */
#define ANNOUNCE_NS 1000000000ull
#define NAMES       4096 /* files that one pid may have created, by exec */
#define PATH        4096
#define PAGE_MIN    4096
/* entries of the table per page */
#define TABLE_PAGE (HOOKFILE_TABLE / (uint32_t)sizeof(struct hookfile_slot))

const struct hookfile_control *hookfile_control(const char *folder)
{
	const struct hookfile_control *c = NULL;
	char path[PATH];
	struct hook_text t = hook_text(path, sizeof(path));
	struct stat st;
	int fd;

	hook_text_add(&t, folder);
	hook_text_add(&t, "/" HOOKFILE_CONTROL);
	if (t.cut)
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	/* Only this user or root may decide what is recorded. */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof(*c) &&
	    (st.st_uid == geteuid() || st.st_uid == 0))
		c = mmap(NULL, sizeof(*c), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (!c || c == MAP_FAILED)
		return NULL;
	if (!hookfile_is_control(c)) {
		munmap((void *)c, sizeof(*c));
		return NULL;
	}
	return c;
}

/* creating a file */

/* Allocates the pages: false when the disk is full. */
static bool have(void *p, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)p & ~(page - 1);

	return !madvise((void *)start, (uintptr_t)p + size - start, MADV_POPULATE_WRITE);
}

static bool name_of(struct hook_text *t, const char *folder, uint32_t number)
{
	if (folder) {
		hook_text_add(t, folder);
		hook_text_char(t, '/');
	}
	hook_text_number(t, (unsigned long)getpid());
	hook_text_char(t, '.');
	hook_text_number(t, number);
	return !t->cut;
}

static int make_file(const char *folder, uint32_t *number)
{
	char path[PATH];
	int fd = -1;

	for (uint32_t n = 0; n < NAMES; n++) {
		struct hook_text t = hook_text(path, sizeof(path));

		if (!name_of(&t, folder, n))
			return -ENAMETOOLONG;
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		*number = n;
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

/* posix_fallocate() is not async-signal-safe: on file systems without support it writes. */
static int allocate(int fd, size_t size)
{
	return fallocate(fd, 0, 0, (off_t)size) ? errno : 0;
}

static int map_file(struct hookfile *f, int fd)
{
	size_t size = HOOKFILE_DATA + (size_t)f->slots * f->slot_bytes;
	void *p;
	int err = 0;

	if (ftruncate(fd, (off_t)size))
		return errno;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return errno;
	if (have(p, 2 * HOOKFILE_TABLE)) {
		f->reserve_slots = true;
		f->ready = f->slots < TABLE_PAGE ? f->slots : TABLE_PAGE;
	} else if (errno == EINVAL) {
		/* Kernels before 5.14 lack MADV_POPULATE_WRITE: allocate the whole file now. */
		err = allocate(fd, size);
		f->ready = f->slots;
	} else {
		err = ENOSPC;
	}
	/* A child creates its own file. */
	if (!err && madvise(p, size, MADV_DONTFORK))
		err = errno;
	if (err) {
		munmap(p, size);
		return err;
	}
	f->header = p;
	f->table = (void *)((uint8_t *)p + HOOKFILE_TABLE);
	f->data = (uint8_t *)p + HOOKFILE_DATA;
	return 0;
}

static void hookfile_remove(const struct hookfile *f, const char *folder)
{
	char path[PATH];
	struct hook_text t = hook_text(path, sizeof(path));

	if (name_of(&t, folder, f->number))
		unlink(path);
}

static void hookfile_unmap(struct hookfile *f)
{
	if (f->header)
		munmap(f->header, HOOKFILE_DATA + (size_t)f->slots * f->slot_bytes);
	munmap(f, sizeof(*f));
}

/* Reads each field of the control page once and validates it: it can change at any time. */
static bool sizes(struct hookfile *f, const struct hookfile_control *control)
{
	f->control = control;
	f->generation = __atomic_load_n(&control->generation, __ATOMIC_ACQUIRE);
	f->slots = __atomic_load_n(&control->slots, __ATOMIC_RELAXED);
	f->slot_bytes = __atomic_load_n(&control->slot_bytes, __ATOMIC_RELAXED);
	f->tsc = __atomic_load_n(&control->clock, __ATOMIC_RELAXED) == PITRACE_CLOCK_TSC;
	f->serial = __atomic_load_n(&control->serial, __ATOMIC_RELAXED);
	return hookfile_is_control(control) && f->slots > 1 && f->slots <= HOOKFILE_SLOTS_MAX &&
	       f->slot_bytes >= HOOKFILE_SLOT_MIN && f->slot_bytes <= HOOKFILE_SLOT_MAX &&
	       !(f->slot_bytes & (f->slot_bytes - 1));
}

/* Writes the fields by which the reader recognizes the file. */
static void put_header(struct hookfile *f)
{
	__atomic_store_n(&f->header->version, HOOKFILE_VERSION, __ATOMIC_RELAXED);
	__atomic_store_n(&f->header->generation, f->generation, __ATOMIC_RELAXED);
	__atomic_store_n(&f->header->magic, HOOKFILE_MAGIC, __ATOMIC_RELEASE);
}

/* Creates it in memory and passes it through the door; passing also announces it. */
static int make_passed(struct hookfile *f, const struct hook_door_page *door)
{
	int fd = memfd_create("pitrace-hooks", MFD_CLOEXEC), err;

	if (fd < 0)
		return errno;
	err = map_file(f, fd);
	if (!err) {
		put_header(f);
		err = hook_door_pass(door, f->generation, fd) ? 0 : errno;
		f->passed = f->announced = true;
	}
	close(fd);
	return err;
}

static int make_named(struct hookfile *f, const char *folder)
{
	int fd = make_file(folder, &f->number), err = fd < 0 ? -fd : map_file(f, fd);

	if (fd < 0)
		return err;
	close(fd);
	if (err)
		hookfile_remove(f, folder);
	return err;
}

struct hookfile *hookfile_make(const char *folder, const struct hook_door_page *door,
			       const struct hookfile_control *control)
{
	struct hookfile *f;
	struct stat st;
	int err;

	/* Another user's collector ignores these files, even if this user can create them there. */
	if (folder && stat(folder, &st))
		return NULL;
	if (folder && st.st_uid != geteuid()) {
		errno = EPERM;
		return NULL;
	}
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (f == MAP_FAILED)
		return NULL;
	/* In a child its epoch is 0. */
	err = madvise(f, sizeof(*f), MADV_WIPEONFORK) ? errno : sizes(f, control) ? 0 : EINVAL;
	if (!err)
		err = door ? make_passed(f, door) : make_named(f, folder);
	if (err) {
		hookfile_unmap(f);
		errno = err;
		return NULL;
	}
	f->epoch = now_ns();
	f->first = 1;
	f->closed = HOOKFILE_CLOSED;
	f->slot[0].position = &f->closed;
	return f;
}

/* The kernel passes this process's credentials to the receiver of the name. */
void hookfile_announce(struct hookfile *f, const char *folder)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const struct timespec pause = { .tv_nsec = 1000000 };
	uint64_t until = now_ns() + ANNOUNCE_NS;
	char name[64];
	struct hook_text text = hook_text(name, sizeof(name));
	struct hook_text path = hook_text(a.sun_path, sizeof(a.sun_path));
	int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	put_header(f);
	name_of(&text, NULL, f->number);
	/* The folder's path may be longer than a socket address. */
	hook_text_add(&path, "/proc/self/fd/");
	hook_text_number(&path, (unsigned long)dir);
	hook_text_add(&path, "/" HOOKFILE_SOCKET);
	while (dir >= 0 && s >= 0 &&
	       sendto(s, name, text.used, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&a,
		      sizeof(a)) < 0 &&
	       (errno == EINTR || (errno == EAGAIN && now_ns() < until)))
		nanosleep(&pause, NULL);
	if (s >= 0)
		close(s);
	if (dir >= 0)
		close(dir);
	__atomic_store_n(&f->announced, true, __ATOMIC_RELEASE);
}

void hookfile_discard(struct hookfile *f, const char *folder)
{
	if (!f->passed)
		hookfile_remove(f, folder);
	hookfile_unmap(f);
}

/* ---- slots ----------------------------------------------------------------------------------- */

static void wake(const struct hookfile *f)
{
	syscall(SYS_futex, &f->control->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Allocates another page of the table; false: it is complete, or the disk is full. */
static bool more_table(struct hookfile *f)
{
	uint32_t ready = __atomic_load_n(&f->ready, __ATOMIC_RELAXED), next = ready + TABLE_PAGE;

	if (next > f->slots)
		next = f->slots;
	if (ready == f->slots ||
	    (f->reserve_slots && !have(&f->table[ready], (next - ready) * sizeof(*f->table))))
		return false;
	__atomic_compare_exchange_n(&f->ready, &ready, next, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
	return true;
}

/* The collector freed the slot after it had read its records, so their writers are finished. */
static void clear_slot(const struct hookfile *f, uint32_t i)
{
	memset(f->data + (size_t)i * f->slot_bytes, 0, f->slot_bytes);
}

/* Under a hypervisor that manages the page tables itself, the first access to a page takes a fault
 * even if it has been populated: take it here, not in a record. */
static void touch_slot(const struct hookfile *f, uint32_t i)
{
	volatile uint8_t *data = f->data + (size_t)i * f->slot_bytes;

	for (uint32_t at = 0; at < f->slot_bytes; at += PAGE_MIN)
		data[at] = 0;
}

/* False: no pages for it. */
static bool prepare(struct hookfile *f, uint32_t i)
{
	struct hookfile_slot *s = &f->table[i];
	uint8_t *data = f->data + (size_t)i * f->slot_bytes;
	uint32_t table = __atomic_load_n(&f->header->table, __ATOMIC_RELAXED);

	if (f->reserve_slots && !have(data, f->slot_bytes)) {
		__atomic_store_n(&s->state, HOOKFILE_FREE, __ATOMIC_RELEASE);
		return false;
	}
	/* An unused slot is already zero. A thread that is single-stepped would need minutes to
	 * clear it: the processor stops for each byte. */
	if (i < table || !f->reserve_slots)
		clear_slot(f, i);
	else
		touch_slot(f, i);
	s->stamp = hookfile_now(f->tsc);
	/* Written once, before the slot is in a lane: a thread that still has it from an earlier
	 * lane may read it at any time. */
	if (!f->slot[i].position)
		f->slot[i] = (struct hookfile_place){ &s->position, f->slot_bytes / 8, data };
	__atomic_store_n(&s->position, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&s->state, HOOKFILE_OPEN, __ATOMIC_RELEASE);
	while (table <= i && !__atomic_compare_exchange_n(&f->header->table, &table, i + 1, false,
							  __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return true;
}

/* Takes the first free slot from this one on; 0: none. */
static uint32_t take_from(struct hookfile *f, uint32_t i)
{
	for (;; i++) {
		uint32_t is_free = HOOKFILE_FREE;

		if (i >= __atomic_load_n(&f->ready, __ATOMIC_ACQUIRE) && !more_table(f))
			return 0;
		if (__atomic_load_n(&f->table[i].state, __ATOMIC_RELAXED) != HOOKFILE_FREE ||
		    !__atomic_compare_exchange_n(&f->table[i].state, &is_free, HOOKFILE_TAKEN,
						 false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		return prepare(f, i) ? i : 0;
	}
}

/* Takes the first free slot, so that few are in use when few are needed. The start of the search is
 * a guess that other threads may have invalidated. */
static uint32_t take_slot(struct hookfile *f)
{
	uint32_t freed = __atomic_load_n(&f->header->freed, __ATOMIC_ACQUIRE), n, from;

	if (__atomic_exchange_n(&f->freed, freed, __ATOMIC_RELAXED) != freed)
		__atomic_store_n(&f->first, 1, __ATOMIC_RELAXED);
	from = __atomic_load_n(&f->first, __ATOMIC_RELAXED);
	n = take_from(f, from);
	if (!n && __atomic_load_n(&f->none, __ATOMIC_RELAXED) != freed + 1) {
		n = from > 1 ? take_from(f, 1) : 0;
		/* The collector is notified once, until it has freed some. */
		if (!n) {
			__atomic_store_n(&f->none, freed + 1, __ATOMIC_RELAXED);
			wake(f);
		}
	}
	__atomic_store_n(&f->first, n ? n + 1 : f->slots, __ATOMIC_RELAXED);
	if (n > __atomic_load_n(&f->control->wake_slots, __ATOMIC_RELAXED))
		wake(f);
	return n;
}

struct hookfile_record *hookfile_reserve_more(struct hookfile *f, uint32_t cpu, uint32_t units)
{
	uintptr_t *lane = &f->lane[cpu % HOOKFILE_LANES];
	int saved = errno;
	uint32_t fresh;

	for (;;) {
		uintptr_t slot = __atomic_load_n(lane, __ATOMIC_ACQUIRE);
		const struct hookfile_place *place = hookfile_place(f, slot);
		uint64_t at = __atomic_load_n(place->position, __ATOMIC_RELAXED);

		if (!(at & HOOKFILE_CLOSED)) {
			bool fits = hookfile_fits(place, at + units);

			if (!__atomic_compare_exchange_n(place->position, &at,
							 fits ? at + units : at | HOOKFILE_CLOSED,
							 false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
				continue;
			if (fits)
				return hookfile_at(place, at);
		}
		fresh = take_slot(f);
		errno = saved;
		if (!fresh) {
			__atomic_fetch_add(&f->header->lost, 1, __ATOMIC_RELAXED);
			return NULL;
		}
		/* Another thread was faster: this slot is returned to the reader. */
		if (!__atomic_compare_exchange_n(lane, &slot, fresh * sizeof(f->slot[0]), false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			__atomic_fetch_or(&f->table[fresh].position, HOOKFILE_CLOSED,
					  __ATOMIC_RELEASE);
	}
}
