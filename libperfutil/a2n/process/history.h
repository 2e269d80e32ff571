/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The history of an address, to explain an answer. */
#ifndef A2N_HISTORY_H
#define A2N_HISTORY_H

#include "a2n/jit/a2n_jit.h"
#include "a2n/process/process.h"

void history_process(const struct processes *ps, const struct jits *js, uint32_t pid,
		     uint64_t address, a2n_take_span take, void *arg);
void history_kernel(struct space *s, uint64_t address, a2n_take_span take, void *arg);

#endif
