/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heaps at random, written as dumps and read again: dominators, and what objects and classes
 * retain, are what a search without each single object says. Ids that lie close together and far
 * apart, of 4 and 8 bytes; records of all kinds; each dump cut off and damaged.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "dump_write.h"
#include "heap.h"
#include "objects.h"
#include "rows.h"
#include "unit.h"

#define CLASSES 6
#define MOST    400
#define STRINGS 900000

struct object {
	uint64_t id;
	enum { A_CLASS, INSTANCE, REFERENCES, BYTES } kind;
	unsigned int class; /* an index: of an instance, an array, a class itself */
	unsigned int count; /* references; bytes of an array */
	unsigned int ref[12];
	bool root;
};

struct model {
	struct object o[MOST];
	unsigned int n;
	unsigned int refs[CLASSES]; /* of an instance */
	unsigned int super[CLASSES];
	bool boot[CLASSES];
};

static char path[64]; /* of a file in memory */
static int file;
static uint64_t seed;

static unsigned int any(unsigned int below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)((seed >> 33) % below);
}

/* ---- a heap ---------------------------------------------------------------------------------- */

static void make(struct model *m, unsigned int n, bool far, bool odd, unsigned int id_size)
{
	uint64_t at = id_size == 4 ? 0x10000000 : 0x7f0000000000;

	memset(m, 0, sizeof(*m));
	m->n = n;
	for (unsigned int i = 0; i < n; i++) {
		struct object *o = &m->o[i];

		o->kind = i < CLASSES ? A_CLASS : INSTANCE + any(3);
		/* Classes of arrays have no instances. */
		o->class = i < CLASSES ? i : any(CLASSES / 2) * 2 + (o->kind == REFERENCES);
		at += far ? (uint64_t)(any(1000) + 1) << (id_size == 4 ? 8 : 24) :
			    16 + 8 * any(20) + odd * any(3);
		o->id = at;
	}
	for (unsigned int c = 0; c < CLASSES; c++) {
		m->super[c] = c ? any(c) : CLASSES;
		m->boot[c] = any(2);
		m->refs[c] = (c ? m->refs[m->super[c]] : 0) + (any(3) ? any(3) : 0);
	}
	for (unsigned int i = 0; i < n; i++) {
		struct object *o = &m->o[i];

		o->count = o->kind == A_CLASS  ? any(3) :
			   o->kind == INSTANCE ? m->refs[o->class] :
						 any(8);
		/* Mostly to what is near, a few to nothing. */
		for (unsigned int r = 0; r < o->count && r < 12; r++)
			o->ref[r] = any(10) ? (any(4) ? (i + any(12)) % n : any(n)) : MOST;
		if (o->count > 12)
			o->count = 12;
		o->root = o->kind == A_CLASS ? m->boot[o->class] : !any(25);
	}
}

static uint64_t ref_id(const struct model *m, unsigned int r)
{
	return r == MOST ? 0 : m->o[r].id;
}

static void write_class(const struct model *m, struct dump *d, const struct object *o)
{
	unsigned int super = m->super[o->class];
	uint64_t statics[12];

	for (unsigned int r = 0; r < o->count; r++)
		statics[r] = ref_id(m, o->ref[r]);
	/* Those that boot has not loaded were loaded by the last object. */
	dump_class(d, o->id, super == CLASSES ? 0 : m->o[super].id,
		   m->boot[o->class] ? 0 : m->o[m->n - 1].id,
		   m->refs[o->class] - (super == CLASSES ? 0 : m->refs[super]), statics, o->count,
		   STRINGS);
}

/* Its own fields first, then its supers'; each class has an int before its references. */
static void write_instance(const struct model *m, struct dump *d, const struct object *o)
{
	unsigned int class = o->class, r = 0, ints = 0, own;

	for (unsigned int c = class; c != CLASSES; c = m->super[c])
		ints++;
	u1(d, 0x21);
	id(d, o->id);
	u4(d, 0);
	id(d, m->o[class].id);
	u4(d, ints * 4 + m->refs[class] * d->id_size);
	for (unsigned int c = class; c != CLASSES; c = m->super[c]) {
		u4(d, 0x01020304);
		own = m->refs[c] - (m->super[c] == CLASSES ? 0 : m->refs[m->super[c]]);
		for (; own; own--, r++)
			id(d, r < o->count ? ref_id(m, o->ref[r]) : 0);
	}
}

