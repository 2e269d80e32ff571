/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line a call stack: of the report, and of the format that is the same. */
#ifndef POST_FOLDED_REPORT_H
#define POST_FOLDED_REPORT_H

#include "report/report.h"

int folded_write(const struct job *job, FILE *out);

#endif
