// SPDX-License-Identifier: GPL-2.0
/* Are the tracepoints of page faults where all architectures have them? */
#include <trace/events/exceptions.h>
void probe(void);
void probe(void)
{
	trace_page_fault_user_enabled();
}
