/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies of files cached by build id: perf's (~/.debug), and those of debuginfod's client. The
 * caller checks the build id of the opened file.
 */
#ifndef A2N_KEPT_FILES_H
#define A2N_KEPT_FILES_H

#include "a2n/elf/elf_file.h"

enum kept_kind { KEPT_CODE, KEPT_DEBUG };

/* Returns the path of the i-th possible copy, from 0. False: no more. */
bool kept_path(enum kept_kind kind, const struct build_id *id, unsigned int i, char *path,
	       size_t size);

#endif
