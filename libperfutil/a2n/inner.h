/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of liba2n for a2nint.c, a2n_feed.c and a2n_live.c, in addition to a2n.h. */
#ifndef A2N_INNER_H
#define A2N_INNER_H

#include "a2n.h"
#include "a2n/module/module.h"

struct modules *inner_modules(struct a2n *a);
/* As a2n_jit_load; answers for this code have its bytes, which the caller keeps. */
int inner_jit_load(struct a2n *a, uint64_t time, uint32_t pid, uint64_t address, uint64_t size,
		   const char *name, const void *bytes);
/* inner_realtime: offset of CLOCK_REALTIME from the trace's time. inner_mapped_at: sets from it
 * when the next mapping was made, unless the caller sets that itself (a2n_time_of_day). */
void inner_realtime(struct a2n *a, uint64_t offset);
void inner_mapped_at(struct a2n *a, uint64_t time);
/* The next mappings existed at this time of day. */
void inner_mapped_now(struct a2n *a, uint64_t realtime);
struct live *inner_live(struct a2n *a);
/* Converts PITRACE_MAP_* to enum a2n_map_flags. */
uint32_t inner_map_flags(uint32_t flags);

#endif