static void write_object(const struct model *m, struct dump *d, const struct object *o)
{
	if (o->kind == A_CLASS) {
		write_class(m, d, o);
	} else if (o->kind == INSTANCE) {
		write_instance(m, d, o);
	} else if (o->kind == REFERENCES) {
		u1(d, 0x22);
		id(d, o->id);
		u4(d, 0);
		u4(d, o->count);
		id(d, m->o[o->class].id);
		for (unsigned int r = 0; r < o->count; r++)
			id(d, ref_id(m, o->ref[r]));
	} else {
		/* Elements of each type; some arrays have no content, as Android writes them. */
		static const uint8_t sizes[] = { 1, 2, 4, 8, 1, 2, 4, 8 };
		const bool none = o->id / 8 % 5 == 0;
		const unsigned int type = 4 + (unsigned int)(o->id / 8 % 8);

		u1(d, none ? 0xc3 : 0x23);
		id(d, o->id);
		u4(d, 0);
		u4(d, o->count);
		u1(d, type);
		for (unsigned int r = 0; r < o->count * sizes[type - 4] && !none; r++)
			u1(d, r);
	}
}

static void write_heap(const struct model *m, struct dump *d, unsigned int id_size)
{
	char name[32];

	dump_head(d, id_size);
	dump_string(d, STRINGS, "field");
	for (unsigned int c = 0; c < CLASSES; c++) {
		snprintf(name, sizeof(name), "test/Class%u", c);
		dump_string(d, STRINGS + 1 + c, name);
		dump_load(d, c + 1, m->o[c].id, STRINGS + 1 + c);
	}
	dump_others(d);
	segment_begin(d, 0x1c);
	for (unsigned int i = 0; i < m->n; i++) {
		/* Segments end anywhere between objects, whose order is any. */
		if (!any(40))
			segment_begin(d, any(2) ? 0x1c : 0x0c);
		write_object(m, d, &m->o[i]);
		if (!any(50)) {
			u1(d, 0xfe); /* Android: a heap's name */
			u4(d, 1);
			id(d, STRINGS);
		}
	}
	for (unsigned int i = 0; i < m->n; i++)
		if (m->o[i].root && m->o[i].kind != A_CLASS)
			dump_root(d, i, m->o[i].id);
	u1(d, 0x90); /* Android: unreachable; it is not a root */
	id(d, m->o[m->n - 2].id);
	segment_end(d);
	record(d, 0x2c, 0);
}

static void write_file(const struct dump *d, size_t size)
{
	CU_ASSERT_EQUAL(ftruncate(file, 0), 0);
	CU_ASSERT_EQUAL(pwrite(file, d->data, size, 0), (ssize_t)size);
}

/* ---- by brute force -------------------------------------------------------------------------- */

static void reach(const struct model *m, unsigned int without, bool *seen)
{
	unsigned int stack[MOST * 16], n = 0;

	memset(seen, 0, MOST * sizeof(*seen));
	for (unsigned int i = 0; i < m->n; i++)
		if (m->o[i].root && i != without) {
			seen[i] = true;
			stack[n++] = i;
		}
#define GO(to)                                                    \
	do {                                                      \
		unsigned int to_ = (to);                          \
                                                                  \
		if (to_ < MOST && to_ != without && !seen[to_]) { \
			seen[to_] = true;                         \
			stack[n++] = to_;                         \
		}                                                 \
	} while (0)
	while (n) {
		const struct object *o = &m->o[stack[--n]];

		if (o->kind == BYTES)
			continue;
		for (unsigned int r = 0; r < o->count; r++)
			GO(o->ref[r]);
		if (o->kind != A_CLASS) {
			GO(o->class);
			continue;
		}
		GO(m->super[o->class] == CLASSES ? MOST : m->super[o->class]);
		GO(m->boot[o->class] ? MOST : m->n - 1);
	}
#undef GO
}

/* An object's own bytes, as hdump has them: sizes have tests of their own, with real VMs. */
static uint64_t own_bytes(struct heap *h, const struct big *list, uint64_t count, uint32_t object)
{
	(void)h;
	for (uint64_t i = 0; i < count; i++)
		if (list[i].object == object)
			return list[i].own;
	return 0;
}

