/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies that others keep by build id: perf's (~/.debug), that of debuginfod's client. Who opens
 * one looks at its build id all the same.
 */
#ifndef A2N_KEPT_FILES_H
#define A2N_KEPT_FILES_H

#include "a2n/elf/elf_file.h"

enum kept_kind { KEPT_CODE, KEPT_DEBUG };

/* Where the i-th copy would be, from 0. false: there are no more. */
bool kept_path(enum kept_kind kind, const struct build_id *id, unsigned int i, char *path,
	       size_t size);

#endif
