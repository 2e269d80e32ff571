/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A number in a tracepoint's data. */
#ifndef POST_TRACEPOINT_FIELD_H
#define POST_TRACEPOINT_FIELD_H

#include <stdbool.h>
#include <stdint.h>

/* The position of a number in an event's data. */
struct tracepoint_field {
	int32_t event;         /* event id, which the data start with */
	uint32_t offset, size; /* size: 1, 2, 4, 8 */
	bool is_signed, big;
};

#endif
