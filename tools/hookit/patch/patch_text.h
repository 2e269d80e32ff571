/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes code of this process through /proc/self/mem, which does not require writable pages.
 * Changes are written page by page: bytes between two changes are rewritten unchanged.
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
	uint64_t page; /* the page being changed; 0: none */
	unsigned int from, to;
	uint8_t bytes[TEXT_PAGE];
};

/* Returns false on an error. */
bool text_open(struct patch_text *t);
/* In any order; fast in ascending order of addresses. */
void text_write(struct patch_text *t, uint64_t at, const void *bytes, size_t n);
/* Writes the rest and synchronizes all CPUs. false: an error. */
bool text_flush(struct patch_text *t);
void text_close(struct patch_text *t);
/* Describes the error. */
void text_why(const struct patch_text *t, char *why, size_t room);

#endif
