/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the sections of an object; counts the sites that cannot be patched. */
#include "sites.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "sites_add.h"

int site_add(struct sites *s, const struct patch_site *site, struct patch_fault *f, uint64_t offset)
{
	if (array_next(s->list, s->n, s->room)) {
		patch_fault(f, offset, "%zu sites: no memory", s->n);
		return -1;
	}
	s->list[s->n++] = *site;
	return 0;
}

void site_refused(struct sites *s, uint64_t at, const char *what)
{
	size_t i, most = sizeof(s->refused) / sizeof(s->refused[0]);

	for (i = 0; i < most - 1 && s->refused[i].n; i++) {
		if (!strcmp(s->refused[i].what, what))
			break;
	}
	if (!s->refused[i].n++) {
		s->refused[i].at = at;
		snprintf(s->refused[i].what, sizeof(s->refused[i].what), "%s", what);
	}
}

static int in_order(const void *a, const void *b)
{
	const struct patch_site *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Sorts sites by address; of overlapping sites, the first stays. */
static void put_in_order(struct sites *s)
{
	size_t i, n = 0;

	if (!s->n)
		return;
	qsort(s->list, s->n, sizeof(*s->list), in_order);
	for (i = 1; i < s->n; i++) {
		const struct patch_site *last = &s->list[n];

		if (s->list[i].at == last->at)
			continue;
		if (s->list[i].at - last->at < last->code.length)
			site_refused(s, s->list[i].at, "it is inside another site");
		else
			s->list[++n] = s->list[i];
	}
	s->n = n + 1;
}

#define OWN_SITES "hookit_training_sites"

/* The library's own sites do not count as the object's. */
static int read_own(struct sites *s, const struct patch_image *im, const struct object_file *o,
		    const Elf64_Shdr *sh, struct patch_fault *f)
{
	size_t n = s->n, entries = s->entries;
	int rc = sites_patchable(s, im, o, im->bias + sh->sh_addr, sh->sh_size, f);

	s->entries = entries;
	for (; n < s->n; n++)
		s->list[n].own = true;
	return rc;
}

int sites_sections(const struct object_file *o)
{
	Elf64_Shdr sh;

	return object_file_section(o, "__patchable_function_entries", &sh) +
	       object_file_section(o, OWN_SITES, &sh) +
	       object_file_section(o, "xray_instr_map", &sh);
}

int sites_read(struct sites *s, const struct patch_image *im, const struct object_file *o,
	       struct patch_fault *f)
{
	Elf64_Shdr sh;
	int found = 0, rc = 0;

	if (object_file_section(o, "__patchable_function_entries", &sh)) {
		found++;
		rc = sites_patchable(s, im, o, im->bias + sh.sh_addr, sh.sh_size, f);
	}
	if (!rc && object_file_section(o, OWN_SITES, &sh)) {
		found++;
		rc = read_own(s, im, o, &sh, f);
	}
	if (!rc && object_file_section(o, "xray_instr_map", &sh)) {
		found++;
		rc = sites_xray(s, im, im->bias + sh.sh_addr, sh.sh_size, f);
	}
	put_in_order(s);
	return rc ? rc : found;
}

void sites_free(struct sites *s)
{
	free(s->list);
	*s = (struct sites){ 0 };
}
