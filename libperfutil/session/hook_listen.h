/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who listens to what this program writes: the collector of its hook files, the driver's sessions,
 * or both. All of it may run in a signal handler that interrupted any of it, or in several threads
 * at once: who makes something puts it in its place by compare-and-exchange, and takes it back if
 * another was faster.
 */
#ifndef PITRACE_HOOK_LISTEN_H
#define PITRACE_HOOK_LISTEN_H

#include <perfutil.h>
#include <pitrace.h>
#include "hook/hook_place.h"
#include "session/hook_record.h"

/* State of this process only: it lies in a page that is wiped at fork, so that a child starts anew,
 * however it was forked. */
struct hook_state {
	struct hookfile *file;
	/* a file could not be made: for this collector, not before then */
	uint32_t failed;
	uint64_t next_make;
	/* the driver's session that was asked about, and whether it takes this program's file */
	uint64_t asked;
	uint32_t told; /* the driver's session that was told that nothing can be written for it */
};
extern struct hook_state *hook_state;

/* What the pages say has to be looked at: they are not known yet, or out of date. False: there is
 * no memory for this process's state, and nobody listens. */
bool hook_look(void);

static inline bool hook_wants(const uint64_t majors[], unsigned int major)
{
	return __atomic_load_n(&majors[major / 64], __ATOMIC_RELAXED) >> (major & 63) & 1;
}

/* Either may, as far as was looked: 0 the collector of files, 1 the driver. */
static inline bool hook_listening(unsigned int which, unsigned int major)
{
	return hook_wants(__atomic_load_n(&TraceListening[which], __ATOMIC_ACQUIRE), major);
}

/* Where the program's files belong, whose collector is there; or NULL. */
const struct hook_place *hook_listen_place(void);

/* The driver's page; NULL: not opened. */
const struct pitrace_hook_page *hook_driver_page(void);
/* Whether it exists and may not be opened. */
bool hook_driver_refused(void);
/* May this program's records of that session of the driver's go into a file? */
bool hook_driver_takes_file(uint32_t serial);
/* Whether others than that session (0: than none) want it. */
bool hook_driver_others(const struct pitrace_hook_page *page, uint32_t serial, unsigned int major);
/* Hands it a measured record, for all sessions but that one. Returns as TraceHook does. */
int hook_driver_put(const struct hook_record *h, uint32_t except);

/* Tells the file who else listens. */
void hook_set_also(struct hookfile *f);

#endif
