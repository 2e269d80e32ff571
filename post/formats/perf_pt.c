/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intel PT in the AUX data of a perf.data file, decoded by libipt (Intel's own: it keeps up with
 * new packets and errata) into records of branches, in time with perf's records: each buffer is
 * decoded as far as the next record of perf's, so that the code and the thread are those of that
 * moment. What cannot be decoded is a gap.
 */
#include "formats/perf.h"

#ifdef HAVE_LIBIPT

#include <errno.h>
#include <intel-pt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/perf_code.h"
#include "model/keys.h"
#include "model/trace.h"

#define KIND_PT		1		/* of AUXTRACE_INFO */
#define INFO_WORDS	16
#define NOBODY		UINT32_MAX
#define UNMOVED		(1u << 20)	/* instructions that need none of the data: no code is so */

/* Words of AUXTRACE_INFO. */
enum {
	INFO_PMU_TYPE, INFO_TIME_SHIFT, INFO_TIME_MULT, INFO_TIME_ZERO, INFO_CAP_TIME, INFO_TSC_BIT,
	INFO_NORETCOMP, INFO_HAVE_SWITCH, INFO_SNAPSHOT, INFO_PER_CPU, INFO_MTC_BIT, INFO_MTC_FREQ,
	INFO_TSC_CTC_N, INFO_TSC_CTC_D, INFO_CYC_BIT, INFO_RATIO,
};

/* Bytes of one buffer, as they stand in a file. */
struct pt_piece {
	uint64_t offset, size;		/* in the file */
	uint64_t at;			/* in the buffer, which goes round */
	uint32_t file, queue, tid, cpu;
};

/* A thread: where tracing was switched off, told when it is known where it goes on. */
struct pt_thread {
	uint32_t pid, tid;
	bool off;
	uint8_t cause;			/* enum pitrace_break */
	uint32_t count;
	uint64_t at;
};

struct pt_queue {
	uint32_t queue, tid, cpu;	/* tid NOBODY: of a CPU */
	uint32_t first, piece;		/* those of the decoder's data; next */
	uint8_t *data;
	struct pt_insn_decoder *decoder;
	bool synced, ended;
	int status;
	uint64_t time;			/* of perf's clock, that is known last */
	struct perf_pt *pt;
	uint32_t thread;		/* that it is in */
	/* The run: */
	bool on, gap;
	uint32_t count, unmoved;	/* unmoved: instructions since the data moved on */
	uint64_t offset;
	struct pt_insn last;		/* size 0: none yet */
};

struct perf_pt {
	struct perf *p;
	uint64_t info[INFO_WORDS];
	uint32_t ninfo;
	struct pt_piece *piece;
	uint32_t npieces, room_pieces;
	/* A pass: */
	struct pt_queue *queue;
	uint32_t nqueues, room_queues;
	struct pt_thread *thread;
	uint32_t nthreads, room_threads;
	struct keys by_tid;
	uint32_t *on_cpu;		/* thread + 1 */
	uint32_t ncpu;
	struct perf_code *code;
	uint64_t unmapped;		/* gaps: code that is not at hand */
};

/* ---- the file -------------------------------------------------------------------------------- */

int perf_pt_info(struct perf *p, const struct perf_raw *raw)
{
	struct bytes b = perf_bytes(p, raw->data, raw->size);
	struct perf_pt *pt;

	bytes_skip(&b, 16);
	if (p->aux_kind != KIND_PT || p->pt)
		return 0;
	pt = calloc(1, sizeof(*pt));
	if (!pt)
		return -ENOMEM;
	while (pt->ninfo < INFO_WORDS && bytes_left(&b) >= 8)
		pt->info[pt->ninfo++] = bytes_u64(&b);
	pt->p = p;
	p->pt = pt;
	return 0;
}

int perf_pt_piece(struct perf *p, const struct perf_raw *raw)
{
	struct bytes b = perf_bytes(p, raw->data, raw->size);
	struct pt_piece piece = { .offset = raw->offset + raw->size, .file = raw->file };
	struct perf_pt *pt = p->pt;

	if (!pt)
		return 0;
	bytes_skip(&b, 8);
	piece.size = bytes_u64(&b);
	piece.at = bytes_u64(&b);
	bytes_skip(&b, 8);
	piece.queue = bytes_u32(&b);
	piece.tid = bytes_u32(&b);
	piece.cpu = bytes_u32(&b);
	if (b.bad || piece.offset > p->file[raw->file].size ||
	    piece.size > p->file[raw->file].size - piece.offset) {
		perf_fault_in(p, raw->file, raw->offset, "AUX data that are not in the file");
		return 0;
	}
	if (keys_grow_array((void **)&pt->piece, &pt->room_pieces, pt->npieces, sizeof(piece)))
		return -ENOMEM;
	pt->piece[pt->npieces++] = piece;
	return 0;
}

