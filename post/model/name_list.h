/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of names separated by commas; each may be a pattern (base/pattern.h). A look-up takes the
 * same time for any length of the list: names without * and ? are found by hash, and the results of
 * pattern comparisons are cached.
 */
#ifndef POST_NAME_LIST_H
#define POST_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct name_list;

/* Returns NULL without memory. The text must outlive the list. */
struct name_list *name_list_of(const char *text);
/* Returns whether the list matches the name; a NULL list matches any. C++ names contain commas: the
 * whole text is also compared as one name. */
bool name_list_has(struct name_list *l, const char *name);
/* Returns whether this text is literally in the list. */
bool name_list_names(const struct name_list *l, const char *name, size_t length);
void name_list_free(struct name_list *l);

#endif
