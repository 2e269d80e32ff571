/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log-gen: each entry and exit of Java methods as written by libjprof (log_gen_format.h). Read once
 * for the call trees, whose values become samples like those of a log-rt, and again in each pass
 * for the events. A truncated log is read up to its last complete event.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/jprof/jprof_tree.h"
#include "input/window.h"
#include "log_gen_format.h"
#include "record/call_record.h"

#define WINDOW    (LOG_GEN_CHUNK + 4096u)
#define SEARCHED  (1u << 26) /* frames searched for exits without an entry; beyond it, */
#define INNERMOST 256u       /* only so many per exit */
#define PLACES    (1u << 20) /* maximum number of threads */

enum { OTHER = 7, FUNCTION = 8 }; /* types of frames: the last of their letters */

struct gen_frame {
	uint32_t method; /* its number in the log */
	uint32_t node;
	uint8_t type;
};

struct gen_thread {
	uint32_t tid;
	uint32_t root; /* its node; NO_KEY: none yet */
	struct gen_frame *frame;
	uint32_t depth, room;
	/* State of a pass: pending times, and frames that an exception ended. */
	uint64_t value, cost;
	uint32_t popping;
};

struct log_gen {
	struct jprof_tree tree;
	struct window w;
	struct log_gen_head head;
	uint32_t *method; /* number in the tree by number in the log */
	uint32_t methods, room_methods;
	struct gen_thread *thread; /* by place */
	uint32_t threads;
	struct keys by_call; /* nodes by parent and method */
	char metric[LOG_GEN_METRICS][256];
	uint32_t metrics;
	uint64_t events, lost, unentered, unleft, searched;
	/* Reading position: */
	uint64_t at, chunk; /* offsets of the next and the last chunk */
	struct bytes left;  /* unread events in the chunk */
	struct gen_thread *now;
	uint32_t before;
	uint64_t time, first; /* of the chunk; of the first chunk */
	uint8_t *copy;        /* of a chunk, since the window moves */
	/* State of a pass: */
	unsigned int what;
	struct gen_event {
		enum log_gen_event kind;
		uint32_t method, type;
		uint64_t value[LOG_GEN_METRICS], cost[LOG_GEN_METRICS], lost;
	} event;
	bool pending; /* `event` waits while frames end before it */
	struct pitrace_mte_task task;
	struct {
		struct call_record call;
		uint64_t argument[3];
	} __attribute__((packed, aligned(4))) call;
	struct {
		struct pitrace_user user;
		uint32_t length;
		char text[1024];
	} __attribute__((packed, aligned(4))) name;
};

