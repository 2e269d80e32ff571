/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes Intel PT in the AUX data of a perf.data file with libipt (Intel's library, which keeps up
 * with new packets and errata) into branch records, in step with perf's records: each buffer is
 * decoded up to the time of perf's next record, so that code and thread are those of that time.
 * Data that cannot be decoded become a gap.
 */
#include "input/perf/perf_pt.h"

#ifdef HAVE_LIBIPT

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/perf/perf_bytes.h"
#include "input/perf/perf_code.h"
#include "input/perf/perf_pt_inner.h"
#include "input/perf/perf_converted.h"
#include "base/keys.h"

#define UNMOVED (1u << 20) /* limit on instructions decoded without new data: real code has fewer */

/* ---- running threads ------------------------------------------------------------------------- */

/* Returns a thread; pid 0: keeps the known pid. NOBODY: no memory. */
static uint32_t thread_of(struct perf_pt *pt, uint32_t pid, uint32_t tid)
{
	uint32_t i = keys_find(&pt->by_tid, hash_mix(tid, 5), pt->thread, e, e->tid == tid);

	if (i == NO_KEY) {
		if (keys_next(&pt->by_tid, hash_mix(tid, 5), pt->thread, pt->nthreads,
			      pt->room_threads))
			return NOBODY;
		i = pt->nthreads++;
		pt->thread[i] = (struct pt_thread){ .pid = pid ? pid : tid, .tid = tid };
	} else if (pid && pt->thread[i].pid != pid) {
		pt->thread[i] = (struct pt_thread){ .pid = pid, .tid = tid };
	}
	return i;
}

static int runs_on(struct perf_pt *pt, uint32_t cpu, uint32_t pid, uint32_t tid)
{
	uint32_t thread = thread_of(pt, pid, tid);

	if (thread == NOBODY)
		return -ENOMEM;
	if (cpu >= TRACE_MAX_CPUS)
		return 0;
	if (array_reach(pt->on_cpu, pt->ncpu, cpu))
		return -ENOMEM;
	pt->on_cpu[cpu] = thread + 1;
	return 0;
}

/* Tracing was switched off and is not on again: ends the thread's last run. */
static int end_thread(struct perf_pt *pt, struct pt_thread *t, uint32_t why, uint64_t time,
		      uint32_t cpu)
{
	struct pitrace_itrace_mark m = {
		.pid = t->pid,
		.tid = t->tid,
		.count = t->count,
		.address = t->at,
	};

	if (!t->off)
		return 0;
	t->off = false;
	return perf_converted_alone(pt->p, PITRACE_ITRACE_STOP, why, &m, sizeof(m), time, cpu);
}

static int exits(struct perf_pt *pt, const struct perf_item *item)
{
	uint32_t i = keys_find(&pt->by_tid, hash_mix(item->of_tid, 5), pt->thread, e,
			       e->tid == item->of_tid);

	return i == NO_KEY ? 0 :
			     end_thread(pt, &pt->thread[i], PITRACE_ITRACE_EXIT, item->time,
					item->cpu < TRACE_MAX_CPUS ? item->cpu : 0);
}

int perf_pt_record(struct perf *p, const struct perf_item *item)
{
	struct perf_pt *pt = p->pt;
	bool out = item->misc & PERF_RECORD_MISC_SWITCH_OUT;

	switch (item->type) {
	case PERF_RECORD_ITRACE_START:
		return runs_on(pt, item->cpu, item->pid, item->tid);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return out ? 0 : runs_on(pt, item->cpu, item->pid, item->tid);
	case PERF_RECORD_EXIT:
		return exits(pt, item);
	case PERF_RECORD_FORK:
	case PERF_RECORD_COMM:
		if (thread_of(pt, item->of_pid, item->of_tid) == NOBODY)
			return -ENOMEM;
		break;
	}
	return perf_code_record(pt->code, item);
}

/* ---- records --------------------------------------------------------------------------------- */

static int emit(struct pt_queue *q, uint16_t major, uint32_t minor, const void *data, size_t size)
{
	if (q->gap)
		minor |= PITRACE_BRANCH_GAP;
	q->gap = false;
	q->count = 0;
	return perf_converted_alone(q->pt->p, major, minor, data, size, q->time, q->cpu);
}

static bool of_kernel(uint64_t ip)
{
	return ip >> 63;
}

