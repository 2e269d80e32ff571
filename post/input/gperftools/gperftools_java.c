/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles of version 1 belong to Java programs and contain their symbols: instead of mappings they
 * have a line for each address, "0xADDRESS FUNCTION (FILE:LINE)". Compiled code may be anywhere, so
 * each function gets a new address here, in sequence.
 */
#include "base/array.h"
#include "base/memstream.h"
#include "base/search.h"
#include "input/gperftools/gperftools.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP 16 /* bytes of a place: an address minus one is still inside */

/* Returns the length of a function's name without its location: " (FILE:LINE)", " (LIBRARY)". */
static size_t name_length(const char *text)
{
	size_t n = strlen(text), at;

	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (!n || text[n - 1] != ')')
		return n;
	for (at = n; at > 1 && !(text[at - 1] == '(' && isspace((unsigned char)text[at - 2])); at--)
		;
	if (at < 2)
		return n;
	for (at--; at && isspace((unsigned char)text[at - 1]); at--)
		;
	return at ? at : n;
}

int java_line(struct java *j, const char *line)
{
	unsigned long long address;
	const char *name;
	char *end;

	while (isspace((unsigned char)*line))
		line++;
	if (line[0] != '0' || line[1] != 'x' || !isxdigit((unsigned char)line[2]))
		return 0;
	errno = 0;
	address = strtoull(line, &end, 16);
	if (errno || !isspace((unsigned char)*end))
		return 0;
	for (name = end; isspace((unsigned char)*name); name++)
		;
	if (!*name)
		return 0;
	if (array_next(j->place, j->n, j->room))
		return -ENOMEM;
	j->place[j->n] = (struct java_place){
		.address = address,
		.name = strstr(name, "generated stub/JIT") ? strdup("STUB") :
							     strndup(name, name_length(name)),
	};
	if (!j->place[j->n].name)
		return -ENOMEM;
	j->n++;
	return 1;
}

static int by_name(const void *a, const void *b)
{
	const struct java_place *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : (x->address > y->address) - (x->address < y->address);
}

static int by_address(const void *a, const void *b)
{
	const struct java_place *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Ends a line of saved symbols with a name; control characters become '?'. */
static void put_name(FILE *out, const char *name)
{
	for (; *name; name++)
		putc(iscntrl((unsigned char)*name) ? '?' : *name, out);
	putc('\n', out);
}

int java_lay_out(struct java *j)
{
	char *text = NULL;
	size_t size = 0;
	uint32_t i, k;
	FILE *out;

	if (!j->n)
		return 0;
	qsort(j->place, j->n, sizeof(*j->place), by_name);
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	fprintf(out, "pitrace-msi 1\nMODULE " JAVA_MODULE "\nSEGMENT 0 0 %" PRIx64 "\n",
		java_size(j));
	for (i = 0; i < j->n; i = k) {
		for (k = i; k < j->n && !strcmp(j->place[k].name, j->place[i].name); k++)
			j->place[k].at = JAVA_BASE + (uint64_t)STEP * k + STEP / 2;
		fprintf(out, "SYMBOL %" PRIx64 " %" PRIx64 " 0 1 ", (uint64_t)STEP * i,
			(uint64_t)STEP * k);
		put_name(out, j->place[i].name);
	}
	if (memstream_close(out, &text))
		return -ENOMEM;
	j->symbols = blob_of(text, size);
	qsort(j->place, j->n, sizeof(*j->place), by_address);
	return 0;
}

uint64_t java_size(const struct java *j)
{
	return (uint64_t)STEP * j->n;
}

uint64_t java_address(const struct java *j, uint64_t pc)
{
	uint32_t at = search_sorted(i, 0, j->n, j->place[i].address < pc);

	return at < j->n && j->place[at].address == pc ? j->place[at].at : pc;
}

void java_free(struct java *j)
{
	for (uint32_t i = 0; i < j->n; i++)
		free(j->place[i].name);
	free(j->place);
	blob_free(&j->symbols);
	*j = (struct java){ 0 };
}
