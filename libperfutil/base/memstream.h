/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of open_memstream(): fclose() alone says nothing when the last allocation failed. */
#ifndef PITRACE_MEMSTREAM_H
#define PITRACE_MEMSTREAM_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* 0, and the text is the caller's. -ENOMEM: *text is freed, and NULL. */
static inline int memstream_close(FILE *out, char **text)
{
	if (!fclose(out) && *text)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

#endif
