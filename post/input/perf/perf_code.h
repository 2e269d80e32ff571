/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code that processes had mapped, according to the records so far: bytes are read from the
 * files, if these are still the ones that were mapped.
 */
#ifndef POST_PERF_CODE_H
#define POST_PERF_CODE_H

#include "collect/perf/perf_decode.h"

struct perf_code;

struct perf_code *perf_code_new(void);
void perf_code_free(struct perf_code *c);
/* Processes MMAP, MMAP2, FORK and COMM; ignores others. Returns 0 or -ENOMEM. */
int perf_code_record(struct perf_code *c, const struct perf_item *item);
/* Reads bytes at an address of a process, as many as are available, up to `size`; 0: none. */
size_t perf_code_read(struct perf_code *c, uint32_t pid, uint64_t address, uint8_t *out,
		      size_t size);

#endif
