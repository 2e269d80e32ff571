/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The service that keeps a PTT, for the holder program. */
#ifndef PITRACE_PTT_HELD_H
#define PITRACE_PTT_HELD_H

#include <pttview.h>
#include "base/service.h"

extern const struct service held_ptt;

/* Its start packet: the options, and the requested parts of the head. */
#define PTTVIEW_METRIC_MAX 128 /* bytes of a name */
struct pttview_start {
	uint32_t size;
	int32_t count, priv, threads, charged;
	char metric[PTT_METRICS][PTTVIEW_METRIC_MAX];
	struct pttview_held head;
};
/* Reads the packet sent by pttview_hold. 0 or a return code. */
int held_ptt_read(const void *packet, size_t size, struct pttview_start *s);

#endif
