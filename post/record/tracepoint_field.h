/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A number among a tracepoint's data. */
#ifndef POST_TRACEPOINT_FIELD_H
#define POST_TRACEPOINT_FIELD_H

#include <stdbool.h>
#include <stdint.h>

/* Where an event has a number. */
struct tracepoint_field {
	int32_t event;         /* its id, which its data begin with */
	uint32_t offset, size; /* size: 1, 2, 4, 8 */
	bool is_signed, big;
};

#endif