static uint32_t crosses(uint64_t from, uint64_t to)
{
	return of_kernel(from) != of_kernel(to) ? PITRACE_BRANCH_CROSS : 0;
}

static struct pt_thread *who(struct pt_queue *q)
{
	return &q->pt->thread[q->thread];
}

static int emit_break(struct pt_queue *q, uint8_t cause, uint32_t count, uint64_t at, uint64_t to)
{
	struct pitrace_break_rec b = {
		.pid = who(q)->pid,
		.tid = who(q)->tid,
		.count = count,
		.at = at,
		.to = to,
	};

	return emit(q, of_kernel(at) ? PITRACE_BREAK_KERNEL : PITRACE_BREAK_USER,
		    cause | crosses(at, to), &b, sizeof(b));
}

static uint32_t kind_of(const struct pt_insn *insn)
{
	switch (insn->iclass) {
	case ptic_call:
		return PITRACE_BRANCH_CALL;
	case ptic_return:
		return PITRACE_BRANCH_RETURN;
	case ptic_far_return:
		return PITRACE_BRANCH_IRET;
	case ptic_jump:
	case ptic_cond_jump:
	case ptic_far_jump:
		return PITRACE_BRANCH_JUMP;
	default:
		return PITRACE_BRANCH_OTHER;
	}
}

static bool always_taken(const struct pt_insn *insn)
{
	return insn->iclass != ptic_other && insn->iclass != ptic_cond_jump &&
	       insn->iclass != ptic_ptwrite && insn->iclass != ptic_error;
}

static int emit_branch(struct pt_queue *q, uint64_t to)
{
	struct pitrace_branch b = {
		.pid = who(q)->pid,
		.tid = who(q)->tid,
		.count = q->count,
		.from = q->last.ip,
		.to = to,
	};

	return emit(q, of_kernel(b.from) ? PITRACE_BRANCH_KERNEL : PITRACE_BRANCH_USER,
		    kind_of(&q->last) | crosses(b.from, to), &b, sizeof(b));
}

