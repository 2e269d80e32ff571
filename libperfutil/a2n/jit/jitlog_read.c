/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reader of log-jita2n and log-jtnm: a line is used completely or not at all. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "jitlog.h"
#include "base/text.h"
#include "a2n/base/textfile.h"

#define MAX_CODE (1ull << 32) /* larger code is not a function */

struct jitlog {
	struct textfile file;
	struct text_fault fault;
	bool threads;
	struct bytes code; /* digits of the last LOAD */
	char name[TEXTFILE_LINE + 1];
};

int jitlog_open(struct jitlog **out, int fd, bool threads, const char **why)
{
	struct jitlog *l;
	int err;

	if (!out || !why) {
		close(fd);
		return -EINVAL;
	}
	l = calloc(1, sizeof(*l));
	*out = NULL;
	*why = NULL;
	if (!l) {
		close(fd);
		return -ENOMEM;
	}
	l->threads = threads;
	err = textfile_open(&l->file, fd, why);
	if (err)
		free(l);
	else
		*out = l;
	return err;
}

void jitlog_close(struct jitlog *l)
{
	if (!l)
		return;
	textfile_close(&l->file);
	free(l);
}

void jitlog_fault(const struct jitlog *l, struct jitlog_fault *f)
{
	*f = (struct jitlog_fault){
		.offset = l->fault.offset,
		.line = l->fault.line,
		.what = l->fault.what,
		.lines = l->fault.lines,
		.unfinished = l->file.unfinished,
	};
}

/* Reads the next field, up to a tab or the end. */
static struct bytes field(struct bytes *b)
{
	const uint8_t *p = b->base + b->at, *tab;
	size_t left = bytes_left(b), n;

	tab = left ? memchr(p, '\t', left) : NULL;
	n = tab ? (size_t)(tab - p) : left;
	bytes_skip(b, n + (tab ? 1 : 0));
	return bytes_of(p, n);
}

static bool number(struct bytes f, unsigned int base, uint64_t *value)
{
	return text_number(&f, base, value) && !bytes_left(&f);
}

static bool is(const struct bytes *f, const char *word)
{
	return f->size == strlen(word) && !memcmp(f->base, word, f->size);
}

/* The result never grows: the capacity of a line is sufficient. */
static void unescape(struct jitlog *l, struct bytes f, struct jitlog_event *e)
{
	size_t n = 0;

	while (bytes_left(&f)) {
		char c = (char)bytes_u8(&f);

		if (c == '\\' && bytes_left(&f)) {
			c = (char)bytes_u8(&f);
			c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
		}
		l->name[n++] = c;
	}
	l->name[n] = 0;
	e->name = l->name;
	e->name_length = n;
}

static const char *read_code(struct jitlog *l, struct bytes *b, struct jitlog_event *e)
{
	struct bytes f, name;

	if (!number(field(b), 16, &e->address))
		return "no address after the time";
	if (!number(field(b), 16, &e->size))
		return "no size after the address";
	f = field(b);
	name = field(b);
	e->kind = JITLOG_LOAD;
	if (is(&f, "UNLOAD")) {
		e->kind = JITLOG_UNLOAD;
	} else if (f.size > 5 && !memcmp(f.base, "MOVE=", 5)) {
		e->kind = JITLOG_MOVE;
		bytes_skip(&f, 5);
		if (!text_number(&f, 16, &e->from) || bytes_left(&f))
			return "no old address in MOVE=";
	} else if (!is(&f, "LOAD")) {
		return "unknown flags, not LOAD, UNLOAD or MOVE=";
	} else if (!name.size) {
		return "no name after the flags";
	}
	if (e->size > MAX_CODE || e->address + e->size < e->address || e->from + e->size < e->from)
		return "invalid code size";
	unescape(l, name, e);
	l->code = field(b);
	return NULL;
}

static const char *read_thread(struct jitlog *l, struct bytes *b, struct jitlog_event *e)
{
	struct bytes name, f;
	uint64_t tid;

	if (!number(field(b), 10, &tid) || !tid || tid > INT32_MAX)
		return "no thread id after the time";
	e->tid = (uint32_t)tid;
	name = field(b);
	f = field(b);
	if (!is(&f, "START") && !is(&f, "END"))
		return "neither START nor END after the name";
	e->kind = is(&f, "START") ? JITLOG_START : JITLOG_END;
	unescape(l, name, e);
	return NULL;
}

int jitlog_next(struct jitlog *l, struct jitlog_event *e)
{
	struct bytes line;
	int r;

	while ((r = textfile_next(&l->file, &line)) > 0) {
		const char *wrong = NULL;

		if (!line.size || line.base[0] == '#')
			continue;
		*e = (struct jitlog_event){ .offset = l->file.offset, .line = l->file.line };
		l->code = bytes_of(NULL, 0);
		if (memchr(line.base, 0, line.size))
			wrong = "a NUL in it";
		else if (!number(field(&line), 10, &e->time))
			wrong = "no time at its beginning";
		else
			wrong = l->threads ? read_thread(l, &line, e) : read_code(l, &line, e);
		if (wrong)
			text_fault(&l->fault, &l->file, wrong);
		else if (l->threads || e->size) /* no address can be in code of size 0 */
			return 1;
	}
	return r;
}

size_t jitlog_code(const struct jitlog *l, uint8_t *code, size_t room)
{
	struct bytes digits = l->code;
	size_t n;

	for (n = 0; n < room && bytes_left(&digits) >= 2; n++) {
		struct bytes two = bytes_of(bytes_take(&digits, 2), 2);
		uint64_t value;

		if (!number(two, 16, &value))
			break;
		code[n] = (uint8_t)value;
	}
	return n;
}
