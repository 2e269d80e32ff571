/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a log, and access to their bytes. */
#ifndef POST_XRAY_PARTS_H
#define POST_XRAY_PARTS_H

#include "input/xray/xray_state.h"

/* Adds a part, and its thread to the log's. 0 or -ENOMEM. */
int xray_add_part(struct xray *x, const struct xray_part *part);
/* Returns at least n bytes of the part from c->used on, or NULL. */
const uint8_t *xray_more(struct xray *x, struct xray_cursor *c, size_t n);
static inline const uint8_t *xray_look(struct xray *x, struct xray_cursor *c, size_t n)
{
	return c->have - c->used >= n ? c->room + c->used : xray_more(x, c, n);
}

/* Stores an event's text in the cursor. Returns 0 or -ENOMEM. */
int xray_put_event(struct xray_cursor *c, bool typed, uint32_t type, const uint8_t *text,
		   size_t size);

#endif