static void compare(const struct model *m, struct heap *h)
{
	static bool all[MOST], without[MOST][MOST];
	uint64_t own[MOST], count, want, reached = 0, of_class[CLASSES + 2] = { 0 };
	struct big *list = objects_biggest(h, MOST, &count);
	bool good = true;

	CU_ASSERT_FATAL(list != NULL);
	reach(m, MOST, all);
	for (unsigned int i = 0; i < m->n; i++) {
		reach(m, i, without[i]);
		own[i] = own_bytes(h, list, count, ids_find(&h->ids, m->o[i].id));
		reached += all[i];
		good = good && (own[i] != 0) == all[i] && own[i] % 8 == 0;
	}
	CU_ASSERT(good);
	CU_ASSERT_EQUAL(reached, count);
	CU_ASSERT_EQUAL(reached, h->reached);
	CU_ASSERT_EQUAL(h->objects, m->n);
	/* It retains everything that cannot be reached without it. */
	for (uint64_t k = 0; k < count; k++) {
		uint64_t id_of = ids_of(&h->ids, list[k].object);
		unsigned int self = 0;

		while (self < m->n && m->o[self].id != id_of)
			self++;
		CU_ASSERT_FATAL(self < m->n);
		want = 0;
		for (unsigned int i = 0; i < m->n; i++)
			if (all[i] && !without[self][i])
				want += own[i];
		good = good && want == list[k].retained;
		if (want != list[k].retained)
			printf("# object %u: %llu, not %llu\n", self,
			       (unsigned long long)list[k].retained, (unsigned long long)want);
	}
	CU_ASSERT(good);
	/* A class: all objects that one of its own keeps. */
	CU_ASSERT_EQUAL_FATAL(heap_classes(h), 0);
	for (unsigned int c = 0; c < CLASSES; c++)
		for (unsigned int i = 0; i < m->n; i++) {
			bool kept = false;

			for (unsigned int o = 0; o < m->n && !kept; o++)
				kept = all[i] && !without[o][i] && m->o[o].class == c &&
				       m->o[o].kind != A_CLASS && m->o[o].kind != BYTES;
			of_class[c] += kept ? own[i] : 0;
		}
	for (unsigned int c = 0; c < CLASSES; c++)
		CU_ASSERT_EQUAL(h->sums[classes_find(&h->classes, m->o[c].id)].retained,
				of_class[c]);
	free(list);
}

static void retained_as_by_brute_force(void)
{
	static struct model m;
	struct dump d;
	struct heap h;

	for (unsigned int i = 0; i < 40; i++) {
		unsigned int id_size = i & 1 ? 8 : 4;

		seed = i + 1;
		make(&m, 30 + any(MOST - 30), i & 2, i & 4, id_size);
		write_heap(&m, &d, id_size);
		write_file(&d, d.size);
		CU_ASSERT_EQUAL_FATAL(heap_open(&h, path, NULL, 3), 0);
		CU_ASSERT_STRING_EQUAL(h.fault.what, "");
		CU_ASSERT_EQUAL_FATAL(heap_graph(&h), 0);
		CU_ASSERT_EQUAL_FATAL(heap_dominators(&h), 0);
		compare(&m, &h);
		heap_close(&h);
		free(d.data);
	}
}

/* ---- chains: ways that are long are no reason to be slow, nor for a deep stack --------------- */

static void long_chains(void)
{
	const uint32_t n = 300000;
	struct graph g;
	struct dominators d;
	uint64_t *root = calloc(n / 64 + 1, sizeof(*root));
	bool good = true;

	CU_ASSERT_FATAL(root != NULL);
	root[0] = 1;
	CU_ASSERT_EQUAL_FATAL(graph_begin(&g, n), 0);
	/* Each leads to the next, to the last, and back to the one before. */
	for (uint32_t i = 0; i + 1 < n; i++) {
		graph_add(&g, i, i + 1);
		graph_add(&g, i, n - 1);
		if (i > 1)
			graph_add(&g, i, i - 1);
		graph_end(&g);
	}
	CU_ASSERT_EQUAL_FATAL(dominators_find(&d, &g, root), 0);
	CU_ASSERT_EQUAL(d.count, n);
	for (uint32_t i = 1; i + 1 < n; i++)
		good = good && d.idom[d.number[i]] == d.number[i - 1];
	CU_ASSERT(good);
	CU_ASSERT_EQUAL(d.idom[d.number[n - 1]], d.number[0]);
	for (uint32_t i = 1; i + 1 < n; i++)
		good = good && dominators_common(&d, d.number[i], d.number[n - 2]) == d.number[i];
	CU_ASSERT(good);
	dominators_free(&d);
	free(root);
}

