/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes details (record/detail.h) in perf's form. Details of a sample precede it and are kept
 * until then. When several traces are read as one, control groups, namespaces, formats and kernel
 * code have no common meaning, so they are omitted.
 */
#include "export/perf/perf_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/detail.h"

struct kept { /* a record */
	void *data;
	size_t room;
	bool is;
};

struct perf_write_details {
	struct kept kept[DETAIL_CGROUP_OF + 1];
	uint64_t time;
	uint32_t cpu, origin;
};

#define ACCESS                                                                    \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT |      \
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

uint64_t perf_write_details_type(const struct perf_writing *w, uint32_t event)
{
	const struct event *e = &w->job->trace->events.kind[w->kind[event]];
	uint64_t has = e->detailed ? e->how.sample_type : 0;
	uint64_t can = ACCESS | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
		       PERF_SAMPLE_REGS_INTR;

	if (!w->job->input->origins)
		can |= PERF_SAMPLE_CGROUP;
	if (w->formats.size || (e->how.type != PERF_TYPE_TRACEPOINT && !w->job->input->origins))
		can |= PERF_SAMPLE_RAW;
	return has & can;
}

int perf_write_details_begin(struct perf_writing *w)
{
	struct input *in = w->job->input;
	struct input_section s;

	w->details = calloc(1, sizeof(*w->details));
	if (!w->details)
		return -ENOMEM;
	for (size_t i = 0; !in->origins && in->reader->section(in, i, &s) > 0; i++) {
		struct blob *to = s.type == INPUT_SEC_TRACEPOINTS ? &w->formats :
				  s.type == INPUT_SEC_KERNEL_IDS  ? &w->kernel_ids :
								    NULL;

		if (!to || !s.size || to->data)
			continue;
		*to = blob_copy(s.data, s.size);
		if (!to->data)
			return -ENOMEM;
	}
	return 0;
}

void perf_write_details_end(struct perf_writing *w)
{
	for (size_t i = 0; w->details && i <= DETAIL_CGROUP_OF; i++)
		free(w->details->kept[i].data);
	free(w->details);
	blob_free(&w->formats);
	blob_free(&w->kernel_ids);
}

/* ---- records --------------------------------------------------------------------------------- */

static int keep(struct perf_writing *w, const struct pirecord *r)
{
	struct perf_write_details *d = w->details;
	struct kept *k = &d->kept[r->minor & DETAIL_KIND];

	if (r->size > k->room) {
		free(k->data);
		k->data = malloc(r->size);
		k->room = k->data ? r->size : 0;
		k->is = false;
		if (!k->data)
			return -ENOMEM;
	}
	memcpy(k->data, r->data, r->size);
	k->is = true;
	d->time = r->time;
	d->cpu = r->cpu;
	d->origin = r->origin;
	return 0;
}

static void put_cgroup(struct perf_writing *w, const struct pirecord *r)
{
	const struct detail_cgroup *c = r->data;

	perf_write_begin(w, PERF_RECORD_CGROUP, 0);
	perf_write_u64(&w->o, c->id);
	perf_write_text(&w->o, c->path, 8);
	perf_write_sample_id(w, r, c->pid, c->tid);
	perf_write_end(w);
}

static void put_namespaces(struct perf_writing *w, const struct pirecord *r)
{
	const struct detail_namespaces *n = r->data;

	perf_write_begin(w, PERF_RECORD_NAMESPACES, 0);
	perf_write_u32(&w->o, n->pid);
	perf_write_u32(&w->o, n->tid);
	perf_write_u64(&w->o, n->count);
	perf_write_bytes(&w->o, n->space, n->count * sizeof(n->space[0]));
	perf_write_sample_id(w, r, n->pid, n->tid);
	perf_write_end(w);
}

static void put_poke(struct perf_writing *w, const struct pirecord *r)
{
	const struct detail_poke *p = r->data;
	size_t n = (size_t)p->before + p->after;

	perf_write_begin(w, PERF_RECORD_TEXT_POKE, 0);
	perf_write_u64(&w->o, p->address);
	perf_write_u16(&w->o, p->before);
	perf_write_u16(&w->o, p->after);
	perf_write_bytes(&w->o, p->code, n);
	perf_write_grow(&w->o, -(n + 4) & 7);
	perf_write_sample_id(w, r, 0, 0);
	perf_write_end(w);
}

/* Adds the build id of a mapping to the common table. "[kernel.kallsyms]_text" is a mapping of
 * "[kernel.kallsyms]". */
static int keep_kernel_id(struct perf_writing *w, const struct detail_kernel_map *m)
{
	struct blob *table = &w->kernel_ids;
	const char *end = m->path[0] == '[' ? strchr(m->path, ']') : NULL;
	size_t n = end ? (size_t)(end + 1 - m->path) : strlen(m->path), room = table->size;
	char *name = strndup(m->path, n);
	uint8_t *entries = table->data;

	if (!name)
		return -ENOMEM;
	if (m->id_length && !(table->size && memmem(table->data, table->size, name, n + 1))) {
		if (array_room(entries, room, table->size + PERF_BUILD_ID_ENTRY(n + 1))) {
			free(name);
			return -ENOMEM;
		}
		*table = blob_of(entries, table->size);
		table->size += perf_build_id_entry(entries + table->size, PERF_RECORD_MISC_KERNEL,
						   -1, m->id, m->id_length, name);
	}
	free(name);
	return 0;
}

