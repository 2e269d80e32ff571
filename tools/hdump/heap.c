/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes over a dump, one after the other. */
#include "heap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "large.h"

/* ---- common to all passes -------------------------------------------------------------------- */

static void show_progress(void *arg, const struct dump_file *file)
{
	struct heap *h = arg;

	if (h->progress)
		progress_update(h->progress, h->pass * file->size + file->read,
				h->passes * file->size);
}

int heap_pass(struct heap *h, const struct hprof_sink *sink)
{
	int rc;

	h->h.sink = sink;
	h->h.arg = h;
	h->h.file = &h->file;
	h->current = NO_OBJECT;
	rc = hprof_walk(&h->h);
	if (!rc && dump_changed(&h->file))
		rc = hprof_report(&h->h, h->file.at, "the file was changed while it was read");
	if (rc == -EINVAL && !*h->fault.what)
		h->fault = h->h.fault;
	h->pass++;
	return rc;
}

/* Runs a later pass, which ends where the first one did, or earlier if the file has changed. */
static int next_pass(struct heap *h, const struct hprof_sink *sink)
{
	int rc = heap_pass(h, sink);

	return rc == -EINVAL ? 0 : rc;
}

uint32_t heap_class_in(struct heap *h, const struct hprof_object *o)
{
	const struct classes *c = &h->classes;
	uint32_t *recent = &h->recent[o->class_id * 0x9E3779B97F4A7C15 >> 58];

	if (!o->class_id)
		return o->type && o->type != HPROF_REF ? c->of_type[o->type] : NO_CLASS;
	if (*recent >= c->count || c->list[*recent].id != o->class_id)
		*recent = classes_find(c, o->class_id);
	return h->last_class = *recent;
}

const char *heap_root_name(uint8_t kind)
{
	switch (kind) {
	case ROOT_JNI_GLOBAL:
		return "JNI global";
	case ROOT_JNI_LOCAL:
		return "JNI local";
	case ROOT_FRAME:
		return "local variable";
	case ROOT_NATIVE_STACK:
		return "native stack";
	case ROOT_CLASS:
		return "system class";
	case ROOT_THREAD_BLOCK:
		return "thread block";
	case ROOT_MONITOR:
		return "monitor";
	case ROOT_THREAD:
		return "thread";
	case ROOT_INTERNED:
		return "interned string";
	case ROOT_FINALIZING:
		return "finalizing";
	case ROOT_DEBUGGER:
		return "debugger";
	case ROOT_CLEANUP:
		return "reference cleanup";
	case ROOT_VM:
		return "VM internal";
	case ROOT_JNI_MONITOR:
		return "JNI monitor";
	}
	return "unknown";
}

/* ---- first pass: ids, classes, roots --------------------------------------------------------- */

static int first_string(struct hprof *p, uint64_t id, const uint8_t *text, size_t n)
{
	return classes_add_string(&heap_of(p)->classes, id, text, n);
}

static int first_load(struct hprof *p, uint64_t class_id, uint64_t name)
{
	struct classes *c = &heap_of(p)->classes;
	uint32_t index;

	if (classes_add(c, class_id, &index))
		return -ENOMEM;
	c->list[index].name_id = name;
	return 0;
}

static int first_root(struct hprof *p, uint8_t kind, uint64_t id)
{
	struct heap *h = heap_of(p);

	if (!id)
		return 0;
	if (array_next(h->roots, h->root_count, h->root_room))
		return -ENOMEM;
	h->roots[h->root_count++] = (struct heap_root){ id, kind };
	return 0;
}

static int first_class(struct hprof *p, const struct hprof_class *c)
{
	struct heap *h = heap_of(p);

	if (!c->id)
		return hprof_report(p, p->file->at, "a class has the id 0");
	h->classes.id_size = p->id_size;
	if (classes_define(&h->classes, p, c))
		return -ENOMEM;
	return ids_add(&h->ids, c->id, false);
}

