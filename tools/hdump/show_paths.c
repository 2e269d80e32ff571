/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports paths from roots to an object: the shortest one through each object that refers to it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "complain.h"
#include "escape.h"
#include "hdump.h"
#include "json.h"

#define WAYS 10 /* the default of -n */
#define NOT  UINT32_MAX

/* An object on a path, and how it refers to the next one. */
struct step {
	uint32_t object, class;
	uint64_t id, to; /* to: 0 for the requested object */
	char *by;        /* a field, an index */
	bool is_class;
};

struct ways {
	struct heap h; /* the first member: passes point to it */
	uint64_t id;
	uint32_t target;
	uint32_t *referrers;
	uint64_t count, room;
	uint32_t *parent, *depth; /* of the search from roots; index: inner objects */
	struct step *steps;
	uint64_t step_count, step_room;
	uint64_t *begin; /* index of each path's first step */
	uint64_t ways, way_room;
	uint64_t unreached, through; /* referrers that no shown path contains */
	uint32_t *order;             /* steps, sorted by object */
	uint64_t *chosen;
	uint32_t first, last; /* indexes in `order`: the steps of the object being read */
	int error;
};

static struct ways *ways_of(struct hprof *p)
{
	return (struct ways *)heap_of(p);
}

/* ---- the referrers --------------------------------------------------------------------------- */

static void note(struct ways *w, uint64_t id)
{
	if (id != w->id || w->h.current == NO_OBJECT ||
	    (w->count && w->referrers[w->count - 1] == w->h.current))
		return;
	if (array_next(w->referrers, w->count, w->room)) {
		w->error = -ENOMEM;
		return;
	}
	w->referrers[w->count++] = w->h.current;
}

static int referrer_class(struct hprof *p, const struct hprof_class *c)
{
	struct ways *w = ways_of(p);

	w->h.current = ids_find(&w->h.ids, c->id);
	note(w, c->super);
	note(w, c->loader);
	note(w, c->signers);
	note(w, c->domain);
	for (uint32_t i = 0; i < c->constants + c->statics; i++)
		note(w, c->list[i].value);
	return w->error;
}

static bool has_references(struct heap *h, const struct hprof_object *o)
{
	uint32_t class = heap_class_in(h, o);
	const struct heap_class *k = class == NO_CLASS ? NULL : &h->classes.list[class];

	if (o->type)
		return o->type == HPROF_REF;
	return k && k->resolved && k->ref_count && o->count == k->bytes;
}

static int referrer_object(struct hprof *p, const struct hprof_object *o)
{
	struct ways *w = ways_of(p);

	w->h.current = ids_find(&w->h.ids, o->id);
	note(w, o->class_id);
	p->wants = has_references(&w->h, o);
	return w->error;
}

static int referrer_content(struct hprof *p, const struct hprof_object *o, uint64_t from,
			    const uint8_t *data, size_t n)
{
	struct ways *w = ways_of(p);
	const struct heap_class *k = &w->h.classes.list[w->h.last_class];

	if (o->type)
		for (size_t at = 0; at < n; at += p->id_size)
			note(w, hprof_id(p, data + at));
	else
		for (uint32_t i = 0; !from && i < k->ref_count; i++)
			if (k->refs[i] + p->id_size <= n)
				note(w, hprof_id(p, data + k->refs[i]));
	return w->error;
}

static const struct hprof_sink referrer_sink = {
	.klass = referrer_class,
	.object = referrer_object,
	.content = referrer_content,
};

/* ---- the search from roots ------------------------------------------------------------------- */

static int search(struct ways *w)
{
	const struct graph *g = &w->h.graph;
	uint32_t *queue = malloc(((size_t)g->objects + 1) * sizeof(*queue));
	uint32_t head = 0, tail = 0, at, u, v;

	w->parent = malloc(((size_t)g->objects + 1) * sizeof(*w->parent));
	w->depth = malloc(((size_t)g->objects + 1) * sizeof(*w->depth));
	if (!queue || !w->parent || !w->depth) {
		free(queue);
		return -ENOMEM;
	}
	memset(w->depth, 0xff, ((size_t)g->objects + 1) * sizeof(*w->depth));
	for (u = 0; u < g->objects; u++)
		if (heap_is_root(&w->h, u)) {
			w->parent[u] = u;
			w->depth[u] = 0;
			queue[tail++] = u;
		}
	while (head < tail) {
		u = queue[head++];
		for (at = g->from[u]; at != NO_EDGES;) {
			v = graph_next(g, u, &at);
			if (w->depth[v] != NOT)
				continue;
			w->parent[v] = u;
			w->depth[v] = w->depth[u] + 1;
			queue[tail++] = v;
		}
	}
	free(queue);
	return 0;
}

