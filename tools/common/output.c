/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens an output: a new file (newfile.h), a descriptor of the process, or stdout. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "caller.h"
#include "descriptor.h"
#include "base/newfile.h"
#include "base/rights.h"

#define BUFFER (256 * 1024)

int output_take_rights(struct rights_saved *kept)
{
	static struct rights rights;
	static enum { UNKNOWN, OURS, CALLERS, NOBODYS } owner;
	struct caller caller;

	if (owner == UNKNOWN && !caller_get(&caller)) {
		owner = NOBODYS;
	} else if (owner == UNKNOWN) {
		owner = caller.sudo ? CALLERS : OURS;
		if (caller.sudo)
			rights_of_user(caller.uid, caller.gid, &rights);
	}
	return owner == NOBODYS ? -EPERM : rights_take(owner == CALLERS ? &rights : NULL, kept);
}

static int make(struct newfile *f, const char *path, mode_t mode)
{
	struct rights_saved kept;
	int rc = output_take_rights(&kept);

	if (rc)
		return rc;
	rc = newfile_open(f, path, NEWFILE_ASIDE | NEWFILE_STREAM, mode);
	rights_restore(&kept);
	return rc;
}

int output_folder(const char *path, mode_t mode, bool *renamed)
{
	struct rights_saved kept;
	int rc = output_take_rights(&kept);

	*renamed = false;
	if (rc)
		return rc;
	rc = newfile_folder(path, mode, renamed);
	rights_restore(&kept);
	return rc;
}

int output_open(struct output *o, const char *path, mode_t mode)
{
	struct newfile f;
	int fd, rc;

	*o = (struct output){ .path = path };
	if (strcmp(path, "-") == 0) {
		o->file = stdout;
		return 0;
	}
	fd = own_descriptor(path);
	if (fd >= 0) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			return -errno;
	} else {
		rc = make(&f, path, mode);
		if (rc)
			return rc;
		fd = f.fd;
		o->renamed = f.moved;
		newfile_keep(&f);
	}
	o->file = fdopen(fd, "w");
	if (!o->file) {
		rc = -errno;
		close(fd);
		return rc;
	}
	setvbuf(o->file, NULL, _IOFBF, BUFFER);
	__fsetlocking(o->file, FSETLOCKING_BYCALLER); /* one thread writes it */
	return 0;
}

const char *output_error(int rc)
{
	switch (-rc) {
	case ELOOP:
		return "is a symbolic link, which outputs do not follow";
	case EPERM:
		return "belongs to another user";
	case ENXIO:
		return "is a FIFO without a reader: start the reader first";
	case EOPNOTSUPP:
		return "is a device or a socket";
	case EEXIST:
		return "cannot be renamed to .old: that name belongs to another user or is not a file";
	case EBUSY:
		return "is created again and again by another process";
	}
	return strerror(-rc);
}

int output_failed(FILE *file)
{
	errno = 0;
	if (!fflush(file) && !ferror(file))
		return 0;
	if (!errno) {
		clearerr(file);
		if (putc('\n', file) != EOF)
			fflush(file);
	}
	return errno ? -errno : -EIO;
}

int output_close(struct output *o)
{
	int rc;

	if (!o->file)
		return 0;
	rc = output_failed(o->file);
	if (o->file != stdout && fclose(o->file) != 0 && !rc)
		rc = -errno;
	o->file = NULL;
	return rc;
}
