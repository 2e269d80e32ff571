/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Closes an open_memstream(): fclose() alone does not report that the last allocation failed. */
#ifndef PITRACE_MEMSTREAM_H
#define PITRACE_MEMSTREAM_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* 0: the caller owns the text. -ENOMEM: *text is freed and set to NULL. */
static inline int memstream_close(FILE *out, char **text)
{
	if (!fclose(out) && *text)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

#endif
