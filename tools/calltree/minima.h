/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The minima of other runs: found at the begin, for the log at the end. */
#ifndef MINIMA_H
#define MINIMA_H

#include "log_rt.h"

/* Sets what the log needs of it. key: what they are of; it stays. path: where they are kept, ""
 * the user's cache; NULL: nowhere. */
void minima_begin(struct log_rt *log, const char *key, const char *path);
/* What is learnt beside the program's run serves it, too, and is kept. */
void minima_learn(struct log_rt *log, const struct calibration *learnt);
/* A file that was asked for, and does not serve, is missed by somebody: tells him. */
void minima_tell(const struct log_rt *log, const char *path);

#endif
