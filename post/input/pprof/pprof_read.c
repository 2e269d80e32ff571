/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader of pprof profiles. A profile is one compressed message, whose samples precede the
 * tables that they refer to; so the unpacked message is kept in memory. Its functions have names
 * but no addresses: each module gets a new layout, function by function, with an address for each
 * place (a location, or a function inlined there), and the names become saved symbols. Modules
 * without any names keep their addresses, since their files may be available.
 */
#include "input/pprof/pprof_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples --------------------------------------------------------------------------------- */

struct pprof_kept {
	struct bytes locations; /* of the sample: parsed again */
	uint64_t value[64];
	uint32_t values;
	uint32_t pid, tid, cpu;
	uint32_t process, comm; /* strings */
	uint64_t at;            /* offset in the message */
	bool has_pid, has_tid;
};

static void read_label(const struct pprof *p, struct bytes b, struct pprof_kept *t)
{
	uint64_t key = 0, words = 0, number = 0;
	struct protobuf_field f;
	char room[32];

	while (protobuf_next(&b, &f)) {
		key = f.number == LABEL_KEY ? f.value : key;
		words = f.number == LABEL_STRING ? f.value : words;
		number = f.number == LABEL_NUMBER ? f.value : number;
	}
	if (words && !number) {
		pprof_text(pprof_string(p, words), room, sizeof(room));
		number = strtoull(room, NULL, 10);
	}
	if (pprof_is_string(p, key, "pid")) {
		t->pid = (uint32_t)number & INT32_MAX;
		t->has_pid = true;
	} else if (pprof_is_string(p, key, "tid") || pprof_is_string(p, key, "thread_id")) {
		t->tid = (uint32_t)number & INT32_MAX;
		t->has_tid = true;
	} else if (pprof_is_string(p, key, "cpu")) {
		t->cpu = number < 65536 ? (uint32_t)number : 0;
	} else if (pprof_is_string(p, key, "process")) {
		t->process = pprof_string_number(p, words);
	} else if (pprof_is_string(p, key, "comm") || pprof_is_string(p, key, "thread")) {
		t->comm = pprof_string_number(p, words);
	}
}

/* Reads the next sample; false: no more. */
static bool next_sample(const struct pprof *p, struct bytes *at, struct pprof_kept *t)
{
	struct protobuf_field f, s;
	uint64_t value;
	struct bytes b;

	while (protobuf_next(at, &f)) {
		if (f.number != PROFILE_SAMPLE || !f.is_bytes)
			continue;
		*t = (struct pprof_kept){ .locations = f.bytes, .at = f.at };
		for (b = f.bytes; protobuf_next(&b, &s);) {
			if (s.number == SAMPLE_LABEL && s.is_bytes)
				read_label(p, s.bytes, t);
			while (s.number == SAMPLE_VALUE && protobuf_number(&s, &value)) {
				if (t->values < 64)
					t->value[t->values++] = value;
			}
		}
		if (!t->has_pid)
			t->pid = NOBODY;
		if (!t->has_tid)
			t->tid = t->pid;
		return true;
	}
	return false;
}

/* Returns a sample's ticks and *counted; 0 if missing or negative (a difference of profiles). */
static uint64_t ticks_of(const struct pprof *p, const struct pprof_kept *t, uint64_t *counted)
{
	uint64_t ticks = p->ticks >= 0 && (uint32_t)p->ticks < t->values ? t->value[p->ticks] : 0;

	*counted = p->counted >= 0 && (uint32_t)p->counted < t->values ? t->value[p->counted] : 0;
	if (*counted > INT64_MAX)
		*counted = 0;
	return ticks > INT64_MAX ? 0 : ticks;
}

static int add_owner(struct pprof *p, uint32_t pid, uint32_t tid, uint32_t name)
{
	struct pprof_owner new = { pid, tid, name };
	uint64_t hash = hash_mix(pid, tid);

	if (keys_find(&p->by_owner, hash, p->owner, e, e->pid == new.pid && e->tid == new.tid) !=
	    NO_KEY)
		return 0;
	if (keys_next(&p->by_owner, hash, p->owner, p->owners, p->room_owner))
		return -ENOMEM;
	p->owner[p->owners++] = new;
	return 0;
}

