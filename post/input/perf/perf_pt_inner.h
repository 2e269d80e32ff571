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

/* Words of AUXTRACE_INFO. */
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

/* Bytes of one AUX buffer in a file. */
struct pt_piece {
	uint64_t offset, size; /* in the file */
	uint64_t at;           /* in the buffer, which goes round */
	uint32_t file, queue, tid, cpu;
	uint32_t next; /* of the same queue; NO_PIECE */
};
#define NO_PIECE UINT32_MAX

/* A thread, with the place where tracing was switched off until it is known where it continues. */
struct pt_thread {
	uint32_t pid, tid;
	bool off;
	uint8_t cause; /* enum pitrace_break */
	uint32_t count;
	uint64_t at;
};

struct pt_queue {
	uint32_t queue, tid, cpu;    /* tid NOBODY: of a CPU */
	uint32_t first, piece, tail; /* the decoder's first piece; next; last */
	uint8_t *data;
	struct pt_insn_decoder *decoder;
	bool begun; /* a sync point, or a fault at one, was found */
	bool synced, ended;
	int status;
	uint64_t time; /* of perf's clock, that is known last */
	struct perf_pt *pt;
	uint32_t thread; /* that it is in */
	/* The run: */
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
	/* A pass: */
	struct pt_queue *queue;
	uint32_t nqueues, room_queues;
	struct keys by_queue;
	uint64_t decoded, most;    /* instructions */
	uint32_t *active, nactive; /* queues not at their ends: a heap by time */
	struct pt_thread *thread;
	uint32_t nthreads, room_threads;
	struct keys by_tid;
	uint32_t *on_cpu; /* thread + 1 */
	uint32_t ncpu;
	struct perf_code *code;
};

/* Collects the queue's next consecutive pieces, and opens a decoder on them. 0: no more; 1;
 * -ENOMEM. */
int perf_pt_open(struct pt_queue *q, read_memory_callback_t *read_code);
void perf_pt_close(struct pt_queue *q);
/* The file offset of an offset in those pieces. */
uint64_t perf_pt_place(const struct pt_queue *q, uint64_t offset);

#endif
