/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs in basic mode. */
#ifndef POST_XRAY_BASIC_H
#define POST_XRAY_BASIC_H

#include "input/xray/xray_state.h"

/* Finds all parts of a log. Returns 0 or -ENOMEM. */
int xray_basic_index(struct xray *x);
/* Reads the next record of a part. Returns 1; 0: the end; -ENOMEM. */
int xray_basic_next(struct xray *x, struct xray_cursor *c);

#endif
