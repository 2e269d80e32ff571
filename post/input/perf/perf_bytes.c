/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a perf.data, including its features, and the list of its faults. */
#include "input/perf/perf_bytes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/read_all.h"

#define FEATURE_MAX (1u << 30)

void perf_fault(struct perf *p, uint64_t offset, const char *format, ...)
{
	struct pifile_fault f = { .offset = offset };
	va_list ap;
	size_t i;

	va_start(ap, format);
	vsnprintf(f.what, sizeof(f.what), format, ap);
	va_end(ap);
	/* Each pass finds the same faults; they are kept in the order of the first pass. */
	for (i = 0; i < p->nfaults && i < PERF_FAULTS; i++) {
		if (p->fault[i].offset == offset && !strcmp(p->fault[i].what, f.what))
			return;
	}
	if (p->nfaults >= PERF_FAULTS) {
		p->nfaults++;
		return;
	}
	if (!array_next(p->fault, p->nfaults, p->room_faults))
		p->fault[p->nfaults++] = f;
}

void perf_fault_in(struct perf *p, uint32_t file, uint64_t offset, const char *what)
{
	const char *path = p->file[file].path;
	const char *base = path ? strrchr(path, '/') : NULL;

	perf_fault(p, offset, "%s%s%s", base ? base + 1 : "", base ? ": " : "", what);
}

struct bytes perf_bytes(const struct perf *p, const void *data, size_t size)
{
	struct bytes b = bytes_of(data, size);

	b.swap = p->swap;
	return b;
}

struct blob perf_part(struct perf *p, struct perf_section part, uint64_t most)
{
	struct blob none = { 0 };
	uint8_t *data;
	size_t n;

	if (part.size > most || part.offset > p->file[0].size ||
	    part.size > p->file[0].size - part.offset)
		return none;
	data = malloc(part.size ? part.size : 1);
	if (!data) {
		p->no_memory = true;
		return none;
	}
	if (pread_all(p->file[0].fd, data, part.size, part.offset, &n) || n < part.size) {
		free(data);
		return none;
	}
	return blob_of(data, part.size);
}

struct perf_view perf_feature(struct perf *p, unsigned int i)
{
	const struct blob *kept = &p->feature_data[i];
	struct perf_view v = { 0 };

	if (!(p->feature_bits[i / 64] >> i % 64 & 1))
		return v;
	if (p->pipe)
		return (struct perf_view){ .data = kept->data, .size = kept->size };
	v.own = perf_part(p, p->feature[i], FEATURE_MAX);
	v.data = v.own.data;
	v.size = v.own.size;
	if (!v.data)
		perf_fault(p, p->feature[i].offset,
			   p->no_memory ? "feature %u of %" PRIu64 " bytes: no memory to read it" :
					  "feature %u of %" PRIu64 " bytes is not in the file",
			   i, p->feature[i].size);
	return v;
}

const char *perf_text(struct bytes *b)
{
	uint32_t room = bytes_u32(b);
	size_t length;

	return bytes_str(b, room, &length);
}