/* ---- a pass ---------------------------------------------------------------------------------- */

static void close_decoder(struct pt_queue *q)
{
	pt_insn_free_decoder(q->decoder);
	free(q->data);
	q->decoder = NULL;
	q->data = NULL;
}

void perf_pt_end(struct perf *p)
{
	struct perf_pt *pt = p->pt;
	uint32_t i;

	if (!pt)
		return;
	for (i = 0; i < pt->nqueues; i++)
		close_decoder(&pt->queue[i]);
	free(pt->queue);
	free(pt->thread);
	free(pt->on_cpu);
	keys_free(&pt->by_tid);
	perf_code_free(pt->code);
	pt->queue = NULL;
	pt->thread = NULL;
	pt->on_cpu = NULL;
	pt->code = NULL;
	pt->unmapped = 0;
	pt->nqueues = pt->room_queues = pt->nthreads = pt->room_threads = pt->ncpu = 0;
}

void perf_pt_free(struct perf *p)
{
	if (!p->pt)
		return;
	perf_pt_end(p);
	free(p->pt->piece);
	free(p->pt);
	p->pt = NULL;
}

int perf_pt_begin(struct perf *p)
{
	struct perf_pt *pt = p->pt;
	uint32_t i, k;

	perf_pt_end(p);
	if (!pt || p->what == PIMERGE_MTE)
		return 0;
	pt->code = perf_code_new();
	if (!pt->code)
		return -ENOMEM;
	for (i = 0; i < pt->npieces; i++) {
		const struct pt_piece *piece = &pt->piece[i];

		for (k = 0; k < pt->nqueues && pt->queue[k].queue != piece->queue; k++)
			;
		if (k < pt->nqueues)
			continue;
		if (keys_grow_array((void **)&pt->queue, &pt->room_queues, pt->nqueues,
				    sizeof(*pt->queue)))
			return -ENOMEM;
		pt->queue[pt->nqueues++] = (struct pt_queue){
			.queue = piece->queue, .tid = piece->tid, .piece = i, .thread = NOBODY,
			.cpu = piece->cpu < TRACE_MAX_CPUS ? piece->cpu : 0,
		};
	}
	return 0;
}

static bool same_tid(const void *array, uint32_t i, const void *key)
{
	return ((const struct pt_thread *)array)[i].tid == *(const uint32_t *)key;
}

