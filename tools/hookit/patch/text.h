/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes code of this process: by /proc/self/mem, which needs no page to be writable. What is
 * written together goes page by page, so bytes between two changes are written as they were.
 */
#ifndef PATCH_TEXT_H
#define PATCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_PAGE 4096u

struct patch_text {
	int fd;
	int error; /* the first error, -errno, and its address; nothing is written after it */
	uint64_t error_at;
	uint64_t page; /* that is being changed; 0: none */
	unsigned int from, to;
	uint8_t bytes[TEXT_PAGE];
};

/* false: an error. */
bool text_open(struct patch_text *t);
/* In any order; quickly in that of addresses. */
void text_write(struct patch_text *t, uint64_t at, const void *bytes, size_t n);
/* All is written, and each CPU sees it. false: an error. */
bool text_flush(struct patch_text *t);
void text_close(struct patch_text *t);
/* What is wrong, in words. */
void text_why(const struct patch_text *t, char *why, size_t room);

#endif
