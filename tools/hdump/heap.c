/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes over a dump, one after the other. */
#include "heap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- what all passes have in common ---------------------------------------------------------- */

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
	h->h.progress = show_progress;
	h->h.progress_arg = h;
	h->current = NO_OBJECT;
	rc = hprof_walk(&h->h);
	h->pass++;
	return rc;
}

/* A later pass ends where the first one did, or earlier if the file was changed since. */
static int next_pass(struct heap *h, const struct hprof_sink *sink)
{
	int rc = heap_pass(h, sink);

	if (rc != -EINVAL)
		return rc;
	if (!*h->fault.what)
		h->fault = h->h.fault;
	return 0;
}

uint32_t heap_class_in(struct heap *h, const struct hprof_object *o)
{
	struct classes *c = &h->classes;

	if (!o->class_id)
		return o->type && o->type != HPROF_REF ? c->of_type[o->type] : NO_CLASS;
	if (h->last_class >= c->count || c->list[h->last_class].id != o->class_id)
		h->last_class = classes_find(c, o->class_id);
	return h->last_class;
}

bool heap_is_root(const struct heap *h, uint32_t object)
{
	return h->root[object / 64] >> object % 64 & 1;
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

/* ---- the first: ids, classes, roots ---------------------------------------------------------- */

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
		return hprof_tell(p, p->file->at, "a class has the id 0");
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
		return hprof_tell(p, o->offset, "an object has the id 0");
	if (o->type)
		return ids_add(&h->ids, o->id, o->type != HPROF_REF);
	class = heap_class_in(h, o);
	if (class != NO_CLASS && classes_resolve(&h->classes, class))
		k = &h->classes.list[class];
	if (k && o->count != k->bytes)
		return hprof_tell(p, o->offset,
				  "an instance of %u bytes: those of its class have %u", o->count,
				  k->bytes);
	/* What keeps its class loaded is no leaf, unless that is a root. */
	return ids_add(&h->ids, o->id, k && !k->ref_count && !k->loader);
}

static const struct hprof_sink first_sink = {
	.string = first_string,
	.load = first_load,
	.root = first_root,
	.klass = first_class,
	.object = first_object,
};

static int mark(struct heap *h, uint64_t id)
{
	uint32_t i = ids_find(&h->ids, id);

	if (i != NO_OBJECT)
		h->root[i / 64] |= 1ull << i % 64;
	return 0;
}

/* Classes of the boot loader are never unloaded: they are roots as those that the dump has. */
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
	return 0;
}

int heap_open(struct heap *h, const char *path, struct progress *progress, unsigned int passes)
{
	int rc;

	*h = (struct heap){ .progress = progress, .passes = passes, .last_class = NO_CLASS };
	ids_begin(&h->ids);
	rc = dump_open(&h->file, path);
	if (rc)
		return rc;
	h->classes.id_size = 8;
	rc = heap_pass(h, &first_sink);
	h->fault = h->h.fault;
	/* Without a head it is no dump, else what there is of it counts. */
	if (rc == -EINVAL && h->h.id_size) {
		h->file.end = h->fault.offset;
		rc = 0;
	}
	if (rc)
		return rc;
	h->classes.id_size = h->h.id_size;
	if (classes_finish(&h->classes))
		return -ENOMEM;
	/* Classes that are not linked have no sub-record, but are objects. */
	for (uint32_t i = 0; i < h->classes.count; i++)
		if (!h->classes.list[i].dumped && h->classes.list[i].id &&
		    ids_add(&h->ids, h->classes.list[i].id, false))
			return -ENOMEM;
	rc = ids_finish(&h->ids, h->file.size / 16);
	return rc ? rc : mark_roots(h);
}

/* ---- the second: who refers to whom ---------------------------------------------------------- */

static void refer(struct heap *h, uint64_t id)
{
	uint32_t to;
	int rc;

	if (!id)
		return;
	to = ids_find(&h->ids, id);
	if (to == NO_OBJECT) {
		h->dangling++;
		return;
	}
	if (to >= h->ids.inner || to == h->current || heap_is_root(h, to))
		return;
	rc = graph_add(&h->graph, h->current, to);
	if (rc && !h->error)
		h->error = rc;
}

