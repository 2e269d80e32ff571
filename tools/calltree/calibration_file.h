/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file in which minima are kept from run to run. Whoever reads or writes it trusts nobody else:
 * it is a regular file of this user, in a folder in which others cannot exchange it; links are not
 * followed. It is replaced as a whole, by one process at a time.
 */
#ifndef CALIBRATION_FILE_H
#define CALIBRATION_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "calibration.h"

struct calibration_file {
	int folder; /* -1: none */
	const char *name;
	char path[PATH_MAX];
	char why[PATH_MAX + 512]; /* of the last failure, in words */
};

/* Of the key its own file in the user's cache, whose folder is made; or this path. false: why. */
bool calibration_file_open(struct calibration_file *f, const char *path, const char *key);
void calibration_file_close(struct calibration_file *f);

/* Adds what the file has, which may be nothing: there is none yet. false: why; nothing was added,
 * and the file is not to be written. */
bool calibration_file_load(struct calibration_file *f, struct calibration *c, const char *key);
/* Writes what was learnt together with what the file has by now. *changed: minima that are new or
 * less. false: why; the file is as it was. */
bool calibration_file_merge(struct calibration_file *f, const struct calibration *learnt,
			    const char *key, uint32_t *changed);

#endif
