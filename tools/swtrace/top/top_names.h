/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds rows of functions for addresses and rows of threads for tasks: asks liba2n, and caches its
 * answers until a record changes the mappings.
 */
#ifndef TOP_NAMES_H
#define TOP_NAMES_H

#include <pifile.h>
#include "top_model.h"

struct top_names;

/* Returns NULL without memory. */
struct top_names *top_names_open(void);
void top_names_close(struct top_names *n);

/* Feeds a record of an MTE ring (processes, threads, mappings), in order of time and before the
 * samples of the same time. Returns 0 or -ENOMEM. */
int top_names_learn(struct top_names *n, const struct pirecord *r);
/* Passes the same record again at its time among the samples: invalidates older answers. */
void top_names_pass(struct top_names *n, const struct pirecord *r);
/* Invalidates all answers, after records that were not passed. */
void top_names_forget(struct top_names *n);
/* Returns whether a process is traced itself, not only recorded as an ancestor. */
bool top_names_traced(const struct top_names *n, uint32_t pid);
/* Feeds a section without records. Returns 0 or -ENOMEM. */
int top_names_section(struct top_names *n, uint32_t type, const void *data, size_t size);

/* Returns the row of the function at an address, or NO_KEY without memory. */
enum top_address { TOP_USER, TOP_KERNEL };
uint32_t top_names_function(struct top_names *n, struct top_model *m, uint32_t pid, uint64_t time,
			    uint64_t address, enum top_address where);
/* Returns the row of a thread, with its names set, or NO_KEY without memory. */
uint32_t top_names_thread(struct top_names *n, struct top_model *m, uint32_t pid, uint32_t tid,
			  uint64_t time);

#endif
