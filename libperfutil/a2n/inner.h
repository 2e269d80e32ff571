/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of an a2n for a2nint.c, a2n_feed.c and a2n_live.c, beyond a2n.h. */
#ifndef A2N_INNER_H
#define A2N_INNER_H

#include "a2n.h"
#include "a2n/module/module.h"

struct modules *inner_modules(struct a2n *a);
/* As a2n_jit_load; answers for this code have its bytes, which the caller keeps. */
int inner_jit_load(struct a2n *a, uint64_t time, uint32_t pid, uint64_t address, uint64_t size,
		   const char *name, const void *bytes);
/* The trace's CLOCK_REALTIME less its time; sets when the next mapping was made by that, unless the
 * caller sets that himself (a2n_time_of_day). */
void inner_realtime(struct a2n *a, uint64_t offset);
void inner_mapped_at(struct a2n *a, uint64_t time);
/* The next mappings were there at this time of day. */
void inner_mapped_now(struct a2n *a, uint64_t realtime);
struct live *inner_live(struct a2n *a);
/* enum a2n_map_flags of PITRACE_MAP_*. */
uint32_t inner_map_flags(uint32_t flags);

#endif
