/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes one line per call stack: for the report and for the output format. */
#ifndef POST_FOLDED_REPORT_H
#define POST_FOLDED_REPORT_H

#include "report/report.h"

int folded_write(const struct job *job, FILE *out);

#endif
