/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log-gen: each entry and exit of Java methods, and of functions, binary. A head, then chunks:
 * kind and length, then so many bytes. What has more than a byte is little-endian. Numbers in
 * chunks are varints: seven bits a byte, the lowest first, the highest bit set but in the last one.
 *
 *   N  of each metric its name: length, bytes
 *   M  the number of the first method; of each from there on: length, bytes
 *   T  a thread's place, from 1; its tid; its name: length, bytes. Once more, when the name changes
 *   E  a thread's place; when this was written, CLOCK_MONOTONIC in ns; its events
 *
 * An event is one varint, its lowest three bits its kind; of an entry the next three the method's
 * type; the rest the method, as the difference to that of the event before it in this chunk (0 to
 * the first one), with its sign in the lowest bit. Then of each metric BASE and DELTA since the
 * thread's event before. Of LOST the rest is how many events were lost here; nothing follows.
 */
#ifndef COMMON_LOG_GEN_FORMAT_H
#define COMMON_LOG_GEN_FORMAT_H

#include <stdint.h>

#define LOG_GEN_MAGIC   "pitrace log-gen\n" /* without its NUL */
#define LOG_GEN_VERSION 2                   /* 1 has no POPPED */
#define LOG_GEN_CHUNK   (1u << 20)          /* bytes of one, at most */
#define LOG_GEN_METRICS 8
#define LOG_GEN_METHODS (1u << 24)

enum log_gen_event {
	LOG_GEN_ENTER,
	LOG_GEN_LEAVE,
	LOG_GEN_UNWIND, /* an exception left it */
	LOG_GEN_CAUGHT, /* it goes on: what it called is over */
	LOG_GEN_CALL,   /* an entry of a function of compiled code: it has no bits for a type */
	LOG_GEN_POPPED, /* longjmp() left it, or whatever else it was that nobody has said */
	LOG_GEN_LOST = 7,
};

enum log_gen_state {
	LOG_GEN_OPEN, /* it is being written, or who wrote it was killed */
	LOG_GEN_WHOLE,
	LOG_GEN_FAILED, /* `error` is why no more was written */
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
	uint64_t realtime;  /* when it was begun, ns */
} __attribute__((packed));
_Static_assert(sizeof(struct log_gen_head) == 64, "the head of a log-gen");

struct log_gen_chunk {
	uint32_t kind; /* a letter */
	uint32_t length;
};
_Static_assert(sizeof(struct log_gen_chunk) == 8, "a chunk of a log-gen");

#endif
