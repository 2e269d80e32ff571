/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of machines of the other byte order: turned into ours in place, when they are read. Nobody
 * behind the reader knows that there are two.
 */
#ifndef PITRACE_FILE_SWAP_H
#define PITRACE_FILE_SWAP_H

#include <pifile.h>

void file_swap_header(struct pifile_header *h);
void file_swap_section(struct pifile_section *s);
/* A section's payload, decompressed. What is malformed is left as it is: its reader will say so. */
void file_swap_payload(enum pifile_section_type type, void *payload, size_t size);

#endif
