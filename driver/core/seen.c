// SPDX-License-Identifier: GPL-2.0
/* What hooks tell and the self-test and its readers ask: beneath all of them. */
#include "core/seen.h"

atomic_t hooks_seen;
