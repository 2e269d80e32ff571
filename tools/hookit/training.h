/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Minima of this very library on this machine, before the program's first call is measured:
 * functions of its own, compiled as programs are, make each sequence of events a few hundred times.
 */
#ifndef TRAINING_H
#define TRAINING_H

#include <stdbool.h>

#include "log_rt.h"

/* entry: programs tell of calls by their first instruction (-mfentry). What is learnt goes to the
 * log's minima and their file, if they have been trained too seldom so far. */
void training_run(struct log_rt *log, bool entry);

/* What the two kinds of functions have in common: called with what a turn is to be. */
typedef void training_turn(void);
training_turn training_instrumented, training_entry;
/* The function that runs now ends as if an exception had left it. */
void training_throw(void);

#endif
