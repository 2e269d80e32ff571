/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions and source lines of the functions that have most ticks. */
#ifndef POST_HTML_CODE_H
#define POST_HTML_CODE_H

#include "export/html/html_block.h"
#include "job.h"

/* A block, "code": JSON as -annotate has it; empty where samples have no addresses. 0, -errno, or
 * REPORT_WRONG, which was told. */
int html_code_write(struct html_block *b, const struct job *job, FILE *out);

#endif
