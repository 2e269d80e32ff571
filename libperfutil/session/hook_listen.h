/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where this program's records go: to the collector of its hook files, to the driver's sessions, or
 * both. All of it may run in a signal handler that interrupted any of it, or in several threads at
 * once: a thread that creates something publishes it by compare-and-exchange, and discards it if
 * another was faster.
 */
#ifndef PITRACE_HOOK_LISTEN_H
#define PITRACE_HOOK_LISTEN_H

#include <perfutil.h>
#include <pitrace.h>
#include "hook/hook_place.h"
#include "session/hook_record.h"

/* Hidden: access to exported symbols would slow down each record. */
#pragma GCC visibility push(hidden)

/* State of this process only: it is in a page that is wiped at fork, so that a child starts anew,
 * however it was forked. */
struct hook_state {
	struct hookfile *file;
	/* a file could not be created: for this collector, and do not retry before this time */
	uint32_t failed;
	uint64_t next_make;
	/* the driver's session that was queried, and whether it accepts this program's file */
	uint64_t asked;
	uint32_t refused; /* the driver's session that was notified of lost records */
};
extern struct hook_state *hook_state;

/* The pages must be looked up: they are not known yet, or out of date. False: there is no memory
 * for this process's state, and nothing is recorded. */
bool hook_look(void);

static inline bool hook_wants(const uint64_t majors[], unsigned int major)
{
	return __atomic_load_n(&majors[major / 64], __ATOMIC_RELAXED) >> (major & 63) & 1;
}

/* May it be recorded, as far as known? which: 0 the collector of files, 1 the driver. */
static inline bool hook_listening(unsigned int which, unsigned int major)
{
	return hook_wants(__atomic_load_n(&TraceListening[which], __ATOMIC_ACQUIRE), major);
}

/* Findings that children inherit. Mapped pages are never unmapped: other threads may be reading
 * them. */
struct hook_driver {
	const struct pitrace_hook_page *page;
	int fd;
};
extern struct hook_place *hook_found_place;
extern struct hook_driver *hook_found_driver; /* through a hook descriptor */

static inline bool hook_place_is_gone(const struct hook_place *p)
{
	return !p || __atomic_load_n(&p->page->gone, __ATOMIC_RELAXED);
}

/* Returns the place for the program's files, if its collector is running; or NULL. */
static inline const struct hook_place *hook_listen_place(void)
{
	const struct hook_place *p = __atomic_load_n(&hook_found_place, __ATOMIC_ACQUIRE);

	return hook_place_is_gone(p) ? NULL : p;
}

/* The driver's page; NULL: not opened. */
static inline const struct pitrace_hook_page *hook_driver_page(void)
{
	const struct hook_driver *d = __atomic_load_n(&hook_found_driver, __ATOMIC_ACQUIRE);

	return d ? d->page : NULL;
}

/* Does the device exist, but may not be opened? */
bool hook_driver_refused(void);
/* Returns the majors that sessions other than this one of the driver record; NULL: it is no longer
 * on. */
static inline const uint64_t *hook_driver_others_of(const struct pitrace_hook_page *page,
						    uint32_t serial)
{
	const uint64_t *others = (const uint64_t *)page->others[PITRACE_SERIAL_PLACE(serial)];
	uint64_t last = __atomic_load_n(&others[3], __ATOMIC_RELAXED);

	return !((last ^ serial) & PITRACE_SERIAL_MASK) ? others : NULL;
}

/* May this program's records of that session of the driver's go into a file? */
bool hook_driver_takes_file(uint32_t serial);
/* Do other sessions than this one (0: any session) record it? */
static inline bool hook_driver_others(const struct pitrace_hook_page *page, uint32_t serial,
				      unsigned int major)
{
	const uint64_t *others = serial ? hook_driver_others_of(page, serial) : NULL;

	return hook_wants(others ? others : (const uint64_t *)page->majors, major);
}

/* Passes a measured record to the driver, for all sessions but that one. Returns as TraceHook
 * does. */
int hook_driver_put(const struct hook_record *h, uint32_t except);

/* Updates the file's record of other sessions. */
void hook_set_also(struct hookfile *f);

#pragma GCC visibility pop

#endif
