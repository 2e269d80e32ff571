/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The formats of tracepoints as perf keeps them (trace-cmd's version 0.6 of the same), given to
 * libtraceevent. The library trusts a format's offsets, and data to say where their texts lie:
 * events with fields beyond any record are left out, and data are looked at in a room that has all
 * that 16 bits of offset and of length can point at.
 */
#include "formats/tracepoints.h"

#ifdef HAVE_TRACEEVENT

#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "bytes.h"

#define RECORD_MAX	65536		/* a record of perf's has 16 bits of length */
#define ROOM		(4 * RECORD_MAX)
#define EVENTS_MAX	65536

struct tracepoints {
	struct tep_handle *tep;
	struct trace_seq text;
	size_t used;			/* of the room; zeros behind */
	uint8_t room[ROOM];
};

/* ---- formats --------------------------------------------------------------------------------- */

/* So many bytes, as a text. NULL: damaged. */
static char *take_text(struct bytes *b, uint64_t n)
{
	const char *from = n <= bytes_left(b) ? bytes_take(b, (size_t)n) : NULL;

	if (!from)
		b->bad = true;
	return from ? strndup(from, (size_t)n) : NULL;
}

static const char *take_name(struct bytes *b)
{
	size_t left = bytes_left(b);
	const char *name = (const char *)b->base + b->at;
	const char *nul = left ? memchr(name, 0, left) : NULL;

	if (!nul) {
		b->bad = true;
		return NULL;
	}
	bytes_skip(b, (size_t)(nul - name) + 1);
	return name;
}

static bool inside(const struct tep_format_field *f)
{
	for (; f; f = f->next) {
		if (f->offset < 0 || f->size < 0 || f->offset + (int64_t)f->size > RECORD_MAX)
			return false;
	}
	return true;
}

/* One that the library cannot read is missing alone. */
static void take_event(struct tracepoints *t, struct bytes *b, const char *system)
{
	uint64_t size = bytes_u64(b);
	char *format = take_text(b, size);

	if (format)
		tep_parse_event(t->tep, format, strlen(format), system);
	free(format);
}

static void take_events(struct tracepoints *t, struct bytes *b, const char *system)
{
	uint32_t n = bytes_u32(b);

	for (uint32_t i = 0; i < n && i < EVENTS_MAX && !b->bad; i++)
		take_event(t, b, system);
}

static void take_systems(struct tracepoints *t, struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	for (uint32_t i = 0; i < n && !b->bad; i++) {
		const char *system = take_name(b);

		if (system)
			take_events(t, b, system);
	}
}

/* "header_page", "header_event": a name and a text. */
static void take_head(struct tracepoints *t, struct bytes *b, uint32_t word)
{
	const char *name = take_name(b);
	uint64_t size = bytes_u64(b);
	char *text = take_text(b, size);

	if (text && name && !strcmp(name, "header_page"))
		tep_parse_header_page(t->tep, text, strlen(text), (int)word);
	free(text);
}

/* What the formats' texts name by address: strings of the kernel. */
static void take_strings(struct tracepoints *t, struct bytes *b)
{
	uint32_t size = bytes_u32(b);	/* of kallsyms, which perf leaves empty */

	bytes_skip(b, size);
	size = bytes_u32(b);
	if (size) {
		char *text = take_text(b, size);

		if (text)
			tep_parse_printk_formats(t->tep, text);
		free(text);
	}
}

struct tracepoints *tracepoints_open(const void *data, size_t size)
{
	static const char magic[] = "\027\010\104tracing";
	struct bytes b = bytes_of(data, size);
	const char *began = bytes_take(&b, sizeof(magic) - 1);
	struct tracepoints *t;
	uint32_t word;
	bool big;

	if (!began || memcmp(began, magic, sizeof(magic) - 1) != 0 || !take_name(&b))
		return NULL;
	big = bytes_u8(&b);
	b.swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	word = bytes_u8(&b);
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	tep_set_loglevel(TEP_LOG_NONE);
	trace_seq_init(&t->text);
	t->tep = tep_alloc();
	if (!t->tep || b.bad) {
		tracepoints_close(t);
		return NULL;
	}
	tep_set_file_bigendian(t->tep, big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(t->tep, word);
	tep_set_page_size(t->tep, (int)bytes_u32(&b));
	take_head(t, &b, word);
	take_head(t, &b, word);
	take_events(t, &b, "ftrace");
	take_systems(t, &b);
	take_strings(t, &b);
	return t;
}

void tracepoints_close(struct tracepoints *t)
{
	if (!t)
		return;
	tep_free(t->tep);
	trace_seq_destroy(&t->text);
	free(t);
}

/* ---- data ------------------------------------------------------------------------------------ */

static struct tep_event *event_of(struct tracepoints *t, const void *raw, size_t bytes,
				  struct tep_record *r)
{
	struct tep_event *event;

	if (!t || bytes < sizeof(uint64_t) || bytes > RECORD_MAX)
		return NULL;
	if (t->used > bytes)
		memset(t->room + bytes, 0, t->used - bytes);
	memcpy(t->room, raw, bytes);
	t->used = bytes;
	*r = (struct tep_record){ .data = t->room, .size = (int)bytes };
	event = tep_find_event(t->tep, tep_data_type(t->tep, r));
	if (!event || event->flags & TEP_EVENT_FL_FAILED || !inside(event->format.fields) ||
	    !inside(event->format.common_fields))
		return NULL;
	return event;
}

bool tracepoints_text(struct tracepoints *t, const void *raw, size_t bytes, char *room,
		      size_t size)
{
	struct tep_record r;
	struct tep_event *event = event_of(t, raw, bytes, &r);
	size_t n;

	if (!event)
		return false;
	trace_seq_reset(&t->text);
	tep_print_event(t->tep, &t->text, &r, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&t->text);
	n = t->text.len < size ? t->text.len : size - 1;
	memcpy(room, t->text.buffer, n);
	room[n] = '\0';
	return true;
}

bool tracepoints_field(struct tracepoints *t, const void *raw, size_t bytes, const char *name,
		       uint64_t *value)
{
	struct tep_record r;
	struct tep_event *event = event_of(t, raw, bytes, &r);
	struct tep_format_field *field = event ? tep_find_any_field(event, name) : NULL;
	unsigned long long number;

	if (!field || tep_read_number_field(field, r.data, &number))
		return false;
	if (field->flags & TEP_FIELD_IS_SIGNED && field->size == 4)
		number = (uint64_t)(int64_t)(int32_t)number;
	*value = number;
	return true;
}

bool tracepoints_is(struct tracepoints *t, const void *raw, size_t bytes, const char *name)
{
	struct tep_record r;
	struct tep_event *event = event_of(t, raw, bytes, &r);
	size_t n = event ? strlen(event->system) : 0;

	return event && !strncmp(name, event->system, n) && name[n] == ':' &&
	       !strcmp(name + n + 1, event->name);
}

#else

struct tracepoints *tracepoints_open(const void *data, size_t size)
{
	(void)data;
	(void)size;
	return NULL;
}

void tracepoints_close(struct tracepoints *t)
{
	(void)t;
}

bool tracepoints_text(struct tracepoints *t, const void *raw, size_t bytes, char *room,
		      size_t size)
{
	(void)t;
	(void)raw;
	(void)bytes;
	(void)room;
	(void)size;
	return false;
}

bool tracepoints_field(struct tracepoints *t, const void *raw, size_t bytes, const char *name,
		       uint64_t *value)
{
	(void)t;
	(void)raw;
	(void)bytes;
	(void)name;
	(void)value;
	return false;
}

bool tracepoints_is(struct tracepoints *t, const void *raw, size_t bytes, const char *name)
{
	(void)t;
	(void)raw;
	(void)bytes;
	(void)name;
	return false;
}

#endif
