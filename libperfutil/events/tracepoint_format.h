/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tracepoint's number and where the fields of its data are, from its format file in tracefs. */
#ifndef PITRACE_TRACEPOINT_FORMAT_H
#define PITRACE_TRACEPOINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An integer in the data, or the first of an array of them. */
struct tracepoint_place {
	uint32_t offset, size; /* size of one: 1, 2, 4, 8 */
	uint32_t count;        /* 1, or the elements of the array */
	bool is_signed;
};

/* Reads a format file's text. Sets the places of the fields `names`. 0; -EBADMSG: the text is not a
 * format file, lacks one of them or has it in an unknown form. */
int tracepoint_parse(const char *text, size_t size, const char *const *names, size_t n,
		     uint64_t *id, struct tracepoint_place *places);
/* The same for system/event of the running kernel. Also -EACCES: not readable for this user;
 * -ENOENT: no such tracepoint, or tracefs is not mounted. */
int tracepoint_read(const char *event, const char *const *names, size_t n, uint64_t *id,
		    struct tracepoint_place *places);

/* Reads element i. False: the data end before it. */
bool tracepoint_value(const struct tracepoint_place *place, uint32_t i, const void *data,
		      size_t size, int64_t *value);

#endif
