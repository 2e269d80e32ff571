/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of the functions in a log. */
#ifndef POST_XRAY_MAP_H
#define POST_XRAY_MAP_H

#include "input/xray/xray_state.h"

/* Reads a program's instrumentation map. Returns 0, or -errno with a message in `why`. */
int xray_map_read(struct xray_map *m, const char *path, char *why, size_t size);
void xray_map_free(struct xray_map *m);

#endif