/* Whose references come next; false: it is a leaf, or had its own already. */
static bool begin_object(struct heap *h, uint64_t id)
{
	graph_end(&h->graph);
	h->current = ids_find(&h->ids, id);
	if (h->current >= h->ids.inner || h->graph.from[h->current] != NO_EDGES)
		h->current = NO_OBJECT;
	return h->current != NO_OBJECT;
}

static int second_class(struct hprof *p, const struct hprof_class *c)
{
	struct heap *h = heap_of(p);

	if (!begin_object(h, c->id))
		return 0;
	refer(h, c->super);
	refer(h, c->loader);
	refer(h, c->signers);
	refer(h, c->domain);
	for (uint32_t i = 0; i < c->constants + c->statics; i++)
		if (c->list[i].type == HPROF_REF)
			refer(h, c->list[i].value);
	return h->error;
}

static int second_object(struct hprof *p, const struct hprof_object *o)
{
	struct heap *h = heap_of(p);
	uint32_t class = heap_class_in(h, o);
	struct heap_class *k = class == NO_CLASS ? NULL : &h->classes.list[class];
	uint64_t gap = h->ids.aligned ? ids_gap(&h->ids, o->id) : 0;

	if (o->type)
		sizes_array(&h->sizes, o->type, o->count, gap);
	else if (k)
		sizes_instance(k, gap);
	if (!begin_object(h, o->id))
		return 0;
	if (k)
		refer(h, k->id);
	p->wants = o->type ? o->type == HPROF_REF :
			     k && k->resolved && k->ref_count && o->count == k->bytes;
	return h->error;
}

static inline void refer_all(struct heap *h, const struct hprof *p, const struct hprof_object *o,
			     const uint8_t *data, size_t n, void (*to)(struct heap *, uint64_t))
{
	const struct heap_class *k = &h->classes.list[h->last_class];

	if (o->type)
		for (size_t at = 0; at < n; at += p->id_size)
			to(h, hprof_id(p, data + at));
	else
		for (uint32_t i = 0; i < k->ref_count; i++)
			if (k->refs[i] + p->id_size <= n)
				to(h, hprof_id(p, data + k->refs[i]));
}

static int second_content(struct hprof *p, const struct hprof_object *o, uint64_t from,
			  const uint8_t *data, size_t n)
{
	struct heap *h = heap_of(p);

	if (o->type || !from)
		refer_all(h, p, o, data, n, refer);
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

	sizes_begin(&h->sizes, h->h.id_size, all);
	rc = graph_begin(&h->graph, h->ids.inner);
	if (!rc)
		rc = next_pass(h, &second_sink);
	graph_end(&h->graph);
	if (!rc)
		rc = sizes_finish(&h->sizes, &h->classes, all < 32ull << 30);
	return rc;
}

/* ---- the third: classes, sizes, dominators of leaves ----------------------------------------- */

static void set_class(struct heap *h, uint32_t object, uint32_t class)
{
	h->class_low[object] = (uint16_t) class;
	if (h->class_high)
		h->class_high[object] = (uint16_t)(class >> 16);
}

uint32_t heap_class_of(const struct heap *h, uint32_t object)
{
	uint32_t class = h->class_low[object] | (h->class_high ? h->class_high[object] : 0u) << 16;

	return class == (h->class_high ? UINT32_MAX : UINT16_MAX) ? NO_CLASS : class;
}

uint64_t heap_size_of(const struct heap *h, const struct hprof_object *o, uint32_t class)
{
	if (o->type)
		return sizes_of_array(&h->sizes, o->type, o->count);
	return class == NO_CLASS ? 0 : h->classes.list[class].size;
}

