/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the lines of an untrusted text file that may still grow, in bounded memory: by pread, so
 * that truncation does no harm. Also reads a text in memory.
 */
#ifndef A2N_TEXTFILE_H
#define A2N_TEXTFILE_H

#include "base/cursor.h"

#define TEXTFILE_LINE (32u * 1024) /* longer lines are truncated to this */

struct textfile {
	int fd;              /* -1: memory, owned by the caller */
	const uint8_t *text; /* the window, or all of it */
	uint8_t *window;
	uint64_t at;       /* offset of the text in the file */
	size_t begin, end; /* offset of the unread part in the text */
	bool passing;      /* skipping the rest of a line that was too long */

	/* Offset of the last line, or the end of the complete lines. */
	uint64_t offset, line; /* lines count from 1 */
	bool cut;              /* the line was truncated */
	uint64_t unfinished;   /* bytes after the last complete line */
};

/* Takes ownership of fd, also on failure. 0, -ENOMEM, -EBADMSG: *why is the reason. */
int textfile_open(struct textfile *t, int fd, const char **why);
void textfile_memory(struct textfile *t, const void *text, size_t size);
/* 1: the next complete line, without its newline; valid until the next call. 0: no more now.
 * -errno. */
int textfile_next(struct textfile *t, struct bytes *line);
void textfile_close(struct textfile *t);

/* The faults of lines, kept for the parser: the first one and their number. */
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
