/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pprof's profiles as an input (format_pprof, whose writer is in pprof.c). */
#ifndef POST_PPROF_READ_H
#define POST_PPROF_READ_H

#include "record/input.h"

bool pprof_probe(const void *head, size_t size);
int pprof_open(struct input *in, struct pifile_fault *fault);
int pprof_begin(struct input *in, unsigned int what);
int pprof_next(struct input *in, struct pirecord *r);
void pprof_progress(const struct input *in, uint64_t *done, uint64_t *total);
int pprof_section(struct input *in, size_t i, struct input_section *section);
uint64_t pprof_monotonic(struct input *in, uint64_t stamp);
uint64_t pprof_realtime(struct input *in, uint64_t stamp);
size_t pprof_faults(const struct input *in, const struct pifile_fault **list);
void pprof_close(struct input *in);

#endif
