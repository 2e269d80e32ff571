/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reader of perf maps: a line is used completely or not at all. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfmap.h"
#include "base/regular.h"
#include "base/text.h"
#include "a2n/base/textfile.h"

#define MAX_CODE (1ull << 32) /* larger is neither a function nor a JIT's whole memory */

struct perfmap {
	struct textfile file;
	struct text_fault fault;
	bool named; /* the previous line is an entry, or the rest of its name */
};

static int opened(struct perfmap **out, int fd, const char **why)
{
	struct perfmap *m = calloc(1, sizeof(*m));
	int err;

	*out = NULL;
	*why = NULL;
	if (!m) {
		close(fd);
		return -ENOMEM;
	}
	err = textfile_open(&m->file, fd, why);
	if (err)
		free(m);
	else
		*out = m;
	return err;
}

int perfmap_open_fd(struct perfmap **m, int fd, const char **why)
{
	if (m && why)
		return opened(m, fd, why);
	close(fd);
	return -EINVAL;
}

int perfmap_open(struct perfmap **m, const char *path, uid_t owner, const char **why)
{
	struct stat st;
	int fd;

	if (!m || !why || !path)
		return -EINVAL;
	fd = regular_open(path, O_NOFOLLOW, &st);
	*m = NULL;
	*why = NULL;
	if (fd < 0) {
		int err = errno == EINVAL ? -EBADMSG : -errno;

		*why = err == -EACCES                    ? "no permission to read it" :
		       err == -ELOOP                     ? "it is a link" :
		       err == -EBADMSG                   ? "not a regular file" :
		       err == -ENOENT || err == -ENOTDIR ? "it is not there" :
							   "cannot be opened";
		return err;
	}
	if (owner != (uid_t)-1 && st.st_uid != owner && st.st_uid) {
		close(fd);
		*why = "it is another user's file";
		return -EPERM;
	}
	return opened(m, fd, why);
}

int perfmap_open_text(struct perfmap **m, const void *text, size_t size)
{
	if (!m || (!text && size))
		return -EINVAL;
	*m = calloc(1, sizeof(**m));
	if (!*m)
		return -ENOMEM;
	textfile_memory(&(*m)->file, text, size);
	return 0;
}

/* "KEY NUMBER", after blanks. */
static bool keyed(struct bytes *b, const char *key, uint64_t *value)
{
	const char *word;
	size_t length;

	if (!text_word(b, &word, &length) || length != strlen(key) || memcmp(word, key, length))
		return false;
	text_skip_blanks(b);
	return text_number(b, 10, value);
}

/* "pid N since N until N offset N path FILE" */
static bool read_head(struct bytes *b, struct perfmap_part *p)
{
	const char *word;
	uint64_t pid;
	size_t length;

	if (!keyed(b, "pid", &pid) || pid > UINT32_MAX || !keyed(b, "since", &p->since) ||
	    !keyed(b, "until", &p->until) || !keyed(b, "offset", &p->offset) ||
	    !text_word(b, &word, &length) || length != 4 || memcmp(word, "path", 4))
		return false;
	p->pid = (uint32_t)pid;
	text_skip_blanks(b);
	length = bytes_left(b);
	if (!length || length >= sizeof(p->path) || memchr(b->base + b->at, 0, length))
		return false;
	memcpy(p->path, b->base + b->at, length);
	p->path[length] = '\0';
	return true;
}

int perfmap_open_part(struct perfmap **m, const void *section, size_t size,
		      struct perfmap_part *part)
{
	struct bytes b = bytes_of(section, size), head;
	const char *line;
	size_t length;

	if (!m || !part || (!section && size))
		return -EINVAL;
	*m = NULL;
	*part = (struct perfmap_part){ 0 };
	if (!bytes_line(&b, &line, &length))
		return -EBADMSG;
	head = bytes_of(line, length);
	if (!read_head(&head, part))
		return -EBADMSG;
	return perfmap_open_text(m, b.base + b.at, bytes_left(&b));
}

void perfmap_close(struct perfmap *m)
{
	if (!m)
		return;
	textfile_close(&m->file);
	free(m);
}

void perfmap_fault(const struct perfmap *m, struct perfmap_fault *f)
{
	*f = (struct perfmap_fault){
		.offset = m->fault.offset,
		.line = m->fault.line,
		.what = m->fault.what,
		.lines = m->fault.lines,
		.unfinished = m->file.unfinished,
	};
}

/* Reads hexadecimal digits, with or without 0x. */
static bool hexadecimal(struct bytes *b, uint64_t *value)
{
	text_skip_blanks(b);
	if (bytes_left(b) > 2 && b->base[b->at] == '0' && (b->base[b->at + 1] | 0x20) == 'x')
		bytes_skip(b, 2);
	return text_number(b, 16, value) && bytes_left(b) && text_is_blank(b->base[b->at]);
}

/* NULL: an entry; else the fault. */
static const char *read_line(struct bytes *b, struct perfmap_entry *e)
{
	if (!hexadecimal(b, &e->address))
		return "no address at its beginning";
	if (!hexadecimal(b, &e->size))
		return "no size after the address";
	if (e->size > MAX_CODE || e->address + e->size < e->address)
		return "invalid code size";
	text_skip_blanks(b);
	while (bytes_left(b) &&
	       (b->base[b->size - 1] == '\r' || text_is_blank(b->base[b->size - 1])))
		b->size--;
	e->name = (const char *)b->base + b->at;
	e->name_length = bytes_left(b);
	if (!e->name_length)
		return "no name after the size";
	return memchr(e->name, 0, e->name_length) ? "a name with a NUL in it" : NULL;
}

static bool is_blank(const struct bytes *line)
{
	size_t i = 0;

	while (i < line->size && (line->base[i] == '\r' || text_is_blank(line->base[i])))
		i++;
	return i == line->size;
}

/* Names may contain newlines (node's function names). A line after an entry that does not begin
 * like an entry is the rest of its name. */
static bool begins_as_entry(const struct bytes *line)
{
	struct bytes b = *line;
	size_t i;

	text_skip_blanks(&b);
	if (bytes_left(&b) >= 2 && b.base[b.at] == '0' && (b.base[b.at + 1] | 0x20) == 'x')
		return true;
	for (i = b.at; i < b.size && i < b.at + 4; i++) {
		uint8_t c = b.base[i];

		if (!(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'f'))
			return false;
	}
	return i == b.at + 4;
}

int perfmap_next(struct perfmap *m, struct perfmap_entry *e)
{
	struct bytes line, whole;
	int r;

	while ((r = textfile_next(&m->file, &line)) > 0) {
		const char *wrong;

		if (is_blank(&line))
			continue;
		*e = (struct perfmap_entry){ .offset = m->file.offset, .line = m->file.line };
		whole = line;
		wrong = read_line(&line, e);
		if (wrong && m->named && !begins_as_entry(&whole))
			continue;
		m->named = !wrong;
		if (wrong)
			text_fault(&m->fault, &m->file, wrong);
		else if (e->size) /* no address can be in code of size 0 */
			return 1;
	}
	return r;
}
