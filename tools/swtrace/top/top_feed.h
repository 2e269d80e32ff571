/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the session's trace file into the model while it is being written. The records that an
 * interval has added are merged by time; names are read first. A file that has reached its maximum
 * size is followed by another one, which begins with the names of all that exists then.
 */
#ifndef TOP_FEED_H
#define TOP_FEED_H

#include <pifile.h>
#include "top_model.h"

struct top_feed;

/* Writes the path of file `number` of the session; the first is 0. */
enum top_file { TOP_FILE_THERE, TOP_FILE_LATER, TOP_FILE_GONE };
typedef enum top_file top_feed_path(void *arg, uint32_t number, char *path, size_t room);

/* Returns NULL without memory. */
struct top_feed *top_feed_open(top_feed_path *path, void *arg);
void top_feed_close(struct top_feed *f);
/*
 * Reads available records until that time (CLOCK_MONOTONIC ns), and a few more. Returns 1 if there
 * are more for the next call, 0 if all are read, or -errno with a message in `why`. skip: reads
 * only names of the rest, and counts samples and other records as lost.
 */
int top_feed_more(struct top_feed *f, struct top_model *m, uint64_t until, bool skip, char *why,
		  size_t room);
/* Stores the position of the next section to be read in `part`: both first and end. */
void top_feed_place(const struct top_feed *f, struct top_part *part);
/* Returns the file being read, and its number; NULL if none is open yet. */
struct pifile *top_feed_file(const struct top_feed *f, uint32_t *number);

#endif
