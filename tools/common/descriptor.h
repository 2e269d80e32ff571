/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths that name a descriptor which the process already has: /dev/stdin, /dev/fd/N and the
 * like. */
#ifndef COMMON_DESCRIPTOR_H
#define COMMON_DESCRIPTOR_H

/* Returns the descriptor's number, whether it is open or not, or -1 for any other path. */
int own_descriptor(const char *path);

#endif
