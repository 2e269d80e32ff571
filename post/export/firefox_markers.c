/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects markers from the timeline, by thread. The end of a span is stored by span number, since
 * the thread's list only has its begin. */
#include "export/firefox_markers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "export/timeline.h"
#include "model/named_json.h"

enum marker_phase { MARKER_INSTANT, MARKER_INTERVAL, MARKER_BEGINS, MARKER_ENDS };

struct marker {
	uint64_t begins;
	uint64_t id;
	uint64_t span;  /* its number + 1 */
	uint64_t event; /* its offset + 1 */
	uint32_t name;  /* index in the list of names */
	uint32_t phase; /* enum marker_phase; for a span, unset until its end is known */
};

#define OPEN UINT64_MAX /* a span without an end */

static int add(struct firefox_markers *m, const struct timeline_moment *x, struct marker *new)
{
	new->begins = x->time;
	new->name = spans_name(&m->names, x->name);
	if (new->name == NO_KEY)
		return -ENOMEM;
	if (x->time < m->first)
		m->first = x->time;
	return by_thread_add(&m->by, m->of->thread[x->thread].group, new);
}

static int add_phase(struct firefox_markers *m, const struct timeline_moment *x,
		     enum marker_phase phase)
{
	return add(m, x, &(struct marker){ .phase = phase });
}

static int begin_span(struct firefox_markers *m, const struct timeline_moment *x)
{
	struct marker new = { .phase = MARKER_BEGINS, .id = x->id, .span = m->spans + 1 };
	const uint64_t open = OPEN;
	int rc = add(m, x, &new);

	if (!rc)
		rc = spill_add(&m->ends, &open, sizeof(open));
	if (!rc)
		rc = array_reach(m->open, m->places, x->place);
	if (!rc)
		m->open[x->place] = m->spans++;
	return rc;
}

static int add_named(struct firefox_markers *m, const struct timeline_moment *x)
{
	struct marker new = { .phase = MARKER_INSTANT };
	int rc = kept_events_add(&m->events, x, &new.event);

	new.event++;
	return rc ? rc : add(m, x, &new);
}

static int each(void *arg, const struct timeline_moment *x)
{
	struct firefox_markers *m = arg;

	switch (x->kind) {
	case MOMENT_MARK:
		return add_phase(m, x, MARKER_INSTANT);
	case MOMENT_NAMED:
		return add_named(m, x);
	case MOMENT_PAIR_BEGINS:
		return add_phase(m, x, MARKER_BEGINS);
	case MOMENT_PAIR_ENDS:
		return add_phase(m, x, MARKER_ENDS);
	case MOMENT_SPAN_BEGINS:
		return begin_span(m, x);
	case MOMENT_SPAN_ENDS:
		return spill_put(&m->ends, m->open[x->place] * sizeof(x->time), &x->time,
				 sizeof(x->time));
	default:
		return 0;
	}
}

