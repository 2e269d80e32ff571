/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LTTng-UST's tracepoint of two integers. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER pitrace_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./bench_tp.h"
#if !defined(BENCH_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_TP_H
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(pitrace_bench, two,
			   LTTNG_UST_TP_ARGS(unsigned long, a, unsigned long, b),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(unsigned long, a, a)
						       lttng_ust_field_integer(unsigned long, b,
									       b)))
#endif
#include <lttng/tracepoint-event.h>
