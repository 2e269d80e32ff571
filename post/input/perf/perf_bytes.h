/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a perf.data and its faults: used by all other files here. */
#ifndef POST_PERF_BYTES_H
#define POST_PERF_BYTES_H

#include "input/perf/perf_state.h"

__attribute__((format(printf, 3, 4))) void perf_fault(struct perf *p, uint64_t offset,
						      const char *format, ...);
/* Adds a fault in one of the files: with its name if there are several. */
void perf_fault_in(struct perf *p, uint32_t file, uint64_t offset, const char *what);

struct perf_view perf_feature(struct perf *p, unsigned int i);
struct bytes perf_bytes(const struct perf *p, const void *data, size_t size);
static inline struct bytes perf_view_bytes(const struct perf *p, const struct perf_view *v)
{
	return perf_bytes(p, v->data, v->size);
}
/* Returns a feature's text: a length and that many bytes, including a NUL. NULL: malformed. */
const char *perf_text(struct bytes *b);
/* Returns a part of the first file, which the caller frees. NULL: missing, or longer than `most`
 * bytes. */
struct blob perf_part(struct perf *p, struct perf_section part, uint64_t most);

#endif
