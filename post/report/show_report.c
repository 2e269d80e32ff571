/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * post.show: every record, one line each, in time order: as words, or as JSON lines. It reads the
 * records themselves and resolves nothing: it shows the contents of the file.
 */
#include "report/show_report.h"

#include <inttypes.h>
#include <string.h>

#include "complain.h"
#include "escape.h"
#include "json.h"
#include "model/named_events.h"
#include "progress.h"
#include "record/call_record.h"
#include "record/detail.h"
#include "record/record_as.h"
#include "record/stack_place.h"
#include "record/tracepoints.h"
#include "report/report.h"

#define UPDATE_EVERY 65536
/* The longest text is code bytes in hexadecimal. */
#define ROOM (2 * PITRACE_CODE_MAX + 1)

static uint64_t number(const struct pirecord *r, const struct field *f)
{
	const char *p = (const char *)r->data + f->offset;
	int16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (f->type) {
	case FIELD_CALL:
		return r->minor & ~(PITRACE_EXIT | PITRACE_SYSCALL_COMPAT);
	case FIELD_FLAGS_BRANCH:
		return r->minor & ~PITRACE_BRANCH_KIND;
	case FIELD_S16:
		memcpy(&v16, p, sizeof(v16));
		return (uint64_t)(int64_t)v16;
	case FIELD_U64:
	case FIELD_S64:
	case FIELD_HEX64:
		memcpy(&v64, p, sizeof(v64));
		return v64;
	case FIELD_ID:
		memcpy(&v32, p, sizeof(v32));
		return id_shown(v32);
	default:
		memcpy(&v32, p, sizeof(v32));
		return v32;
	}
}

/* Returns a text field, NUL-terminated: the record's bytes may not be. */
static const char *field_text(const struct pirecord *r, const struct field *f, char *room,
			      size_t size)
{
	const char *p = (const char *)r->data + f->offset;
	size_t most = f->type == FIELD_COMM  ? 16 :
		      f->type == FIELD_EVENT ? 64 :
					       r->size - f->offset;

	snprintf(room, size, "%.*s", (int)strnlen(p, most < size ? most : size - 1), p);
	return room;
}

static const char *hex_bytes(const struct pirecord *r, const struct field *f, char *room)
{
	const uint8_t *p = (const uint8_t *)r->data + f->offset;
	uint64_t n = number(r, f - 1), i;
	uint64_t most = f->type == FIELD_CODE ? r->size - f->offset : PITRACE_BUILDID_MAX;

	if (n > most)
		n = most;
	if (n > PITRACE_CODE_MAX)
		n = PITRACE_CODE_MAX;
	room[0] = '\0';
	for (i = 0; i < n; i++)
		sprintf(room + 2 * i, "%02x", p[i]);
	return room;
}

static const struct flag *flags_of(const struct field *f)
{
	return f->type == FIELD_FLAGS_TASK   ? show_task_flags :
	       f->type == FIELD_FLAGS_BRANCH ? show_branch_flags :
	       f->type == FIELD_FLAGS_FAULT  ? show_fault_flags :
	       f->type == FIELD_FLAGS_EVENT  ? show_event_flags :
					       show_map_flags;
}

/* Additional data for showing a record. */
struct shown {
	const struct record_kind *kind;
	struct tracepoints *formats;
	const struct named_event *named; /* a declared named event */
	struct pifile_user record;       /* its values */
	const struct input *in;
	uint64_t start; /* of the times shown */
	/* A stack that is a place in a tree, converted to a recorded stack: */
	struct pitrace_stack stack;
	uint64_t address[PITRACE_STACK_MAX];
};

static void look(struct shown *s, struct named_events *events, const struct pirecord *r)
{
	s->kind = show_kind(r);
	s->named = r->major == PITRACE_NAMED && !pifile_user_record(r, &s->record) ?
			   named_events_of(events, r, &s->record) :
			   NULL;
}

static const char *kind_name(const struct shown *s, const struct pirecord *r)
{
	if (s->named)
		return s->named->name;
	if (r->major == PITRACE_MTE && r->minor == PITRACE_MTE_DECLARE)
		return "declare";
	return show_kind_name(s->kind, r);
}

/* Reads the call stack of a record whose flag says that it has one. */
static bool stack_of(const struct pirecord *r, const struct field *f, struct shown *to,
		     struct stack *s)
{
	uint32_t bit = r->major == PITRACE_TPROF ? PITRACE_TPROF_STACK : PITRACE_DISPATCH_STACK;
	bool cut;

