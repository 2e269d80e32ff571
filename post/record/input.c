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

int input_start(struct input *in, uint64_t *time)
{
	bool first = true, on = false;
	struct pirecord r;
	int rc = in->reader->begin(in, PIMERGE_MTE | PIMERGE_TRACE);

	*time = 0;
	if (rc)
		return rc;
	while (!on && (rc = in->reader->next(in, &r)) > 0) {
		on = r.major == PITRACE_SYSINFO && r.minor == PITRACE_SYSINFO_INTERVAL;
		if (on || first)
			*time = r.time;
		first = false;
	}
	return rc < 0 ? rc : 0;
}
