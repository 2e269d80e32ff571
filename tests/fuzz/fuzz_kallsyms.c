/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: kallsyms and modules of a trace, passed together with loads and unloads. The input is split
 * at lines of "--": kallsyms, modules, and again. Every answer must be complete. Modules are also
 * read as a tracer does.
 */
#include <sys/mman.h>

#include "a2n.h"
#include "fuzz.h"
#include "image/kernel_modules.h"

/* Its text, with an end; NULL at first. */
static char *look(const char *before, const char *text, size_t size)
{
	const struct pifile_header h = { .clock = PITRACE_CLOCK_MONOTONIC, .ncpus = 1 };
	char *now = strndup(text, size), *marked;
	struct pifile_writer *w;

	if (!now || !kernel_modules_same(now, now) ||
	    kernel_modules_same(before, now) != kernel_modules_same(now, before))
		abort();
	marked = kernel_modules_mark(now);
	if (!marked || !kernel_modules_same(marked, marked))
		abort();
	free(marked);
	if (!before || kernel_modules_same(before, now))
		return now;
	w = pifile_create_fd(memfd_create("trace", MFD_CLOEXEC), &h);
	if (!w || kernel_modules_write(w, before, now, 10, 20) || pifile_finish(w))
		abort();
	return now;
}

static void ask(struct a2n *a, uint64_t time, uint64_t address)
{
	struct a2n_answer r, again;

	a2n_resolve(a, 0, time, address, true, &r);
	if (!r.module || !r.symbol || r.symbol->module != r.module || !r.symbol->name ||
	    !r.module->symbols_from)
		abort();
	if (r.result == A2N_OK && (r.symbol_offset >= r.symbol->size ||
				   r.symbol_offset + r.symbol->value != r.module_offset))
		abort();
	a2n_resolve(a, 0, time, address, true, &again);
	if (again.symbol != r.symbol || again.module != r.module)
		abort();
	fuzz_touch(r.symbol->name, strlen(r.symbol->name));
}

/* Around every number of 16 digits in the text. */
static void ask_all(struct a2n *a, const char *text, size_t size)
{
	uint64_t value = 0;
	size_t i, digits = 0;

	for (i = 0; i < size; i++) {
		char c = text[i];
		int digit = -1;

		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if (c >= 'a' && c <= 'f')
			digit = c - 'a' + 10;
		if (digit >= 0) {
			value = value << 4 | (uint64_t)digit;
			digits++;
			continue;
		}
		if (digits >= 3) {
			ask(a, 15, value - 1);
			ask(a, 15, value);
			ask(a, 25, value + 1);
			ask(a, 35, value + 0x1000);
		}
		value = digits = 0;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct a2n_options options = { .demangle = true };
	const char *text = (const char *)data;
	struct a2n *a = a2n_open(&options);
	char *modules = NULL, *now;
	size_t at = 0, begin;
	uint32_t part = 0;

	if (!a)
		abort();
	for (begin = 0; at <= size; at++) {
		if (at < size && (size - at < 3 || memcmp(text + at, "--\n", 3)))
			continue;
		switch (part++ % 3) {
		case 0:
			a2n_kallsyms(a, text + begin, at - begin);
			break;
		case 1:
			a2n_modules(a, text + begin, at - begin);
			now = look(modules, text + begin, at - begin);
			free(modules);
			modules = now;
			break;
		case 2:
			a2n_kernel_load(a, 10 * part, "mod", 0xffffffffc0000000 + part * 0x800,
					0x1000);
			a2n_kernel_unload(a, 10 * part + 5, part % 2 ? "ext4" : "mod");
			break;
		}
		if (part == 1 || part == 4)
			ask_all(a, text, size);
		begin = at + 3;
	}
	ask_all(a, text, size);
	ask(a, 0, 0);
	ask(a, UINT64_MAX, UINT64_MAX);
	free(modules);
	a2n_close(a);
	return 0;
}
