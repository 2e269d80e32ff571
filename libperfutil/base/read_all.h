/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading to the end: of inputs whose size is unknown (pipes, /proc), and of a part of a file. */
#ifndef PITRACE_READ_ALL_H
#define PITRACE_READ_ALL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads everything left in fd, which stays open. 0: *text is from malloc, *size bytes and a NUL
 * after them that is not counted. -errno: *text is NULL, *size 0; -EFBIG: more than `most` bytes.
 */
int read_all(int fd, size_t most, char **text, size_t *size);

/* Reads `size` bytes from offset `at` on. 0 or -errno; *got is less at the end of the file or on an
 * error. */
int pread_all(int fd, void *to, size_t size, uint64_t at, size_t *got);

#endif
