/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Source lines of Go programs without DWARF (-ldflags=-w, strip): from Go's own function table. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "a2n/elf/go_table.h"
#include "a2n/module/addr_lines.h"
#include "a2n/module/module_file.h"

static void report_fault(struct modules *ms, const struct module *m, const struct go_table *g,
			 const char *path)
{
	char *message;

	if (asprintf(&message,
		     "source lines in Go's table of functions are damaged, %s: %s, "
		     "at 0x%" PRIx64 " of it",
		     path, g->fault, g->fault_at) < 0)
		return;
	module_warn(ms, m, message);
	free(message);
}

int module_lines_go(struct modules *ms, const struct module *m, const uint64_t *offsets, size_t n,
		    a2n_take_frames take, void *arg)
{
	struct module_file *f = calloc(1, sizeof(*f));
	struct go_table g;
	int rc = -ENOENT;
	size_t i;

	if (!f)
		return -ENOMEM;
	if (m->kind != MODULE_FILE || !module_file_find(ms, m, f)) {
		free(f);
		return -ENOENT;
	}
	if (go_table_open(&f->elf, &g))
		rc = 0;
	for (i = 0; i < n && !rc; i++) {
		struct a2n_frame frame = { .function = NULL };
		struct go_function function;
		const char *file;
		size_t length;

		if (!go_table_find(&g, offsets[i], &function) ||
		    !go_table_line(&g, &function, offsets[i], &file, &length, &frame.line))
			continue;
		frame.file = strings_intern(ms->strings, file, length);
		if (!frame.file)
			rc = -ENOMEM;
		else
			take(arg, i, &frame, 1);
	}
	if (g.fault)
		report_fault(ms, m, &g, f->path);
	go_table_close(&g);
	elf_file_close(&f->elf);
	free(f);
	return rc;
}
