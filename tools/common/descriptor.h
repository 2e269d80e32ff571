/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths that mean what the process has open already: /dev/stdin, /dev/fd/N and the like. */
#ifndef COMMON_DESCRIPTOR_H
#define COMMON_DESCRIPTOR_H

/* Its number, which may be open or not; -1: it is another path. */
int own_descriptor(const char *path);

#endif