static int by_depth(const void *a, const void *b, void *arg)
{
	const struct ways *w = arg;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	if (w->depth[one] != w->depth[other])
		return w->depth[one] < w->depth[other] ? -1 : 1;
	return one < other ? -1 : one > other;
}

static bool leads_through(const struct ways *w, uint32_t object)
{
	while (object != w->target && w->parent[object] != object)
		object = w->parent[object];
	return object == w->target;
}

static int add_step(struct ways *w, uint32_t object, uint64_t to)
{
	if (array_next(w->steps, w->step_count, w->step_room))
		return -ENOMEM;
	w->steps[w->step_count++] = (struct step){ .object = object,
						   .class = NO_CLASS,
						   .id = ids_of(&w->h.ids, object),
						   .to = to };
	return 0;
}

/* Adds the path from the root to the referrer, and on to the target. */
static int add_way(struct ways *w, uint32_t referrer)
{
	uint64_t first = w->step_count, to = w->id, n;
	uint32_t object = referrer;
	int rc;

	if (array_next(w->begin, w->ways, w->way_room))
		return -ENOMEM;
	w->begin[w->ways++] = first;
	while (referrer != NOT) {
		rc = add_step(w, object, to);
		if (rc)
			return rc;
		to = ids_of(&w->h.ids, object);
		if (w->parent[object] == object)
			break;
		object = w->parent[object];
	}
	n = w->step_count - first;
	for (uint64_t i = 0; i < n / 2; i++) {
		struct step s = w->steps[first + i];

		w->steps[first + i] = w->steps[first + n - 1 - i];
		w->steps[first + n - 1 - i] = s;
	}
	return add_step(w, w->target, 0);
}

static int choose_ways(struct ways *w, uint64_t most)
{
	uint32_t last = NOT;
	int rc = 0;

	qsort_r(w->referrers, w->count, sizeof(*w->referrers), by_depth, w);
	if (heap_is_root(&w->h, w->target))
		rc = add_way(w, NOT);
	for (uint64_t i = 0; i < w->count && !rc; i++) {
		uint32_t from = w->referrers[i];

		if (from == last || from == w->target)
			continue;
		last = from;
		if (w->depth[from] == NOT)
			w->unreached++;
		else if (leads_through(w, from))
			w->through++;
		else if (w->ways < most)
			rc = add_way(w, from);
	}
	return rc;
}

/* ---- names of references --------------------------------------------------------------------- */

static int by_object(const void *a, const void *b, void *arg)
{
	const struct ways *w = arg;
	uint32_t one = w->steps[*(const uint32_t *)a].object;
	uint32_t other = w->steps[*(const uint32_t *)b].object;

	return one < other ? -1 : one > other;
}

static int order_steps(struct ways *w)
{
	w->order = malloc((w->step_count + 1) * sizeof(*w->order));
	w->chosen = calloc((size_t)w->h.ids.objects / 64 + 1, sizeof(*w->chosen));
	if (!w->order || !w->chosen || w->step_count >= UINT32_MAX)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->step_count; i++) {
		w->order[i] = i;
		w->chosen[w->steps[i].object / 64] |= 1ull << w->steps[i].object % 64;
	}
	qsort_r(w->order, w->step_count, sizeof(*w->order), by_object, w);
	return 0;
}

/* Finds the steps of an object. Returns false if it is on no path. */
static bool find_steps(struct ways *w, uint64_t id)
{
	uint32_t object = ids_find(&w->h.ids, id), low = 0, high = (uint32_t)w->step_count;

	w->first = w->last = 0;
	if (object == NO_OBJECT || !(w->chosen[object / 64] >> object % 64 & 1))
		return false;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (w->steps[w->order[mid]].object < object)
			low = mid + 1;
		else
			high = mid;
	}
	w->first = w->last = low;
	while (w->last < w->step_count && w->steps[w->order[w->last]].object == object)
		w->last++;
	return true;
}