/* ---- any graph: by sets of dominators, until they change no more ----------------------------- */

#define NODES 700

static void dominators_of_any_graph(void)
{
	static bool edge[NODES][NODES];
	static uint64_t dom[NODES + 1][NODES / 64 + 2];
	uint64_t root[NODES / 64 + 1];
	const unsigned int words = NODES / 64 + 2;
	unsigned int reached = 0;
	bool good = true;

	for (unsigned int turn = 0; turn < 60; turn++) {
		const unsigned int n = 2 + turn * (NODES - 2) / 60, each = 1 + turn % 4;
		/* Bit n is of all roots together, which lead to each of them. */
		bool changed = true;
		struct dominators d;
		struct graph g;

		seed = 4000 + turn;
		memset(edge, 0, sizeof(edge));
		memset(root, 0, sizeof(root));
		for (unsigned int i = 0; i < 1 + turn % 3; i++)
			root[any(n) / 64] |= 1ull << any(n) % 64;
		for (unsigned int i = n; i < 64 * (NODES / 64 + 1); i++)
			root[i / 64] &= ~(1ull << i % 64);
		CU_ASSERT_EQUAL_FATAL(graph_begin(&g, n), 0);
		/* In any order, mostly to what is near; some refer to none. */
		for (unsigned int k = 0, i = any(n); k < n; k++, i = (i + 1) % n) {
			for (unsigned int e = 0; any(9) && e < each; e++) {
				unsigned int to = any(3) ? (i + 1 + any(6)) % n : any(n);

				if (root[to / 64] >> to % 64 & 1 || to == i)
					continue;
				edge[i][to] = true;
				CU_ASSERT_EQUAL(graph_add(&g, i, to), 0);
			}
			graph_end(&g);
		}
		CU_ASSERT_EQUAL_FATAL(dominators_find(&d, &g, root), 0);
		memset(dom, 0xff, sizeof(dom));
		while (changed) {
			changed = false;
			for (unsigned int v = 0; v < n; v++) {
				uint64_t new[NODES / 64 + 2];
				bool is_root = root[v / 64] >> v % 64 & 1;

				memset(new, is_root ? 0 : 0xff, sizeof(new));
				for (unsigned int u = 0; u < n && !is_root; u++)
					for (unsigned int w = 0; edge[u][v] && w < words; w++)
						new[w] &= dom[u][w];
				new[v / 64] |= 1ull << v % 64;
				changed |= memcmp(new, dom[v], sizeof(new)) != 0;
				memcpy(dom[v], new, sizeof(new));
			}
		}
		/* u is on the way up from v if it is in its set; who is not reached has all. */
		for (unsigned int v = 0; v < n; v++) {
			bool none = dom[v][words - 1] >> 63;

			good = good && none == (d.number[v] > d.count) && d.number[v] >= 1 &&
			       d.number[v] <= n;
			reached += !none;
			for (unsigned int u = 0; u < n && !none; u++) {
				uint32_t up = d.number[v];

				while (up > d.number[u])
					up = d.idom[up];
				good = good &&
				       (dom[v][u / 64] >> u % 64 & 1) == (up == d.number[u]);
			}
		}
		/* A common dominator is on both paths, and none below it is. */
		for (unsigned int i = 0; i < 300 && d.count; i++) {
			uint32_t a = any(d.count + 1), b = any(d.count + 1), x = a, y = b;

			while (x != y) {
				if (x > y)
					x = d.idom[x];
				else
					y = d.idom[y];
			}
			good = good && dominators_common(&d, a, b) == x;
		}
		dominators_free(&d);
	}
	CU_ASSERT(good);
	CU_ASSERT(reached > 5000);
}

