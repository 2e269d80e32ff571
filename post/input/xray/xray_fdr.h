/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs in flight data recorder mode. */
#ifndef POST_XRAY_FDR_H
#define POST_XRAY_FDR_H

#include "input/xray/xray_state.h"

/* Finds all parts of a log. Returns 0 or -ENOMEM. */
int xray_fdr_index(struct xray *x);
/* Reads the next record of a part. Returns 1; 0: the end; -ENOMEM. */
int xray_fdr_next(struct xray *x, struct xray_cursor *c);

#endif
