/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/jprof/jprof_tree.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTSIDE "(no method)" /* time of a thread outside of measured methods */

uint32_t jprof_pid(const struct input *in)
{
	const char *name = in->name ? in->name : in->path, *last = strrchr(name, '_');
	unsigned long pid = 0;
	char *end = NULL;

	if (last && isdigit((unsigned char)last[1]))
		pid = strtoul(last + 1, &end, 10);
	return end && !*end && pid && pid < JPROF_NOBODY ? (uint32_t)pid : JPROF_NOBODY;
}

int jprof_tree_open(struct jprof_tree *t, struct input *in, const char *collector)
{
	*t = (struct jprof_tree){ .pid = jprof_pid(in) };
	t->methods.descriptors = in->descriptors;
	in->values = true;
	in->header = (struct pifile_header){
		.clock = PITRACE_CLOCK_MONOTONIC,
		.clock_hz = 1000000000,
		.scope = PITRACE_SCOPE_PROCESS,
		.pid = (int32_t)t->pid,
	};
	snprintf(in->header.collector, sizeof(in->header.collector), "%s", collector);
	t->outside = jprof_method(&t->methods, OUTSIDE, sizeof(OUTSIDE) - 1);
	return t->outside != NO_KEY ? 0 : -ENOMEM;
}

void jprof_tree_free(struct jprof_tree *t)
{
	free(t->node);
	free(t->column);
	free(t->thread);
	free(t->names);
	free(t->faults.list);
	blob_free(&t->symbols);
	jprof_methods_free(&t->methods);
}

/* ---- nodes and values ------------------------------------------------------------------------ */

static int add_node(struct jprof_tree *t, const struct jprof_node *new, uint32_t *node)
{
	uint64_t *columns;

	if (t->nodes == UINT32_MAX - 1 || array_next(t->node, t->nodes, t->room_nodes) ||
	    array_room(t->column, t->room_column, ((size_t)t->nodes + 1) * t->columns))
		return -ENOMEM;
	columns = jprof_tree_columns(t, t->nodes);
	if (t->columns)
		memset(columns, 0, t->columns * sizeof(*columns));
	t->node[t->nodes] = *new;
	*node = t->nodes++;
	return 0;
}

static int set_name(struct jprof_tree *t, struct jprof_thread *thread, const char *name,
		    size_t length)
{
	size_t i, most = sizeof(t->user.text) - 4;

	length = length < most ? length : most;
	if (array_room(t->names, t->room_names, t->used_names + length + 1))
		return -ENOMEM;
	for (i = 0; i < length; i++)
		t->names[t->used_names + i] = name[i] ? name[i] : '?';
	thread->name = t->used_names;
	thread->length = (uint32_t)length;
	t->used_names += length;
	return 0;
}

int jprof_tree_thread(struct jprof_tree *t, uint32_t tid, const char *name, size_t length,
		      uint32_t *node)
{
	struct jprof_node new = {
		.parent = NO_KEY,
		.method = t->outside,
		.thread = t->threads,
	};

	if (array_next(t->thread, t->threads, t->room_threads))
		return -ENOMEM;
	t->thread[t->threads] = (struct jprof_thread){ .tid = tid };
	if (set_name(t, &t->thread[t->threads], name, length))
		return -ENOMEM;
	t->threads++;
	return add_node(t, &new, node);
}

int jprof_tree_rename(struct jprof_tree *t, uint32_t node, const char *name, size_t length)
{
	return set_name(t, &t->thread[t->node[node].thread], name, length);
}

int jprof_tree_node(struct jprof_tree *t, uint32_t parent, uint32_t method, uint32_t *node)
{
	struct jprof_node new = {
		.parent = parent,
		.method = method,
		.depth = t->node[parent].depth + 1,
		.thread = t->node[parent].thread,
	};

	return add_node(t, &new, node);
}

void jprof_tree_value(struct jprof_tree *t, const char *name, int32_t column, int32_t plus)
{
	struct jprof_value *v = &t->value[t->values++];

	snprintf(v->name, sizeof(v->name), "%s", name);
	v->column = column;
	v->plus = plus;
}

void jprof_tree_metric(struct jprof_tree *t, unsigned int number, int32_t base, int32_t delta)
{
	static const char *const words[] = { "base", "raw", "delta" };
	char name[32], digits[16] = "";

	if (number)
		snprintf(digits, sizeof(digits), "%u", number);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s%s", words[i], digits);
		jprof_tree_value(t, name, i < 2 ? base : delta, i == 1 ? delta : -1);
	}
}

void jprof_tree_unit(struct input *in, uint32_t number, const char *text, size_t length)
{
	static const char *const ends[] = { " (", ", ", " by ", " of " };
	size_t i, k;

	if (!number || number > INPUT_UNITS)
		return;
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		const char *end = memmem(text, length, ends[i], strlen(ends[i]));

		length = end ? (size_t)(end - text) : length;
	}
	for (k = 0; k < length && k + 1 < sizeof(in->unit[0]) && text[k]; k++)
		in->unit[number - 1][k] = text[k];
	in->unit[number - 1][k] = '\0';
}

