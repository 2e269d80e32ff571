/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of source files named by a program's line table. */
#ifndef POST_SOURCE_H
#define POST_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

struct source {
	char *path;      /* as in the line table, with its directory */
	const char *why; /* reason if there is no text */
	bool newer;      /* newer than the program: its lines may have changed */
	char *text;      /* each line is NUL-terminated */
	char **line;
	uint32_t nline;
};

struct sources {
	const char *sympath; /* folders to search first; or NULL */
	struct stat program; /* the file with the line table */
	struct source *list;
	uint32_t n, room;
	size_t bytes;
};

/* Finds a file; *number: its index in the list. A file that cannot be read is not an error: its
 * entry holds the reason. Returns 0 or -ENOMEM. */
int source_find(struct sources *s, const char *path, uint32_t *number);
/* Returns a line without its newline; NULL: no such line. */
const char *source_line(const struct source *s, int line);
/* Prints a line: expands tabs, escapes what a terminal must not get. */
void source_print(FILE *out, const char *line);
void sources_free(struct sources *s);

#endif
