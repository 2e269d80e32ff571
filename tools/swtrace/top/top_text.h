/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The live view as text: lines of a screen, and whole intervals for a pipe. */
#ifndef TOP_TEXT_H
#define TOP_TEXT_H

#include <stdio.h>
#include "top_view.h"

#define TOP_HEAD 3 /* lines above the rows */

/* Writes an escaped line, truncated to `columns`; 0: all of it. */
void top_text_cut(FILE *out, const char *line, unsigned int columns);
/* Each writes one line without its newline, of at most `columns`; 0: in full. Names are escaped. */
void top_text_head(FILE *out, const struct top_view *v, const struct top_model *m, int line,
		   unsigned int columns);
void top_text_row(FILE *out, const struct top_view *v, const struct top_list *l,
		  const struct top_row *r, unsigned int columns);
/* Returns false, and writes nothing, if there is no rest. */
bool top_text_rest(FILE *out, const struct top_view *v, const struct top_list *l,
		   unsigned int columns);

/* Writes a whole interval: lines, or a JSON object in one line. */
void top_text_interval(FILE *out, const struct top_view *v, const struct top_model *m,
		       const struct top_list *l);
void top_json_interval(FILE *out, const struct top_view *v, const struct top_model *m,
		       const struct top_list *l);

#endif
