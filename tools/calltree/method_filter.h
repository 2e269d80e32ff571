/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which methods are traced: patterns of package/Class.method(descriptor), in which * matches any
 * text. The last matching pattern decides; one that begins with - excludes. If no pattern includes,
 * methods that match none are traced.
 */
#ifndef METHOD_FILTER_H
#define METHOD_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct method_filter {
	char *patterns; /* each terminated by a NUL, the last by two; NULL: all are traced */
};

/* Sets patterns separated by '+'. Returns 0, -ENOMEM, or -EINVAL: an empty pattern. */
int filter_set(struct method_filter *f, const char *text, size_t n);
bool filter_takes(const struct method_filter *f, const char *name);
/* other: another form of the name, or NULL; a pattern matches if it matches either. */
bool filter_takes_either(const struct method_filter *f, const char *name, const char *other);
void filter_free(struct method_filter *f);

#endif
