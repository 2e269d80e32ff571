/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names that a user gives, with commas between; each may be a pattern (base/pattern.h). A name
 * costs one look-up, however many are given: those without * and ? are found by their hash, and of
 * what was compared with patterns the answers are kept.
 */
#ifndef POST_NAME_LIST_H
#define POST_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct name_list;

/* NULL: no memory. The text must live on. */
struct name_list *name_list_of(const char *text);
/* Whether the name is among them; NULL: any is. Names of C++ have commas: the whole text is one,
 * too. */
bool name_list_has(struct name_list *l, const char *name);
/* Whether this text is one of them, in so many letters. */
bool name_list_names(const struct name_list *l, const char *name, size_t length);
void name_list_free(struct name_list *l);

#endif
