// SPDX-License-Identifier: GPL-2.0
/* s390x: it has no hooks of its own for interrupts and page faults. */
#include "hook/hook.h"

struct hook_tracepoint arch_irq_tracepoints[] = { {} };

struct hook_tracepoint arch_fault_tracepoints[] = { {} };
