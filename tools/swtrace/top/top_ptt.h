/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PTT's metrics of threads in the live view. Only the kernel module counts other processes'
 * threads. */
#ifndef TOP_PTT_H
#define TOP_PTT_H

#include <sys/types.h>
#include "top_view.h"

struct top_ptt;

/* `list` has names of metrics, separated by commas; pid 0: of all threads. Returns NULL after a
 * message. */
struct top_ptt *top_ptt_open(const char *list, pid_t pid, struct top_metrics *metrics);
void top_ptt_close(struct top_ptt *p);
/* Adds what threads have used since the last call. Returns 0, or a negative rc with a message in
 * TraceLastError. */
int top_ptt_step(struct top_ptt *p, struct top_model *m);

#endif