/* An object with its class and bytes: once. */
static uint32_t count(struct heap *h, uint64_t id, uint32_t class, uint64_t bytes)
{
	uint64_t units = bytes / UNIT;
	uint32_t i = ids_find(&h->ids, id), number;

	if (i == NO_OBJECT)
		return i;
	if (heap_class_of(h, i) != NO_CLASS) {
		h->twice++;
		return NO_OBJECT;
	}
	set_class(h, i, class);
	h->objects++;
	h->bytes += bytes;
	if (class != NO_CLASS) {
		h->sums[class].objects++;
		h->sums[class].bytes += bytes;
	}
	if (units > UINT32_MAX)
		units = UINT32_MAX;
	if (i >= h->ids.inner) {
		h->leaf_units[i - h->ids.inner] = (uint32_t)units;
		return i;
	}
	number = h->dom.number[i];
	if (number) {
		h->retained[number] = (uint32_t)units;
		h->reached++;
		h->reached_bytes += bytes;
	}
	return i;
}

static void dominate(struct heap *h, uint64_t id)
{
	uint32_t to = id ? ids_find(&h->ids, id) : NO_OBJECT, *idom;

	if (to == NO_OBJECT || to < h->ids.inner)
		return;
	idom = &h->leaf_idom[to - h->ids.inner];
	if (*idom == NO_OBJECT)
		*idom = h->current_number;
	else if (*idom)
		*idom = dominators_common(&h->dom, *idom, h->current_number);
}

static int third_class(struct hprof *p, const struct hprof_class *c)
{
	struct heap *h = heap_of(p);
	struct classes *cs = &h->classes;
	uint64_t gap = h->ids.aligned ? ids_gap(&h->ids, c->id) : 0;
	uint32_t class = classes_find(cs, c->id), i;

	if (class == NO_CLASS)
		return 0;
	i = count(h, c->id, cs->of_class, sizes_of_class(&h->sizes, cs, &cs->list[class], gap));
	h->current_number = i < h->ids.inner ? h->dom.number[i] : 0;
	if (!h->current_number)
		return 0;
	dominate(h, c->signers);
	dominate(h, c->domain);
	dominate(h, c->loader);
	for (i = 0; i < c->constants + c->statics; i++)
		if (c->list[i].type == HPROF_REF)
			dominate(h, c->list[i].value);
	return 0;
}

static int third_object(struct hprof *p, const struct hprof_object *o)
{
	struct heap *h = heap_of(p);
	uint32_t class = heap_class_in(h, o);
	const struct heap_class *k = class == NO_CLASS ? NULL : &h->classes.list[class];
	uint32_t i = count(h, o->id, class, heap_size_of(h, o, class));

	h->current_number = i < h->ids.inner ? h->dom.number[i] : 0;
	p->wants = h->current_number &&
		   (o->type ? o->type == HPROF_REF :
			      k && k->resolved && k->ref_count && o->count == k->bytes);
	return 0;
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

/* ---- what objects retain --------------------------------------------------------------------- */

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
	const uint32_t leaves = h->ids.objects - h->ids.inner;
	uint32_t v;

	if (h->bytes / UNIT > UINT32_MAX) {
		h->retained_high = calloc((size_t)h->dom.count + 1, 1);
		if (!h->retained_high)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < leaves; i++) {
		if (heap_is_root(h, h->ids.inner + i))
			h->leaf_idom[i] = 0;
		if (h->leaf_idom[i] == NO_OBJECT)
			continue;
		h->reached++;
		h->reached_bytes += (uint64_t)h->leaf_units[i] * UNIT;
		if (h->leaf_idom[i])
			add_retained(h, h->leaf_idom[i], h->leaf_units[i]);
	}
	for (v = h->dom.count; v; v--)
		if (h->dom.idom[v])
			add_retained(h, h->dom.idom[v], units_of(h, v));
	return 0;
}

