/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Error messages for inputs that cannot be read. */
#include "record/input.h"

#include <inttypes.h>

#include "complain.h"

void input_complain(const char *path, const struct pifile_fault *fault)
{
	if (fault->offset != NO_OFFSET)
		complain("%s: at byte %" PRIu64 ": %s", path, fault->offset, fault->what);
	else
		complain("%s: %s", path, fault->what);
}