/* pid 0: as it was told before. NOBODY: no memory. */
static uint32_t thread_of(struct perf_pt *pt, uint32_t pid, uint32_t tid)
{
	uint32_t i = keys_find(&pt->by_tid, hash_mix(tid, 5), same_tid, pt->thread, &tid);

	if (i == NO_KEY) {
		if (keys_grow_array((void **)&pt->thread, &pt->room_threads, pt->nthreads,
				    sizeof(*pt->thread)) ||
		    keys_add(&pt->by_tid, hash_mix(tid, 5), pt->nthreads))
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
	if (cpu >= pt->ncpu) {
		uint32_t *more = realloc(pt->on_cpu, (cpu + 1) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		memset(more + pt->ncpu, 0, (cpu + 1 - pt->ncpu) * sizeof(*more));
		pt->on_cpu = more;
		pt->ncpu = cpu + 1;
	}
	pt->on_cpu[cpu] = thread + 1;
	return 0;
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
	case PERF_RECORD_FORK:
	case PERF_RECORD_COMM:
		if (thread_of(pt, item->of_pid, item->of_tid) == NOBODY)
			return -ENOMEM;
		break;
	}
	return perf_code_record(pt->code, item);
}

/* ---- what is told ---------------------------------------------------------------------------- */

static int tell(struct pt_queue *q, uint16_t major, uint32_t minor, const void *data, size_t size)
{
	if (q->gap)
		minor |= PITRACE_BRANCH_GAP;
	q->gap = false;
	q->count = 0;
	return perf_tell_put(q->pt->p, major, minor, data, size, q->time, q->cpu);
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

static int tell_break(struct pt_queue *q, uint8_t cause, uint32_t count, uint64_t at, uint64_t to)
{
	struct pitrace_break_rec b = {
		.pid = who(q)->pid, .tid = who(q)->tid, .count = count, .at = at, .to = to,
	};

	return tell(q, of_kernel(at) ? PITRACE_BREAK_KERNEL : PITRACE_BREAK_USER,
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

static int tell_branch(struct pt_queue *q, uint64_t to)
{
	struct pitrace_branch b = {
		.pid = who(q)->pid, .tid = who(q)->tid, .count = q->count, .from = q->last.ip,
		.to = to,
	};

	return tell(q, of_kernel(b.from) ? PITRACE_BRANCH_KERNEL : PITRACE_BRANCH_USER,
		    kind_of(&q->last) | crosses(b.from, to), &b, sizeof(b));
}

/* What ran and cannot be told where it went ends here. */
static int lose(struct pt_queue *q)
{
	struct pitrace_itrace_mark m = { .count = q->count };
	int rc = 0;

	if (q->thread != NOBODY && q->on && q->count) {
		m.pid = who(q)->pid;
		m.tid = who(q)->tid;
		if (q->last.size && q->last.iclass == ptic_other)
			m.address = q->last.ip + q->last.size;
		rc = tell(q, PITRACE_ITRACE_STOP, PITRACE_ITRACE_ON, &m, sizeof(m));
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
		return tell_break(q, t->cause, t->count, t->at, ip);
	}
	if (q->gap)
		return 0;
	m.pid = t->pid;
	m.tid = t->tid;
	return tell(q, PITRACE_ITRACE_START, PITRACE_ITRACE_ON, &m, sizeof(m));
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
			rc = tell_branch(q, e->variant.disabled.ip);
		q->on = false;
		break;
	case ptev_async_disabled:
		leave(q, PITRACE_BREAK_INTERRUPT, e->variant.async_disabled.at);
		break;
	case ptev_async_branch:
		if (q->on && q->thread != NOBODY && !e->ip_suppressed)
			rc = tell_break(q, PITRACE_BREAK_INTERRUPT, q->count,
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

static void find_cpu(struct perf *p, struct pt_config *config)
{
	unsigned int family, model, stepping;
	uint8_t *own;
	size_t n;
	const uint8_t *data = perf_feature(p, PERF_CPUID, &n, &own);
	struct bytes b = perf_bytes(p, data, n);
	const char *text = data ? perf_text(&b) : NULL;

	if (text && sscanf(text, "GenuineIntel,%u,%x,%x", &family, &model, &stepping) == 3) {
		config->cpu = (struct pt_cpu){
			.vendor = pcv_intel, .family = (uint16_t)family, .model = (uint8_t)model,
			.stepping = (uint8_t)stepping,
		};
		pt_cpu_errata(&config->errata, &config->cpu);
	}
	free(own);
}

/* Which of the event's bits it is. */
static uint8_t mtc_frequency(const struct perf_pt *pt)
{
	uint64_t bits = pt->info[INFO_MTC_FREQ];

	for (uint32_t i = 0; bits && i < pt->p->nattrs; i++) {
		const struct perf_attr *a = &pt->p->attr[i];

		if (a->type == pt->info[INFO_PMU_TYPE] && a->config & pt->info[INFO_MTC_BIT])
			return (uint8_t)((a->config & bits) >> __builtin_ctzll(bits));
	}
	return 0;
}

/* The queue's next pieces that follow one another in its buffer. 0 the end, 1, -ENOMEM. */
static int open_decoder(struct pt_queue *q)
{
	struct perf_pt *pt = q->pt;
	const struct pt_piece *first = NULL;
	struct pt_config config;
	uint64_t size = 0, have = 0;
	uint32_t i, end = q->piece;

	for (i = q->piece; i < pt->npieces; i++) {
		const struct pt_piece *piece = &pt->piece[i];

		if (piece->queue != q->queue)
			continue;
		if (first && (piece->at != first->at + size || pt->info[INFO_SNAPSHOT]))
			break;
		first = first ? first : piece;
		size += piece->size;
		end = i + 1;
	}
	if (!first)
		return 0;
	q->data = malloc(size ? size : 1);
	if (!q->data)
		return -ENOMEM;
	for (i = q->piece; i < end; i++) {
		const struct pt_piece *piece = &pt->piece[i];
		uint64_t n = 0;

		while (piece->queue == q->queue && n < piece->size) {
			ssize_t got = pread(pt->p->file[piece->file].fd, q->data + have + n,
					    piece->size - n, (off_t)(piece->offset + n));

			if (got <= 0)
				break;
			n += (uint64_t)got;
		}
		have += n;
	}
	q->first = q->piece;
	q->piece = end;
	pt_config_init(&config);
	config.begin = q->data;
	config.end = q->data + have;
	config.mtc_freq = mtc_frequency(pt);
	config.cpuid_0x15_eax = (uint32_t)pt->info[INFO_TSC_CTC_D];
	config.cpuid_0x15_ebx = (uint32_t)pt->info[INFO_TSC_CTC_N];
	config.nom_freq = (uint8_t)pt->info[INFO_RATIO];
	find_cpu(pt->p, &config);
	q->decoder = pt_insn_alloc_decoder(&config);
	q->synced = false;
	if (q->decoder && !pt_image_set_callback(pt_insn_get_image(q->decoder), read_code, q))
		return 1;
	perf_fault(pt->p, first->offset, "Intel PT: %" PRIu64 " bytes that libipt does not take",
		   have);
	close_decoder(q);
	return 1;
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

	/* Where data begin tracing may be on already. */
	if (!q->on)
		rc = begin(q, insn->ip);
	if (rc)
		return rc;
	if (q->last.size && q->thread != NOBODY &&
	    (insn->ip != q->last.ip + q->last.size || always_taken(&q->last)))
		rc = tell_branch(q, insn->ip);
	q->last = *insn;
	q->count++;
	return rc;
}

/* Events that stand before the next instruction. A decoder's fault: negative in q->status. */
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

/* Where in the file a place of the queue's data stands. */
static uint64_t place_of(const struct pt_queue *q, uint64_t offset)
{
	const struct pt_piece *piece = NULL;
	uint32_t i;

	for (i = q->first; i < q->piece; i++) {
		if (q->pt->piece[i].queue != q->queue)
			continue;
		piece = &q->pt->piece[i];
		if (offset < piece->size)
			break;
		offset -= piece->size;
	}
	return piece ? piece->offset + offset : 0;
}

/* Why decoding stops here: code that is not at hand is no fault of the file's. */
static void tell_fault(struct pt_queue *q)
{
	uint64_t offset = 0;

	if (q->status == -pte_nomap) {
		q->pt->unmapped++;
		return;
	}
	pt_insn_get_offset(q->decoder, &offset);
	perf_fault(q->pt->p, place_of(q, offset), "Intel PT: %s",
		   q->status < 0 ? pt_errstr((enum pt_error_code)-q->status) :
		   "instructions without end");
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

/* From the next place where the decoder can begin. */
static int synchronize(struct pt_queue *q)
{
	q->status = pt_insn_sync_forward(q->decoder);
	if (q->status < 0) {
		close_decoder(q);
		return 0;
	}
	q->synced = true;
	q->unmoved = 0;
	take_time(q);
	/* Without times the code is that at the end. */
	if (!q->time)
		q->time = q->pt->p->last;
	return 0;
}

/* One more instruction, with the events behind it. 0 or -ENOMEM. */
static int advance(struct pt_queue *q)
{
	struct pt_insn insn = { .iclass = ptic_error };
	int rc = 0;

	if (!q->decoder) {
		rc = open_decoder(q);
		q->ended = !rc;
		return rc < 0 ? rc : 0;
	}
	if (!q->synced)
		return synchronize(q);
	/* What came with it is of a time that may not have come yet. */
	if (q->status >= 0 && q->status & pts_event_pending)
		return take_events(q);
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
	if (q->status != -pte_eos && !(q->status >= 0 && q->status & pts_eos))
		tell_fault(q);
	q->synced = false;
	return lose(q);
}

int perf_pt_step(struct perf *p, uint64_t until)
{
	struct perf_pt *pt = p->pt;
	struct pt_queue *q = NULL;
	uint32_t i;
	int rc;

	/* The one that is behind most, as far as is known. */
	for (i = 0; i < pt->nqueues; i++) {
		struct pt_queue *at = &pt->queue[i];

		at->pt = pt;
		if (!at->ended && at->time <= until && (!q || at->time < q->time))
			q = at;
	}
	while (q && !q->ended && q->time <= until) {
		rc = advance(q);
		if (rc || perf_told_any(p->told))
			return rc < 0 ? rc : 1;
	}
	return q ? 1 : 0;
}

uint64_t perf_pt_gaps(const struct perf *p)
{
	return p->pt ? p->pt->unmapped : 0;
}

#endif
