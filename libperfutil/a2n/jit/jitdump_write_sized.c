/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing jitdumps, for programs whose structs have another size: base/sized.h. */
#include <jitdump.h>
#include "base/sized.h"

#undef jitdump_load
#undef jitdump_load_late
#undef jitdump_load_unwind

#define FIRST_LINE   UP_TO(struct jitdump_line, file)
#define FIRST_UNWIND UP_TO(struct jitdump_unwind, eh_frame_hdr_size)

int jitdump_load_sized(struct jitdump_writer *w, const char *name, uint64_t address, uint64_t size,
		       const void *code, const struct jitdump_line *lines, uint32_t n_lines,
		       uint64_t *index, size_t line_size)
{
	const void *list = lines;
	void *own;
	int rc = sized_list(&list, &own, n_lines, line_size, sizeof(*lines));

	if (!rc)
		rc = whole_jitdump_load(w, name, address, size, code, list, n_lines, index);
	free(own);
	return rc;
}

FIRST(int, jitdump_load, struct jitdump_writer *w, const char *name, uint64_t address,
      uint64_t size, const void *code, const struct jitdump_line *lines, uint32_t n_lines,
      uint64_t *index)
{
	return jitdump_load_sized(w, name, address, size, code, lines, n_lines, index, FIRST_LINE);
}

int jitdump_load_unwind_sized(struct jitdump_writer *w, uint64_t since, const char *name,
			      uint64_t address, uint64_t size, const void *code,
			      const struct jitdump_line *lines, uint32_t n_lines,
			      const struct jitdump_unwind *unwind, uint64_t *index,
			      size_t line_size, size_t unwind_size)
{
	struct jitdump_unwind own_unwind = { 0 };
	const void *list = lines;
	void *own;
	int rc = sized_list(&list, &own, n_lines, line_size, sizeof(*lines));

	if (!rc && unwind) {
		unwind = sized_take(unwind, unwind_size, &own_unwind, sizeof(own_unwind));
		rc = unwind ? 0 : -E2BIG;
	}
	if (!rc)
		rc = whole_jitdump_load_unwind(w, since, name, address, size, code, list, n_lines,
					       unwind, index);
	free(own);
	return rc;
}

FIRST(int, jitdump_load_unwind, struct jitdump_writer *w, uint64_t since, const char *name,
      uint64_t address, uint64_t size, const void *code, const struct jitdump_line *lines,
      uint32_t n_lines, const struct jitdump_unwind *unwind, uint64_t *index)
{
	return jitdump_load_unwind_sized(w, since, name, address, size, code, lines, n_lines,
					 unwind, index, FIRST_LINE, FIRST_UNWIND);
}

int jitdump_load_late_sized(struct jitdump_writer *w, uint64_t since, const char *name,
			    uint64_t address, uint64_t size, const void *code,
			    const struct jitdump_line *lines, uint32_t n_lines, uint64_t *index,
			    size_t line_size)
{
	return jitdump_load_unwind_sized(w, since, name, address, size, code, lines, n_lines, NULL,
					 index, line_size, FIRST_UNWIND);
}

FIRST(int, jitdump_load_late, struct jitdump_writer *w, uint64_t since, const char *name,
      uint64_t address, uint64_t size, const void *code, const struct jitdump_line *lines,
      uint32_t n_lines, uint64_t *index)
{
	return jitdump_load_late_sized(w, since, name, address, size, code, lines, n_lines, index,
				       FIRST_LINE);
}