int heap_dominators(struct heap *h)
{
	const size_t n = (size_t)h->ids.objects + 1, leaves = n - h->ids.inner;
	int rc = dominators_find(&h->dom, &h->graph, h->root);

	if (rc)
		return rc;
	h->class_low = malloc(n * sizeof(*h->class_low));
	h->class_high = h->classes.count < UINT16_MAX ? NULL : malloc(n * sizeof(*h->class_high));
	h->leaf_idom = malloc(leaves * sizeof(*h->leaf_idom));
	h->leaf_units = calloc(leaves, sizeof(*h->leaf_units));
	h->retained = calloc((size_t)h->dom.count + 1, sizeof(*h->retained));
	h->sums = calloc((size_t)h->classes.count + 1, sizeof(*h->sums));
	if (!h->class_low || (!h->class_high && h->classes.count >= UINT16_MAX) || !h->leaf_idom ||
	    !h->leaf_units || !h->retained || !h->sums)
		return -ENOMEM;
	memset(h->class_low, 0xff, n * sizeof(*h->class_low));
	if (h->class_high)
		memset(h->class_high, 0xff, n * sizeof(*h->class_high));
	memset(h->leaf_idom, 0xff, leaves * sizeof(*h->leaf_idom));
	rc = next_pass(h, &third_sink);
	/* Classes of which nothing but the name is there. */
	for (uint32_t i = 0; !rc && i < h->classes.count; i++) {
		const struct heap_class *k = &h->classes.list[i];
		uint64_t gap = k->id && h->ids.aligned ? ids_gap(&h->ids, k->id) : 0;

		if (k->id && !k->dumped)
			count(h, k->id, h->classes.of_class,
			      sizes_of_class(&h->sizes, &h->classes, k, gap));
	}
	return rc ? rc : sum_up(h);
}

/* ---- by class -------------------------------------------------------------------------------- */

static int make_children(struct heap *h)
{
	const size_t n = (size_t)h->dom.count + 1;

	h->child = calloc(n, sizeof(*h->child));
	h->sibling = calloc(n, sizeof(*h->sibling));
	if (!h->child || !h->sibling)
		return -ENOMEM;
	for (uint32_t v = h->dom.count; v; v--) {
		h->sibling[v] = h->child[h->dom.idom[v]];
		h->child[h->dom.idom[v]] = v;
	}
	return 0;
}

/* Down and up the tree of dominators: an object counts if none of its class is above it. */
static void sum_classes(struct heap *h, const uint32_t *class_of, uint32_t *above)
{
	uint32_t v = 0, class;

	for (;;) {
		if (h->child[v]) {
			v = h->child[v];
		} else {
			while (v && !h->sibling[v]) {
				v = h->dom.idom[v];
				if (v && class_of[v] != NO_CLASS)
					above[class_of[v]]--;
			}
			if (!v)
				return;
			v = h->sibling[v];
		}
		class = class_of[v];
		if (class == NO_CLASS)
			continue;
		if (!above[class])
			h->sums[class].retained += heap_retained(h, v);
		if (h->child[v])
			above[class]++;
	}
}

int heap_classes(struct heap *h)
{
	const uint32_t leaves = h->ids.objects - h->ids.inner;
	uint32_t *class_of, *above, class;
	int rc;

	/* Leaves dominate nothing. */
	for (uint32_t i = 0; i < leaves; i++) {
		class = heap_class_of(h, h->ids.inner + i);
		if (class != NO_CLASS && h->leaf_idom[i] != NO_OBJECT)
			h->sums[class].retained += (uint64_t)h->leaf_units[i] * UNIT;
	}
	/* What is not needed from here on makes room. */
	class_of = h->dom.jump;
	h->dom.jump = NULL;
	for (uint32_t i = 0; i < h->ids.inner; i++)
		if (h->dom.number[i])
			class_of[h->dom.number[i]] = heap_class_of(h, i);
	rc = make_children(h);
	above = calloc((size_t)h->classes.count + 1, sizeof(*above));
	if (!rc && above)
		sum_classes(h, class_of, above);
	free(above);
	free(class_of);
	return rc ? rc : above ? 0 : -ENOMEM;
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
	free(h->class_low);
	free(h->class_high);
	free(h->leaf_idom);
	free(h->leaf_units);
	free(h->retained);
	free(h->retained_high);
	free(h->child);
	free(h->sibling);
	free(h->sums);
	*h = (struct heap){ .file.fd = -1 };
}
