/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses to rows of functions, tasks to rows of threads: asks liba2n, and keeps its answers
 * until a record changes what they stand for.
 */
#ifndef TOP_NAMES_H
#define TOP_NAMES_H

#include <pifile.h>
#include "top_model.h"

struct top_names;

/* NULL: no memory. */
struct top_names *top_names_open(void);
void top_names_close(struct top_names *n);

/* A record of an MTE ring, in the order of time: what processes, threads and mappings are. Before
 * the samples of the same time. 0 or -ENOMEM. */
int top_names_learn(struct top_names *n, const struct pirecord *r);
/* The same record again, when its time has come among the samples: forgets older answers. */
void top_names_pass(struct top_names *n, const struct pirecord *r);
/* Records were not passed: forgets all answers. */
void top_names_forget(struct top_names *n);
/* Whether a process is traced itself: not only told of as an ancestor, or not at all. */
bool top_names_traced(const struct top_names *n, uint32_t pid);
/* A section that is none of records. 0 or -ENOMEM. */
int top_names_section(struct top_names *n, uint32_t type, const void *data, size_t size);

/* The row of the function that an address is in. NO_KEY: no memory. */
enum top_address { TOP_USER, TOP_KERNEL };
uint32_t top_names_function(struct top_names *n, struct top_model *m, uint32_t pid, uint64_t time,
			    uint64_t address, enum top_address where);
/* The row of a thread, with its names. NO_KEY: no memory. */
uint32_t top_names_thread(struct top_names *n, struct top_model *m, uint32_t pid, uint32_t tid,
			  uint64_t time);

#endif
