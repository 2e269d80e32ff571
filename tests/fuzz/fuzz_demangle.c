/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: names of symbols into readable ones; a short name must neither hang nor fill memory. */
#include "a2n.h"
#include "a2n/base/demangle.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1), *text;

	if (!name)
		abort();
	memcpy(name, data, size);
	name[size] = 0;
	text = a2n_demangle(name);
	if (text && (!*text || !strcmp(text, name)))
		abort();
	free(text);
	text = demangle_symbol(name);
	if (text)
		fuzz_touch(text, strlen(text));
	free(text);
	free(name);
	return 0;
}