static int first_object(struct hprof *p, const struct hprof_object *o)
{
	struct heap *h = heap_of(p);
	const struct heap_class *k = NULL;
	uint32_t class;

	if (!o->id)
		return hprof_report(p, o->offset, "an object has the id 0");
	if (o->type)
		return ids_add(&h->ids, o->id, o->type != HPROF_REF);
	class = heap_class_in(h, o);
	if (class != NO_CLASS && classes_resolve(&h->classes, class))
		k = &h->classes.list[class];
	if (k && o->count != k->bytes)
		return hprof_report(p, o->offset,
				    "an instance of %u bytes: instances of its class have %u",
				    o->count, k->bytes);
	/* An instance keeps its class loaded: it is a leaf only if the class is a root anyway. */
	return ids_add(&h->ids, o->id, k && !k->ref_count && !k->loader);
}

static const struct hprof_sink first_sink = {
	.string = first_string,
	.load = first_load,
	.root = first_root,
	.klass = first_class,
	.object = first_object,
};

static void mark(struct heap *h, uint64_t id)
{
	uint32_t i = ids_find(&h->ids, id);

	if (i != NO_OBJECT)
		bit_set(h->root, i);
}

/* Classes of the boot loader are never unloaded: they are roots like those listed in the dump. */
static int mark_roots(struct heap *h)
{
	h->root = calloc((size_t)h->ids.objects / 64 + 1, sizeof(*h->root));
	if (!h->root)
		return -ENOMEM;
	for (uint64_t i = 0; i < h->root_count; i++)
		mark(h, h->roots[i].id);
	for (uint32_t i = 0; i < h->classes.count; i++)
		if (h->classes.list[i].dumped && !h->classes.list[i].loader)
			mark(h, h->classes.list[i].id);
	for (uint32_t i = 0; i < h->classes.count; i++) {
		uint32_t object = ids_find(&h->ids, h->classes.list[i].id);

		h->classes.list[i].root = object != NO_OBJECT && heap_is_root(h, object);
	}
	return 0;
}

int heap_open(struct heap *h, const char *path, struct progress *progress, unsigned int passes)
{
	int rc;

	*h = (struct heap){ .progress = progress, .passes = passes, .last_class = NO_CLASS };
	rc = dump_open(&h->file, path);
	if (rc)
		return rc;
	h->file.progress = show_progress;
	h->file.progress_arg = h;
	ids_begin(&h->ids, h->file.size / 16);
	h->classes.id_size = 8;
	rc = heap_pass(h, &first_sink);
	/* Without a valid header the file is not a dump; otherwise use what could be read. */
	if (rc == -EINVAL && h->h.id_size) {
		h->file.end = h->fault.offset;
		rc = 0;
	}
	if (rc)
		return rc;
	h->classes.id_size = h->h.id_size;
	if (classes_finish(&h->classes))
		return -ENOMEM;
	/* Classes that are not linked are objects, too, but have no sub-record. */
	for (uint32_t i = 0; i < h->classes.count; i++)
		if (!h->classes.list[i].dumped && h->classes.list[i].id &&
		    ids_add(&h->ids, h->classes.list[i].id, false))
			return -ENOMEM;
	rc = ids_finish(&h->ids);
	return rc ? rc : mark_roots(h);
}

/* ---- references of the object being read ----------------------------------------------------- */

/* Processes a reference from one object to another. */
typedef void refer_to(struct heap *h, uint32_t from, uint32_t to);

static inline void answer(struct heap *h, const struct heap_reference *r, refer_to *use)
{
	const uint32_t to = r->id ? ids_answer(&h->ids, r->id, r->step) : NO_OBJECT;

	if (to != NO_OBJECT)
		use(h, r->from, to);
}

/* Looking up an id misses the cache, so it is prefetched and completed HEAP_WAITING references
 * later, in the same order. */
static inline void refer(struct heap *h, uint64_t id, refer_to *use)
{
	struct heap_reference *r = &h->waiting[h->next_waiting++ % HEAP_WAITING];
	const struct heap_reference first = *r;

	r->id = id;
	r->from = h->current;
	ids_ask(&h->ids, id, &r->step);
	answer(h, &first, use);
}

static void refer_waiting(struct heap *h, refer_to *use)
{
	for (unsigned int i = 0; i < HEAP_WAITING; i++) {
		struct heap_reference *r = &h->waiting[(h->next_waiting + i) % HEAP_WAITING];

		answer(h, r, use);
		r->id = 0;
	}
}

