/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State shared by the words of a story (post_script.c): the position, the line, the output. */
#ifndef POST_SCRIPT_H
#define POST_SCRIPT_H

#include "gen_trace.h"

#define CPUS  4
#define WORDS 16

extern struct gen_ring mte[CPUS], trace[CPUS];
extern uint64_t now;
extern unsigned int line_number;
extern char *words[WORDS]; /* of the line */
extern unsigned int nwords;

void die(const char *what); /* of the line; does not return */
/* Word i of the line as … */
uint64_t number(unsigned int i);
uint32_t cpu_at(unsigned int i);
void thread(unsigned int i, uint32_t *pid, uint32_t *tid); /* "pid" or "pid/tid" */
void bytes(const char *hex, uint8_t *to, uint32_t count);
void put(struct gen_ring *r, uint16_t major, uint32_t minor, const void *data, size_t size);

/* The words from `first` on: addresses of calls, innermost first, kernel before user. */
struct addresses {
	struct pitrace_stack head;
	uint64_t list[WORDS];
	uint32_t bytes; /* 0: no words */
};

struct addresses addresses(unsigned int first);
void put_stacked(struct gen_ring *r, uint16_t major, uint32_t minor, const void *data,
		 uint32_t size, const struct addresses *a);

/* Lines of post_script_samples.c. */
void sample(void);
void counter(void);
void count(void);
void copy(void);

#endif
