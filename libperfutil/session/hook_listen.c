/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mapped pages answer without a system call: that of the program's hook files (hook/hook_place.h)
 * and the driver's. They are looked up at the first call, and again when the collector named by the
 * environment has ended; the driver's also when a session of this user has begun since.
 */
#include "session/hook_listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/rc.h"
#include "collect/driver/driver_hook.h"
#include "session/holder.h"

#define MAY (1ull << 32)
static struct hook_state nothing;
struct hook_state *hook_state = &nothing;

struct hook_place *hook_found_place;
struct hook_driver *hook_found_driver;
static uint32_t driver_looked; /* generation of the page when the device was looked up */
static bool refused;           /* the device exists and may not be opened */

static const uint64_t nobody[PITRACE_MAJORS / 64];
static const uint64_t not_looked[PITRACE_MAJORS / 64] = { ~0ull, ~0ull, ~0ull, ~0ull };
const uint64_t *TraceListening[2] = { not_looked, nobody };

/* Between these two stores the file counts as not alone. */
void hook_set_also(struct hookfile *f)
{
	const struct hook_driver *d = __atomic_load_n(&hook_found_driver, __ATOMIC_ACQUIRE);
	uint64_t alone = d ? f->serial & PITRACE_SERIAL_MASK : 0;
	const uint64_t *also = nobody;

	if (d)
		also = (const uint64_t *)(f->serial ?
						  d->page->others[PITRACE_SERIAL_PLACE(f->serial)] :
						  d->page->majors);
	__atomic_store_n(&f->alone, ~0ull, __ATOMIC_RELEASE);
	__atomic_store_n(&f->also, also, __ATOMIC_RELEASE);
	__atomic_store_n(&f->alone, alone, __ATOMIC_RELEASE);
}

static void listen_to(unsigned int which, const uint64_t *majors)
{
	struct hookfile *f = __atomic_load_n(&hook_state->file, __ATOMIC_ACQUIRE);

	__atomic_store_n(&TraceListening[which], majors, __ATOMIC_RELEASE);
	if (which && f)
		hook_set_also(f);
}

/* looking up */

