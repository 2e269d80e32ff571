/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PITRACE_IOC_ITRACE: start and stop places are passed as descriptors of their files. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "collect/driver/driver_itrace.h"
#include "base/regular.h"

bool driver_itrace_enabled(const struct trace_config *config)
{
	return config->majors[0] >> PITRACE_BRANCH_USER & 1 ||
	       config->majors[0] >> PITRACE_BRANCH_KERNEL & 1 ||
	       config->majors[0] >> PITRACE_LOAD_STORE & 1;
}

static int open_place(struct pitrace_itrace_place *p, const char *file, uint64_t address)
{
	p->address = address;
	p->fd = -1;
	if (*file)
		p->fd = regular_open(file, 0, NULL);
	return *file && p->fd < 0 ? -errno : 0;
}

/* Without the flag the file was not opened, and the field is not a descriptor of this function. */
static void close_place(const struct pitrace_itrace_place *p, bool opened)
{
	if (opened && p->fd > 0)
		close(p->fd);
}

int driver_itrace(int session, const struct trace_config *config)
{
	const struct tracer_itrace *i = &config->itrace;
	struct pitrace_itrace_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.flags = i->flags,
		.scope = i->scope,
		.first = i->first,
		.last = i->last,
		.listed = i->listed,
		.list = (uintptr_t)i->list,
		.skip = i->skip,
		.limit = i->limit == UINT64_MAX ? 0 : i->limit,
	}; /* places that are not requested are zero */
	int err = 0;

	if (!driver_itrace_enabled(config))
		return 0;
	if (args.scope == PITRACE_ITRACE_NONE)
		args.scope = PITRACE_ITRACE_ALL;
	if (!args.listed)
		args.list = 0;
	if (i->flags & PITRACE_ITRACE_FROM)
		err = open_place(&args.start, i->start_file, i->start);
	if (!err && i->flags & PITRACE_ITRACE_UNTIL)
		err = open_place(&args.stop, i->stop_file, i->stop);
	if (!err && ioctl(session, PITRACE_IOC_ITRACE, &args))
		err = -errno;
	close_place(&args.start, i->flags & PITRACE_ITRACE_FROM);
	close_place(&args.stop, i->flags & PITRACE_ITRACE_UNTIL);
	return err;
}
