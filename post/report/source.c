/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads source files. A line table may name any file, so only regular files of limited size are
 * opened, links are not followed, and root may read no more than the program's owner.
 */
#include "report/source.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read_all.h"
#include "escape.h"
#include "base/keys.h"
#include "base/regular.h"
#include "sandbox/opener.h"

#define FILE_MAX (16u << 20)
#define ALL_MAX  (256u << 20)

/* As root, opens the file as the program's owner, without root's groups. */
static int open_source(const struct stat *program, const char *path, struct stat *st)
{
	int fd;

	if (geteuid() || !program->st_uid)
		return regular_open(path, O_NOFOLLOW, st);
	fd = opener_as(program->st_uid, program->st_gid, path);
	if (fd >= 0 && fstat(fd, st)) {
		close(fd);
		fd = -EINVAL;
	}
	errno = fd < 0 ? -fd : 0;
	return fd < 0 ? -1 : fd;
}

static const char *reason(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return "is not here";
	case ELOOP:
	case EINVAL:
		return "is not a regular file";
	case EACCES:
	case EPERM:
		return "may not be read";
	default:
		return "cannot be read";
	}
}

/* Searches the folders of sympath for the full path, then the path in the line table. */
static int look(const struct sources *s, struct source *f, struct stat *st)
{
	const char *p = s->sympath ? s->sympath : "";
	char path[PATH_MAX];
	size_t n;
	int fd;

	for (; *p; p += n + (p[n] == ':')) {
		n = strcspn(p, ":");
		if (!n || strstr(f->path, "..") ||
		    snprintf(path, sizeof(path), "%.*s/%s", (int)n, p, f->path) >= PATH_MAX)
			continue;
		fd = open_source(&s->program, path, st);
		if (fd >= 0)
			return fd;
	}
	f->why =
		"has no whole path in the line table: name the folder that it is in, -sympath FOLDER";
	if (f->path[0] != '/')
		return -1;
	fd = open_source(&s->program, f->path, st);
	f->why = fd < 0 ? reason(errno) : NULL;
	return fd;
}

/* Lines end with a newline or CR LF; the last one may have no end. */
static int cut(struct source *f, size_t size)
{
	uint32_t n = 1;
	size_t i;
	char *p;

	for (i = 0; i < size; i++)
		n += f->text[i] == '\n';
	f->line = malloc(n * sizeof(*f->line));
	if (!f->line)
		return -ENOMEM;
	for (p = f->text; p && p < f->text + size;) {
		char *end = memchr(p, '\n', size - (size_t)(p - f->text));

		f->line[f->nline++] = p;
		if (end) {
			*end = '\0';
			if (end > p && end[-1] == '\r')
				end[-1] = '\0';
		}
		p = end ? end + 1 : NULL;
	}
	return 0;
}

static int read_source(struct sources *s, struct source *f, int fd, const struct stat *st)
{
	size_t size;

	f->newer = st->st_mtime > s->program.st_mtime;
	if (st->st_size > FILE_MAX || s->bytes + (size_t)st->st_size > ALL_MAX) {
		f->why = "is too large";
		return 0;
	}
	f->text = malloc((size_t)st->st_size + 1);
	if (!f->text)
		return -ENOMEM;
	(void)pread_all(fd, f->text, (size_t)st->st_size, 0, &size);
	f->text[size] = '\0';
	s->bytes += size;
	return cut(f, size);
}

int source_find(struct sources *s, const char *path, uint32_t *number)
{
	struct source *f;
	struct stat st;
	uint32_t i;
	int fd, rc = 0;

	for (i = 0; i < s->n; i++) {
		*number = i;
		if (!strcmp(s->list[i].path, path))
			return 0;
	}
	if (array_next(s->list, s->n, s->room))
		return -ENOMEM;
	f = &s->list[s->n];
	*f = (struct source){ .path = strdup(path) };
	if (!f->path)
		return -ENOMEM;
	*number = s->n++;
	fd = look(s, f, &st);
	if (fd >= 0) {
		rc = read_source(s, f, fd, &st);
		close(fd);
	}
	return rc;
}

const char *source_line(const struct source *s, int line)
{
	return line > 0 && (uint32_t)line <= s->nline ? s->line[line - 1] : NULL;
}

void source_print(FILE *out, const char *line)
{
	char part[256];
	size_t column = 0, n;

	while (*line) {
		if (*line == '\t') {
			do
				putc(' ', out);
			while (++column % 8);
			line++;
			continue;
		}
		/* Source code is full of backslashes, so they are not escaped. */
		if (*line == '\\') {
			putc(*line++, out);
			column++;
			continue;
		}
		n = strcspn(line, "\t\\");
		if (n >= sizeof(part))
			n = sizeof(part) - 1;
		/* Does not split a multi-byte character. */
		while (n > 1 && ((unsigned char)line[n] & 0xc0) == 0x80)
			n--;
		memcpy(part, line, n);
		part[n] = '\0';
		escape_print(out, part);
		line += n;
		column += n;
	}
}

void sources_free(struct sources *s)
{
	uint32_t i;

	for (i = 0; i < s->n; i++) {
		free(s->list[i].path);
		free(s->list[i].text);
		free(s->list[i].line);
	}
	free(s->list);
	s->list = NULL;
	s->n = s->room = 0;
}