	if (!(r->minor & bit) || !stack_read(r, f->offset, s))
		return false;
	if (!(s->head->flags & STACK_PLACE))
		return true;
	to->stack = (struct pitrace_stack){
		.user = (uint16_t)stack_place_addresses(to->in, r->origin, s, to->address,
							PITRACE_STACK_MAX, &cut),
	};
	to->stack.flags = cut ? PITRACE_STACK_CUT_U : 0;
	s->head = &to->stack;
	s->user = to->address;
	return true;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void words_flags(FILE *out, uint64_t value, const struct flag *flag)
{
	const char *bar = "";

	fprintf(out, "0x%" PRIx64, value);
	for (; flag->bit; flag++) {
		if (value & flag->bit) {
			fprintf(out, "%s%s", *bar ? bar : "(", flag->name);
			bar = "|";
		}
	}
	if (*bar)
		putc(')', out);
}

static void words_stack(FILE *out, const struct pirecord *r, const struct field *f,
			struct shown *shown)
{
	struct stack s;
	uint32_t i;

	if (!stack_of(r, f, shown, &s))
		return;
	fprintf(out, " stack flags=0x%x copied=%u kernel", s.head->flags, s.head->bytes);
	for (i = 0; i < s.head->kernel; i++)
		fprintf(out, " 0x%" PRIx64, s.kernel[i]);
	fputs(" user", out);
	for (i = 0; i < s.head->user; i++)
		fprintf(out, " 0x%" PRIx64, s.user[i]);
}

/* Reads the integers after the struct: the count, as far as they are present. */
static uint32_t arguments(const struct pirecord *r, uint64_t value[CALL_ARGUMENTS])
{
	const struct call_record *c = r->data;
	uint32_t n = c->arguments < CALL_ARGUMENTS ? c->arguments : CALL_ARGUMENTS;

	if (n > (r->size - sizeof(*c)) / sizeof(*value))
		n = (uint32_t)((r->size - sizeof(*c)) / sizeof(*value));
	memcpy(value, c + 1, n * sizeof(*value));
	return n;
}

static void words_arguments(FILE *out, const struct pirecord *r)
{
	uint64_t value[CALL_ARGUMENTS];
	uint32_t i, n = arguments(r, value);

	for (i = 0; i < n; i++)
		fprintf(out, " argument=0x%" PRIx64, value[i]);
}

static void words_field(FILE *out, const struct pirecord *r, const struct field *f,
			struct shown *shown)
{
	char room[ROOM];

	if (f->type == FIELD_HIDDEN)
		return;
	if (f->type == FIELD_STACK) {
		words_stack(out, r, f, shown);
		return;
	}
	if (f->type == FIELD_ARGUMENTS) {
		words_arguments(out, r);
		return;
	}
	fprintf(out, " %s=", f->name);
	switch (f->type) {
	case FIELD_S16:
	case FIELD_S64:
	case FIELD_ID:
		fprintf(out, "%" PRId64, (int64_t)number(r, f));
		break;
	case FIELD_HEX32:
	case FIELD_HEX64:
		fprintf(out, "0x%" PRIx64, number(r, f));
		break;
	case FIELD_FLAGS_TASK:
	case FIELD_FLAGS_MAP:
	case FIELD_FLAGS_FAULT:
	case FIELD_FLAGS_EVENT:
	case FIELD_FLAGS_BRANCH:
		words_flags(out, number(r, f), flags_of(f));
		break;
	case FIELD_COMM:
	case FIELD_EVENT:
	case FIELD_PATH:
		putc('"', out);
		escape_print(out, field_text(r, f, room, sizeof(room)));
		putc('"', out);
		break;
	case FIELD_BYTES:
	case FIELD_CODE:
		fputs(hex_bytes(r, f, room), out);
		break;
	default:
		fprintf(out, "%" PRIu64, number(r, f));
		break;
	}
}

/* Live tasks and files are recorded before tracing begins. */
static void words_time(FILE *out, uint64_t time, uint64_t start)
{
	bool before = time < start;
	uint64_t ns = before ? start - time : time - start;
	char seconds[24];

	snprintf(seconds, sizeof(seconds), "%s%" PRIu64, before ? "-" : "", ns / 1000000000);
	fprintf(out, "%5s.%09" PRIu64, seconds, ns % 1000000000);
}

static void words_record(FILE *out, const struct pirecord *r, struct shown *s)
{
	const struct record_kind *kind = s->kind;
	const char *name = kind_name(s, r);
	const struct field *f;
	uint32_t i;

	words_time(out, r->time, s->start);
	fprintf(out, " %016" PRIx64 " cpu %-3u %-7s %-12s %02x/%08x", r->stamp, r->cpu,
		show_major(r->major), *name ? name : "-", r->major, r->minor);
	if (r->snapshot)
		fputs(" snapshot", out);
	if (r->major == PITRACE_TPROF && r->minor & PITRACE_TPROF_LATE)
		fputs(" late", out);
	if (r->repeats)
		fprintf(out, " repeats=%" PRIu64, r->repeats);
	if (s->named) {
		show_named_words(out, s->named, &s->record);
	} else if (r->major == DETAIL_RECORD && kind && detail_whole(r)) {
		show_detail_words(out, r, s->formats);
	} else if (r->major != DETAIL_RECORD && kind && r->size >= kind->size) {
		for (f = kind->fields; f->type; f++)
			words_field(out, r, f, s);
	} else if (!show_user_words(out, r)) {
		fprintf(out, " type=%u%s data=", r->type, kind ? " malformed" : "");
		for (i = 0; i < r->size; i++)
			fprintf(out, "%02x", ((const uint8_t *)r->data)[i]);
	}
	putc('\n', out);
}

/* ---- JSON lines ------------------------------------------------------------------------------ */

static void json_addresses(struct json *j, const char *key, const stack_word *address, uint32_t n)
{
	json_array(j, key);
	while (n--)
		json_hex(j, NULL, *address++);
	json_end(j, ']');
}

static void json_stack(struct json *j, const struct pirecord *r, const struct field *f,
		       struct shown *shown)
{
	struct stack s;