static void name_step(struct ways *w, uint64_t to, const char *format, int n, const char *text)
{
	for (uint32_t i = w->first; i < w->last; i++) {
		struct step *s = &w->steps[w->order[i]];

		if (!to || s->to != to || s->by)
			continue;
		if (asprintf(&s->by, format, n, text) < 0) {
			s->by = NULL;
			w->error = -ENOMEM;
		}
	}
}

static void set_class(struct ways *w, uint32_t class, bool is_class)
{
	for (uint32_t i = w->first; i < w->last; i++) {
		w->steps[w->order[i]].class = class;
		w->steps[w->order[i]].is_class = is_class;
	}
}

static int name_class(struct hprof *p, const struct hprof_class *c)
{
	struct ways *w = ways_of(p);
	const char *text;
	uint32_t n;

	if (!find_steps(w, c->id))
		return 0;
	set_class(w, classes_find(&w->h.classes, c->id), true);
	for (uint32_t i = 0; i < c->constants + c->statics; i++) {
		if (c->list[i].type != HPROF_REF)
			continue;
		text = classes_text(&w->h.classes, c->list[i].name, &n);
		if (i < c->constants)
			name_step(w, c->list[i].value, "%.*s", 15, "<constant pool>");
		else
			name_step(w, c->list[i].value, ".%.*s", (int)n, text);
	}
	name_step(w, c->super, "%.*s", 7, "<super>");
	name_step(w, c->loader, "%.*s", 8, "<loader>");
	name_step(w, c->signers, "%.*s", 9, "<signers>");
	name_step(w, c->domain, "%.*s", 19, "<protection domain>");
	return w->error;
}

static int name_object(struct hprof *p, const struct hprof_object *o)
{
	struct ways *w = ways_of(p);

	if (!find_steps(w, o->id))
		return 0;
	set_class(w, heap_class_in(&w->h, o), false);
	p->wants = has_references(&w->h, o);
	if (!p->wants)
		name_step(w, o->class_id, "%.*s", 7, "<class>");
	return w->error;
}

static int name_content(struct hprof *p, const struct hprof_object *o, uint64_t from,
			const uint8_t *data, size_t n)
{
	struct ways *w = ways_of(p);
	uint32_t class = heap_class_in(&w->h, o), length;
	const char *text;
	size_t at = 0;

	if (o->type) {
		for (; at < n; at += p->id_size)
			name_step(w, hprof_id(p, data + at), "[%d]%s",
				  (int)((from + at) / p->id_size), "");
	} else {
		for (; !from && class != NO_CLASS; class = w->h.classes.list[class].super) {
			const struct heap_class *k = &w->h.classes.list[class];

			for (uint32_t i = 0; i < k->field_count; i++) {
				unsigned int size = hprof_size(p, k->fields[i].type);

				if (at + size > n)
					return 0;
				text = classes_text(&w->h.classes, k->fields[i].name, &length);
				if (k->fields[i].type == HPROF_REF)
					name_step(w, hprof_id(p, data + at), ".%.*s", (int)length,
						  text);
				at += size;
			}
		}
	}
	name_step(w, o->class_id, "%.*s", 7, "<class>");
	return w->error;
}

static const struct hprof_sink name_sink = {
	.klass = name_class,
	.object = name_object,
	.content = name_content,
};

/* ---- writing --------------------------------------------------------------------------------- */

static const char *root_name(const struct heap *h, uint64_t id)
{
	for (uint64_t i = 0; i < h->root_count; i++)
		if (h->roots[i].id == id)
			return heap_root_name(h->roots[i].kind);
	return heap_root_name(ROOT_CLASS);
}