static inline void refer_all(struct heap *h, const struct hprof *p, const struct hprof_object *o,
			     const uint8_t *data, size_t n, refer_to *use)
{
	const struct heap_class *k = &h->classes.list[h->last_class];
	uint64_t id;

	if (o->type) {
		for (size_t at = 0; at < n; at += p->id_size) {
			id = hprof_id(p, data + at);
			if (id)
				refer(h, id, use);
		}
		return;
	}
	for (uint32_t i = 0; i < k->ref_count; i++) {
		id = k->refs[i] + p->id_size <= n ? hprof_id(p, data + k->refs[i]) : 0;
		if (id)
			refer(h, id, use);
	}
}

static void refer_class(struct heap *h, const struct hprof_class *c, refer_to *use)
{
	const uint64_t own[] = { c->super, c->loader, c->signers, c->domain };

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (own[i])
			refer(h, own[i], use);
	for (uint32_t i = 0; i < c->constants + c->statics; i++)
		if (c->list[i].type == HPROF_REF && c->list[i].value)
			refer(h, c->list[i].value, use);
}

/* ---- second pass: references ----------------------------------------------------------------- */

static void add_edge(struct heap *h, uint32_t from, uint32_t to)
{
	int rc;

	if (to >= h->ids.inner || to == from || heap_is_root(h, to))
		return;
	if (from != h->adding) {
		graph_end(&h->graph);
		h->adding = from;
		/* A second dump of the same object: keep the references of the first one. */
		h->twice_there = h->graph.from[from] != NO_EDGES;
	}
	rc = h->twice_there ? 0 : graph_add(&h->graph, from, to);
	if (rc && !h->error)
		h->error = rc;
}

/* Begins the references of an object. Returns false if it is a leaf, or the current one already. */
static bool begin_object(struct heap *h, uint32_t object)
{
	if (object >= h->ids.inner || object == h->current)
		return false;
	h->current = object;
	return true;
}

static int second_class(struct hprof *p, const struct hprof_class *c)
{
	struct heap *h = heap_of(p);

	if (begin_object(h, ids_find(&h->ids, c->id)))
		refer_class(h, c, add_edge);
	return h->error;
}

static int second_object(struct hprof *p, const struct hprof_object *o)
{
	struct heap *h = heap_of(p);
	uint32_t class = heap_class_in(h, o);
	struct heap_class *k = class == NO_CLASS ? NULL : &h->classes.list[class];
	uint64_t gap;
	uint32_t object = ids_find_near(&h->ids, o->id, &gap);

	if (o->type)
		sizes_array(&h->sizes, o->type, o->count, gap);
	else if (k)
		sizes_instance(k, gap);
	if (!begin_object(h, object))
		return 0;
	if (k && k->id && !k->root)
		refer(h, k->id, add_edge);
	p->wants = o->type ? o->type == HPROF_REF :
			     k && k->resolved && k->ref_count && o->count == k->bytes;
	return h->error;
}

static int second_content(struct hprof *p, const struct hprof_object *o, uint64_t from,
			  const uint8_t *data, size_t n)
{
	struct heap *h = heap_of(p);

	if (o->type || !from)
		refer_all(h, p, o, data, n, add_edge);
	return h->error;
}

static const struct hprof_sink second_sink = {
	.klass = second_class,
	.object = second_object,
	.content = second_content,
};

int heap_graph(struct heap *h)
{
	uint64_t all = h->ids.all;
	int rc;

	if (h->only_classes)
		classes_forget_texts(&h->classes);
	sizes_begin(&h->sizes, h->h.id_size, all);
	rc = graph_begin(&h->graph, h->ids.inner);
	h->adding = NO_OBJECT;
	if (!rc)
		rc = next_pass(h, &second_sink);
	if (!rc) {
		refer_waiting(h, add_edge);
		rc = h->error;
	}
	graph_end(&h->graph);
	if (!rc)
		rc = sizes_finish(&h->sizes, &h->classes, all < 32ull << 30);
	return rc;
}

/* ---- third pass: classes, sizes, dominators of leaves ---------------------------------------- */

/* Returns the object's index among shapes. */
static uint32_t place_of(const struct heap *h, uint32_t object)
{
	return object < h->ids.inner ? h->dom.number[object] : object + 1;
}

uint32_t heap_class_of(const struct heap *h, uint32_t object)
{
	return shapes_of(&h->shapes, place_of(h, object))->class;
}

uint64_t heap_bytes_of(const struct heap *h, uint32_t object)
{
	return (uint64_t)shapes_of(&h->shapes, place_of(h, object))->units * UNIT;
}

