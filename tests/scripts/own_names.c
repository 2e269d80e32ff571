// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A program whose own functions have everyday names, each of which is also one inside of the
 * libraries. Linked with their static forms it writes, reads and resolves as if they had others.
 */
#include <a2n.h>
#include <perfutil.h>
#include <pifile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned int crc32c(const char *text);
int event_find(int number);
void rc_fail(void);
void newfile_open(void);
void file_same(void);
void table_find(void);
void elf_string(void);
void module_find(void);
void strings_intern(void);

unsigned int crc32c(const char *text)
{
	unsigned int sum = 0;

	while (*text)
		sum = sum * 31 + (unsigned char)*text++;
	return sum;
}

int event_find(int number)
{
	return number;
}

/* Functions that libraries must not call: the program aborts if one does. */
#define MINE(name)       \
	void name(void)  \
	{                \
		abort(); \
	}
MINE(rc_fail)
MINE(newfile_open)
MINE(file_same)
MINE(table_find)
MINE(elf_string)
MINE(module_find)
MINE(strings_intern)

static int write_and_read(const char *path)
{
	static const char text[] = "os: made by hand\n";
	struct pifile_header header = {
		.clock = PITRACE_CLOCK_MONOTONIC,
		.clock_hz = 1000000000,
		.ncpus = 1,
	};
	struct pifile_writer *w = pifile_create(path, &header);
	struct pifile_fault fault;
	struct pifile *file;

	if (!w || pifile_write_section(w, PIFILE_SEC_SYSTEM, text, sizeof(text) - 1) ||
	    pifile_finish(w))
		return 1;
	file = pifile_open(path, &fault);
	if (!file)
		fprintf(stderr, "%s: %s\n", path, fault.what);
	pifile_close(file);
	return !file;
}

static int resolve(void)
{
	extern const char __ehdr_start[];
	struct a2n_options options = { 0 };
	struct a2n_map map = {
		.start = (uintptr_t)__ehdr_start,
		.length = 1 << 30,
		.path = "/proc/self/exe",
	};
	struct a2n_answer answer;
	struct a2n *a = a2n_open(&options);
	bool found;

	if (!a)
		return 1;
	a2n_add_map(a, 1, 1, &map);
	a2n_resolve(a, 1, 2, (uintptr_t)event_find, false, &answer);
	found = !strcmp(answer.symbol->name, "event_find");
	if (!found)
		fprintf(stderr, "%s\n", answer.symbol->name);
	a2n_close(a);
	return !found;
}

int main(void)
{
	if (write_and_read("own_names.nrm2"))
		return 1;
	if (TraceOn() >= 0 || !*TraceLastError())
		return 2;
	if (resolve())
		return 3;
	return crc32c("x") != 'x' || event_find(1) != 1;
}
