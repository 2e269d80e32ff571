/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The texts of a page: about the trace, losses, unresolved names, warnings. */
#ifndef POST_HTML_FACTS_H
#define POST_HTML_FACTS_H

#include <json.h>

#include "export/html/html_block.h"
#include "export/html/html_tree.h"

/* Returns 0 or -errno. */
int html_facts_write(struct html_block *b, const struct html_tree *t, FILE *out);
/* Writes a member: the lines of a text, which is split in place; NULL: none. */
void html_facts_lines(struct json *j, const char *key, char *text);

#endif