bool heap_is_dumped(const struct heap *h, uint32_t object)
{
	return shapes_number(&h->shapes, place_of(h, object));
}

uint64_t heap_size_of(const struct heap *h, const struct hprof_object *o, uint32_t class)
{
	if (o->type)
		return sizes_of_array(&h->sizes, o->type, o->count);
	return class == NO_CLASS ? 0 : h->classes.list[class].size;
}

/* Counts an object with its shape, but only once. Returns its number; 0: it dominates nothing. */
static uint32_t count(struct heap *h, uint64_t id, uint32_t shape, uint64_t bytes)
{
	const uint32_t i = ids_find_near(&h->ids, id, NULL), class = h->shapes.list[shape].class;
	const uint32_t place = i == NO_OBJECT ? 0 : place_of(h, i);

	if (!place || shapes_number(&h->shapes, place))
		return 0;
	if (shapes_set(&h->shapes, place, shape))
		h->error = -ENOMEM;
	h->objects++;
	h->bytes += bytes;
	if (class != NO_CLASS) {
		h->sums[class].objects++;
		h->sums[class].bytes += bytes;
	}
	return place <= h->dom.count ? place : 0;
}

static uint32_t shape_of(struct heap *h, uint32_t class, uint64_t bytes)
{
	const uint64_t units = bytes / UNIT < UINT32_MAX ? bytes / UNIT : UINT32_MAX;
	uint32_t shape;

	if (shapes_find(&h->shapes, class, (uint32_t)units, &shape)) {
		h->error = -ENOMEM;
		return 0;
	}
	return shape;
}

static void dominate(struct heap *h, uint32_t from, uint32_t to)
{
	uint32_t *idom;

	if (to < h->ids.inner)
		return;
	idom = &h->leaf_idom[to - h->ids.inner];
	if (*idom == NO_OBJECT)
		*idom = from;
	else if (*idom)
		*idom = dominators_common(&h->dom, *idom, from);
}

static void count_class(struct heap *h, const struct heap_class *k)
{
	const uint64_t bytes = sizes_of_class(&h->sizes, &h->classes, k, ids_gap(&h->ids, k->id));

	h->current = count(h, k->id, shape_of(h, h->classes.of_class, bytes), bytes);
}

static int third_class(struct hprof *p, const struct hprof_class *c)
{
	struct heap *h = heap_of(p);
	uint32_t class = classes_find(&h->classes, c->id);

	if (class == NO_CLASS)
		return 0;
	count_class(h, &h->classes.list[class]);
	if (h->current)
		refer_class(h, c, dominate);
	return h->error;
}

static int third_object(struct hprof *p, const struct hprof_object *o)
{
	struct heap *h = heap_of(p);
	uint32_t class = heap_class_in(h, o);
	struct heap_class *k = class == NO_CLASS ? NULL : &h->classes.list[class];
	const uint64_t bytes = heap_size_of(h, o, class);
	uint32_t shape;

	/* All instances of a class have the same shape. */
	if (o->type || !k) {
		shape = shape_of(h, class, bytes);
	} else {
		if (!k->shape)
			k->shape = shape_of(h, class, bytes);
		shape = k->shape;
	}
	h->current = count(h, o->id, shape, bytes);
	p->wants = h->current &&
		   (o->type ? o->type == HPROF_REF :
			      k && k->resolved && k->ref_count && o->count == k->bytes);
	return h->error;
}

static int third_content(struct hprof *p, const struct hprof_object *o, uint64_t from,
			 const uint8_t *data, size_t n)
{
	if (o->type || !from)
		refer_all(heap_of(p), p, o, data, n, dominate);
	return 0;
}

static const struct hprof_sink third_sink = {
	.klass = third_class,
	.object = third_object,
	.content = third_content,
};

/* ---- retained sizes -------------------------------------------------------------------------- */

static void add_retained(struct heap *h, uint32_t number, uint64_t units)
{
	uint64_t sum = h->retained[number] + units;

	h->retained[number] = (uint32_t)sum;
	if (h->retained_high)
		h->retained_high[number] += (uint8_t)(sum >> 32);
}

static uint64_t units_of(const struct heap *h, uint32_t number)
{
	return h->retained[number] | (uint64_t)(h->retained_high ? h->retained_high[number] : 0)
					     << 32;
}

