/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of code at an address of a process, from four sources: memory without a file that the
 * trace recorded (CODE records), code that programs recorded when they generated it, mapped files,
 * the vdso. Memory is bounded by the amount of code.
 */
#ifndef POST_CODE_BYTES_H
#define POST_CODE_BYTES_H

#include "model/trace_names.h"
#include "record/input.h"

struct code_bytes_page;
struct code_bytes_image;

struct code_bytes {
	struct names *names;
	uint32_t machine; /* of the trace: EM_*; 0: unknown */
	bool big_endian;
	struct code_bytes_page *page; /* from CODE records */
	uint32_t npage, room_page;
	struct keys by_page;
	struct code_bytes_image *image; /* by module */
	uint32_t nimage, room_image;
	uint32_t epoch; /* changes when pages change */
};

struct bytes_found {
	const uint8_t *at; /* NULL: no bytes */
	const char *why;   /* the reason, if `at` is NULL */
	size_t size;       /* contiguous bytes from `at` */
	uint32_t machine;
	bool is_32, big_endian;
};

/* Each returns 0 or -ENOMEM. */
int code_bytes_begin(struct code_bytes *b, struct names *n, struct input *in);
/* Processes a record of either ring: recorded code, or memory whose contents change from now on. */
int code_bytes_record(struct code_bytes *b, const struct pirecord *r);
int code_bytes_find(struct code_bytes *b, uint32_t pid, uint64_t address, uint64_t time,
		    bool kernel, struct bytes_found *found);
void code_bytes_free(struct code_bytes *b);

#endif