static int put_kernel_map(struct perf_writing *w, const struct pirecord *r)
{
	const struct detail_kernel_map *m = r->data;

	perf_write_begin(w, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	perf_write_u32(&w->o, UINT32_MAX);
	perf_write_u32(&w->o, 0);
	perf_write_u64(&w->o, m->start);
	perf_write_u64(&w->o, m->length);
	perf_write_u64(&w->o, m->offset);
	perf_write_text(&w->o, m->path, 8);
	perf_write_sample_id(w, r, UINT32_MAX, 0);
	perf_write_end(w);
	return keep_kernel_id(w, m);
}

void perf_write_ksymbol(struct perf_writing *w, const struct pirecord *r,
			const struct detail_ksymbol *k)
{
	perf_write_begin(w, PERF_RECORD_KSYMBOL, 0);
	perf_write_u64(&w->o, k->start);
	perf_write_u32(&w->o, k->length);
	perf_write_u16(&w->o, k->type);
	perf_write_u16(&w->o, k->flags);
	perf_write_text(&w->o, k->name, 8);
	perf_write_sample_id(w, r, 0, 0);
	perf_write_end(w);
}

int perf_write_detail(struct perf_writing *w, const struct pirecord *r)
{
	if (!detail_whole(r))
		return 0;
	switch (r->minor & DETAIL_KIND) {
	case DETAIL_BRANCHES:
	case DETAIL_RAW:
	case DETAIL_ACCESS:
	case DETAIL_REGS_USER:
	case DETAIL_REGS_INTR:
	case DETAIL_CGROUP_OF:
		return keep(w, r);
	}
	if (w->job->input->origins)
		return 0;
	switch (r->minor & DETAIL_KIND) {
	case DETAIL_CGROUP:
		put_cgroup(w, r);
		break;
	case DETAIL_NAMESPACES:
		put_namespaces(w, r);
		break;
	case DETAIL_POKE:
		put_poke(w, r);
		break;
	case DETAIL_KERNEL_MAP:
		return put_kernel_map(w, r);
	case DETAIL_KSYMBOL:
		perf_write_ksymbol(w, r, r->data);
		break;
	}
	return 0;
}

/* ---- fields of samples ----------------------------------------------------------------------- */

void perf_write_details_of(struct perf_writing *w, const struct pirecord *r,
			   const struct pitrace_sample *s)
{
	struct perf_write_details *d = w->details;

	for (size_t i = 0; i <= DETAIL_CGROUP_OF; i++) {
		const struct pitrace_sample *thread_of = d->kept[i].data;

		d->kept[i].is &= d->time == r->time && d->cpu == r->cpu && d->origin == r->origin &&
				 thread_of && thread_of->pid == s->pid && thread_of->tid == s->tid;
	}
}

/* Returns the kept detail of the sample; NULL: none. */
static const void *kept(const struct perf_writing *w, enum detail_kind kind)
{
	const struct kept *k = &w->details->kept[kind];

	return k->is ? k->data : NULL;
}

static struct detail_access access_of(const struct perf_writing *w)
{
	const struct detail_access *a = kept(w, DETAIL_ACCESS);

	return a ? *a : (struct detail_access){ 0 };
}

void perf_write_details_address(struct perf_writing *w, uint64_t type)
{
	if (type & PERF_SAMPLE_ADDR)
		perf_write_u64(&w->o, access_of(w).address);
}

void perf_write_details_raw(struct perf_writing *w, uint64_t type)
{
	const struct detail_branches *b = kept(w, DETAIL_BRANCHES);
	const struct detail_raw *raw = kept(w, DETAIL_RAW);
	uint32_t n = raw ? raw->bytes : 0, padded = n + (-(n + 4) & 7);

	if (type & PERF_SAMPLE_RAW) {
		perf_write_u32(&w->o, padded);
		if (n)
			perf_write_bytes(&w->o, raw->data, n);
		perf_write_grow(&w->o, padded - n);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		perf_write_u64(&w->o, b ? b->count : 0);
		if (w->how->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			perf_write_u64(&w->o, b ? b->index : UINT64_MAX);
		for (uint32_t i = 0; b && i < b->count; i++) {
			perf_write_u64(&w->o, b->branch[i].from);
			perf_write_u64(&w->o, b->branch[i].to);
			perf_write_u64(&w->o, perf_branch_flags(b->branch[i].flags));
		}
		for (uint32_t i = 0;
		     b && i < b->count && w->how->branch_type & PERF_BRANCH_COUNTERS; i++)
			perf_write_u64(&w->o, b->branch[i].counters);
	}
}

/* Writes the registers of the event's mask; none if the sample's registers differ. */
static void put_registers(struct perf_writing *w, enum detail_kind kind, uint64_t mask)
{
	const struct detail_registers *g = kept(w, kind);

	if (!g || g->mask != mask || !g->count) {
		perf_write_u64(&w->o, 0);
		return;
	}
	perf_write_u64(&w->o, g->abi);
	for (uint32_t i = 0; i < g->count; i++)
		perf_write_u64(&w->o, g->value[i]);
}

void perf_write_details_rest(struct perf_writing *w, uint64_t type)
{
	const struct detail_cgroup *c = kept(w, DETAIL_CGROUP_OF);
	struct detail_access a = access_of(w);

	if (type & PERF_SAMPLE_REGS_USER)
		put_registers(w, DETAIL_REGS_USER, w->how->regs_user);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		perf_write_u64(&w->o, a.weight);
	if (type & PERF_SAMPLE_DATA_SRC)
		perf_write_u64(&w->o, a.source);
	if (type & PERF_SAMPLE_TRANSACTION)
		perf_write_u64(&w->o, a.transaction);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_registers(w, DETAIL_REGS_INTR, w->how->regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		perf_write_u64(&w->o, a.physical);
	if (type & PERF_SAMPLE_CGROUP)
		perf_write_u64(&w->o, c ? c->id : 0);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		perf_write_u64(&w->o, a.data_page);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		perf_write_u64(&w->o, a.code_page);
}