static void lowest_of_any_part(void)
{
	enum { COUNT = 70000 };
	uint32_t *list = calloc(COUNT, sizeof(*list));
	bool good = true;

	CU_ASSERT_FATAL(list != NULL);
	seed = 5;
	for (unsigned int i = 0; i < COUNT; i++)
		list[i] = 1000 + any(1u << 30);
	for (unsigned int turn = 0; turn < 400; turn++) {
		const uint32_t n = turn < 100 ? turn + 1 : COUNT - turn % 40;
		const uint32_t from = any(n), to = from + 1 + any(n - from);
		uint32_t least = UINT32_MAX;
		struct lowest l;

		list[any(n)] = turn;
		CU_ASSERT_EQUAL_FATAL(lowest_begin(&l, list, n), 0);
		for (uint32_t i = from; i < to; i++)
			least = list[i] < least ? list[i] : least;
		good = good && lowest_of(&l, from, to) == least && lowest_of(&l, 0, n) <= least &&
		       lowest_of(&l, n - 1, n) == list[n - 1];
		lowest_free(&l);
	}
	CU_ASSERT(good);
	free(list);
}

/* ---- numbers of ids -------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Each has its own number, in order, leaves after the others; ids in between have none. */
static void ids_near_and_far(void)
{
	enum { COUNT = 30000 };
	static uint64_t id[COUNT], sorted[COUNT];
	static bool leaf[COUNT];

	for (unsigned int turn = 0; turn < 24; turn++) {
		const bool far = turn & 1, odd = turn & 2, mixed = turn & 4, apart = turn & 16;
		uint64_t at = turn & 8 ? 0x7f0000000000 : 0x1000, gap;
		uint32_t inner = 0, leaves = 0, wrong = 0;
		struct ids ids;

		seed = 600 + turn;
		for (unsigned int i = 0; i < COUNT; i++) {
			at += far && i > COUNT / 3 ? (uint64_t)(1 + any(1000)) << 20 :
						     8 + 8 * any(9);
			/* Some that are near each other, far from the others. */
			at += i == COUNT / 4 ? 1ull << (apart ? 40 : 26) : 0;
			sorted[i] = at + (odd && i > COUNT / 2 ? any(8) : 0);
		}
		qsort(sorted, COUNT, sizeof(*sorted), ascending);
		memcpy(id, sorted, sizeof(id));
		for (unsigned int i = COUNT - 1; mixed && i; i--) {
			const unsigned int k = any(i);
			const uint64_t other = id[k];

			id[k] = id[i];
			id[i] = other;
		}
		ids_begin(&ids, COUNT * 8);
		for (unsigned int i = 0; i < COUNT; i++) {
			bool *is = &leaf[(uint64_t *)bsearch(&id[i], sorted, COUNT, sizeof(*sorted),
							     ascending) -
					 sorted];

			*is = any(2) && (!i || id[i] != id[i - 1] || *is);
			wrong += ids_add(&ids, id[i], *is) != 0;
			/* Some are there twice: a leaf if both are. */
			if (!any(50)) {
				wrong += ids_add(&ids, id[i], false) != 0;
				*is = false;
			}
		}
		CU_ASSERT_EQUAL_FATAL(ids_finish(&ids), 0);
		CU_ASSERT_EQUAL(ids.sparse, far);
		CU_ASSERT_EQUAL(ids.page == NULL, far || apart);
		CU_ASSERT_EQUAL(ids.aligned, !odd);
		for (unsigned int i = 0; i < COUNT; i++)
			leaf[i] = leaf[i] && ids.aligned && !ids.sparse;
		for (unsigned int i = 0; i < COUNT; i++)
			if (i + 1 == COUNT || sorted[i] != sorted[i + 1])
				inner += !leaf[i];
		CU_ASSERT_EQUAL(ids.inner, inner);
		inner = 0;
		for (unsigned int i = 0; i < COUNT; i++) {
			const struct ids_line *step;
			uint32_t want;

			if (i + 1 < COUNT && sorted[i] == sorted[i + 1])
				continue;
			want = leaf[i] ? ids.inner + leaves++ : inner++;
			wrong += ids_find(&ids, sorted[i]) != want;
			ids_ask(&ids, sorted[i], &step);
			wrong += ids_answer(&ids, sorted[i], step) != want;
			wrong += ids_find_near(&ids, sorted[i], &gap) != want;
			wrong += gap != ids_gap(&ids, sorted[i]);
			wrong += ids_of(&ids, want) != sorted[i];
			if (i + 1 == COUNT)
				break;
			wrong += ids_find(&ids, sorted[i] + 1) != NO_OBJECT &&
				 sorted[i + 1] != sorted[i] + 1;
			if (!odd && sorted[i + 1] - sorted[i] < 512)
				wrong += gap != sorted[i + 1] - sorted[i];
		}
		CU_ASSERT_EQUAL(wrong, 0);
		CU_ASSERT_EQUAL(ids.objects, inner + leaves);
		CU_ASSERT_EQUAL(ids_find(&ids, sorted[0] - 1), NO_OBJECT);
		CU_ASSERT_EQUAL(ids_find(&ids, sorted[COUNT - 1] + (1ull << 20)), NO_OBJECT);
		CU_ASSERT_EQUAL(ids_find(&ids, UINT64_MAX), NO_OBJECT);
		ids_free(&ids);
	}
}

