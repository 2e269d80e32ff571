/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the instructions and source lines of the functions with the most ticks. */
#ifndef POST_HTML_CODE_H
#define POST_HTML_CODE_H

#include "export/html/html_block.h"
#include "job.h"

/* Writes the block "code": the JSON of -annotate, empty if samples have no addresses. Returns 0,
 * -errno, or REPORT_WRONG after a message. */
int html_code_write(struct html_block *b, const struct job *job, FILE *out);

#endif
