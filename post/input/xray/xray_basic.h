/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs in the basic mode. */
#ifndef POST_XRAY_BASIC_H
#define POST_XRAY_BASIC_H

#include "input/xray/xray_state.h"

/* All parts of a log. 0 or -ENOMEM. */
int xray_basic_index(struct xray *x);
/* The next record of a part: 1; 0: the end. -ENOMEM. */
int xray_basic_next(struct xray *x, struct xray_cursor *c);

#endif