/* Lists processes before their threads, and counts all ticks. */
static int count_samples(struct pprof *p)
{
	struct bytes at = bytes_of(p->data, p->size);
	uint64_t ticks, counted;
	struct pprof_kept t;
	int rc = 0;

	while (!rc && next_sample(p, &at, &t)) {
		ticks = ticks_of(p, &t, &counted);
		if (!ticks) {
			/* A missing value has already been reported. */
			if (p->ticks >= 0 && (uint32_t)p->ticks < t.values)
				pprof_fault(p, t.at,
					    "a sample that counts nothing, or less: left out");
			continue;
		}
		if (ticks > INT64_MAX - p->total) {
			pprof_fault(p, t.at, "more samples than can be counted");
			break;
		}
		p->total += ticks;
		/* Each process maps all modules: without a limit, a damaged file could produce any
		 * number of mappings. */
		if ((uint64_t)p->owners * (p->mappings.count + 1) >
		    OWNERS_START + p->size / OWNER_BYTES) {
			pprof_fault(p, t.at,
				    "too many processes and threads: of the others nothing is named");
			continue;
		}
		rc = add_owner(p, t.pid, t.pid, t.process ? t.process : t.comm);
		if (!rc && t.tid != t.pid)
			rc = add_owner(p, t.pid, t.tid, t.comm);
	}
	return rc;
}

static void pprof_close(struct input *in)
{
	struct pprof *p = in->state;

	free(p->data);
	free(p->string);
	free(p->mappings.item);
	free(p->locations.item);
	free(p->functions.item);
	keys_free(&p->mappings.by_id);
	keys_free(&p->locations.by_id);
	keys_free(&p->functions.by_id);
	free(p->module);
	free(p->code);
	keys_free(&p->by_code);
	free(p->place);
	free(p->first_place);
	free(p->first_kept);
	free(p->owner);
	keys_free(&p->by_owner);
	blob_free(&p->symbols);
	free(p->sample);
	free(p->faults.list);
	free(p);
	in->state = NULL;
}

static int pprof_open(struct input *in, struct pifile_fault *fault)
{
	struct pprof *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return -ENOMEM;
	in->state = p;
	p->sample = calloc(1, sizeof(*p->sample));
	rc = p->sample ? pprof_read_file(p, in->path, &in->size) : -ENOMEM;
	if (!rc)
		rc = pprof_read_tables(p);
	if (!rc)
		pprof_check(p);
	if (!rc)
		pprof_choose_values(p);
	if (!rc)
		rc = pprof_read_places(p);
	if (!rc)
		rc = pprof_read_drops(p);
	if (!rc)
		rc = count_samples(p);
	if (!rc && !p->types && !p->strings) {
		rc = -EINVAL;
		snprintf(fault->what, sizeof(fault->what), "nothing of a profile can be read");
		fault->offset = NO_OFFSET;
	}
	if (rc) {
		if (!fault->what[0]) {
			snprintf(fault->what, sizeof(fault->what), "%s", strerror(-rc));
			fault->offset = NO_OFFSET;
		}
		pprof_close(in);
		return rc;
	}
	p->faults.all = true;
	memcpy(in->counted_unit, p->unit, sizeof(in->counted_unit));
	in->complete = !p->faults.count;
	in->header = (struct pifile_header){
		.clock = PITRACE_CLOCK_MONOTONIC,
		.clock_hz = 1000000000,
		.collector = "pprof",
		.start_realtime = p->time,
		.rate = p->period && !p->has_event && p->period <= 1000000000 ?
				(uint32_t)(1000000000 / p->period) :
				0,
	};
	p->interval = (struct pitrace_interval){ .interval = 1, .rate = in->header.rate };
	p->event.period = p->period;
	return 0;
}

/* ---- a pass ---------------------------------------------------------------------------------- */

static int pprof_begin(struct input *in, unsigned int what)
{
	struct pprof *p = in->state;

	p->what = what;
	p->given = 0;
	p->at = bytes_of(p->data, what & PIMERGE_TRACE ? p->size : 0);
	p->done = 0;
	p->rest = 0;
	p->calls = CALLS_GIVEN + CALLS_PER_BYTE * (uint64_t)p->size;
	return 0;
}

static void fill(struct pirecord *r, uint32_t ring, uint16_t major, uint32_t minor,
		 const void *data, size_t size)
{
	*r = (struct pirecord){
		.ring = ring,
		.major = major,
		.minor = minor,
		.type = PITRACE_TYPE_STRUCT,
		.data = data,
		.size = (uint32_t)size,
	};
}

static void give_owner(struct pprof *p, const struct pprof_owner *o, struct pirecord *r)
{
	char name[4096];

	p->task = (struct pitrace_mte_task){ .pid = o->pid, .tid = o->tid };
	if (!o->name || !pprof_text(pprof_string(p, o->name), name, sizeof(name))) {
		char *slash;

		pprof_path(p, 0, name, sizeof(name));
		slash = strrchr(name, '/');
		if (slash && slash[1])
			memmove(name, slash + 1, strlen(slash));
	}
	memcpy(p->task.comm, name, strnlen(name, sizeof(p->task.comm) - 1));
	fill(r, PITRACE_RING_MTE, PITRACE_MTE,
	     o->tid == o->pid ? PITRACE_MTE_PROCESS : PITRACE_MTE_THREAD, &p->task,
	     sizeof(p->task));
}

