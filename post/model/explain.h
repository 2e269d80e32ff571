/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sources of the facts about one address of a process: while events are fed to liba2n, those
 * that concern the address are stored by liba2n's event numbers, with the record or file that they
 * came from.
 */
#ifndef POST_EXPLAIN_H
#define POST_EXPLAIN_H

#include <a2n.h>
#include <pifile.h>
#include <stdbool.h>

struct explain_wanted {
	bool wanted;
	uint32_t pid;
	uint64_t address, time;
};

/* Source of the events with numbers above `before`, up to `last`. */
struct explain_source {
	uint32_t before, last;
	const char *kind; /* "jitdump", "log", "perf map"; NULL: a record */
	char *path;
	uint64_t offset; /* in that file */
	/* For a record: */
	uint64_t time, stamp;
	uint32_t cpu, pid, minor;
	bool kernel; /* concerns kernel memory */
};

struct explain {
	struct explain_wanted what;
	struct explain_source *source;
	uint32_t n, room;
};

static inline bool explain_concerns(const struct explain *x, uint64_t start, uint64_t length)
{
	return x->what.wanted && x->what.address - start < length;
}

/* Call each after the event was fed; `before` is the value of a2n_told() before that. Returns 0 or
 * -ENOMEM. */
int explain_record(struct explain *x, const struct a2n *a, uint32_t before,
		   const struct pirecord *r);
int explain_file(struct explain *x, const struct a2n *a, uint32_t before, const char *kind,
		 const char *path, uint64_t offset);
/* Returns the source of an answer; NULL: unknown. */
const struct explain_source *explain_source(const struct explain *x, const struct a2n_span *span);
void explain_free(struct explain *x);

#endif