int firefox_markers_read(struct firefox_markers *m, const struct job *job)
{
	int rc;

	*m = (struct firefox_markers){
		.of = &job->model->names,
		.first = UINT64_MAX,
	};
	by_thread_open(&m->by, sizeof(struct marker));
	rc = timeline_events(job, NULL, each, m);
	return rc ? rc : by_thread_end(&m->by);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Events of the same name may have different fields: the event's number makes the schema name
 * unique. */
static const char *schema_name(char room[NAMED_ROOM], const struct named_event *e)
{
	snprintf(room, NAMED_ROOM, "%s/%u", e->name, e->id);
	return room;
}

/* Fields are members beside "type": a field of that name gets an _ in front, as in CTF. */
static void put_fields(struct json *j, const struct kept_event *e)
{
	char room[NAMED_ROOM];

	json_object(j, NULL);
	json_string(j, "type", schema_name(room, e->event));
	named_json(j, "_", e->event, &e->record);
	json_end(j, '}');
}

static void write_schema_field(struct json *j, const struct named_field *f)
{
	char key[NAMED_ROOM + 1], label[2 * NAMED_ROOM];

	snprintf(key, sizeof(key), "_%.*s", (int)f->name_length, f->name);
	snprintf(label, sizeof(label), f->unit_length && f->kind != NAMED_ENUM ? "%s (%.*s)" : "%s",
		 key + 1, (int)f->unit_length, f->unit);
	json_object(j, NULL);
	json_string(j, "key", key);
	json_string(j, "label", label);
	json_string(j, "format",
		    f->kind == NAMED_UNSIGNED || f->kind == NAMED_SIGNED ? "integer" :
		    f->kind == NAMED_DOUBLE                              ? "decimal" :
									   "string");
	json_bool(j, "searchable", true);
	json_end(j, '}');
}

void firefox_markers_schema(struct json *j, const struct named_events *named)
{
	char room[NAMED_ROOM];
	uint32_t i, k;

	json_array(j, "markerSchema");
	json_object(j, NULL);
	json_string(j, "name", "Span");
	json_array(j, "display");
	json_string(j, NULL, "marker-chart");
	json_string(j, NULL, "marker-table");
	json_end(j, ']');
	json_array(j, "data");
	json_object(j, NULL);
	json_string(j, "key", "id");
	json_string(j, "label", "Id");
	json_string(j, "format", "string");
	json_bool(j, "searchable", true);
	json_end(j, '}');
	json_end(j, ']');
	json_end(j, '}');
	for (i = 0; i < named->nevent; i++) {
		json_object(j, NULL);
		json_string(j, "name", schema_name(room, named->event[i]));
		json_string(j, "tooltipLabel", named->event[i]->name);
		json_string(j, "tableLabel", named->event[i]->name);
		json_array(j, "display");
		json_string(j, NULL, "marker-chart");
		json_string(j, NULL, "marker-table");
		json_end(j, ']');
		json_array(j, "data");
		for (k = 0; k < named->event[i]->fields.count; k++)
			write_schema_field(j, &named->event[i]->fields.field[k]);
		json_end(j, ']');
		json_end(j, '}');
	}
	json_end(j, ']');
}

struct markers_writing {
	struct firefox_markers *m;
	struct json *j;
	uint64_t first;
	uint64_t (*number)(void *arg, const char *name);
	void *arg;
};

static int put_time(const struct markers_writing *w, uint64_t time)
{
	json_fixed(w->j, NULL, (double)(time - w->first) / 1e6, 6);
	return 0;
}

static int put_null(const struct markers_writing *w)
{
	json_null(w->j, NULL);
	return 0;
}

static int put_event(const struct markers_writing *w, const struct marker *x)
{
	const struct kept_event *e;
	int rc = kept_events_get(&w->m->events, x->event - 1, &e);

	if (!rc)
		put_fields(w->j, e);
	return rc;
}

static int put_data(const struct markers_writing *w, const struct marker *x)
{
	char room[24];

	if (x->event)
		return put_event(w, x);
	if (!x->span)
		return put_null(w);
	snprintf(room, sizeof(room), x->id >> 32 ? "%#" PRIx64 : "%" PRIu64, x->id);
	json_object(w->j, NULL);
	json_string(w->j, "type", "Span");
	json_string(w->j, "id", room);
	json_end(w->j, '}');
	return 0;
}

static int put_name(const struct markers_writing *w, const struct marker *x)
{
	json_uint(w->j, NULL, w->number(w->arg, w->m->names.name[x->name]));
	return 0;
}

static int put_begin(const struct markers_writing *w, const struct marker *x)
{
	return x->phase == MARKER_ENDS ? put_null(w) : put_time(w, x->begins);
}

static int end_of(const struct markers_writing *w, const struct marker *x, uint64_t *end)
{
	*end = x->phase == MARKER_ENDS ? x->begins : OPEN;
	return x->span ? spill_read(&w->m->ends, (x->span - 1) * sizeof(*end), end, sizeof(*end)) :
			 0;
}

static int put_end(const struct markers_writing *w, const struct marker *x)
{
	uint64_t end;
	int rc = end_of(w, x, &end);

	if (rc)
		return rc;
	return end == OPEN ? put_null(w) : put_time(w, end);
}

static int put_phase(const struct markers_writing *w, const struct marker *x)
{
	uint64_t end;
	int rc = end_of(w, x, &end);

	json_uint(w->j, NULL, x->span && end != OPEN ? MARKER_INTERVAL : x->phase);
	return rc;
}

static int put_category(const struct markers_writing *w, const struct marker *x)
{
	(void)x;
	json_uint(w->j, NULL, 0);
	return 0;
}

static int write_column(const struct markers_writing *w, uint32_t thread,
			int (*put)(const struct markers_writing *w, const struct marker *x))
{
	struct by_thread_reader r;
	const void *thing;
	int rc, wrong = 0;

	by_thread_begin(&r, &w->m->by, thread);
	while (!wrong && (rc = by_thread_next(&r, &thing)) != 0)
		wrong = rc < 0 ? rc : put(w, thing);
	return wrong;
}

int firefox_markers_write(struct firefox_markers *m, struct json *j, uint32_t thread,
			  uint64_t first, uint64_t (*number)(void *arg, const char *name),
			  void *arg)
{
	static const struct {
		const char *name;
		int (*put)(const struct markers_writing *w, const struct marker *x);
	} columns[] = {
		{ "data", put_data },   { "name", put_name },   { "startTime", put_begin },
		{ "endTime", put_end }, { "phase", put_phase }, { "category", put_category },
	};
	const struct markers_writing w = { m, j, first, number, arg };
	int rc = 0;

	json_object(j, "markers");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]) && !rc; i++) {
		json_array(j, columns[i].name);
		rc = write_column(&w, thread, columns[i].put);
		json_end(j, ']');
	}
	json_uint(j, "length", by_thread_count(&m->by, thread));
	json_end(j, '}');
	return rc;
}

void firefox_markers_free(struct firefox_markers *m)
{
	by_thread_free(&m->by);
	kept_events_free(&m->events);
	spill_free(&m->ends);
	free(m->open);
	spans_free(&m->names);
	*m = (struct firefox_markers){ .of = NULL };
}