static void give_map(struct pprof *p, uint32_t pid, uint32_t m, struct pirecord *r)
{
	const struct pprof_module *from = &p->module[m];
	struct pitrace_mte_map *map = &p->map.map;
	bool old = !from->named && from->limit > from->start;

	memset(&p->map, 0, sizeof(p->map));
	*map = (struct pitrace_mte_map){
		.pid = pid,
		.flags = PITRACE_MAP_READ | PITRACE_MAP_EXEC,
		.start = old ? from->start : pprof_base(m),
		.length = old ? from->limit - from->start : (from->used | 4095) + 1,
		.offset = old ? from->offset : 0,
	};
	/* No inode is known of a file that is to name places. */
	if (!old || from->build_id) {
		map->inode = m + 1ull;
		map->dev_major = DEVICE;
	}
	pprof_path(p, m, p->map.path, sizeof(p->map.path) - 8);
	map->path_len = (uint32_t)strlen(p->map.path);
	fill(r, PITRACE_RING_MTE, PITRACE_MTE, PITRACE_MTE_MODULE, &p->map,
	     (sizeof(*map) + map->path_len + 4) & ~3ul);
}

static bool give_build_id(struct pprof *p, uint32_t m, struct pirecord *r)
{
	struct bytes s = pprof_string(p, p->module[m].build_id);
	char digits[2 * PITRACE_BUILDID_MAX + 1];
	unsigned int byte;
	size_t n, i;

	n = pprof_text(s, digits, sizeof(digits)) / 2;
	if (!n || s.size > 2 * PITRACE_BUILDID_MAX || s.size % 2)
		return false;
	p->build_id = (struct pitrace_mte_buildid){
		.dev_major = DEVICE,
		.inode = m + 1ull,
		.length = (uint32_t)n,
	};
	for (i = 0; i < n; i++) {
		if (sscanf(digits + 2 * i, "%2x", &byte) != 1)
			return false;
		p->build_id.id[i] = (uint8_t)byte;
	}
	fill(r, PITRACE_RING_MTE, PITRACE_MTE, PITRACE_MTE_BUILDID, &p->build_id,
	     sizeof(p->build_id));
	return true;
}

/* Returns the records before the samples: build ids, the modules of each process, threads, then the
 * event. */
static bool give_first(struct pprof *p, struct pirecord *r)
{
	uint32_t modules = p->mappings.count < MODULES ? p->mappings.count + 1 : MODULES;
	uint64_t i, at;

	for (;; p->given++) {
		i = p->given;
		if (i < modules) {
			if (p->what & PIMERGE_MTE && give_build_id(p, (uint32_t)i, r))
				break;
			continue;
		}
		i -= modules;
		if (i < (uint64_t)p->owners * (modules + 1)) {
			const struct pprof_owner *o = &p->owner[i / (modules + 1)];

			at = i % (modules + 1);
			if (!(p->what & PIMERGE_MTE) || (at && o->tid != o->pid))
				continue;
			if (!at)
				give_owner(p, o, r);
			else
				give_map(p, o->pid, (uint32_t)at - 1, r);
			break;
		}
		i -= (uint64_t)p->owners * (modules + 1);
		if (i > 1)
			return false;
		if (!(p->what & PIMERGE_TRACE) || (i && !p->has_event))
			continue;
		if (i)
			fill(r, PITRACE_RING_TRACE, PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT,
			     &p->event, sizeof(p->event));
		else
			fill(r, PITRACE_RING_TRACE, PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL,
			     &p->interval, sizeof(p->interval));
		break;
	}
	p->given++;
	return true;
}

static uint64_t place_address(const struct pprof *p, const struct pprof_place *at)
{
	const struct pprof_code *c;

	if (at->code == NO_KEY)
		return at->at;
	c = &p->code[at->code];
	return pprof_base(c->module) + c->base + STEP * at->at;
}

static void report_cut(struct pprof *p, const struct pprof_kept *t)
{
	if (p->cut_reported)
		return;
	p->cut_reported = true;
	p->faults.all = false;
	pprof_fault(p, t->at,
		    "stacks of more than %" PRIu64
		    " calls, all together: of the rest only the innermost one is read",
		    CALLS_GIVEN + CALLS_PER_BYTE * (uint64_t)p->size);
	p->faults.all = true;
}