static void write_step(struct hdump *o, struct json *j, const struct ways *w, uint64_t way,
		       const struct step *s, uint64_t depth)
{
	const char *class = s->class == NO_CLASS ? "(unknown class)" :
						   w->h.classes.list[s->class].name;

	if (o->form == FORM_JSON) {
		json_object(j, NULL);
		json_hex(j, "id", s->id);
		json_string(j, s->is_class ? "of_class" : "class", class);
		if (s->by)
			json_string(j, "by", s->by);
		json_end(j, '}');
	} else if (o->form == FORM_CSV) {
		fprintf(o->out, "%" PRIu64 ",%" PRIu64 ",0x%" PRIx64 ",", way + 1, depth, s->id);
		escape_csv(o->out, class);
		fputs(",", o->out);
		escape_csv(o->out, s->by ? s->by : "");
		fputs("\n", o->out);
	} else {
		escape_printf(o->out, "  %s%s 0x%" PRIx64 "%s%s\n", s->is_class ? "class " : "",
			      class, s->id, s->by ? "  " : "", s->by ? s->by : "");
	}
}

static void write_ways(struct hdump *o, const struct ways *w)
{
	struct json j;

	if (o->form == FORM_JSON) {
		json_document(&j, o->out, true);
		json_string(&j, "file", o->paths[0]);
		json_hex(&j, "id", w->id);
		json_uint(&j, "referrers_unreachable", w->unreached);
		json_uint(&j, "referrers_behind_it", w->through);
		json_array(&j, "ways");
	} else if (o->form == FORM_CSV) {
		fputs("way,step,id,class,by\n", o->out);
	}
	for (uint64_t i = 0; i < w->ways; i++) {
		uint64_t end = i + 1 < w->ways ? w->begin[i + 1] : w->step_count;
		const char *root = root_name(&w->h, w->steps[w->begin[i]].id);

		if (o->form == FORM_JSON) {
			json_object(&j, NULL);
			json_string(&j, "root", root);
			json_array(&j, "steps");
		} else if (o->form == FORM_WORDS) {
			fprintf(o->out, "%sroot: %s\n", i ? "\n" : "", root);
		}
		for (uint64_t s = w->begin[i]; s < end; s++)
			write_step(o, &j, w, i, &w->steps[s], s - w->begin[i]);
		if (o->form == FORM_JSON) {
			json_end(&j, ']');
			json_end(&j, '}');
		}
	}
	if (o->form == FORM_JSON) {
		json_end(&j, ']');
		json_end(&j, '}');
	} else if (o->form == FORM_WORDS) {
		if (!w->ways)
			fputs("it cannot be reached from a root\n", o->out);
		if (w->through)
			fprintf(o->out,
				"\nobjects that refer to it, on paths through it: %" PRIu64 "\n",
				w->through);
		if (w->unreached)
			fprintf(o->out, "\nunreachable objects that refer to it: %" PRIu64 "\n",
				w->unreached);
	}
}

static int find_ways(struct ways *w, const struct hdump *o)
{
	uint64_t most = o->rows == HDUMP_ROWS ? WAYS : o->rows ? o->rows : UINT64_MAX;
	int rc = heap_pass(&w->h, &referrer_sink);

	if (!rc || rc == -EINVAL)
		rc = search(w);
	if (!rc)
		rc = choose_ways(w, most);
	if (!rc)
		rc = order_steps(w);
	if (!rc)
		rc = heap_pass(&w->h, &name_sink);
	return rc == -EINVAL ? 0 : rc;
}

int show_paths(struct hdump *o)
{
	struct ways w = { .id = o->id };
	int code = hdump_read(o, &w.h, o->paths[0], READ_GRAPH, 2), rc;

	if (!code) {
		w.target = ids_find(&w.h.ids, w.id);
		if (w.target == NO_OBJECT) {
			complain("%s: no object has the id %s", o->paths[0], o->id_text);
			code = EXIT_HDUMP;
		}
	}
	if (!code) {
		rc = find_ways(&w, o);
		if (!o->damaged)
			hdump_report(o, &w.h, o->paths[0]);
		if (rc)
			code = hdump_failed(&w.h, o->paths[0], rc);
		else
			code = hdump_begin(o);
		if (!code)
			write_ways(o, &w);
	}
	for (uint64_t i = 0; i < w.step_count; i++)
		free(w.steps[i].by);
	free(w.steps);
	free(w.begin);
	free(w.referrers);
	free(w.parent);
	free(w.depth);
	free(w.order);
	free(w.chosen);
	heap_close(&w.h);
	return code;
}