/* ---- shapes: more than two bytes can number -------------------------------------------------- */

static void many_shapes(void)
{
	const uint32_t n = 200000;
	struct shapes s;
	uint32_t shape, again;
	bool good = true;

	CU_ASSERT_EQUAL_FATAL(shapes_begin(&s, n), 0);
	for (uint32_t i = 1; i <= n; i++) {
		good = good && !shapes_find(&s, i % 3 ? i % 7 : NO_CLASS, i / 2, &shape) &&
		       !shapes_find(&s, i % 3 ? i % 7 : NO_CLASS, i / 2, &again) &&
		       shape == again && !shapes_number(&s, i) && !shapes_set(&s, i, shape);
	}
	CU_ASSERT(good);
	CU_ASSERT(s.count > 1u << 17);
	for (uint32_t i = 1; i <= n; i++)
		good = good && shapes_of(&s, i)->class == (i % 3 ? i % 7 : NO_CLASS) &&
		       shapes_of(&s, i)->units == i / 2;
	CU_ASSERT(good);
	shapes_free(&s);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* All reports of a damaged dump; the fault has the message. */
static void read_it(struct heap *h, int *rc)
{
	struct rows r = { 0 };
	struct big *list;
	uint64_t count;

	*rc = heap_open(h, path, NULL, 3);
	if (!*rc)
		*rc = heap_graph(h);
	if (!*rc)
		*rc = heap_dominators(h);
	if (*rc)
		return;
	list = objects_biggest(h, 5, &count);
	CU_ASSERT(list != NULL);
	free(list);
	*rc = heap_classes(h);
	CU_ASSERT_EQUAL(rows_of(&r, h), 0);
	rows_free(&r);
}

/* Another heap, a cut one, a longer one or the same again is in the file's place after the first
 * pass, or after the second. */
static void changed_while_read(void)
{
	static struct model m, other;
	struct dump d, e;
	struct heap h;
	unsigned int told = 0;
	int rc;
	bool later;

	for (unsigned int turn = 0; turn < 400; turn++) {
		const unsigned int id_size = 4 + 4 * (turn & 1);

		seed = 300 + turn;
		make(&m, 50, turn & 2, false, id_size);
		write_heap(&m, &d, id_size);
		make(&other, 40 + turn % 40, turn & 4, turn & 8, turn % 5 ? id_size : 12 - id_size);
		write_heap(&other, &e, turn % 5 ? id_size : 12 - id_size);
		write_file(&d, d.size);
		rc = heap_open(&h, path, NULL, 3);
		CU_ASSERT(!rc && !*h.fault.what);
		later = turn & 16;
		if (later)
			rc = heap_graph(&h);
		if (turn % 3 == 0)
			write_file(&d, any((unsigned int)d.size));
		else
			write_file(&e, e.size);
		if (!later)
			rc = heap_graph(&h);
		if (!rc)
			rc = heap_dominators(&h);
		if (!rc)
			rc = heap_classes(&h);
		CU_ASSERT(!rc);
		told += *h.fault.what != 0;
		heap_close(&h);
		free(d.data);
		free(e.data);
	}
	/* Within a tick of the clock that dates files, the same size may hide a change. */
	CU_ASSERT(told >= 200);
	/* Only written again: the same bytes. */
	write_heap(&m, &d, 8);
	write_file(&d, d.size);
	CU_ASSERT(!heap_open(&h, path, NULL, 3) && !*h.fault.what);
	usleep(20000);
	write_file(&d, d.size);
	CU_ASSERT_EQUAL(heap_graph(&h), 0);
	CU_ASSERT_STRING_EQUAL(h.fault.what, "the file was changed while it was read");
	heap_close(&h);
	free(d.data);
}

static void cut_anywhere(void)
{
	static struct model m;
	struct dump d;
	struct heap h;
	bool told = true;
	int rc;

	seed = 3;
	make(&m, 40, false, false, 8);
	write_heap(&m, &d, 8);
	for (size_t size = 0; size < d.size; size++) {
		write_file(&d, size);
		read_it(&h, &rc);
		told = told && *h.fault.what && h.fault.offset <= size &&
		       (rc == 0 || (rc == -EINVAL && size < 31));
		heap_close(&h);
	}
	CU_ASSERT(told);
	free(d.data);
}

/* A length, a kind, a count: what a record begins with is changed, and found. Places are those of
 * the structure; what is changed in values cannot be seen. */
static void ten_thousand_damaged(void)
{
	static struct model m;
	unsigned int refused = 0, made = 0;
	struct dump d;
	struct heap h;
	int rc;

	for (unsigned int turn = 0; made < 10000; turn++) {
		unsigned int id_size = turn & 1 ? 8 : 4;
		size_t at, head = 31;

		seed = 1000 + turn / 500;
		make(&m, 60, turn & 2, false, id_size);
		write_heap(&m, &d, id_size);
		seed = 77777 + turn;
		if (turn % 3 == 0) {
			/* Cut off. */
			d.size = any((unsigned int)d.size);
		} else if (turn % 3 == 1) {
			/* A record's kind. */
			for (at = head; any(4) && at + 9 < d.size;) {
				uint32_t length = (uint32_t)d.data[at + 5] << 24 |
						  d.data[at + 6] << 16 | d.data[at + 7] << 8 |
						  d.data[at + 8];

				if (at + 9 + length + 9 > d.size)
					break;
				at += 9 + length;
			}
			d.data[at] = (uint8_t)(0x40 + any(0xbf));
		} else {
			/* A record's length, or the head. */
			d.data[any(2) ? any(18) : head + 5] ^= (uint8_t)(1 + any(127)) | 0x80;
		}
		write_file(&d, d.size);
		read_it(&h, &rc);
		made++;
		if ((rc == 0 || rc == -EINVAL) && *h.fault.what && h.fault.offset <= d.size)
			refused++;
		heap_close(&h);
		free(d.data);
	}
	CU_ASSERT_EQUAL(refused, made);
	/* Any byte, any value: whatever comes of it, it ends. */
	for (unsigned int turn = 0; turn < 3000; turn++) {
		seed = 2000 + turn / 500;
		make(&m, 60, turn & 2, turn & 4, 4 + 4 * (turn & 1));
		write_heap(&m, &d, 4 + 4 * (turn & 1));
		seed = 99999 + turn;
		for (unsigned int i = 0; i < 1 + turn % 4; i++)
			d.data[31 + any((unsigned int)d.size - 31)] = (uint8_t)any(256);
		write_file(&d, d.size);
		read_it(&h, &rc);
		CU_ASSERT(rc == 0 || rc == -EINVAL);
		heap_close(&h);
		free(d.data);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "retained_as_by_brute_force", retained_as_by_brute_force },
		{ "long_chains", long_chains },
		{ "dominators_of_any_graph", dominators_of_any_graph },
		{ "lowest_of_any_part", lowest_of_any_part },
		{ "ids_near_and_far", ids_near_and_far },
		{ "many_shapes", many_shapes },
		{ "changed_while_read", changed_while_read },
		{ "cut_anywhere", cut_anywhere },
		{ "ten_thousand_damaged", ten_thousand_damaged },
		{ NULL, NULL },
	};

	file = memfd_create("dump", MFD_CLOEXEC);
	if (file < 0)
		return 1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return unit_run("hdump", tests);
}
