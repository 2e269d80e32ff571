/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Learns the minima of this build of the library on this machine before the program's first call is
 * measured: functions of the library, compiled as programs are, execute each sequence of events a
 * few hundred times.
 */
#ifndef TRAINING_H
#define TRAINING_H

#include <stdbool.h>
#include <stdint.h>

#include "hook_interpose.h"
#include "log_rt.h"

/* How calls of the program are reported. */
enum training_way { TRAINING_INSTRUMENTED, TRAINING_ENTRY, TRAINING_SITES };

/* Trains, unless the log's minima have been trained often enough, and adds the results to the log's
 * minima and their file. */
void training_run(struct log_rt *log, enum training_way way);

/* One turn of functions compiled in this way; same shape for each kind. */
typedef void training_turn(void);
training_turn training_instrumented, training_fentry;
/* Marks the running function as ended by an exception. */
void training_throw(void);

#if defined(__x86_64__)
/* Functions whose instructions are known (training_exact.S). n: the number of turns. */
typedef void training_turns(uint32_t n);
training_turns training_plain, training_entry, training_sites;
/* The same for events that cost more than a return: consecutive calls, functions that jump to
 * another one, and longjmp(). */
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
