/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of source files that a program's line table names. */
#ifndef POST_SOURCE_H
#define POST_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

struct source {
	char *path;      /* as the line table has it, with its folder */
	const char *why; /* there is no text, and why */
	bool newer;      /* than the program: its lines may be others now */
	char *text;      /* each line with an end of its own */
	char **line;
	uint32_t nline;
};

struct sources {
	const char *sympath; /* folders to look in first; or NULL */
	struct stat program; /* the file whose line table it is */
	struct source *list;
	uint32_t n, room;
	size_t bytes;
};

/* 0, *number is the place in the list of this file, or -ENOMEM. A file that cannot be read is no
 * error: it stands there with its reason. */
int source_find(struct sources *s, const char *path, uint32_t *number);
/* Without its line's end; NULL: there is none. */
const char *source_line(const struct source *s, int line);
/* A line as it is read: tabs are blanks, what a terminal must not see is escaped. */
void source_print(FILE *out, const char *line);
void sources_free(struct sources *s);

#endif
