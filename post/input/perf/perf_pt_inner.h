/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Internals of the Intel PT decoder: the data by buffers (perf_pt_data.c), the decoding
 * (perf_pt.c).
 */
#ifndef POST_PERF_PT_INNER_H
#define POST_PERF_PT_INNER_H

#include <intel-pt.h>

#include "input/perf/perf_state.h"
#include "base/keys.h"

#define INFO_WORDS 16
#define NOBODY     UINT32_MAX

/* The words of AUXTRACE_INFO. */
enum {
	INFO_PMU_TYPE,
	INFO_TIME_SHIFT,
	INFO_TIME_MULT,
	INFO_TIME_ZERO,
	INFO_CAP_TIME,
	INFO_TSC_BIT,
	INFO_NORETCOMP,
	INFO_HAVE_SWITCH,
	INFO_SNAPSHOT,
	INFO_PER_CPU,
	INFO_MTC_BIT,
	INFO_MTC_FREQ,
	INFO_TSC_CTC_N,
	INFO_TSC_CTC_D,
	INFO_CYC_BIT,
	INFO_RATIO,
};

/* The bytes of one AUX buffer in a file. */
struct pt_piece {
	uint64_t offset, size; /* in the file */
	uint64_t at;           /* offset in the ring buffer */
	uint32_t file, queue, tid, cpu;
	uint32_t next; /* next piece of the queue; NO_PIECE */
};
#define NO_PIECE UINT32_MAX

/* A thread, with the address at which tracing was switched off until it continues. */
struct pt_thread {
	uint32_t pid, tid;
	bool off;
	uint8_t cause; /* enum pitrace_break */
	uint32_t count;
	uint64_t at;
};

struct pt_queue {
	uint32_t queue, tid, cpu;    /* tid NOBODY: the queue of a CPU */
	uint32_t first, piece, tail; /* the decoder's first piece; next; last */
	uint8_t *data;
	struct pt_insn_decoder *decoder;
	bool begun; /* found a sync point, or an error at one */
	bool synced, ended;
	int status;
	uint64_t time; /* last known time in perf's clock */
	struct perf_pt *pt;
	uint32_t thread; /* current thread */
	/* The current run: */
	bool on, gap;
	uint32_t count, unmoved; /* unmoved: instructions without new data */
	uint64_t offset;
	struct pt_insn last; /* size 0: none yet */
};

struct perf_pt {
	struct perf *p;
	uint64_t info[INFO_WORDS];
	uint32_t ninfo;
	struct pt_piece *piece;
	uint32_t npieces, room_pieces;
	/* State of a pass: */
	struct pt_queue *queue;
	uint32_t nqueues, room_queues;
	struct keys by_queue;
	uint64_t decoded, most;    /* number of instructions */
	uint32_t *active, nactive; /* queues that have not ended: a heap by time */
	struct pt_thread *thread;
	uint32_t nthreads, room_threads;
	struct keys by_tid;
	uint32_t *on_cpu; /* index of a thread + 1 */
	uint32_t ncpu;
	struct perf_code *code;
};

/* Collects the queue's next contiguous pieces and opens a decoder for them. Returns 1; 0: no more;
 * -ENOMEM. */
int perf_pt_open(struct pt_queue *q, read_memory_callback_t *read_code);
void perf_pt_close(struct pt_queue *q);
/* Returns the file offset for an offset in those pieces. */
uint64_t perf_pt_place(const struct pt_queue *q, uint64_t offset);

#endif
