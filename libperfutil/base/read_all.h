/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading to the end: of what has no size before (pipes, /proc), and of a part of a file. */
#ifndef PITRACE_READ_ALL_H
#define PITRACE_READ_ALL_H

#include <stddef.h>
#include <stdint.h>

/*
 * All that is left in fd, which stays open. 0: *text is from malloc, of *size bytes and a NUL
 * behind them that does not count. -errno: *text is NULL, *size 0; -EFBIG: more than `most` bytes.
 */
int read_all(int fd, size_t most, char **text, size_t *size);

/* `size` bytes from offset `at` on. 0 or -errno; *got is less at the file's end or on an error. */
int pread_all(int fd, void *to, size_t size, uint64_t at, size_t *got);

#endif
