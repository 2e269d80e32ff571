/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "method_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"

int filter_set(struct method_filter *f, const char *text, size_t n)
{
	char *copy = malloc(n + 2);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, n);
	copy[n] = copy[n + 1] = 0;
	for (size_t i = 0; i <= n; i++) {
		if (i < n && copy[i] != '+')
			continue;
		copy[i] = 0;
		if (i == 0 || !copy[i - 1] || (copy[i - 1] == '-' && (i == 1 || !copy[i - 2]))) {
			free(copy);
			return -EINVAL;
		}
	}
	filter_free(f);
	f->patterns = copy;
	return 0;
}

static bool fits(const char *pattern, const char *name, const char *other)
{
	size_t n = strlen(pattern);

	return pattern_fits(pattern, n, name) || (other && pattern_fits(pattern, n, other));
}

bool filter_takes_either(const struct method_filter *f, const char *name, const char *other)
{
	bool takes = true;
	const char *p;

	/* If there is an including pattern, names that match none are excluded. */
	for (p = f->patterns; p && *p; p += strlen(p) + 1)
		if (*p != '-')
			takes = false;
	for (p = f->patterns; p && *p; p += strlen(p) + 1)
		if (fits(p + (*p == '-'), name, other))
			takes = *p != '-';
	return takes;
}

bool filter_takes(const struct method_filter *f, const char *name)
{
	return filter_takes_either(f, name, NULL);
}

void filter_free(struct method_filter *f)
{
	free(f->patterns);
	f->patterns = NULL;
}