void jprof_tree_calls(struct jprof_tree *t)
{
	jprof_tree_value(t, "calls", -1, -1);
}

static uint64_t value_of(const struct jprof_tree *t, uint32_t node, const struct jprof_value *v)
{
	const uint64_t *columns = jprof_tree_columns(t, node);
	uint64_t value;

	if (v->column < 0)
		return t->node[node].calls;
	value = columns[v->column];
	return v->plus < 0 ? value : value + columns[v->plus];
}

/* Threads with the same number each have their name at their time. */
static void set_times(struct jprof_tree *t)
{
	uint64_t time = t->start;

	for (uint32_t i = 0; i < t->nodes; i++) {
		if (!t->node[i].depth)
			t->thread[t->node[i].thread].begins = ++time;
		if (t->values)
			time += value_of(t, i, &t->value[0]);
	}
}

/* Totals must be numbers that reports can add up. */
static void add_up(struct jprof_tree *t)
{
	uint32_t i, k;

	for (i = 0; i < t->nodes; i++) {
		for (k = 0; k < t->values; k++) {
			uint64_t value = value_of(t, i, &t->value[k]);

			if (value <= INT64_MAX && value <= INT64_MAX - t->total[k]) {
				t->total[k] += value;
				continue;
			}
			faults_report(&t->faults, t->file_size,
				      "%s of all lines is more than can be counted: left out",
				      t->value[k].name);
			t->value[k] = t->value[--t->values];
			memset(t->total, 0, sizeof(t->total));
			i = UINT32_MAX; /* start again */
			break;
		}
	}
}

/* Marks the modules that have calls. Threads' own time is of the first of them. */
static void mark_modules(struct jprof_tree *t)
{
	for (uint32_t i = 0; i < t->nodes; i++)
		if (t->node[i].depth)
			t->called[t->methods.text[t->node[i].method].compiled] = true;
	t->called[0] |= !t->called[1];
	t->methods.text[t->outside].compiled = !t->called[0];
}

int jprof_tree_finish(struct jprof_tree *t)
{
	mark_modules(t);
	add_up(t);
	set_times(t);
	t->interval = (struct pitrace_interval){ .interval = 1 };
	return jprof_symbols(&t->methods, &t->symbols);
}

/* ---- a pass ---------------------------------------------------------------------------------- */

void jprof_tree_begin(struct jprof_tree *t, unsigned int what)
{
	t->what = what;
	t->given = 0;
	t->at = t->next_value = 0;
	t->named = t->step = 0;
	t->time = t->start;
}

static int fill(struct pirecord *r, uint32_t ring, uint16_t major, uint32_t minor, const void *data,
		size_t size)
{
	*r = (struct pirecord){
		.ring = ring,
		.major = major,
		.minor = minor,
		.type = PITRACE_TYPE_STRUCT,
		.data = data,
		.size = (uint32_t)size,
	};
	return 1;
}

static int give_task(struct jprof_tree *t, uint32_t minor, uint32_t tid, const char *name,
		     size_t length, struct pirecord *r)
{
	size_t most = sizeof(t->task.comm) - 1;

	t->task = (struct pitrace_mte_task){ .pid = t->pid, .tid = tid };
	memcpy(t->task.comm, name, length < most ? length : most);
	return fill(r, PITRACE_RING_MTE, PITRACE_MTE, minor, &t->task, sizeof(t->task));
}

static int give_map(struct jprof_tree *t, unsigned int module, struct pirecord *r)
{
	struct pitrace_mte_map *map = &t->map.map;
	const char *name = jprof_module(module);

	memset(&t->map, 0, sizeof(t->map));
	*map = (struct pitrace_mte_map){
		.pid = t->pid,
		.flags = PITRACE_MAP_READ | PITRACE_MAP_EXEC,
		.start = jprof_base(module),
		.length = jprof_size(&t->methods),
		.path_len = (uint32_t)strlen(name),
	};
	memcpy(map->path, name, strlen(name) + 1);
	return fill(r, PITRACE_RING_MTE, PITRACE_MTE, PITRACE_MTE_MODULE, &t->map,
		    (sizeof(*map) + map->path_len + 4) & ~3ul);
}

/* Returns a thread's full name: the kernel's has only 15 bytes. */
static int give_name(struct jprof_tree *t, const struct jprof_thread *thread, struct pirecord *r)
{
	size_t size = (offsetof(typeof(t->user), text) + thread->length + 3) & ~3ul;

	memset(&t->user, 0, sizeof(t->user));
	t->user.user = (struct pitrace_user){ .pid = t->pid, .tid = thread->tid, .strs = 1 };
	t->user.length = thread->length;
	memcpy(t->user.text, t->names + thread->name, thread->length);
	fill(r, PITRACE_RING_MTE, PITRACE_MTE, PITRACE_MTE_JAVA_THREAD, &t->user, size);
	r->type = PITRACE_TYPE_MIXED;
	return 1;
}