/* Ends the run of a thread whose next address is unknown. */
static int lose(struct pt_queue *q)
{
	struct pitrace_itrace_mark m = { .count = q->count };
	int rc = 0;

	if (q->thread != NOBODY && q->on && q->count) {
		m.pid = who(q)->pid;
		m.tid = who(q)->tid;
		if (q->last.size && q->last.iclass == ptic_other)
			m.address = q->last.ip + q->last.size;
		rc = emit(q, PITRACE_ITRACE_STOP, PITRACE_ITRACE_ON, &m, sizeof(m));
	}
	q->on = false;
	q->gap = true;
	q->count = 0;
	q->last.size = 0;
	return rc;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void find_thread(struct pt_queue *q)
{
	struct perf_pt *pt = q->pt;

	if (q->tid != NOBODY)
		q->thread = thread_of(pt, 0, q->tid);
	else if (q->cpu < pt->ncpu && pt->on_cpu[q->cpu])
		q->thread = pt->on_cpu[q->cpu] - 1;
	else
		q->thread = NOBODY;
}

static int begin(struct pt_queue *q, uint64_t ip)
{
	struct pitrace_itrace_mark m = { .address = ip };
	struct pt_thread *t;

	find_thread(q);
	q->count = 0;
	q->last.size = 0;
	q->on = true;
	if (q->thread == NOBODY)
		return 0;
	t = who(q);
	if (t->off) {
		t->off = false;
		return emit_break(q, t->cause, t->count, t->at, ip);
	}
	if (q->gap)
		return 0;
	m.pid = t->pid;
	m.tid = t->tid;
	return emit(q, PITRACE_ITRACE_START, PITRACE_ITRACE_ON, &m, sizeof(m));
}

static void leave(struct pt_queue *q, uint8_t cause, uint64_t at)
{
	if (q->thread != NOBODY && q->on) {
		struct pt_thread *t = who(q);

		t->off = true;
		t->cause = cause;
		t->count = q->count;
		t->at = at;
	}
	q->on = false;
	q->count = 0;
}

static int take_event(struct pt_queue *q, const struct pt_event *e)
{
	int rc = 0;

	switch (e->type) {
	case ptev_enabled:
		return begin(q, e->variant.enabled.ip);
	case ptev_disabled:
		if (!q->on || !q->last.size)
			break;
		if (q->last.iclass == ptic_far_call || e->ip_suppressed) {
			leave(q, PITRACE_BREAK_SYSCALL, q->last.ip + q->last.size);
			break;
		}
		if (q->thread != NOBODY)
			rc = emit_branch(q, e->variant.disabled.ip);
		q->on = false;
		break;
	case ptev_async_disabled:
		leave(q, PITRACE_BREAK_INTERRUPT, e->variant.async_disabled.at);
		break;
	case ptev_async_branch:
		if (q->on && q->thread != NOBODY && !e->ip_suppressed)
			rc = emit_break(q, PITRACE_BREAK_INTERRUPT, q->count,
					e->variant.async_branch.from, e->variant.async_branch.to);
		q->last.size = 0;
		break;
	case ptev_overflow:
		rc = lose(q);
		find_thread(q);
		q->on = !e->ip_suppressed;
		break;
	default:
		break;
	}
	return rc;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static int read_code(uint8_t *out, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	struct pt_queue *q = context;
	size_t n;

	(void)asid;
	if (q->thread == NOBODY || of_kernel(ip))
		return -pte_nomap;
	n = perf_code_read(q->pt->code, who(q)->pid, ip, out, size);
	return n ? (int)n : -pte_nomap;
}

static uint64_t perf_time(const struct perf_pt *pt, uint64_t tsc)
{
	uint64_t shift = pt->info[INFO_TIME_SHIFT] & 63, mult = pt->info[INFO_TIME_MULT];

	return pt->info[INFO_TIME_ZERO] + (tsc >> shift) * mult +
	       (((tsc & ((1ull << shift) - 1)) * mult) >> shift);
}

static void take_time(struct pt_queue *q)
{
	uint64_t tsc, time;

	if (pt_insn_time(q->decoder, &tsc, NULL, NULL) < 0)
		return;
	time = perf_time(q->pt, tsc);
	q->time = time > q->time ? time : q->time;
}

static int take_insn(struct pt_queue *q, const struct pt_insn *insn)
{
	int rc = 0;

	/* Tracing may already be on where the data begin. */
	if (!q->on)
		rc = begin(q, insn->ip);
	if (rc)
		return rc;
	if (q->last.size && q->thread != NOBODY &&
	    (insn->ip != q->last.ip + q->last.size || always_taken(&q->last)))
		rc = emit_branch(q, insn->ip);
	q->last = *insn;
	q->count++;
	return rc;
}

/* Processes the events before the next instruction. A decoder error is negative in q->status. */
static int take_events(struct pt_queue *q)
{
	struct pt_event e;
	int rc = 0;

	while (!rc && q->status >= 0 && q->status & pts_event_pending) {
		q->status = pt_insn_event(q->decoder, &e, sizeof(e));
		if (q->status < 0)
			break;
		take_time(q);
		rc = take_event(q, &e);
	}
	return rc;
}

/* Reports why decoding stops; missing code is not a fault of the file. */
static void report_fault(const struct pt_queue *q, const char *what)
{
	uint64_t offset = 0;

	pt_insn_get_offset(q->decoder, &offset);
	perf_fault(q->pt->p, perf_pt_place(q, offset), "Intel PT: %s", what);
}

static bool is_stuck(struct pt_queue *q)
{
	uint64_t offset;

	if (++q->unmoved % 4096 || pt_insn_get_offset(q->decoder, &offset) < 0)
		return false;
	if (offset != q->offset)
		q->unmoved = 0;
	q->offset = offset;
	return q->unmoved >= UNMOVED;
}

/* A buffer starts with a sync point of the decoder, unless it has been overwritten. */
static void emit_skipped(struct pt_queue *q, bool none)
{
	uint64_t offset = 0;

	if (q->begun || q->pt->piece[q->first].at)
		return;
	pt_insn_get_sync_offset(q->decoder, &offset);
	if (!none && !offset)
		return;
	perf_fault(q->pt->p, perf_pt_place(q, 0),
		   none ? "Intel PT: these data have no place where decoding could begin" :
			  "Intel PT: these data do not begin as they should; decoding begins behind");
	q->gap = true;
}

/* Continues at the decoder's next sync point. */
static int synchronize(struct pt_queue *q)
{
	uint64_t offset = 0;

	q->status = pt_insn_sync_forward(q->decoder);
	if (q->status < 0) {
		bool more = q->status != -pte_eos &&
			    pt_insn_get_sync_offset(q->decoder, &offset) >= 0 &&
			    (!q->begun || offset > q->offset);

		if (q->status == -pte_eos)
			emit_skipped(q, true);
		else
			perf_fault(q->pt->p, perf_pt_place(q, offset), "Intel PT: %s",
				   pt_errstr((enum pt_error_code) - q->status));
		q->begun = true;
		q->offset = offset;
		if (!more)
			perf_pt_close(q);
		return lose(q);
	}
	emit_skipped(q, false);
	q->begun = true;
	q->synced = true;
	q->unmoved = 0;
	take_time(q);
	/* Without times, the code at the end of the trace is used. */
	if (!q->time)
		q->time = q->pt->p->last;
	return 0;
}

/* Gives up: more instructions than real code has for so much data. Drops the rest of all queues. */
static int give_up(struct pt_queue *q)
{
	q->pt->decoded = q->pt->most;
	report_fault(q, "more instructions than such data can mean; the rest is left out");
	perf_pt_close(q);
	q->piece = NO_PIECE;
	return lose(q);
}

/* Decodes one instruction and the events after it. Returns 0 or -ENOMEM. */
static int advance(struct pt_queue *q)
{
	struct pt_insn insn = { .iclass = ptic_error };
	int rc = 0;

	if (!q->decoder) {
		rc = perf_pt_open(q, read_code);
		q->ended = !rc;
		return rc < 0 ? rc : 0;
	}
	if (!q->synced)
		return synchronize(q);
	/* Its events may be in the future. */
	if (q->status >= 0 && q->status & pts_event_pending)
		return take_events(q);
	if (q->pt->decoded++ == q->pt->most)
		return give_up(q);
	/* Data that start inside a trace have no event for tracing on: code is decoded first. */
	if (!q->on)
		find_thread(q);
	q->status = pt_insn_next(q->decoder, &insn, sizeof(insn));
	if (q->status >= 0) {
		if (insn.iclass != ptic_error)
			rc = take_insn(q, &insn);
		take_time(q);
		if (!rc)
			rc = take_events(q);
		if (rc)
			return rc;
	}
	if (q->status >= 0 && !(q->status & pts_eos) && !is_stuck(q))
		return 0;
	if (q->status >= 0 && !(q->status & pts_eos))
		report_fault(q, "instructions without end");
	else if (q->status < 0 && q->status != -pte_eos && q->status != -pte_nomap)
		report_fault(q, pt_errstr((enum pt_error_code) - q->status));
	q->synced = false;
	return lose(q);
}

static bool is_behind(const struct perf_pt *pt, uint32_t a, uint32_t b)
{
	const struct pt_queue *x = &pt->queue[a], *y = &pt->queue[b];

	return x->time != y->time ? x->time < y->time : a < b;
}

/* The first queue has advanced or ended: restores the heap, with the oldest queue first. */
static void put_in_order(struct perf_pt *pt)
{
	uint32_t *active = pt->active, at = 0, next, moved;

	if (pt->queue[active[0]].ended)
		active[0] = active[--pt->nactive];
	for (; (next = 2 * at + 1) < pt->nactive; at = next) {
		if (next + 1 < pt->nactive && is_behind(pt, active[next + 1], active[next]))
			next++;
		if (!is_behind(pt, active[next], active[at]))
			return;
		moved = active[at];
		active[at] = active[next];
		active[next] = moved;
	}
}

int perf_pt_step(struct perf *p, uint64_t until)
{
	struct perf_pt *pt = p->pt;
	struct pt_queue *q = pt->nactive ? &pt->queue[pt->active[0]] : NULL;
	uint32_t i;
	int rc;

	if (q && q->time <= until) {
		do
			rc = advance(q);
		while (!rc && !perf_converted_any(p->converted) && !q->ended && q->time <= until);
		put_in_order(pt);
		return rc < 0 ? rc : 1;
	}
	for (i = 0; until == UINT64_MAX && i < pt->nthreads; i++) {
		rc = end_thread(pt, &pt->thread[i], PITRACE_ITRACE_ON, p->time, 0);
		if (rc)
			return rc;
	}
	return perf_converted_any(p->converted);
}

#endif
