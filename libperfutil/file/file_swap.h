/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Converts files of the other byte order to native order in place, when they are read. Code above
 * the reader never sees the other order.
 */
#ifndef PITRACE_FILE_SWAP_H
#define PITRACE_FILE_SWAP_H

#include <pifile.h>

void file_swap_header(struct pifile_header *h);
void file_swap_section(struct pifile_section *s);
/* Converts a section's decompressed payload. Malformed parts are left as they are: their reader
 * will report them. */
void file_swap_payload(enum pifile_section_type type, void *payload, size_t size);

#endif
