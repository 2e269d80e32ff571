/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The live view in words: lines of a picture, and whole intervals for a pipe. */
#ifndef TOP_TEXT_H
#define TOP_TEXT_H

#include <stdio.h>
#include "top_view.h"

#define TOP_HEAD 3 /* lines above the rows */

/* Writes an escaped line up to where so many columns end; 0: all of it. */
void top_text_cut(FILE *out, const char *line, unsigned int columns);
/* Each writes one line without its newline, of at most so many columns; 0: as long as it is. Names
 * are escaped. */
void top_text_head(FILE *out, const struct top_view *v, const struct top_model *m, int line,
		   unsigned int columns);
void top_text_row(FILE *out, const struct top_view *v, const struct top_list *l,
		  const struct top_row *r, unsigned int columns);
/* False: there is no rest, and nothing was written. */
bool top_text_rest(FILE *out, const struct top_view *v, const struct top_list *l,
		   unsigned int columns);

/* A whole interval: lines, or an object of JSON in a line. */
void top_text_interval(FILE *out, const struct top_view *v, const struct top_model *m,
		       const struct top_list *l);
void top_json_interval(FILE *out, const struct top_view *v, const struct top_model *m,
		       const struct top_list *l);

#endif
