/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which methods are traced: patterns of package/Class.method(descriptor), in which * is any text.
 * The last one that fits decides; one that begins with - excludes. Without one that includes, all
 * others are in.
 */
#ifndef METHOD_FILTER_H
#define METHOD_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct method_filter {
	char *patterns; /* each ended by a NUL, the last by two; NULL: all are in */
};

/* Patterns separated by '+'. 0, -ENOMEM, or -EINVAL: an empty one. */
int filter_set(struct method_filter *f, const char *text, size_t n);
bool filter_takes(const struct method_filter *f, const char *name);
/* A name that has another form, or NULL: a pattern fits if it fits one of them. */
bool filter_takes_either(const struct method_filter *f, const char *name, const char *other);
void filter_free(struct method_filter *f);

#endif
