/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The process that decodes: passes the tracepoint formats as perf stores them (version 0.6 of
 * trace-cmd's format) to libtraceevent. The library trusts the offsets of a format, and the string
 * offsets in the data. Therefore events with fields beyond any record are skipped, and data are
 * decoded in a buffer that covers everything that 16 bits of offset and of length can reach.
 */
#include "record/tracepoints_serve.h"

#ifdef HAVE_TRACEEVENT

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "base/cursor.h"

#define RECORD_MAX 65536 /* a perf record's length has 16 bits */
#define ROOM       (4 * RECORD_MAX)
#define EVENTS_MAX 65536

struct fields_serving {
	struct tep_handle *tep;
	struct trace_seq text;
	bool big;
	size_t used; /* bytes used of the buffer; zeros follow */
	uint8_t room[ROOM];
};

/* ---- formats --------------------------------------------------------------------------------- */

/* Returns a text of n bytes; NULL: malformed. */
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

/* Skips an event that the library cannot parse. Without the common fields it would hide the others:
 * the library finds the type of all data by the format of one event. */
static void take_event(struct fields_serving *t, struct bytes *b, const char *system)
{
	uint64_t size = bytes_u64(b);
	char *format = take_text(b, size);

	if (format && strstr(format, " common_type;"))
		tep_parse_event(t->tep, format, strlen(format), system);
	free(format);
}

static void take_events(struct fields_serving *t, struct bytes *b, const char *system)
{
	uint32_t n = bytes_u32(b);

	for (uint32_t i = 0; i < n && i < EVENTS_MAX && !b->bad; i++)
		take_event(t, b, system);
}

static void take_systems(struct fields_serving *t, struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	for (uint32_t i = 0; i < n && !b->bad; i++) {
		const char *system = take_name(b);

		if (system)
			take_events(t, b, system);
	}
}

/* Reads "header_page" or "header_event": a name and a text. */
static void take_head(struct fields_serving *t, struct bytes *b, uint32_t word)
{
	const char *name = take_name(b);
	uint64_t size = bytes_u64(b);
	char *text = take_text(b, size);

	if (text && name && !strcmp(name, "header_page"))
		tep_parse_header_page(t->tep, text, strlen(text), (int)word);
	free(text);
}

/* Reads the kernel's strings that formats refer to by address. */
static void take_strings(struct fields_serving *t, struct bytes *b)
{
	uint32_t size = bytes_u32(b); /* size of kallsyms, which perf leaves empty */

	bytes_skip(b, size);
	size = bytes_u32(b);
	if (size) {
		char *text = take_text(b, size);

		if (text)
			tep_parse_printk_formats(t->tep, text);
		free(text);
	}
}

static bool take_all(struct fields_serving *t, const void *data, size_t size)
{
	static const char magic[] = "\027\010\104tracing";
	struct bytes b = bytes_of(data, size);
	const char *began = bytes_take(&b, sizeof(magic) - 1);
	uint32_t word;

	if (!began || memcmp(began, magic, sizeof(magic) - 1) != 0 || !take_name(&b))
		return false;
	t->big = bytes_u8(&b);
	b.swap = t->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	word = bytes_u8(&b);
	tep_set_loglevel(TEP_LOG_NONE);
	trace_seq_init(&t->text);
	t->tep = tep_alloc();
	if (!t->tep || b.bad)
		return false;
	tep_set_file_bigendian(t->tep, t->big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(t->tep, (int)word);
	tep_set_page_size(t->tep, (int)bytes_u32(&b));
	take_head(t, &b, word);
	take_head(t, &b, word);
	take_events(t, &b, "ftrace");
	take_systems(t, &b);
	take_strings(t, &b);
	return true;
}

/* ---- requests -------------------------------------------------------------------------------- */

static struct tep_event *event_of(struct fields_serving *t, const void *raw, size_t bytes,
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

/* Formats a record. The first byte of the reply says whether a text follows. */
static size_t text(struct fields_serving *t, const void *raw, size_t bytes, char *out, size_t size)
{
	struct tep_record r;
	struct tep_event *event = event_of(t, raw, bytes, &r);
	size_t n;

	out[0] = event != NULL;
	if (!event)
		return 1;
	trace_seq_reset(&t->text);
	tep_print_event(t->tep, &t->text, &r, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&t->text);
	n = t->text.len < size - 1 ? t->text.len : size - 1;
	memcpy(out + 1, t->text.buffer, n);
	return n + 1;
}

static struct tracepoint_field ask_field(struct fields_serving *t, char names[3][64])
{
	struct tep_format_field *f;
	struct tep_event *event;

	names[0][63] = names[1][63] = names[2][63] = '\0';
	event = tep_find_event_by_name(t->tep, names[0], names[1]);
	f = event ? tep_find_any_field(event, names[2]) : NULL;
	if (!f || f->offset < 0 || f->size < 0 || f->flags & TEP_FIELD_IS_ARRAY)
		return (struct tracepoint_field){ 0 };
	return (struct tracepoint_field){
		.event = event->id,
		.offset = (uint32_t)f->offset,
		.size = (uint32_t)f->size,
		.is_signed = f->flags & TEP_FIELD_IS_SIGNED,
		.big = t->big,
	};
}

void tracepoints_serve(int fd, const void *data, size_t size)
{
	static struct fields_serving t;
	static struct {
		struct tracepoints_question q;
		char rest[TRACEPOINTS_ROOM];
	} in;
	static char out[TRACEPOINTS_ROOM];
	ssize_t n;

	alarm(TRACEPOINTS_PATIENCE);
	if (!take_all(&t, data, size) || send(fd, "", 1, MSG_NOSIGNAL) != 1)
		_exit(1);
	alarm(0);
	while ((n = recv(fd, &in, sizeof(in), 0)) >= (ssize_t)sizeof(in.q)) {
		size_t rest = (size_t)n - sizeof(in.q), answer = sizeof(struct tracepoint_field);

		alarm(TRACEPOINTS_PATIENCE);
		if (in.q.text) {
			answer = text(&t, in.rest, rest, out, sizeof(out));
		} else {
			struct tracepoint_field f = ask_field(&t, (void *)in.rest);

			memcpy(out, &f, sizeof(f));
		}
		alarm(0);
		if (send(fd, out, answer, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

#endif