static bool log_gen_probe(const void *head, size_t size)
{
	return size >= sizeof(LOG_GEN_MAGIC) - 1 &&
	       !memcmp(head, LOG_GEN_MAGIC, sizeof(LOG_GEN_MAGIC) - 1);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static bool take(struct bytes *b, uint64_t *value)
{
	unsigned int shift;
	uint8_t byte;

	*value = 0;
	for (shift = 0; shift < 64; shift += 7) {
		byte = bytes_u8(b);
		if (b->bad || (shift == 63 && byte > 1))
			break;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	b->bad = true;
	return false;
}

static const char *take_text(struct bytes *b, size_t *length)
{
	uint64_t n;
	const char *p;

	if (!take(b, &n) || n > bytes_left(b)) {
		b->bad = true;
		return NULL;
	}
	p = bytes_take(b, (size_t)n);
	*length = (size_t)n;
	return p;
}

static int read_head(struct log_gen *l, struct pifile_fault *fault)
{
	size_t have = 0;
	const uint8_t *p = window_look(&l->w, 0, sizeof(l->head), &have);
	struct bytes b = bytes_of(p, have);

	b.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	bytes_skip(&b, sizeof(l->head.magic));
	l->head.version = bytes_u32(&b);
	l->head.pid = bytes_u32(&b);
	l->head.metrics = bytes_u32(&b);
	l->head.state = bytes_u32(&b);
	l->head.error = bytes_u32(&b);
	bytes_u32(&b);
	l->head.lost = bytes_u64(&b);
	l->head.unwritten = bytes_u64(&b);
	l->head.realtime = bytes_u64(&b);
	fault->offset = 0;
	if (b.bad) {
		fault->offset = have;
		snprintf(fault->what, sizeof(fault->what),
			 "the file ends within the head of a log-gen: nothing is read");
	} else if (!l->head.version || l->head.version > LOG_GEN_VERSION) {
		fault->offset = 16;
		snprintf(fault->what, sizeof(fault->what),
			 "a log-gen of version %u: this post knows 1 to %u", l->head.version,
			 LOG_GEN_VERSION);
	} else if (!l->head.metrics || l->head.metrics > LOG_GEN_METRICS) {
		fault->offset = 24;
		snprintf(fault->what, sizeof(fault->what),
			 "a log-gen of %u metrics: it has 1 to %u", l->head.metrics,
			 LOG_GEN_METRICS);
	} else {
		return 0;
	}
	return -EINVAL;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static int read_methods(struct log_gen *l, struct bytes b)
{
	uint64_t first;
	const char *name;
	size_t n;

	if (!take(&b, &first) || first != l->methods) {
		faults_report(&l->tree.faults, l->chunk,
			      "methods whose numbers do not follow those before: left out");
		return 0;
	}
	while (bytes_left(&b)) {
		name = take_text(&b, &n);
		if (!name || l->methods == LOG_GEN_METHODS) {
			faults_report(&l->tree.faults,
				      l->chunk + sizeof(struct log_gen_chunk) + b.at,
				      "method %u has no name here: the rest of the chunk is left out",
				      l->methods);
			return 0;
		}
		if (array_next(l->method, l->methods, l->room_methods))
			return -ENOMEM;
		l->method[l->methods] = jprof_method(&l->tree.methods, name, n);
		if (l->method[l->methods++] == NO_KEY)
			return -ENOMEM;
	}
	return 0;
}

/* Sets *t to NULL for an invalid place. Returns 0 or -ENOMEM. */
static int thread_at(struct log_gen *l, uint64_t place, struct gen_thread **t)
{
	uint32_t had = l->threads;

	*t = NULL;
	/* Places are consecutive: one far beyond is invalid. */
	if (!place || place > PLACES || place > (uint64_t)had + 65536)
		return 0;
	if (array_reach(l->thread, l->threads, (uint32_t)place))
		return -ENOMEM;
	for (; had < l->threads; had++)
		l->thread[had].root = NO_KEY;
	*t = &l->thread[place];
	return 0;
}

static int read_thread(struct log_gen *l, struct bytes b)
{
	uint64_t place, tid;
	const char *name = NULL;
	struct gen_thread *t = NULL;
	size_t n = 0;

	if (take(&b, &place) && take(&b, &tid))
		name = take_text(&b, &n);
	if (name && tid <= INT32_MAX && thread_at(l, place, &t))
		return -ENOMEM;
	if (!t) {
		faults_report(&l->tree.faults, l->chunk, "no thread: left out");
		return 0;
	}
	t->tid = (uint32_t)tid;
	l->now = t;
	n = n < sizeof(l->name.text) - 4 ? n : sizeof(l->name.text) - 4;
	memset(&l->name, 0, sizeof(l->name));
	l->name.user = (struct pitrace_user){ .pid = l->tree.pid, .tid = t->tid, .strs = 1 };
	l->name.length = (uint32_t)n;
	memcpy(l->name.text, name, n);
	if (l->tree.faults.all)
		return 0;
	if (t->root == NO_KEY)
		return jprof_tree_thread(&l->tree, t->tid, name, n, &t->root);
	return jprof_tree_rename(&l->tree, t->root, name, n);
}

static void read_names(struct log_gen *l, struct bytes b)
{
	const char *name;
	size_t n;

	while (l->metrics < l->head.metrics && (name = take_text(&b, &n)))
		snprintf(l->metric[l->metrics++], sizeof(l->metric[0]), "%.*s", (int)n, name);
}

static int begin_events(struct log_gen *l, struct bytes b)
{
	uint64_t place, time = 0;
	struct gen_thread *t = NULL;
	int rc;

	if (take(&b, &place) && take(&b, &time) && thread_at(l, place, &t))
		return -ENOMEM;
	if (!t) {
		faults_report(&l->tree.faults, l->chunk, "events of no thread: left out");
		return 0;
	}
	if (t->root == NO_KEY) {
		rc = jprof_tree_thread(&l->tree, 0, "thread", 6, &t->root);
		if (rc)
			return rc;
	}
	l->now = t;
	l->left = b;
	l->before = 0;
	l->time = time > l->time && time <= INT64_MAX ? time : l->time;
	if (!l->first)
		l->first = l->time;
	return 0;
}

/* Reads the next chunk, as far as the file has it. Returns 1 with its kind in *kind; 0: no more;
 * -ENOMEM. */
static int next_chunk(struct log_gen *l, char *kind)
{
	struct bytes head;
	const uint8_t *p;
	uint32_t what, length;
	size_t have = 0;
	int rc = 0;

	*kind = 0;
	p = window_look(&l->w, l->at, sizeof(struct log_gen_chunk), &have);
	if (!p)
		return 0;
	l->chunk = l->at;
	head = bytes_of(p, have);
	head.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	what = bytes_u32(&head);
	length = bytes_u32(&head);
	if (head.bad) {
		faults_report(&l->tree.faults, l->at,
			      "incomplete: the log ends within a chunk's head: what is before it is read");
		l->at = l->w.size;
		return 0;
	}
	if (length > LOG_GEN_CHUNK || what > 'Z') {
		faults_report(&l->tree.faults, l->at,
			      "no chunk of a log-gen: what is before it is read");
		l->at = l->w.size;
		return 0;
	}
	p = window_look(&l->w, l->at, sizeof(struct log_gen_chunk) + length, &have);
	have -= sizeof(struct log_gen_chunk);
	if (have < length)
		faults_report(&l->tree.faults, l->w.size,
			      "incomplete: the log ends within a chunk: what is whole of it is read");
	else
		have = length;
	memcpy(l->copy, p + sizeof(struct log_gen_chunk), have);
	l->at += sizeof(struct log_gen_chunk) + have;
	*kind = (char)what;
	switch (what) {
	case 'N':
		if (!l->tree.faults.all)
			read_names(l, bytes_of(l->copy, have));
		break;
	case 'M':
		if (!l->tree.faults.all)
			rc = read_methods(l, bytes_of(l->copy, have));
		break;
	case 'T':
		rc = read_thread(l, bytes_of(l->copy, have));
		break;
	case 'E':
		rc = begin_events(l, bytes_of(l->copy, have));
		break;
	}
	return rc ? rc : 1;
}

/* Reads the next event of the chunk; false: no more. */
static bool next_event(struct log_gen *l, struct gen_event *e)
{
	size_t at = l->left.at;
	uint64_t first = 0, rest;
	int64_t method;

	if (!bytes_left(&l->left))
		return false;
	*e = (struct gen_event){ 0 };
	take(&l->left, &first);
	e->kind = first & 7;
	rest = first >> 3;
	if (e->kind == LOG_GEN_LOST) {
		e->lost = rest;
		if (!l->left.bad)
			return true;
	} else if (e->kind == LOG_GEN_ENTER) {
		e->type = rest & 7;
		rest >>= 3;
	} else if (e->kind == LOG_GEN_CALL) {
		e->kind = LOG_GEN_ENTER;
		e->type = FUNCTION;
	}
	for (uint32_t i = 0; i < l->head.metrics; i++) {
		take(&l->left, &e->value[i]);
		take(&l->left, &e->cost[i]);
	}
	method = (int64_t)l->before + (int64_t)(rest >> 1 ^ -(rest & 1));
	if (l->left.bad || e->kind > LOG_GEN_POPPED || method < 0 || method >= l->methods) {
		/* A truncated log is reported as such. */
		if (!l->left.bad || l->at < l->w.size)
			faults_report(&l->tree.faults, l->chunk + sizeof(struct log_gen_chunk) + at,
				      "no event: the rest of its chunk is left out");
		l->left = bytes_of(NULL, 0);
		return false;
	}
	e->method = l->before = (uint32_t)method;
	return true;
}

/* ---- call trees ------------------------------------------------------------------------------ */

static uint32_t top(const struct gen_thread *t)
{
	return t->depth ? t->frame[t->depth - 1].node : t->root;
}

static void add(uint64_t *sum, uint64_t value)
{
	*sum = *sum + value < *sum ? UINT64_MAX : *sum + value;
}

/* Returns the number of frames up to the method's innermost one; 0: not found. */
static uint32_t find(struct log_gen *l, const struct gen_thread *t, uint32_t method)
{
	uint32_t end = l->searched > SEARCHED && t->depth > INNERMOST ? t->depth - INNERMOST : 0;
	uint32_t i;

	for (i = t->depth; i > end && t->frame[i - 1].method != method; i--)
		;
	if (i > end)
		return i;
	l->searched += t->depth - end;
	return 0;
}

static int push(struct log_gen *l, struct gen_thread *t, const struct gen_event *e, uint32_t node)
{
	(void)l;
	if (array_next(t->frame, t->depth, t->room))
		return -ENOMEM;
	t->frame[t->depth++] = (struct gen_frame){ e->method, node, (uint8_t)e->type };
	return 0;
}

static int enter(struct log_gen *l, struct gen_thread *t, const struct gen_event *e)
{
	uint32_t parent = top(t), method = l->method[e->method], node;
	uint64_t hash = hash_mix((uint64_t)parent << 32 | method, 3);
	int rc;

	l->tree.methods.text[method].compiled |= e->type == FUNCTION;

	node = keys_find(&l->by_call, hash, l->tree.node, n,
			 n->parent == parent && n->method == method);
	if (node == NO_KEY) {
		rc = jprof_tree_node(&l->tree, parent, method, &node);
		if (!rc)
			rc = keys_add(&l->by_call, hash, node);
		if (rc)
			return rc;
	}
	l->tree.node[node].calls++;
	return push(l, t, e, node);
}

static int count_event(struct log_gen *l, const struct gen_event *e)
{
	struct gen_thread *t = l->now;
	uint64_t *columns = jprof_tree_columns(&l->tree, top(t));
	uint32_t at;

	l->lost += e->lost;
	if (e->kind == LOG_GEN_LOST)
		return 0;
	l->events++;
	for (uint32_t i = 0; i < l->head.metrics; i++) {
		add(&columns[2 * i], e->value[i]);
		add(&columns[2 * i + 1], e->cost[i]);
	}
	if (e->kind == LOG_GEN_ENTER)
		return enter(l, t, e);
	at = find(l, t, e->method);
	if (!at) {
		l->unentered++;
		return 0;
	}
	l->unleft += t->depth - at;
	t->depth = at - (e->kind != LOG_GEN_CAUGHT);
	return 0;
}

static void rewind_log(struct log_gen *l)
{
	l->at = sizeof(struct log_gen_head);
	l->left = bytes_of(NULL, 0);
	/* Names precede the first events. */
	l->time = l->first;
	l->searched = 0;
	l->pending = false;
	for (uint32_t i = 0; i < l->threads; i++) {
		l->thread[i].depth = l->thread[i].popping = 0;
		l->thread[i].value = l->thread[i].cost = 0;
	}
}

static int read_trees(struct log_gen *l)
{
	char kind;
	int rc;

	rewind_log(l);
	while ((rc = next_chunk(l, &kind)) > 0) {
		while (!rc || rc == 1) {
			if (!next_event(l, &l->event))
				break;
			rc = count_event(l, &l->event);
			if (rc)
				return rc;
		}
	}
	return rc;
}

static void emit_end(struct log_gen *l)
{
	struct fault_list *f = &l->tree.faults;

	if (l->head.state == LOG_GEN_FAILED)
		faults_report(f, l->w.size,
			      "incomplete: %s: the last %" PRIu64 " events are not in it; %" PRIu64
			      " are read",
			      strerror((int)(l->head.error & 0xffff)), l->head.unwritten,
			      l->events);
	else if (l->head.state != LOG_GEN_WHOLE && !f->count)
		faults_report(f, l->w.size,
			      "incomplete: the program ended before its log did; %" PRIu64
			      " events are read",
			      l->events);
	if (l->lost || l->head.lost)
		faults_report(f, l->w.size,
			      "incomplete: %" PRIu64
			      " events are missing: threads were faster than the file",
			      l->head.lost > l->lost ? l->head.lost : l->lost);
}

/* ---- the reader ------------------------------------------------------------------------------ */

static void log_gen_close(struct input *in)
{
	struct log_gen *l = in->state;

	window_close(&l->w);
	jprof_tree_free(&l->tree);
	for (uint32_t i = 0; i < l->threads; i++)
		free(l->thread[i].frame);
	free(l->thread);
	free(l->method);
	keys_free(&l->by_call);
	free(l->copy);
	free(l);
	in->state = NULL;
}

static int read_log(struct input *in, struct log_gen *l, struct pifile_fault *fault)
{
	int rc = jprof_tree_open(&l->tree, in, "log-gen");

	l->copy = malloc(LOG_GEN_CHUNK);
	if (!rc)
		rc = l->copy ? window_open(&l->w, in->path, WINDOW) : -ENOMEM;
	in->size = l->tree.file_size = l->w.size;
	if (!rc)
		rc = read_head(l, fault);
	if (rc)
		return rc;
	if (l->head.pid && l->head.pid < JPROF_NOBODY) {
		l->tree.pid = l->head.pid;
		in->header.pid = (int32_t)l->head.pid;
	}
	in->header.start_realtime = l->head.realtime <= INT64_MAX ? l->head.realtime : 0;
	l->tree.columns = 2 * l->head.metrics;
	rc = read_trees(l);
	if (rc)
		return rc;
	emit_end(l);
	for (uint32_t i = 0; i < l->head.metrics; i++)
		jprof_tree_metric(&l->tree, l->head.metrics > 1 ? i + 1 : 0, 2 * (int32_t)i,
				  2 * (int32_t)i + 1);
	for (uint32_t i = 0; i < l->metrics; i++)
		jprof_tree_unit(in, i + 1, l->metric[i], strlen(l->metric[i]));
	jprof_tree_calls(&l->tree);
	l->tree.began = l->first;
	l->tree.start = l->time;
	return jprof_tree_finish(&l->tree);
}

static int log_gen_open(struct input *in, struct pifile_fault *fault)
{
	struct log_gen *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return -ENOMEM;
	l->w.fd = -1;
	in->state = l;
	in->java_events = true;
	rc = read_log(in, l, fault);
	if (rc) {
		if (!fault->what[0]) {
			snprintf(fault->what, sizeof(fault->what), "%s", strerror(-rc));
			fault->offset = NO_OFFSET;
		}
		log_gen_close(in);
		return rc;
	}
	l->tree.faults.all = true;
	in->complete = !l->tree.faults.count;
	return 0;
}

/* ---- a pass ---------------------------------------------------------------------------------- */

static int log_gen_begin(struct input *in, unsigned int what)
{
	struct log_gen *l = in->state;

	jprof_tree_begin(&l->tree, what);
	rewind_log(l);
	l->what = what;
	return 0;
}

static int give_name(struct log_gen *l, struct pirecord *r)
{
	*r = (struct pirecord){
		.time = l->time,
		.stamp = l->time,
		.ring = PITRACE_RING_MTE,
		.major = PITRACE_MTE,
		.minor = PITRACE_MTE_JAVA_THREAD,
		.type = PITRACE_TYPE_MIXED,
		.data = &l->name,
		.size = (uint32_t)((offsetof(typeof(l->name), text) + l->name.length + 3) & ~3ul),
	};
	return 1;
}

static int give_call(struct log_gen *l, enum call_kind kind, const struct gen_frame *f,
		     struct pirecord *r)
{
	static const char letters[] = "IiJjNnCOF";
	struct gen_thread *t = l->now;
	uint32_t method = l->method[f->method];

	l->call.call = (struct call_record){
		.pid = l->tree.pid,
		.tid = t->tid,
		.function = method + 1,
		.arguments = 3,
		.address = jprof_address(&l->tree.methods, method),
	};
	l->call.argument[0] = t->value;
	l->call.argument[1] = t->cost;
	l->call.argument[2] = (uint8_t)letters[f->type <= FUNCTION ? f->type : OTHER];
	t->value = t->cost = 0;
	*r = (struct pirecord){
		.time = l->time,
		.stamp = l->time,
		.offset = l->chunk,
		.ring = PITRACE_RING_TRACE,
		.major = CALL_RECORD,
		.minor = kind,
		.type = PITRACE_TYPE_STRUCT,
		.data = &l->call,
		.size = sizeof(l->call),
	};
	return 1;
}

static enum call_kind end_of(enum log_gen_event kind)
{
	return kind == LOG_GEN_LEAVE  ? CALL_EXIT :
	       kind == LOG_GEN_POPPED ? CALL_POPPED :
					CALL_UNWIND;
}

/* Returns the records of an event one after the other: first the frames that an exception ended. 0:
 * no more. */
static int give_event(struct log_gen *l, struct pirecord *r)
{
	const struct gen_event *e = &l->event;
	struct gen_thread *t = l->now;
	uint32_t at;

	l->pending = false;
	if (e->kind == LOG_GEN_LOST)
		return 0;
	if (e->kind == LOG_GEN_ENTER) {
		if (push(l, t, e, 0))
			return -ENOMEM;
		return give_call(l, CALL_ENTRY_ARGUMENTS, &t->frame[t->depth - 1], r);
	}
	at = find(l, t, e->method);
	if (!at) {
		struct gen_frame unknown = { .method = e->method, .type = OTHER };

		return e->kind == LOG_GEN_CAUGHT ? 0 : give_call(l, end_of(e->kind), &unknown, r);
	}
	if (t->depth > at) {
		l->pending = true;
		return give_call(l, CALL_UNWIND, &t->frame[--t->depth], r);
	}
	if (e->kind == LOG_GEN_CAUGHT)
		return 0;
	return give_call(l, end_of(e->kind), &t->frame[--t->depth], r);
}

/* Returns the next record of an event or name; 0: the log has no more. */
static int next_call(struct log_gen *l, struct pirecord *r)
{
	char kind;
	int rc;

	for (;;) {
		if (l->pending) {
			rc = give_event(l, r);
			if (rc)
				return rc;
			continue;
		}
		if (next_event(l, &l->event)) {
			l->now->value += l->event.value[0];
			l->now->cost += l->event.cost[0];
			l->pending = true;
			continue;
		}
		rc = next_chunk(l, &kind);
		if (rc <= 0)
			return rc;
		if (kind == 'T' && l->name.length && l->what & PIMERGE_MTE)
			return give_name(l, r);
		if (!(l->what & PIMERGE_TRACE))
			l->left = bytes_of(NULL, 0);
	}
}

static int log_gen_next(struct input *in, struct pirecord *r)
{
	struct log_gen *l = in->state;
	int rc = jprof_tree_first(&l->tree, r);

	if (!rc)
		rc = next_call(l, r);
	return rc ? rc : jprof_tree_next(&l->tree, r);
}

static void log_gen_progress(const struct input *in, uint64_t *done, uint64_t *total)
{
	const struct log_gen *l = in->state;

	*done = l->at;
	*total = l->w.size;
}

static bool log_gen_place(const struct input *in, uint32_t origin, uint32_t number,
			  struct stack_place *place)
{
	const struct log_gen *l = in->state;

	(void)origin;
	return jprof_tree_place(&l->tree, number, place);
}

static int log_gen_section(struct input *in, size_t i, struct input_section *section)
{
	const struct log_gen *l = in->state;

	return jprof_tree_section(&l->tree, i, section);
}

static int log_gen_info(struct input *in, input_say say, void *arg)
{
	const struct log_gen *l = in->state;
	char line[320];

	for (uint32_t i = 0; i < l->metrics; i++) {
		snprintf(line, sizeof(line), "metric %u : %s", i + 1, l->metric[i]);
		say(arg, line);
	}
	snprintf(line, sizeof(line), "events : %" PRIu64, l->events);
	say(arg, line);
	snprintf(line, sizeof(line), "events lost : %" PRIu64,
		 l->head.lost > l->lost ? l->head.lost : l->lost);
	say(arg, line);
	snprintf(line, sizeof(line), "exits of methods that were not entered : %" PRIu64,
		 l->unentered);
	say(arg, line);
	snprintf(line, sizeof(line), "left by an exception that was not recorded : %" PRIu64,
		 l->unleft);
	say(arg, line);
	return 0;
}

static size_t log_gen_faults(const struct input *in, const struct pifile_fault **list)
{
	const struct log_gen *l = in->state;

	*list = l->tree.faults.list;
	return l->tree.faults.count;
}

const struct reader reader_log_gen = {
	.name = "log-gen",
	.what = "entries and exits: libjprof, libhookit with CALLTRACE",
	.probe = log_gen_probe,
	.open = log_gen_open,
	.begin = log_gen_begin,
	.next = log_gen_next,
	.progress = log_gen_progress,
	.section = log_gen_section,
	.place = log_gen_place,
	.monotonic = jprof_tree_monotonic,
	.realtime = jprof_tree_realtime,
	.info = log_gen_info,
	.faults = log_gen_faults,
	.close = log_gen_close,
};
