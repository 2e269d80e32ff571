/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of the functions of a log. */
#ifndef POST_XRAY_MAP_H
#define POST_XRAY_MAP_H

#include "input/xray/xray_state.h"

/* Reads a program's instrumentation map: 0, or -errno and the reason in words. */
int xray_map_read(struct xray_map *m, const char *path, char *why, size_t size);
void xray_map_free(struct xray_map *m);

#endif
