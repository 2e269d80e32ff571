/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The images of the vdso that this machine's programs have mapped, as sections of a file. */
#ifndef PITRACE_VDSO_H
#define PITRACE_VDSO_H

#include <pifile.h>

/* A section for our own, and one for that of 32-bit programs where the kernel shows it. 0 or -errno
 * of the file. */
int vdso_write(struct pifile_writer *w);

#endif
