/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds counts to the rows that they belong to. */
#include "top_model.h"

#include <errno.h>
#include <string.h>

void top_model_init(struct top_model *m)
{
	memset(m, 0, sizeof(*m));
	top_table_init(&m->function, TOP_FUNCTIONS);
	top_table_init(&m->thread, TOP_TASKS);
	top_table_init(&m->process, TOP_TASKS);
	top_table_init(&m->cgroup, TOP_TASKS);
	top_table_init(&m->call, TOP_CALLS);
}

void top_model_free(struct top_model *m)
{
	top_table_free(&m->function);
	top_table_free(&m->thread);
	top_table_free(&m->process);
	top_table_free(&m->cgroup);
	top_table_free(&m->call);
}

int top_model_copy(struct top_model *to, const struct top_model *from)
{
	*to = *from;
	if (!top_table_copy(&to->function, &from->function)) {
		if (!top_table_copy(&to->thread, &from->thread)) {
			if (!top_table_copy(&to->process, &from->process)) {
				if (!top_table_copy(&to->cgroup, &from->cgroup)) {
					if (!top_table_copy(&to->call, &from->call))
						return 0;
					top_table_free(&to->cgroup);
				}
				top_table_free(&to->process);
			}
			top_table_free(&to->thread);
		}
		top_table_free(&to->function);
	}
	top_model_init(to);
	return -ENOMEM;
}

/* ---- intervals ------------------------------------------------------------------------------- */

void top_model_begin(struct top_model *m, uint64_t time, const struct top_part *part, bool reset)
{
	struct top_period begun = { .from = time, .to = time, .part = *part, .whole = true };

	top_table_begin(&m->function, reset);
	top_table_begin(&m->thread, reset);
	top_table_begin(&m->process, reset);
	top_table_begin(&m->cgroup, reset);
	top_table_begin(&m->call, reset);
	m->period[TOP_INTERVAL] = begun;
	if (reset)
		m->period[TOP_SUM] = begun;
	if (reset)
		m->no_memory = false;
	m->intervals++;
}

static void add_off(struct top_model *m, uint32_t thread, uint64_t time)
{
	struct top_row *r = &m->thread.row[thread];
	struct top_count c = { .off = time > r->off_since ? time - r->off_since : 0 };

	if (r->off_since)
		top_model_add(m, thread, &c);
}

void top_model_end(struct top_model *m, uint64_t time, const struct top_part *part)
{
	for (uint32_t i = 0; i < m->thread.n; i++) {
		if (!m->thread.row[i].off_since || m->thread.row[i].off_since >= time)
			continue;
		add_off(m, i, time);
		m->thread.row[i].off_since = time;
	}
	for (int s = 0; s < TOP_SPANS; s++) {
		struct top_period *p = &m->period[s];

		p->to = time;
		/* The file was rotated meanwhile: the period keeps only its part of the new one. */
		if (p->part.file != part->file) {
			p->whole = false;
			p->part.file = part->file;
			p->part.first = 0;
		}
		p->part.end = part->end;
	}
}

/* ---- rows ------------------------------------------------------------------------------------ */

uint32_t top_model_function(struct top_model *m, const char *name, const char *module)
{
	uint64_t key = top_hash(name), second = top_hash(module);
	uint32_t at = top_table_get(&m->function, key, second);

	if (at != NO_KEY && (top_name_set(&m->function.row[at].name, name) ||
			     top_name_set(&m->function.row[at].of, module)))
		at = NO_KEY;
	m->no_memory |= at == NO_KEY;
	return at;
}

uint32_t top_model_thread(struct top_model *m, uint32_t pid, uint32_t tid, bool *fresh)
{
	uint32_t at = top_table_get(&m->thread, tid, pid);

	*fresh = false;
	m->no_memory |= at == NO_KEY;
	if (at == NO_KEY)
		return at;
	*fresh = m->thread.row[at].marked != m->intervals;
	m->thread.row[at].marked = m->intervals;
	m->thread.row[at].pid = pid;
	m->thread.row[at].tid = tid;
	return at;
}

static struct top_row *process_of(struct top_model *m, uint32_t thread)
{
	uint32_t at = top_table_get(&m->process, m->thread.row[thread].pid, 0);

