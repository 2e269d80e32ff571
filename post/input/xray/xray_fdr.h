/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs of the flight data recorder. */
#ifndef POST_XRAY_FDR_H
#define POST_XRAY_FDR_H

#include "input/xray/xray_state.h"

/* All parts of a log. 0 or -ENOMEM. */
int xray_fdr_index(struct xray *x);
/* The next record of a part: 1; 0: the end. -ENOMEM. */
int xray_fdr_next(struct xray *x, struct xray_cursor *c);

#endif