	if (!stack_of(r, f, shown, &s))
		return;
	json_uint(j, "stack_flags", s.head->flags);
	json_uint(j, "stack_copied", s.head->bytes);
	json_addresses(j, "stack_kernel", s.kernel, s.head->kernel);
	json_addresses(j, "stack_user", s.user, s.head->user);
}

static void json_arguments(struct json *j, const struct pirecord *r)
{
	uint64_t value[CALL_ARGUMENTS];
	uint32_t i, n = arguments(r, value);

	json_array(j, "arguments");
	for (i = 0; i < n; i++)
		json_hex(j, NULL, value[i]);
	json_end(j, ']');
}

static void json_field(struct json *j, const struct pirecord *r, const struct field *f,
		       struct shown *shown)
{
	const struct flag *flag;
	char room[ROOM];

	switch (f->type) {
	case FIELD_HIDDEN:
		break;
	case FIELD_STACK:
		json_stack(j, r, f, shown);
		break;
	case FIELD_ARGUMENTS:
		json_arguments(j, r);
		break;
	case FIELD_S16:
	case FIELD_S64:
	case FIELD_ID:
		json_int(j, f->name, (int64_t)number(r, f));
		break;
	case FIELD_HEX32:
	case FIELD_HEX64:
		json_hex(j, f->name, number(r, f));
		break;
	case FIELD_FLAGS_TASK:
	case FIELD_FLAGS_MAP:
	case FIELD_FLAGS_FAULT:
	case FIELD_FLAGS_EVENT:
	case FIELD_FLAGS_BRANCH:
		json_array(j, f->name);
		for (flag = flags_of(f); flag->bit; flag++) {
			if (number(r, f) & flag->bit)
				json_string(j, NULL, flag->name);
		}
		json_end(j, ']');
		break;
	case FIELD_COMM:
	case FIELD_EVENT:
	case FIELD_PATH:
		json_string(j, f->name, field_text(r, f, room, sizeof(room)));
		break;
	case FIELD_BYTES:
	case FIELD_CODE:
		json_string(j, f->name, hex_bytes(r, f, room));
		break;
	default:
		json_uint(j, f->name, number(r, f));
		break;
	}
}

/* Members that are the same in most records, cached as written. */
struct json_head {
	const struct record_kind *kind;
	const struct named_event *named;
	uint32_t minor, ring;
	uint16_t major;
	bool snapshot;
	struct json_kept kept;
};

#define HEADS 16

static void write_head(struct json *j, const struct pirecord *r, const struct shown *s)
{
	json_string(j, "ring", r->ring == PITRACE_RING_MTE ? "mte" : "trace");
	json_uint(j, "major", r->major);
	json_uint(j, "minor", r->minor);
	json_string(j, "record", show_major(r->major));
	json_string(j, "kind", kind_name(s, r));
	if (r->snapshot)
		json_bool(j, "snapshot", true);
	if (r->major == PITRACE_TPROF)
		json_bool(j, "late", (r->minor & PITRACE_TPROF_LATE) != 0);
}

static void json_head(struct json *j, const struct pirecord *r, const struct shown *s,
		      struct json_head heads[HEADS])
{
	struct json_head *h = &heads[(r->major * 5u + r->minor) % HEADS];

	if (h->kind == s->kind && h->named == s->named && h->minor == r->minor &&
	    h->major == r->major && h->ring == r->ring && h->snapshot == r->snapshot &&
	    json_again(j, &h->kept))
		return;
	json_keep_begin(j);
	write_head(j, r, s);
	json_keep_end(j, &h->kept);
	h->kind = s->kind;
	h->named = s->named;
	h->minor = r->minor;
	h->major = r->major;
	h->ring = r->ring;
	h->snapshot = r->snapshot;
}

static void json_record(FILE *out, const struct pirecord *r, struct shown *s,
			struct json_head heads[HEADS])
{
	const struct record_kind *kind = s->kind;
	const uint8_t *p = r->data;
	const struct field *f;
	struct json j;
	char byte[3];
	uint32_t i;