/* Returns the next record that names the thread; 0: both were returned. */
static int give_thread(struct jprof_tree *t, struct pirecord *r)
{
	const struct jprof_thread *thread = &t->thread[t->named];

	if (t->step == 2) {
		t->step = 0;
		t->named++;
		return 0;
	}
	if (t->step++)
		give_name(t, thread, r);
	else
		give_task(t, PITRACE_MTE_THREAD, thread->tid, t->names + thread->name,
			  thread->length, r);
	r->time = r->stamp = thread->begins;
	return 1;
}

static int give_event(struct jprof_tree *t, uint64_t i, struct pirecord *r)
{
	if (!i)
		return fill(r, PITRACE_RING_TRACE, PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL,
			    &t->interval, sizeof(t->interval));
	t->event = (struct pitrace_event_rec){ .event = (uint32_t)i - 1, .period = 1 };
	memcpy(t->event.name, t->value[i - 1].name, sizeof(t->event.name));
	return fill(r, PITRACE_RING_TRACE, PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT, &t->event,
		    sizeof(t->event));
}

/* The process and its modules. */
#define MTE_FIRST (1 + JPROF_MODULES)

static int give_first(struct jprof_tree *t, struct pirecord *r)
{
	const char *name = jprof_module(t->methods.text[t->outside].compiled);
	uint32_t i;

	if (!(t->what & PIMERGE_MTE) && t->given < MTE_FIRST)
		t->given = MTE_FIRST;
	i = t->given++;
	if (!i)
		return give_task(t, PITRACE_MTE_PROCESS, t->pid, name, strlen(name), r);
	for (; i < MTE_FIRST; i = t->given++)
		if (t->called[i - 1])
			return give_map(t, i - 1, r);
	i -= MTE_FIRST;
	return i <= t->values && t->what & PIMERGE_TRACE ? give_event(t, i, r) : 0;
}

int jprof_tree_first(struct jprof_tree *t, struct pirecord *r)
{
	int rc = give_first(t, r);

	if (rc)
		r->time = r->stamp = t->began;
	return rc;
}

bool jprof_tree_place(const struct jprof_tree *t, uint32_t node, struct stack_place *place)
{
	const struct jprof_node *n = node < t->nodes ? &t->node[node] : NULL;

	if (!n)
		return false;
	/* A thread is not a call, unless it has no others. */
	place->address = jprof_address(&t->methods, n->method);
	place->caller = n->depth > 1 ? n->parent : NO_KEY;
	return true;
}

/* Returns the next value that is not 0 of the current node; 0: no more. */
static uint64_t next_value(struct jprof_tree *t)
{
	uint64_t value = 0;

	while (!value && t->next_value < t->values)
		value = value_of(t, t->at, &t->value[t->next_value++]);
	return value;
}

static int give_sample(struct jprof_tree *t, uint64_t value, struct pirecord *r)
{
	const struct jprof_node *n = &t->node[t->at];
	struct jprof_sample *s = &t->sample;

	*s = (struct jprof_sample){
		.sample = {
			.pid = t->pid,
			.tid = t->thread[n->thread].tid,
			.address = jprof_address(&t->methods, n->method),
			.period = 1,
		},
		.stack = { .user = 1, .regs = 1, .flags = STACK_PLACE },
		.address = jprof_address(&t->methods, n->method),
		.place = t->at,
	};
	fill(r, PITRACE_RING_TRACE, PITRACE_TPROF,
	     PITRACE_TPROF_USER | PITRACE_TPROF_STACK | t->next_value << PITRACE_TPROF_EVENT_SHIFT,
	     s, sizeof(*s));
	r->time = r->stamp = t->time;
	r->repeats = value - 1;
	return 1;
}

int jprof_tree_next(struct jprof_tree *t, struct pirecord *r)
{
	uint64_t value;

	if (!(t->what & PIMERGE_TRACE)) {
		while (t->named < t->threads) {
			if (give_thread(t, r))
				return 1;
		}
		return 0;
	}
	for (; t->at < t->nodes; t->at++, t->next_value = 0) {
		uint32_t thread = t->node[t->at].thread;

		if (t->named == thread && t->what & PIMERGE_MTE && give_thread(t, r))
			return 1;
		if (!t->node[t->at].depth && !t->next_value)
			t->time = t->thread[thread].begins;
		value = next_value(t);
		if (value)
			return give_sample(t, value, r);
		t->time += t->values ? value_of(t, t->at, &t->value[0]) : 0;
	}
	return 0;
}

int jprof_tree_section(const struct jprof_tree *t, size_t i, struct input_section *section)
{
	if (i)
		return 0;
	*section = (struct input_section){ .type = INPUT_SEC_SYMBOLS };
	input_section_is(section, t->symbols.data, t->symbols.size);
	return 1;
}

uint64_t jprof_tree_monotonic(struct input *in, uint64_t stamp)
{
	(void)in;
	return stamp;
}

uint64_t jprof_tree_realtime(struct input *in, uint64_t stamp)
{
	(void)in, (void)stamp;
	return 0;
}
