/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes MTE records and the snapshots of the system to liba2n (a2n_feed_record). */
#ifndef POST_FEED_H
#define POST_FEED_H

#include <a2n.h>

#include "model/trace_books.h"
#include "record/input.h"

/* Each returns 0 or -errno (no memory). Malformed records are counted in the trace. */
int feed_record(struct a2n *a, struct trace *t, const struct pirecord *r);
/* kernel_map: the user provided a kallsyms text, so the trace's own is not used. */
int feed_section(struct a2n *a, const struct input_section *s, bool kernel_map);
/* Reads a copy of kallsyms or a vmlinux, for `machines` machines (0: one). Returns NULL or an error
 * message. */
const char *feed_kernel_map(struct a2n *a, uint32_t machines, const char *path);
const char *feed_kernel_image(struct a2n *a, uint32_t machines, const char *path);

#endif