	json_begin(&j, out, false);
	json_object(&j, NULL);
	if (r->time < s->start)
		json_int(&j, "time", (int64_t)(r->time - s->start));
	else
		json_uint(&j, "time", r->time - s->start);
	json_uint(&j, "stamp", r->stamp);
	json_uint(&j, "cpu", r->cpu);
	json_head(&j, r, s, heads);
	if (r->repeats)
		json_uint(&j, "repeats", r->repeats);
	if (s->named) {
		show_named_json(&j, s->named, &s->record);
	} else if (r->major == DETAIL_RECORD && kind && detail_whole(r)) {
		show_detail_json(&j, r, s->formats);
	} else if (r->major != DETAIL_RECORD && kind && r->size >= kind->size) {
		for (f = kind->fields; f->type; f++)
			json_field(&j, r, f, s);
	} else if (!show_user_json(&j, r)) {
		json_uint(&j, "type", r->type);
		json_array(&j, "data");
		for (i = 0; i < r->size; i++) {
			snprintf(byte, sizeof(byte), "%02x", p[i]);
			json_string(&j, NULL, byte);
		}
		json_end(&j, ']');
	}
	json_end(&j, '}');
}

static void close_formats(const struct job *job, struct tracepoints *formats[ORIGINS])
{
	for (size_t i = 0; i < ORIGINS; i++) {
		if (formats[i] && tracepoints_fell(formats[i]) && !job->options->quiet)
			complain("libtraceevent crashed on the formats of tracepoints or data of "
				 "theirs: from there on fields are omitted");
		tracepoints_close(formats[i]);
	}
}

/* Reads declarations, which may follow the events: they are few, and only in our own files. */
static int read_declarations(const struct job *job, struct named_events *events)
{
	struct input *in = job->input;
	struct pirecord r;
	bool ours = in->reader->own || in->origins;
	int rc = ours ? in->reader->begin(in, PIMERGE_MTE) : 0;

	if (rc || !ours)
		return rc;
	while ((rc = in->reader->next(in, &r)) > 0) {
		if (r.major != PITRACE_MTE || r.minor != PITRACE_MTE_DECLARE)
			continue;
		rc = named_events_declare(events, job->trace, &r);
		if (rc)
			break;
	}
	return rc;
}

static int show_write(const struct job *job, FILE *out)
{
	struct input *in = job->input;
	struct named_events events = { .event = NULL };
	struct shown shown = { .in = in, .start = job->start };
	struct tracepoints *formats[ORIGINS] = { NULL };
	struct json_head heads[HEADS] = { 0 };
	struct input_section section;
	struct progress progress;
	struct pirecord r;
	uint64_t done, total, n = 0;
	size_t i;
	int rc = 0;

	/* Losses decide the exit code here, too. */
	for (i = 0; !rc && in->reader->section(in, i, &section) > 0; i++) {
		rc = trace_section(job->trace, &section);
		if (section.type == INPUT_SEC_TRACEPOINTS && section.data &&
		    section.origin < ORIGINS && !formats[section.origin])
			formats[section.origin] = tracepoints_open(section.data, section.size);
	}
	if (!rc)
		rc = read_declarations(job, &events);
	if (!rc)
		rc = in->reader->begin(in, PIMERGE_MTE | PIMERGE_TRACE | INPUT_DETAILS);
	if (rc) {
		named_events_free(&events);
		close_formats(job, formats);
		return rc;
	}
	progress_begin(&progress, "post: records", job->options->quiet);
	while ((rc = in->reader->next(in, &r)) > 0) {
		rc = r.cpu < TRACE_MAX_CPUS ? trace_record(job->trace, in, &r) : 0;
		if (rc)
			break;
		look(&shown, &events, &r);
		shown.formats = formats[r.origin];
		if (job->options->json)
			json_record(out, &r, &shown, heads);
		else
			words_record(out, &r, &shown);
		if (++n % UPDATE_EVERY == 0) {
			in->reader->progress(in, &done, &total);
			progress_update(&progress, done, total);
			if (ferror(out)) {
				rc = 0;
				break; /* the error is reported on closing */
			}
		}
	}
	progress_end(&progress);
	named_events_free(&events);
	close_formats(job, formats);
	return rc < 0 ? rc : 0;
}

const struct report report_show = {
	.name = "show",
	.usage =
		"  -show             every record in words, to post.show (with -json: JSON lines)\n",
	.kinds = REPORT_OF_ONE | REPORT_OF_RECORDS,
	.path = "post.show",
	.mode = 0600, /* contains kernel addresses */
	.write = show_write,
};
