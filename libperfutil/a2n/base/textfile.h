/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines of a stranger's text file that may still grow, in bounded memory: read by pread, so
 * that a file that shrinks under us harms nobody. The same of a text in memory.
 */
#ifndef A2N_TEXTFILE_H
#define A2N_TEXTFILE_H

#include "base/cursor.h"

#define TEXTFILE_LINE	(32u * 1024)	/* of longer lines this much is read */

struct textfile {
	int fd;				/* -1: memory, of which nothing is ours */
	const uint8_t *text;		/* the window, or all of it */
	uint8_t *window;
	uint64_t at;			/* of the text in the file */
	size_t begin, end;		/* of what is not read yet, in the text */
	bool passing;			/* the rest of a line that was too long */

	/* Of the line given last, or where the whole lines end. */
	uint64_t offset, line;		/* lines count from 1 */
	bool cut;			/* it was longer */
	uint64_t unfinished;		/* bytes behind the last whole line */
};

/* Takes fd over, also on failure. 0, -ENOMEM, -EBADMSG: *why says why. */
int textfile_open(struct textfile *t, int fd, const char **why);
void textfile_memory(struct textfile *t, const void *text, size_t size);
/* 1: the next whole line, without its end; valid until the next call. 0: no more now. -errno. */
int textfile_next(struct textfile *t, struct bytes *line);
void textfile_close(struct textfile *t);

/* What was wrong with lines, for whoever reads them: the first of it. */
struct text_fault {
	uint64_t offset, line;
	const char *what;
	uint64_t lines;
};

static inline void text_fault(struct text_fault *f, const struct textfile *t, const char *what)
{
	if (!f->what)
		*f = (struct text_fault){ t->offset, t->line, what, f->lines };
	f->lines++;
}

#endif
