/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log-gen: a binary log of each entry and exit of Java methods, and of functions. A header, then
 * chunks: kind, length, payload. Fixed-size integers are little-endian. Numbers in chunks are
 * varints: seven bits per byte, lowest first, the highest bit set in all bytes but the last.
 *
 *   N  the metrics' names: for each its length and bytes
 *   M  the number of the first method; then for each method, from that one on: length, bytes
 *   T  a thread's index, from 1; its tid; its name: length, bytes. Repeated when the name changes
 *   E  a thread's index; when the chunk was written, CLOCK_MONOTONIC in ns; the thread's events
 *
 * An event begins with one varint. Its lowest three bits are the kind. For an entry, the next three
 * bits are the method's type. The rest is the method, as the difference to the method of the
 * previous event in this chunk (initially 0), with the sign in the lowest bit. BASE and DELTA since
 * the thread's previous event follow for each metric. For LOST, the rest of the varint is the
 * number of events that were lost here; nothing follows.
 */
#ifndef COMMON_LOG_GEN_FORMAT_H
#define COMMON_LOG_GEN_FORMAT_H

#include <stdint.h>

#define LOG_GEN_MAGIC   "pitrace log-gen\n" /* without its NUL */
#define LOG_GEN_VERSION 2                   /* 1 has no POPPED */
#define LOG_GEN_CHUNK   (1u << 20)          /* the most bytes of a chunk */
#define LOG_GEN_METRICS 8
#define LOG_GEN_METHODS (1u << 24)

enum log_gen_event {
	LOG_GEN_ENTER,
	LOG_GEN_LEAVE,
	LOG_GEN_UNWIND, /* an exception left it */
	LOG_GEN_CAUGHT, /* it continues after an exception: its callees have ended */
	LOG_GEN_CALL,   /* an entry of a function of compiled code: it has no bits for a type */
	LOG_GEN_POPPED, /* longjmp() left it, or another cause that was not reported */
	LOG_GEN_LOST = 7,
};

enum log_gen_state {
	LOG_GEN_OPEN, /* it is being written, or its writer was killed */
	LOG_GEN_WHOLE,
	LOG_GEN_FAILED, /* a write failed with `error`; nothing was written after that */
};

struct log_gen_head {
	char magic[16];
	uint32_t version;
	uint32_t pid;
	uint32_t metrics;
	uint32_t state;
	uint32_t error; /* errno */
	uint32_t reserved;
	uint64_t lost;      /* events for which a thread's ring had no room */
	uint64_t unwritten; /* events after `error` */
	uint64_t realtime;  /* when the log was started, ns */
} __attribute__((packed));
_Static_assert(sizeof(struct log_gen_head) == 64, "the head of a log-gen");

struct log_gen_chunk {
	uint32_t kind; /* a letter */
	uint32_t length;
};
_Static_assert(sizeof(struct log_gen_chunk) == 8, "a chunk of a log-gen");

#endif
