/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver's ptt descriptor and its pages, for all files that map them. */
#ifndef PITRACE_PTT_PAGES_H
#define PITRACE_PTT_PAGES_H

#include <pttview.h>
#include <stddef.h>
#include "ptt/ptt_inner.h"

/* Opens the descriptor: 0, or a code: PI_DRIVER_NOT_LOADED, PI_NO_PERMISSION … */
int ptt_device(const struct ptt_config *config, int *fd);
/* PITRACE_IOC_PTT_ADD, REMOVE. */
long ptt_call(int fd, unsigned long request, int tid, uint32_t flags);

size_t ptt_page_size(void);
/* Maps pages read-only; fd -1: zeros. `at` NULL: anywhere. NULL with errno. */
void *ptt_map(void *at, size_t bytes, int fd, uint64_t offset);
/* Copies one consistent state of data written under this sequence counter. */
void ptt_copy(void *to, const void *page, size_t bytes, const __u64 *sequence);
/* Converts a thread's page; its tid is of the initial namespace. */
void ptt_take(struct ptt_thread_data *data, const struct pitrace_ptt_thread *page);
/* Returns what is unreliable, for ptt_info.note; NULL: nothing. */
const char *ptt_note(const struct pitrace_ptt_control *control);

/* pttview.c: a view of a ptt that another process opened; the descriptor is the view's. */
struct pttview *ptt_view_of(const struct ptt_config *config, int fd, int *rc);
int ptt_view_fd(const struct pttview *v);

#endif
