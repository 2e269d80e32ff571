/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our own file, swtrace.nrm2: libperfutil reads and merges it, this reader forwards its records. */
#include "record/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/own_samples.h"

struct native {
	struct pifile *file;
	struct pimerge *merge;
	struct own_samples own;
	void *buffer; /* for compressed sections */
};

static bool native_probe(const void *head, size_t size)
{
	size_t magic = strlen(PIFILE_MAGIC);

	return size >= magic && !memcmp(head, PIFILE_MAGIC, magic);
}

static int native_open(struct input *in, struct pifile_fault *fault)
{
	struct native *n = calloc(1, sizeof(*n));
	int rc;

	if (!n)
		return -ENOMEM;
	errno = 0;
	n->file = pifile_open(in->path, fault);
	if (!n->file) {
		rc = errno ? -errno : -EINVAL;
		free(n);
		return rc;
	}
	in->state = n;
	in->header = *pifile_get_header(n->file);
	in->size = pifile_size(n->file);
	in->complete = pifile_complete(n->file);
	return 0;
}

static int native_begin(struct input *in, unsigned int what)
{
	struct native *n = in->state;

	if (n->merge)
		pimerge_close(n->merge);
	own_samples_begin(&n->own);
	n->merge = pimerge_open(n->file, what & (PIMERGE_MTE | PIMERGE_TRACE));
	return n->merge ? 0 : -ENOMEM;
}

static int native_next(struct input *in, struct pirecord *record)
{
	struct native *n = in->state;
	int rc = 0, is_given = 1;

	if (own_samples_kept(&n->own, record))
		return 1;
	do {
		rc = pimerge_next(n->merge, record);
		if (rc > 0)
			is_given = own_samples_record(&n->own, record);
	} while (rc > 0 && !is_given);
	return is_given < 0 ? is_given : rc;
}

static void native_progress(const struct input *in, uint64_t *done, uint64_t *total)
{
	const struct native *n = in->state;

	pimerge_progress(n->merge, done, total);
}

static int native_section(struct input *in, size_t i, struct input_section *section)
{
	struct native *n = in->state;
	const struct pifile_section *s;
	const void *data;
	size_t size;

	if (i >= pifile_sections(n->file))
		return 0;
	s = pifile_section(n->file, i);
	*section = (struct input_section){
		.type = s->type,
		.offset = pifile_section_offset(n->file, i),
		.cpu = s->cpu,
		.ring = s->ring,
		.sequence = s->sequence,
	};
	/* `next` returns the records, so segments are not decompressed here. */
	if (s->type != PIFILE_SEC_SEGMENT && s->type != PIFILE_SEC_SNAPSHOT) {
		data = pifile_payload(n->file, i, &n->buffer, &size);
		input_section_is(section, data, size);
	}
	return 1;
}

static uint64_t native_monotonic(struct input *in, uint64_t stamp)
{
	struct native *n = in->state;

	return pifile_monotonic(n->file, stamp);
}

static uint64_t native_realtime(struct input *in, uint64_t stamp)
{
	struct native *n = in->state;

	return pifile_realtime(n->file, stamp);
}

/* Also checks the checksums of payloads that no report reads. */
static int native_check(struct input *in)
{
	struct native *n = in->state;

	pifile_verify(n->file);
	return 0;
}

static size_t native_faults(const struct input *in, const struct pifile_fault **list)
{
	const struct native *n = in->state;

	return pifile_faults(n->file, list);
}

static void native_close(struct input *in)
{
	struct native *n = in->state;

	if (n->merge)
		pimerge_close(n->merge);
	pifile_close(n->file);
	own_samples_free(&n->own);
	free(n->buffer);
	free(n);
	in->state = NULL;
}

const struct reader reader_native = {
	.name = "native",
	.own = true,
	.frames = true,
	.what = "swtrace's own file",
	.probe = native_probe,
	.open = native_open,
	.begin = native_begin,
	.next = native_next,
	.progress = native_progress,
	.section = native_section,
	.monotonic = native_monotonic,
	.realtime = native_realtime,
	.check = native_check,
	.faults = native_faults,
	.close = native_close,
};
