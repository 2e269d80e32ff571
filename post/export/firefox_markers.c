/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gathered from the timeline, then sorted by thread. */
#include "export/firefox_markers.h"

#include <inttypes.h>

#include "base/search.h"
#include "export/timeline.h"
#include "model/named_json.h"

static int add(struct firefox_markers *m, const struct timeline_moment *x, enum marker_phase phase)
{
	uint32_t name = spans_name(&m->names, x->name);

	if (name == NO_KEY || array_next(m->marker, m->count, m->room))
		return -ENOMEM;
	if (x->time < m->first)
		m->first = x->time;
	m->marker[m->count++] = (struct marker){
		.thread = m->of->thread[x->thread].group,
		.name = name,
		.begins = x->time,
		.ends = x->time,
		.phase = phase,
	};
	return 0;
}

static int begin_span(struct firefox_markers *m, const struct timeline_moment *x)
{
	int rc = add(m, x, MARKER_BEGINS);

	if (rc || array_reach(m->open, m->places, x->place))
		return -ENOMEM;
	m->marker[m->count - 1].has_id = true;
	m->marker[m->count - 1].id = x->id;
	m->open[x->place] = m->count - 1;
	return 0;
}

static int add_named(struct firefox_markers *m, const struct timeline_moment *x)
{
	struct kept_event *e = kept_event_of(x);
	int rc = e ? add(m, x, MARKER_INSTANT) : -ENOMEM;

	if (rc)
		free(e);
	else
		m->marker[m->count - 1].event = e;
	return rc;
}

static int each(void *arg, const struct timeline_moment *x)
{
	struct firefox_markers *m = arg;
	struct marker *begun;

	switch (x->kind) {
	case MOMENT_MARK:
		return add(m, x, MARKER_INSTANT);
	case MOMENT_NAMED:
		return add_named(m, x);
	case MOMENT_PAIR_BEGINS:
		return add(m, x, MARKER_BEGINS);
	case MOMENT_PAIR_ENDS:
		return add(m, x, MARKER_ENDS);
	case MOMENT_SPAN_BEGINS:
		return begin_span(m, x);
	case MOMENT_SPAN_ENDS:
		begun = &m->marker[m->open[x->place]];
		begun->ends = x->time;
		begun->phase = MARKER_INTERVAL;
		return 0;
	default:
		return 0;
	}
}

static int compare(const void *pa, const void *pb)
{
	const struct marker *a = pa, *b = pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->begins != b->begins)
		return a->begins < b->begins ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

int firefox_markers_read(struct firefox_markers *m, const struct job *job)
{
	int rc;

	*m = (struct firefox_markers){
		.of = &job->model->names,
		.first = UINT64_MAX,
	};
	rc = timeline_read(job, each, m);
	if (!rc && m->count)
		qsort(m->marker, m->count, sizeof(*m->marker), compare);
	return rc;
}

uint32_t firefox_markers_of(const struct firefox_markers *m, uint32_t thread)
{
	return search_sorted(i, 0, m->count, m->marker[i].thread < thread);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Events of one name may have other fields: a schema is one's own by its number. */
static const char *schema_name(char room[NAMED_ROOM], const struct named_event *e)
{
	snprintf(room, NAMED_ROOM, "%s/%u", e->name, e->id);
	return room;
}

/* Fields are members beside the type: those of that name have an _ before them, as in CTF. */
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

static void put_time(struct json *j, uint64_t time, uint64_t first)
{
	json_fixed(j, NULL, (double)(time - first) / 1e6, 6);
}

static void put_data(struct json *j, const struct marker *x)
{
	char room[24];

	if (x->event) {
		put_fields(j, x->event);
		return;
	}
	if (!x->has_id) {
		json_null(j, NULL);
		return;
	}
	snprintf(room, sizeof(room), x->id >> 32 ? "%#" PRIx64 : "%" PRIu64, x->id);
	json_object(j, NULL);
	json_string(j, "type", "Span");
	json_string(j, "id", room);
	json_end(j, '}');
}

void firefox_markers_write(const struct firefox_markers *m, struct json *j, uint32_t thread,
			   uint64_t first, uint64_t (*number)(void *arg, const char *name),
			   void *arg)
{
	uint32_t from = firefox_markers_of(m, thread), to = from, i;

	while (to < m->count && m->marker[to].thread == thread)
		to++;
	json_object(j, "markers");
	json_array(j, "data");
	for (i = from; i < to; i++)
		put_data(j, &m->marker[i]);
	json_end(j, ']');
	json_array(j, "name");
	for (i = from; i < to; i++)
		json_uint(j, NULL, number(arg, m->names.name[m->marker[i].name]));
	json_end(j, ']');
	json_array(j, "startTime");
	for (i = from; i < to; i++) {
		if (m->marker[i].phase == MARKER_ENDS)
			json_null(j, NULL);
		else
			put_time(j, m->marker[i].begins, first);
	}
	json_end(j, ']');
	json_array(j, "endTime");
	for (i = from; i < to; i++) {
		if (m->marker[i].phase == MARKER_INTERVAL || m->marker[i].phase == MARKER_ENDS)
			put_time(j, m->marker[i].ends, first);
		else
			json_null(j, NULL);
	}
	json_end(j, ']');
	json_array(j, "phase");
	for (i = from; i < to; i++)
		json_uint(j, NULL, m->marker[i].phase);
	json_end(j, ']');
	json_array(j, "category");
	for (i = from; i < to; i++)
		json_uint(j, NULL, 0);
	json_end(j, ']');
	json_uint(j, "length", to - from);
	json_end(j, '}');
}

void firefox_markers_free(struct firefox_markers *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		free(m->marker[i].event);
	free(m->marker);
	free(m->open);
	spans_free(&m->names);
	*m = (struct firefox_markers){ .marker = NULL };
}