uint64_t heap_retained(const struct heap *h, uint32_t number)
{
	return units_of(h, number) * UNIT;
}

static int sum_up(struct heap *h)
{
	const uint32_t inner = h->ids.inner, leaves = h->ids.objects - inner;
	const struct shape *shape;
	uint32_t v;

	if (h->only_classes) {
		ids_forget(&h->ids);
		free(h->dom.number);
		h->dom.number = NULL;
	}

	h->retained = large_zeroed((size_t)h->dom.count + 1, sizeof(*h->retained));
	if (h->bytes / UNIT > UINT32_MAX)
		h->retained_high = calloc((size_t)h->dom.count + 1, 1);
	if (!h->retained || (!h->retained_high && h->bytes / UNIT > UINT32_MAX))
		return -ENOMEM;
	for (v = 1; v <= h->dom.count; v++) {
		shape = shapes_of(&h->shapes, v);
		h->retained[v] = shape->units;
		h->reached += shape != h->shapes.list;
		h->reached_bytes += (uint64_t)shape->units * UNIT;
	}
	for (uint32_t i = 0; i < leaves; i++) {
		if (heap_is_root(h, inner + i))
			h->leaf_idom[i] = 0;
		if (h->leaf_idom[i] == NO_OBJECT)
			continue;
		shape = shapes_of(&h->shapes, inner + i + 1);
		/* Leaves dominate nothing but themselves. */
		if (shape->class != NO_CLASS)
			h->sums[shape->class].retained += (uint64_t)shape->units * UNIT;
		h->reached++;
		h->reached_bytes += (uint64_t)shape->units * UNIT;
		if (h->leaf_idom[i])
			add_retained(h, h->leaf_idom[i], shape->units);
	}
	for (v = h->dom.count; v; v--)
		if (h->dom.idom[v])
			add_retained(h, h->dom.idom[v], units_of(h, v));
	return 0;
}

int heap_dominators(struct heap *h)
{
	const size_t leaves = (size_t)h->ids.objects - h->ids.inner + 1;
	int rc = dominators_find(&h->dom, &h->graph, h->root);

	if (rc)
		return rc;
	h->leaf_idom = large_alloc(leaves, sizeof(*h->leaf_idom));
	h->sums = calloc((size_t)h->classes.count + 1, sizeof(*h->sums));
	if (!h->leaf_idom || !h->sums || shapes_begin(&h->shapes, h->ids.objects))
		return -ENOMEM;
	memset(h->leaf_idom, 0xff, leaves * sizeof(*h->leaf_idom));
	rc = next_pass(h, &third_sink);
	if (!rc)
		refer_waiting(h, dominate);
	/* Classes of which the dump has only the name. */
	for (uint32_t i = 0; !rc && i < h->classes.count; i++)
		if (h->classes.list[i].id && !h->classes.list[i].dumped)
			count_class(h, &h->classes.list[i]);
	if (!rc)
		rc = h->error;
	return rc ? rc : sum_up(h);
}

/* ---- by class -------------------------------------------------------------------------------- */

/* Walks the dominator tree: an object counts for its class unless an object of the same class
 * dominates it. */
int heap_classes(struct heap *h)
{
	const uint32_t *idom = h->dom.idom;
	uint32_t *above = calloc((size_t)h->classes.count + 1, sizeof(*above)), class;

	if (!above)
		return -ENOMEM;
	for (uint32_t v = 1, at = 0; v <= h->dom.count; at = v++) {
		for (; at != idom[v]; at = idom[at]) {
			class = shapes_of(&h->shapes, at)->class;
			if (class != NO_CLASS)
				above[class]--;
		}
		class = shapes_of(&h->shapes, v)->class;
		if (class != NO_CLASS && !above[class]++)
			h->sums[class].retained += heap_retained(h, v);
	}
	free(above);
	return 0;
}

void heap_close(struct heap *h)
{
	dump_close(&h->file);
	free(h->h.fields);
	classes_free(&h->classes);
	ids_free(&h->ids);
	graph_free(&h->graph);
	dominators_free(&h->dom);
	free(h->roots);
	free(h->root);
	shapes_free(&h->shapes);
	free(h->leaf_idom);
	free(h->retained);
	free(h->retained_high);
	free(h->sums);
	*h = (struct heap){ .file.fd = -1 };
}
