/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decompresses a gzip file from front to back, in a second thread, a few blocks ahead of the one
 * that parses them. If no thread can be created, unpack_take() decompresses itself.
 */
#ifndef HDUMP_UNPACK_H
#define HDUMP_UNPACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#define UNPACK_BLOCK  (256u << 10)
#define UNPACK_BLOCKS 4

struct unpacker {
	/* The thread's, while it runs. */
	int fd;
	z_stream z;
	uint8_t *packed;
	uint64_t read;
	bool over;
	int error;         /* of reading the file */
	const char *fault; /* why else it ended early; NULL: at the end of the file */
	/* Blocks that are complete and not yet taken; the counters are protected by the lock. */
	uint8_t *blocks;
	size_t size[UNPACK_BLOCKS];
	uint64_t read_then[UNPACK_BLOCKS];
	unsigned int put, taken;
	bool ended, stop;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* The caller's. */
	size_t at; /* of the next block to be taken */
	bool begun, has_thread;
	pthread_t thread;
};

/* Returns 0 or -ENOMEM. unpack_close() must follow in either case. */
int unpack_open(struct unpacker *u, int fd);
/* Restarts at the first byte. Returns 0 or -EINVAL. */
int unpack_rewind(struct unpacker *u);
/* Waits for bytes, and copies some; *read is how much of the file they needed. Returns 0 at the
 * end: then *fault is the reason, or NULL at the end of the file. */
size_t unpack_take(struct unpacker *u, uint8_t *to, size_t room, uint64_t *read,
		   const char **fault);
void unpack_close(struct unpacker *u);

#endif
