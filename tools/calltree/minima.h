/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The minima of other runs: loaded at the start, updated with the log at the end. */
#ifndef MINIMA_H
#define MINIMA_H

#include "log_rt.h"

/* Sets the log's calibration. key: their conditions; must remain valid. path: their file, "": in
 * the user's cache, NULL: none. */
void minima_begin(struct log_rt *log, const char *key, const char *path);
/* Adds minima learnt outside of the program's run to this run's calibration and to the file. */
void minima_learn(struct log_rt *log, const struct calibration *learnt);
/* Prints a message, once, if a requested file cannot be used. */
void minima_report(const struct log_rt *log, const char *path);

#endif
