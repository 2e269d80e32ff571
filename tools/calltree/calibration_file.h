/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file in which minima are kept from run to run. Readers and writers trust no other user: it
 * must be a regular file of this user, in a folder in which others cannot replace it; links are not
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
	char why[PATH_MAX + 512]; /* message of the last failure */
};

/* Opens the file `path` or, if NULL, the key's file in the user's cache, whose folder is created.
 * On failure returns false and sets why. */
bool calibration_file_open(struct calibration_file *f, const char *path, const char *key);
void calibration_file_close(struct calibration_file *f);

/* Merges the file's content into c; a missing file is not an error. On failure returns false and
 * sets why; c is unchanged, and the file must not be written. */
bool calibration_file_load(struct calibration_file *f, struct calibration *c, const char *key);
/* Merges `learnt` into the file. *changed: number of minima that are new or lower. On failure
 * returns false and sets why; the file is unchanged. */
bool calibration_file_merge(struct calibration_file *f, const struct calibration *learnt,
			    const char *key, uint32_t *changed);

#endif
