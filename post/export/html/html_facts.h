/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page says in words: of the trace, what it lost, what has no name, what is to be known. */
#ifndef POST_HTML_FACTS_H
#define POST_HTML_FACTS_H

#include <json.h>

#include "export/html/html_block.h"
#include "export/html/html_tree.h"

/* 0, or -errno. */
int html_facts_write(struct html_block *b, const struct html_tree *t, FILE *out);
/* A member: lines of a text, which is cut into them; NULL: none. */
void html_facts_lines(struct json *j, const char *key, char *text);

#endif