/* Fills the stack, innermost first; callers are return addresses. */
static void fill_stack(struct pprof *p, const struct pprof_kept *t)
{
	uint32_t location, i, most = p->calls < STACK_ADDRESSES ? 1 : STACK_ADDRESSES;
	uint32_t cut = pprof_dropped(p, t->locations), at = 0;
	struct bytes b = t->locations;
	struct protobuf_field f;
	uint64_t id;

	p->depth = 0;
	p->cut = false;
	while (protobuf_next(&b, &f)) {
		while (f.number == SAMPLE_LOCATION && protobuf_number(&f, &id)) {
			location = pprof_find(&p->locations, id);
			if (location == NO_KEY)
				continue;
			i = p->first_place[location];
			if (cut != NO_KEY && at <= cut)
				i = at < cut ? p->first_place[location + 1] :
					       p->first_kept[location];
			at++;
			for (; i < p->first_place[location + 1]; i++) {
				if (p->depth == most) {
					p->cut = true;
					if (most == 1)
						report_cut(p, t);
					return;
				}
				p->sample->address[p->depth] = place_address(p, &p->place[i]) +
							       (p->depth ? 1 : 0);
				p->depth++;
			}
		}
	}
}

static void fill_sample(struct pprof *p, const struct pprof_kept *t)
{
	fill_stack(p, t);
	p->calls -= p->depth < p->calls ? p->depth : p->calls;
	p->sample->sample = (struct pitrace_sample){
		.pid = t->pid,
		.tid = t->tid,
		.address = p->depth ? p->sample->address[0] : 0,
	};
	p->sample->stack = (struct pitrace_stack){
		.user = (uint16_t)p->depth,
		.flags = p->cut ? PITRACE_STACK_CUT_U : 0,
	};
}

/* Spreads a sample's counts over its ticks as periods; some ticks get one more. */
static void give_sample(struct pprof *p, uint64_t ticks, uint64_t period, struct pirecord *r)
{
	__uint128_t time;

	p->sample->sample.period = period < UINT32_MAX ? (uint32_t)period : UINT32_MAX;
	p->done += ticks;
	fill(r, PITRACE_RING_TRACE, PITRACE_TPROF,
	     PITRACE_TPROF_USER | PITRACE_TPROF_STACK |
		     (p->has_event ? 1u << PITRACE_TPROF_EVENT_SHIFT : 0),
	     p->sample, sizeof(p->sample->sample) + sizeof(p->sample->stack) + 8ul * p->depth);
	time = p->total ? (__uint128_t)p->duration * p->done / p->total : 0;
	r->time = r->stamp = (uint64_t)time;
	r->repeats = ticks - 1;
	r->cpu = p->cpu;
}

static int pprof_next(struct input *in, struct pirecord *r)
{
	struct pprof *p = in->state;
	uint64_t ticks, counted;
	struct pprof_kept t;

	if (give_first(p, r))
		return 1;
	if (p->rest) {
		ticks = p->rest;
		p->rest = 0;
		give_sample(p, ticks, p->rest_period, r);
		return 1;
	}
	do {
		if (!next_sample(p, &p->at, &t))
			return 0;
		ticks = ticks_of(p, &t, &counted);
	} while (!ticks || p->done + ticks > p->total);
	fill_sample(p, &t);
	p->rest = counted % ticks;
	p->rest_period = counted / ticks + 1;
	p->cpu = t.cpu;
	give_sample(p, ticks - p->rest, counted / ticks, r);
	return 1;
}

static void pprof_progress(const struct input *in, uint64_t *done, uint64_t *total)
{
	const struct pprof *p = in->state;

	*done = p->at.at;
	*total = p->size;
}

static int pprof_section(struct input *in, size_t i, struct input_section *section)
{
	struct pprof *p = in->state;

	if (i)
		return 0;
	*section = (struct input_section){ .type = INPUT_SEC_SYMBOLS };
	input_section_is(section, p->symbols.data, p->symbols.size);
	return 1;
}

static uint64_t pprof_monotonic(struct input *in, uint64_t stamp)
{
	(void)in;
	return stamp;
}

static uint64_t pprof_realtime(struct input *in, uint64_t stamp)
{
	const struct pprof *p = in->state;

	return p->time ? p->time + stamp : 0;
}

static size_t pprof_faults(const struct input *in, const struct pifile_fault **list)
{
	const struct pprof *p = in->state;

	*list = p->faults.list;
	return p->faults.count;
}

const struct reader reader_pprof = {
	.name = "pprof",
	.what = "profile.proto, compressed: go tool pprof and many others",
	.probe = pprof_probe,
	.open = pprof_open,
	.begin = pprof_begin,
	.next = pprof_next,
	.progress = pprof_progress,
	.section = pprof_section,
	.monotonic = pprof_monotonic,
	.realtime = pprof_realtime,
	.faults = pprof_faults,
	.close = pprof_close,
};
