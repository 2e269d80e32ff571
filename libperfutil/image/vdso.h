/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the images of the vdso that this machine's programs map, as sections of a file. */
#ifndef PITRACE_VDSO_H
#define PITRACE_VDSO_H

#include <pifile.h>

/* Writes a section for the native image, and one for that of 32-bit programs if the kernel shows
 * it. 0 or -errno of the file. */
int vdso_write(struct pifile_writer *w);

#endif
