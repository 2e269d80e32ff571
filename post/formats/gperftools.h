/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two halves of the format: gperftools.c reads, gperftools_write.c writes. */
#ifndef POST_FORMATS_GPERFTOOLS_H
#define POST_FORMATS_GPERFTOOLS_H

#include "formats/format.h"

int gperftools_write(const struct job *job, FILE *out);

#endif
