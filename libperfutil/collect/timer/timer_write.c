/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts items that are old enough to records, sorted by time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "collect/timer/timer_session.h"

#define OVERRUNS_MAX 1000000u /* maximum accepted for one sample */

/* Returns the bytes of a stack in the ABI's layout, or 0: malformed. */
static uint32_t stack_bytes(const struct pitrace_stack *s, uint32_t room)
{
	const uint16_t flags = PITRACE_STACK_CUT_U | PITRACE_STACK_NONE_U | PITRACE_STACK_COPY;
	uint64_t need;

	if (room < sizeof(*s) || s->kernel || !s->user || s->user > PITRACE_STACK_MAX ||
	    s->flags & ~flags || s->bytes > PITRACE_STACK_COPY_MAX || s->bytes % 8 || s->reserved)
		return 0;
	if (!(s->flags & PITRACE_STACK_COPY) && (s->regs || s->bytes))
		return 0;
	need = sizeof(*s) + 8ull * (s->user + s->regs) + s->bytes;
	return need <= room ? (uint32_t)need : 0;
}

static void write_sample(struct timer_session *s, size_t i)
{
	struct timer_item it = s->item[i];
	const struct timer_sample *t = (const void *)it.data;
	const struct pitrace_stack *stack = (const void *)(t + 1);
	struct pitrace_sample sample = { .pid = it.p->pid, .tid = it.tid };
	uint64_t period = s->folder.control.interval, addresses[PITRACE_STACK_MAX];
	uint32_t overruns, bytes = 0;

	/* A program that may not learn the ids cannot have sent them. */
	if (it.bytes < sizeof(*t) || !it.p->begun) {
		user_rings_lost(&s->out, 0, PITRACE_LOST_TPROF, 1, it.stamp);
		return;
	}
	it.p->sampled = true;
	if (t->flags & TIMER_FINE)
		s->fine++;
	else
		s->at_tick++;
	overruns = t->overruns < OVERRUNS_MAX ? t->overruns : OVERRUNS_MAX;
	period *= 1 + overruns;
	sample.address = t->address;
	sample.period = period < UINT32_MAX ? (uint32_t)period : UINT32_MAX;
	if (t->flags & TIMER_STACK)
		bytes = stack_bytes(stack, it.bytes - (uint32_t)sizeof(*t));
	timer_process_thread(it.p, &s->out, it.tid, it.stamp);
	timer_require_mapping(s, i, t->address);
	if (bytes) {
		memcpy(addresses, stack + 1, 8ul * stack->user);
		for (uint32_t k = 1; k < stack->user; k++)
			timer_require_mapping(s, i, addresses[k]);
	}
	if (overruns)
		user_rings_lost(&s->out, t->cpu, PITRACE_LOST_OVERRUN, overruns, it.stamp);
	user_rings_sample(&s->out, t->cpu, &sample, stack, bytes, it.stamp);
}

static void write_scan(struct timer_session *s, const struct timer_item *it)
{
	uint32_t lines = 0;

	if (it->bytes >= sizeof(lines))
		memcpy(&lines, it->data, sizeof(lines));
	/* Some reports were lost: no mapping can be assumed to be removed. */
	if (lines == it->p->seen.n)
		timer_process_scan_done(it->p, &s->out, it->stamp);
	else
		timer_process_scan_abort(it->p);
}

static void write_item(struct timer_session *s, size_t i)
{
	struct timer_item it = s->item[i];
	struct timer_process *p = it.p, *parent = NULL;
	struct timer_build_id id;
	struct timer_map map;
	bool kept = true;

	switch (it.kind) {
	case TIMER_SAMPLE:
		write_sample(s, i);
		break;
	case TIMER_START:
	case TIMER_FORKED:
		if (it.kind == TIMER_FORKED)
			parent = timer_process_newest(&s->all, p->parent, p->image);
		timer_process_begin(p, &s->out, parent && parent->begun ? parent : NULL,
				    (char *)it.data, it.bytes, it.stamp);
		break;
	case TIMER_MAP:
		errno = 0;
		kept = timer_map_parse((char *)it.data, it.bytes, &map) ?
			       timer_process_scan_map(p, &map) :
			       errno != ENOMEM;
		free(map.path);
		break;
	case TIMER_BUILD_ID:
		if (it.bytes < sizeof(id))
			break;
		memcpy(&id, it.data, sizeof(id));
		kept = timer_process_scan_id(p, &id);
		break;
	case TIMER_SCAN:
		write_scan(s, &it);
		break;
	case TIMER_THREAD_EXIT:
		if (it.bytes >= 16)
			timer_process_thread_exit(p, &s->out, it.tid, (char *)it.data, it.stamp);
		break;
	case TIMER_EXITED:
		if (p->begun && p->exited)
			timer_process_exit(p, &s->out, it.stamp);
		timer_process_free(&s->all, p);
		break;
	}
	if (!kept)
		user_rings_lost(&s->out, 0, PITRACE_LOST_MTE, 1, it.stamp);
}

static int by_time(const void *pa, const void *pb)
{
	const struct timer_item *a = pa, *b = pb;

	if (a->stamp != b->stamp)
		return a->stamp < b->stamp ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

void timer_write_until(struct timer_session *s, uint64_t horizon)
{
	size_t i;

	if (!s->nitem)
		return;
	qsort(s->item, s->nitem, sizeof(*s->item), by_time);
	for (i = 0; i < s->nitem && s->item[i].stamp <= horizon; i++) {
		if (s->item[i].stamp >= s->second && s->second < s->off_stamp - 1) {
			user_rings_sync(&s->out, PITRACE_SYNC_SECOND, s->second);
			s->second += TIMER_SECOND;
		}
		write_item(s, i);
	}
	for (size_t k = 0; k < i; k++) {
		s->item_bytes -= s->item[k].bytes;
		free(s->item[k].data);
	}
	memmove(s->item, s->item + i, (s->nitem - i) * sizeof(*s->item));
	s->nitem -= i;
}
