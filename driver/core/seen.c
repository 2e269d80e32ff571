// SPDX-License-Identifier: GPL-2.0
/* Hooks write it, the self-test and INFO read it: it is below all of them. */
#include "core/seen.h"

atomic_t hooks_seen;
