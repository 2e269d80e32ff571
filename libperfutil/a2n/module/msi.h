/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Symbols of modules in a file, for a machine that does not have the modules. Text; numbers are
 * hexadecimal, a module's lines follow its first one:
 *
 *   pitrace-msi 1
 *   MODULE PATH
 *   BUILDID DIGITS
 *   SEGMENT OFFSET ADDRESS SIZE
 *   SYMBOL VALUE END RANK SIZED NAME
 */
#ifndef A2N_MSI_H
#define A2N_MSI_H

#include <stdio.h>

#include "a2n/module/module.h"

struct msi_file;

/* Adds a text with symbols; takes ownership of it. 0, -ENOMEM, -EBADMSG. */
int msi_load(struct modules *ms, char *text, size_t size);
void msi_free(struct modules *ms);
/* Checks for any text of this machine. */
bool msi_of(const struct modules *ms, uint32_t machine);
/* Adds the saved symbols of a module; returns their number. */
uint32_t msi_symbols(const struct modules *ms, struct module *m, const struct build_id *build_id);
/* Writes a module that has symbols. */
void msi_write(FILE *f, const struct module *m, const struct build_id *id);
#define MSI_FIRST "pitrace-msi 1\n"

#endif
