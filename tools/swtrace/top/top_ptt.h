/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PTT's metrics of threads in the live view: by the module, which alone counts others' threads. */
#ifndef TOP_PTT_H
#define TOP_PTT_H

#include <sys/types.h>
#include "top_view.h"

struct top_ptt;

/* Metrics by their names, commas between; pid 0: of all threads. NULL after a message. */
struct top_ptt *top_ptt_open(const char *list, pid_t pid, struct top_metrics *metrics);
void top_ptt_close(struct top_ptt *p);
/* Adds what threads have used since the last call. 0, or a negative rc with a sentence in
 * TraceLastError. */
int top_ptt_step(struct top_ptt *p, struct top_model *m);

#endif
