/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -functions for logs with values of calls, in all output formats. */
#ifndef POST_METHODS_REPORT_H
#define POST_METHODS_REPORT_H

#include "report/table.h"

int methods_write(const struct job *job, FILE *out);
int methods_rows(struct table *t);

#endif
