/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AUX data of Intel PT: pieces in the file, which form several buffers. Each buffer is a queue of
 * the decoder. */
#include "input/perf/perf_pt_data.h"

#ifdef HAVE_LIBIPT

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read_all.h"
#include "input/perf/perf_bytes.h"
#include "input/perf/perf_code.h"
#include "input/perf/perf_pt_inner.h"

#define KIND_PT 1 /* in AUXTRACE_INFO */
/* Limit on decoded instructions, plus some per byte of data: traces of real code have fewer. */
#define DECODED_START (1ull << 26)
#define DECODED_EACH  4096ull

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
	if (b.bad || piece.offset > p->file[raw->file].size) {
		perf_fault_in(p, raw->file, raw->offset, "AUX data that are not in the file");
		return 0;
	}
	/* A truncated piece keeps the existing part; the reader reports the fault. */
	if (piece.size > p->file[raw->file].size - piece.offset)
		piece.size = p->file[raw->file].size - piece.offset;
	if (array_next(pt->piece, pt->npieces, pt->room_pieces))
		return -ENOMEM;
	pt->piece[pt->npieces++] = piece;
	return 0;
}

/* ---- a pass ---------------------------------------------------------------------------------- */

void perf_pt_close(struct pt_queue *q)
{
	pt_insn_free_decoder(q->decoder);
	free(q->data);
	q->decoder = NULL;
	q->data = NULL;
	q->begun = false;
}

void perf_pt_end(struct perf *p)
{
	struct perf_pt *pt = p->pt;
	uint32_t i;

	if (!pt)
		return;
	for (i = 0; i < pt->nqueues; i++)
		perf_pt_close(&pt->queue[i]);
	free(pt->queue);
	free(pt->active);
	keys_free(&pt->by_queue);
	free(pt->thread);
	free(pt->on_cpu);
	keys_free(&pt->by_tid);
	perf_code_free(pt->code);
	pt->queue = NULL;
	pt->active = NULL;
	pt->thread = NULL;
	pt->on_cpu = NULL;
	pt->code = NULL;
	pt->nqueues = pt->room_queues = pt->nthreads = pt->room_threads = pt->ncpu = 0;
	pt->nactive = 0;
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

static int add_piece(struct perf_pt *pt, uint32_t i)
{
	struct pt_piece *piece = &pt->piece[i];
	uint64_t hash = hash_mix(piece->queue, 7);
	uint32_t q = keys_find(&pt->by_queue, hash, pt->queue, e, e->queue == piece->queue);

	piece->next = NO_PIECE;
	if (q != NO_KEY) {
		pt->piece[pt->queue[q].tail].next = i;
		pt->queue[q].tail = i;
		return 0;
	}
	if (keys_next(&pt->by_queue, hash, pt->queue, pt->nqueues, pt->room_queues))
		return -ENOMEM;
	pt->queue[pt->nqueues++] = (struct pt_queue){
		.queue = piece->queue,
		.tid = piece->tid,
		.piece = i,
		.tail = i,
		.thread = NOBODY,
		.cpu = piece->cpu < TRACE_MAX_CPUS ? piece->cpu : 0,
		.pt = pt,
	};
	return 0;
}

int perf_pt_begin(struct perf *p)
{
	struct perf_pt *pt = p->pt;
	uint32_t i;

	perf_pt_end(p);
	if (!pt || p->what == PIMERGE_MTE)
		return 0;
	pt->code = perf_code_new();
	pt->decoded = 0;
	pt->most = DECODED_START;
	for (i = 0; pt->code && i < pt->npieces; i++) {
		if (add_piece(pt, i))
			return -ENOMEM;
		pt->most += DECODED_EACH * pt->piece[i].size;
	}
	pt->active = malloc((pt->nqueues + 1) * sizeof(*pt->active));
	if (!pt->code || !pt->active)
		return -ENOMEM;
	while (pt->nactive < pt->nqueues) {
		pt->active[pt->nactive] = pt->nactive;
		pt->nactive++;
	}
	return 0;
}

/* ---- a decoder ------------------------------------------------------------------------------- */

static void find_cpu(struct perf *p, struct pt_config *config)
{
	unsigned int family, model, stepping;
	struct perf_view v = perf_feature(p, PERF_CPUID);
	struct bytes b = perf_view_bytes(p, &v);
	const char *text = v.data ? perf_text(&b) : NULL;

	if (text && sscanf(text, "GenuineIntel,%u,%x,%x", &family, &model, &stepping) == 3) {
		config->cpu = (struct pt_cpu){
			.vendor = pcv_intel,
			.family = (uint16_t)family,
			.model = (uint8_t)model,
			.stepping = (uint8_t)stepping,
		};
		pt_cpu_errata(&config->errata, &config->cpu);
	}
	perf_view_free(&v);
}

/* Returns the MTC frequency from the event's config. */
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

/* Returns whether the next piece continues this one, which may be padded to eight bytes. */
static bool continues(const struct perf_pt *pt, const struct pt_piece *piece)
{
	const struct pt_piece *next = piece->next == NO_PIECE ? NULL : &pt->piece[piece->next];

	return next && !pt->info[INFO_SNAPSHOT] && next->at > piece->at &&
	       piece->size - (next->at - piece->at) < 8;
}

/* Returns the length without padding. */
static uint64_t length_of(const struct perf_pt *pt, const struct pt_piece *piece)
{
	return continues(pt, piece) ? pt->piece[piece->next].at - piece->at : piece->size;
}

static uint64_t read_piece(const struct perf_pt *pt, const struct pt_piece *piece, uint8_t *out)
{
	size_t n;

	(void)pread_all(pt->p->file[piece->file].fd, out, length_of(pt, piece), piece->offset, &n);
	return n;
}

uint64_t perf_pt_place(const struct pt_queue *q, uint64_t offset)
{
	const struct pt_piece *piece = &q->pt->piece[q->first];

	while (offset >= length_of(q->pt, piece) && continues(q->pt, piece)) {
		offset -= length_of(q->pt, piece);
		piece = &q->pt->piece[piece->next];
	}
	return piece->offset + offset;
}

int perf_pt_open(struct pt_queue *q, read_memory_callback_t *read_code)
{
	struct perf_pt *pt = q->pt;
	const struct pt_piece *first;
	struct pt_config config;
	uint64_t size = 0, have = 0;
	uint32_t i, end = q->piece;

	if (end == NO_PIECE)
		return 0;
	first = &pt->piece[end];
	do {
		i = end;
		size += length_of(pt, &pt->piece[i]);
		end = pt->piece[i].next;
	} while (continues(pt, &pt->piece[i]));
	q->data = malloc(size ? size : 1);
	if (!q->data)
		return -ENOMEM;
	for (i = q->piece; i != end; i = pt->piece[i].next)
		have += read_piece(pt, &pt->piece[i], q->data + have);
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
	perf_pt_close(q);
	return 1;
}

#endif