static bool make_state(void)
{
	struct hook_state *none = &nothing;
	void *p;

	if (__atomic_load_n(&hook_state, __ATOMIC_ACQUIRE) != &nothing)
		return true;
	p = mmap(NULL, sizeof(*hook_state), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		 0);
	if (p == MAP_FAILED)
		return false;
	if (madvise(p, sizeof(*hook_state), MADV_WIPEONFORK)) {
		munmap(p, sizeof(*hook_state));
		return false;
	}
	if (!__atomic_compare_exchange_n(&hook_state, &none, p, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		munmap(p, sizeof(*hook_state));
	return true;
}

static bool listens(const struct hook_place *p)
{
	return p && __atomic_load_n(&p->page->generation, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&p->page->majors[PITRACE_MTE / 64], __ATOMIC_RELAXED);
}

/* Linked in libraries, but not in our own programs. */
#define EARLY (hook_early ? hook_early() : NULL)

/* A place found earlier is used if the program has dropped its rights since, or finds no place any
 * more in another root; unless nothing is recorded there, but at the new user's place. */
static struct hook_place *choose_place(void)
{
	struct hook_place *early = EARLY, *found;

	if (hook_place_is_gone(early))
		return hook_place_find();
	if (listens(early) && geteuid())
		return early;
	found = hook_place_find();
	if (found && (!geteuid() || listens(found)))
		return found;
	if (found)
		hook_place_free(found);
	return early;
}

static const struct hook_place *look_for_place(void)
{
	struct hook_place *old = __atomic_load_n(&hook_found_place, __ATOMIC_ACQUIRE), *new;

	if (!hook_place_is_gone(old) ||
	    (!old && __atomic_load_n(&TraceListening[0], __ATOMIC_ACQUIRE) != not_looked))
		return old;
	new = choose_place();
	if (__atomic_compare_exchange_n(&hook_found_place, &old, new, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return new;
	if (new &&new != EARLY)
		hook_place_free(new);
	return old;
}

/* Recognizes a hook descriptor of the driver by its mapping. */
static struct hook_driver *driver_of(int fd)
{
	struct hook_driver *d = mmap(NULL, sizeof(*d), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (d == MAP_FAILED)
		return NULL;
	d->fd = fd;
	d->page = mmap(NULL, sizeof(*d->page), PROT_READ, MAP_SHARED, fd, 0);
	if (d->page != MAP_FAILED && d->page->size >= offsetof(struct pitrace_hook_page, begun) &&
	    d->page->version == PITRACE_ABI_VERSION)
		return d;
	if (d->page != MAP_FAILED)
		munmap((void *)d->page, sizeof(*d->page));
	munmap(d, sizeof(*d));
	return NULL;
}

static void use_driver(int fd)
{
	struct hook_driver *d = driver_of(fd), *none = NULL;

	if (!d) {
		close(fd);
	} else if (!__atomic_compare_exchange_n(&hook_found_driver, &none, d, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		close(fd);
		munmap((void *)d->page, sizeof(*d->page));
		munmap(d, sizeof(*d));
		d = none;
	}
	if (d)
		listen_to(1, (const uint64_t *)d->page->majors);
}

static void look_for_driver(const struct hook_place *p)
{
	int fd;

	if (!__atomic_load_n(&hook_found_driver, __ATOMIC_ACQUIRE)) {
		bool may_not;

		fd = driver_hook_open();
		may_not = fd < 0 && (errno == EACCES || errno == EPERM);
		if (may_not) {
			fd = holder_hook();
			may_not = fd < 0;
		}
		__atomic_store_n(&refused, may_not, __ATOMIC_RELAXED);
		if (fd >= 0)
			use_driver(fd);
	}
	if (p)
		__atomic_store_n(&driver_looked,
				 __atomic_load_n(&p->page->generation, __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
}

/* Publishes last that the pages are known: other threads do not wait, but look themselves. */
bool hook_look(void)
{
	bool first = __atomic_load_n(&TraceListening[0], __ATOMIC_ACQUIRE) == not_looked;
	const struct hook_place *p;

	if (!make_state()) {
		listen_to(0, nobody);
		return false;
	}
	p = look_for_place();
	if (first || (p && __atomic_load_n(&p->page->generation, __ATOMIC_RELAXED) !=
				   __atomic_load_n(&driver_looked, __ATOMIC_RELAXED)))
		look_for_driver(p);
	listen_to(0, p ? (const uint64_t *)p->page->majors : nobody);
	return true;
}

/* ---- by the driver --------------------------------------------------------------------------- */

/* The program closed a descriptor that it did not know: gets another one. */
static void lost_driver(struct hook_driver *d)
{
	if (__atomic_compare_exchange_n(&hook_found_driver, &d, NULL, false, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED)) {
		listen_to(1, nobody);
		look_for_driver(NULL);
	}
}

bool hook_driver_takes_file(uint32_t serial)
{
	struct hook_driver *d = __atomic_load_n(&hook_found_driver, __ATOMIC_ACQUIRE);
	uint64_t asked = __atomic_load_n(&hook_state->asked, __ATOMIC_RELAXED);
	int rc;

	if (!d)
		return true;
	if (!hook_driver_others_of(d->page, serial))
		return false;
	if ((uint32_t)asked == serial)
		return asked & MAY;
	rc = ioctl(d->fd, PITRACE_IOC_HOOK_FILE, &serial);
	if (rc && (errno == EBADF || errno == ENOTTY))
		lost_driver(d);
	else if (!rc || errno == EPERM)
		__atomic_store_n(&hook_state->asked, serial | (rc ? 0 : MAY), __ATOMIC_RELAXED);
	return !rc;
}

static int driver_put(const struct pitrace_hook_args *args)
{
	struct hook_driver *d = __atomic_load_n(&hook_found_driver, __ATOMIC_ACQUIRE);

	if (!d)
		return TRACE_NOBODY;
	if (!ioctl(d->fd, PITRACE_IOC_HOOK, args))
		return PI_OK;
	switch (errno) {
	case ENODATA:
		return TRACE_NOBODY;
	case ENOBUFS:
		return PI_BUFFER_FULL;
	case EBADF:
	case ENOTTY:
		lost_driver(d);
		return TRACE_NOBODY;
	}
	return rc_say(rc_of_errno(errno), "the driver cannot write this record");
}

/* values: their present or future address. */
static struct pitrace_hook_args args_of(const struct hook_record *h, uintptr_t values,
					uint32_t except)
{
	uint64_t lengths = values + (uint64_t)h->int_count * sizeof(uint64_t);
	struct pitrace_hook_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.major = (uint32_t)h->major,
		.minor = (uint32_t)h->minor,
		.ints = (uint32_t)h->int_count,
		.strs = (uint32_t)h->str_count,
		.values = values,
		.lengths = lengths,
		.strings = lengths + (uint64_t)h->str_count * sizeof(uint32_t),
		.except = except,
	};

	return args;
}

/* The driver expects strings one after the other. */
static __attribute__((noinline)) int put_strings(const struct hook_record *h, uint32_t except)
{
	uint64_t words[HOOK_DATA_MAX / sizeof(uint64_t) + 1];
	struct pitrace_hook_args args = args_of(h, (uintptr_t)words, except);

	hook_copy(h, (uint8_t *)words);
	return driver_put(&args);
}

int hook_driver_put(const struct hook_record *h, uint32_t except)
{
	struct pitrace_hook_args args;

	if (h->str_count)
		return put_strings(h, except);
	args = args_of(h, (uintptr_t)h->ints, except);
	return driver_put(&args);
}

bool hook_driver_refused(void)
{
	return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}