	m->no_memory |= at == NO_KEY;
	if (at == NO_KEY)
		return NULL;
	m->process.row[at].pid = m->thread.row[thread].pid;
	return &m->process.row[at];
}

bool top_model_wants_cgroup(struct top_model *m, uint32_t thread)
{
	const struct top_row *p = process_of(m, thread);

	return p && !p->group;
}

void top_model_name(struct top_model *m, uint32_t thread, const char *name, const char *process,
		    const char *cgroup)
{
	struct top_row *t = &m->thread.row[thread], *p = process_of(m, thread);

	if (top_name_set(&t->name, name) || top_name_set(&t->of, process))
		m->no_memory = true;
	if (!p)
		return;
	if (top_name_set(&p->name, process))
		m->no_memory = true;
	if (!cgroup)
		return;
	p->group = top_hash(cgroup) | 1;
	if (top_name_set(&p->of, cgroup))
		m->no_memory = true;
}

void top_model_add(struct top_model *m, uint32_t thread, const struct top_count *c)
{
	struct top_row *p = process_of(m, thread);
	uint32_t group;

	top_table_add(&m->thread, thread, c);
	if (!p)
		return;
	top_table_add(&m->process, (uint32_t)(p - m->process.row), c);
	group = top_table_get(&m->cgroup, p->group, 0);
	if (group == NO_KEY ||
	    top_name_set(&m->cgroup.row[group].name, p->of ? p->of : "unknown")) {
		m->no_memory = true;
		return;
	}
	top_table_add(&m->cgroup, group, c);
}

/* ---- what happened --------------------------------------------------------------------------- */

static void add_calls(struct top_model *m, const uint32_t *functions, uint32_t n)
{
	static const struct top_count once = { .under = 1 };

	/* A function or a call that is on a stack several times (recursion) counts once. */
	for (uint32_t i = 0; i < n; i++) {
		struct top_row *f = &m->function.row[functions[i]], *caller, *call;
		uint32_t at;

		if (f->marked != m->samples) {
			f->marked = m->samples;
			top_table_add(&m->function, functions[i], &once);
		}
		if (i + 1 == n)
			break;
		caller = &m->function.row[functions[i + 1]];
		at = top_table_get(&m->call, hash_mix(f->key, f->second),
				   hash_mix(caller->key, caller->second));
		if (at == NO_KEY) {
			m->no_memory = true;
			continue;
		}
		call = &m->call.row[at];
		if (call->marked == m->samples)
			continue;
		call->marked = m->samples;
		if (!call->name && (top_name_set(&call->name, caller->name) ||
				    top_name_set(&call->of, caller->of)))
			m->no_memory = true;
		top_table_add(&m->call, at, &once);
	}
}

void top_model_tick(struct top_model *m, uint32_t thread, const uint32_t *functions, uint32_t n)
{
	static const struct top_count tick = { .ticks = 1 };

	m->samples++;
	for (int s = 0; s < TOP_SPANS; s++)
		m->period[s].ticks++;
	if (thread != NO_KEY)
		top_model_add(m, thread, &tick);
	if (!n)
		return;
	top_table_add(&m->function, functions[0], &tick);
	add_calls(m, functions, n);
}

void top_model_idle(struct top_model *m, uint64_t ticks)
{
	for (int s = 0; s < TOP_SPANS; s++)
		m->period[s].idle += ticks;
}

void top_model_lost(struct top_model *m, uint64_t records)
{
	for (int s = 0; s < TOP_SPANS; s++)
		m->period[s].lost += records;
}

void top_model_skip(struct top_model *m, uint64_t records)
{
	top_model_lost(m, records);
	for (uint32_t i = 0; i < m->thread.n; i++)
		m->thread.row[i].off_since = 0;
}

void top_model_leave(struct top_model *m, uint32_t thread, uint64_t time, bool gone)
{
	m->thread.row[thread].off_since = gone ? 0 : time;
}

void top_model_come(struct top_model *m, uint32_t thread, uint64_t time)
{
	add_off(m, thread, time);
	m->thread.row[thread].off_since = 0;
}
