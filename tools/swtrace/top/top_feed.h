/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the session's trace file, while it is being written, to the model: what an interval has
 * added is merged by time, names first. Files follow one another when they have reached their
 * size; each names all that lives when it begins.
 */
#ifndef TOP_FEED_H
#define TOP_FEED_H

#include <pifile.h>
#include "top_model.h"

struct top_feed;

/* The path of file `number` of the session, the first is 0. */
enum top_file { TOP_FILE_THERE, TOP_FILE_LATER, TOP_FILE_GONE };
typedef enum top_file top_feed_path(void *arg, uint32_t number, char *path, size_t room);

/* NULL: no memory. */
struct top_feed *top_feed_open(top_feed_path *path, void *arg);
void top_feed_close(struct top_feed *f);
/*
 * Reads what there is, up to that time (CLOCK_MONOTONIC ns) and a few records more. 1: there is
 * more, the next call goes on with it; 0: all is read; or -errno with a sentence in why. skip: of
 * what is left only names are read; samples and other records are counted as lost.
 */
int top_feed_more(struct top_feed *f, struct top_model *m, uint64_t until, bool skip, char *why,
		  size_t room);
/* Where reading stands: first is as end. */
void top_feed_place(const struct top_feed *f, struct top_part *part);
/* The file that is being read, of that number; NULL: it has none yet. */
struct pifile *top_feed_file(const struct top_feed *f, uint32_t *number);

#endif
