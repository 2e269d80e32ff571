/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was wrong with a file. A reader goes over it several times and meets the same again: once it
 * has seen everything, nothing more is told. Those beyond INPUT_FAULTS are only counted.
 */
#ifndef POST_FAULTS_H
#define POST_FAULTS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/input.h"

struct fault_list {
	struct pifile_fault *list;
	size_t count, room;
	bool all; /* were told */
};

__attribute__((format(printf, 3, 4))) static inline void faults_tell(struct fault_list *f,
								     uint64_t offset,
								     const char *format, ...)
{
	size_t room = f->room ? 2 * f->room : 16;
	struct pifile_fault *more;
	va_list args;

	if (f->all)
		return;
	if (f->count == f->room && room <= INPUT_FAULTS) {
		more = realloc(f->list, room * sizeof(*more));
		if (more) {
			f->list = more;
			f->room = room;
		}
	}
	if (f->count == f->room && f->room < INPUT_FAULTS)
		return; /* no memory */
	if (f->count < f->room) {
		f->list[f->count].offset = offset;
		va_start(args, format);
		vsnprintf(f->list[f->count].what, sizeof(f->list->what), format, args);
		va_end(args);
	}
	f->count++;
}

#endif
