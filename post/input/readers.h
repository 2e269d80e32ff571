/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of readers: a new one adds one line here. The first one whose probe accepts the file's
 * beginning opens it. */
#ifndef POST_READERS_H
#define POST_READERS_H

#include "record/input.h"

/* clang-format off */
#define READERS(reader) \
	reader(native) \
	reader(perf) \
	reader(gperftools) \
	reader(pprof) \
	reader(log_rt) \
	reader(log_gen) \
	reader(xray) /* last, since its magic number is short */
/* clang-format on */

#define DECLARED(name) extern const struct reader reader_##name;
READERS(DECLARED)
#undef DECLARED

/* Returns the i-th reader of the list; NULL: no more. */
const struct reader *reader_at(size_t i);
/* Returns the reader of that name; NULL: not found. */
const struct reader *reader_named(const char *name);

/* The caller sets in->program. Returns 0, or -errno with the offset (NO_OFFSET: none) and the
 * reason in `fault`. */
int input_open(struct input *in, const char *path, struct pifile_fault *fault);
void input_close(struct input *in);

#endif
