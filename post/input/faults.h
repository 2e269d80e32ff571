/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Faults of a file. A reader reads the file several times and finds the same faults again, so
 * nothing is added after the first complete pass. Faults beyond INPUT_FAULTS are only counted.
 */
#ifndef POST_FAULTS_H
#define POST_FAULTS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "record/input.h"

struct fault_list {
	struct pifile_fault *list;
	size_t count, room;
	bool all; /* complete: a pass has read the whole file */
};

__attribute__((format(printf, 3, 4))) static inline void faults_report(struct fault_list *f,
								       uint64_t offset,
								       const char *format, ...)
{
	va_list args;

	if (f->all)
		return;
	if (f->count < INPUT_FAULTS) {
		if (array_next(f->list, f->count, f->room))
			return;
		f->list[f->count].offset = offset;
		va_start(args, format);
		vsnprintf(f->list[f->count].what, sizeof(f->list->what), format, args);
		va_end(args);
	}
	f->count++;
}

#endif
