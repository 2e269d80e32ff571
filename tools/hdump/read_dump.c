/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a dump for a report, with progress and messages, and decides how many rows are shown. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "complain.h"
#include "hdump.h"

uint64_t hdump_rows(const struct hdump *o, uint64_t all)
{
	uint64_t most = o->rows != HDUMP_ROWS ? o->rows : o->form == FORM_WORDS ? 30 : 0;

	return !most || all < most ? all : most;
}

int hdump_failed(const struct heap *h, const char *path, int rc)
{
	if (rc == -EINVAL && h && *h->fault.what)
		complain("%s: byte %" PRIu64 ": %s", path, h->fault.offset, h->fault.what);
	else if (rc == -EINVAL)
		complain("%s: is not a regular file", path);
	else if (rc == -EFBIG)
		complain("%s: it has more references than hdump can number", path);
	else
		complain("%s: %s", path, strerror(-rc));
	return EXIT_HDUMP;
}

int hdump_begin(struct hdump *o)
{
	int rc = 0;

	o->output.file = stdout;
	if (o->file)
		rc = output_open(&o->output, o->file, 0666);
	o->out = o->output.file;
	if (!rc)
		return 0;
	complain("%s: %s", o->file, output_error(rc));
	return EXIT_HDUMP;
}

void hdump_report(struct hdump *o, const struct heap *h, const char *path)
{
	if (!*h->fault.what)
		return;
	complain("%s: byte %" PRIu64 ": %s; objects read before it: %" PRIu64, path,
		 h->fault.offset, h->fault.what, (uint64_t)h->ids.objects);
	o->damaged = true;
}

int hdump_read(struct hdump *o, struct heap *h, const char *path, enum depth depth,
	       unsigned int more)
{
	static const unsigned int passes[] = { 1, 2, 3, 3 };
	static struct progress progress;
	int rc;

	progress_begin(&progress, path, o->quiet);
	rc = heap_open(h, path, &progress, passes[depth] + more);
	h->only_classes = depth == READ_CLASSES;
	if (!rc && depth >= READ_GRAPH)
		rc = heap_graph(h);
	if (!rc && depth >= READ_DOMINATORS)
		rc = heap_dominators(h);
	if (!rc && depth >= READ_CLASSES)
		rc = heap_classes(h);
	progress_end(&progress);
	if (rc)
		return hdump_failed(h, path, rc);
	hdump_report(o, h, path);
	return 0;
}
