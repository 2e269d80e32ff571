/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Iterates over the instructions of a run; decodes each once while it is cached. */
#ifndef POST_STEPS_H
#define POST_STEPS_H

#include "model/code_bytes.h"
#include "model/runs.h"
#include "report/disasm.h"

struct steps_cached;
struct steps_machine;

struct steps {
	struct code_bytes bytes;
	struct steps_cached *cache;
	struct steps_machine *machine;
	uint32_t nmachine, room_machine;
};

/* Functions return 0 or -ENOMEM. */
int steps_begin(struct steps *s, struct names *n, struct input *in);
/* Finds the instruction at an address of the run; NULL: unavailable, with the reason in *why. Valid
 * until the next call. */
int steps_at(struct steps *s, const struct run *run, uint64_t address, const struct insn **insn,
	     const char **why);
void steps_free(struct steps *s);

#endif
