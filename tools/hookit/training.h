/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Minima of this very library on this machine, before the program's first call is measured:
 * functions of its own, compiled as programs are, make each sequence of events a few hundred times.
 */
#ifndef TRAINING_H
#define TRAINING_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose.h"
#include "log_rt.h"

/* How programs tell of calls. */
enum training_way { TRAINING_INSTRUMENTED, TRAINING_ENTRY, TRAINING_SITES };

/* What is learnt goes to the log's minima and their file, if they have been trained too seldom so
 * far. */
void training_run(struct log_rt *log, enum training_way way);

/* What the kinds of functions have in common: called with what a turn is to be. */
typedef void training_turn(void);
training_turn training_instrumented, training_fentry;
/* The function that runs now ends as if an exception had left it. */
void training_throw(void);

#if defined(__x86_64__)
/* Functions whose instructions are known (training_exact.S): so many turns. */
typedef void training_turns(uint32_t n);
training_turns training_plain, training_entry, training_sites;
/* The same for what costs more than a return: calls one after the other, functions that jump to
 * others, and by longjmp(). */
training_turns training_entry_leaves, training_sites_leaves, training_sites_follows;
struct training_jump {
	jmp_buf back;
	int32_t left; /* turns */
	hook_jump *jump;
};
typedef void training_jumps(struct training_jump *j);
training_jumps training_plain_jumps, training_entry_jumps, training_sites_jumps;
extern const char training_sites_low[], training_sites_high[];
#endif

#endif
