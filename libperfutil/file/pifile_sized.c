/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reader and programs' records, for programs whose structs have another size: base/sized.h. */
#include <pifile.h>
#include "base/sized.h"
#include "file/trace_file.h"

#undef pifile_open
#undef pifile_user_record

struct pifile *pifile_open_sized(const char *path, struct pifile_fault *fault, size_t size)
{
	struct pifile_fault own;
	struct pifile *f = file_open(path, sized_place(fault, size, &own, sizeof(own)), size);

	if (!f)
		sized_give(fault, size, &own, sizeof(own));
	return f;
}

FIRST(struct pifile *, pifile_open, const char *path, struct pifile_fault *fault)
{
	return pifile_open_sized(path, fault, UP_TO(struct pifile_fault, what));
}

int pifile_user_record_sized(const struct pirecord *r, struct pifile_user *u, size_t record_size,
			     size_t user_size)
{
	struct pirecord record = { 0 };
	struct pifile_user own;
	int rc;

	if (!r || !u)
		return -EINVAL;
	r = sized_take(r, record_size, &record, sizeof(record));
	if (!r)
		return -E2BIG;
	rc = whole_pifile_user_record(r, sized_place(u, user_size, &own, sizeof(own)));
	sized_give(u, user_size, &own, sizeof(own));
	return rc;
}

FIRST(int, pifile_user_record, const struct pirecord *r, struct pifile_user *u)
{
	return pifile_user_record_sized(r, u, UP_TO(struct pirecord, repeats),
					UP_TO(struct pifile_user, offset));
}
