/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "log_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/newfile.h"
#include "escape.h"

FILE *log_file_open(struct log_file *l)
{
	struct newfile f;
	int err = newfile_open(&f, l->path, NEWFILE_REPLACE, 0666);
	FILE *out;
	int fd;

	if (err) {
		errno = -err;
		return NULL;
	}
	fd = f.fd;
	newfile_keep(&f);
	out = fdopen(fd, "w");
	if (!out)
		close(fd);
	return out;
}

static const char *why_not(int err)
{
	return err == -ELOOP ? "it is a link, which is not followed" : strerror(-err);
}

void log_file_path(char path[LOG_FILE_PATH], const char *folder, const char *prefix,
		   const char *kind, uint32_t number)
{
	const char *name = kind;

	/* Only the name of log-rt is just the prefix. */
	if (*prefix)
		name = strcmp(kind, "log-rt") != 0 ? kind + strlen("log") : "";
	snprintf(path, LOG_FILE_PATH, "%s%s%s%s.%u_%d", folder, *folder ? "/" : "", prefix, name,
		 number ? number : 1, (int)getpid());
}

bool log_file_make(struct log_file *l, const char *folder, const char *prefix, const char *runs)
{
	FILE *out;
	int err = 0;

	log_file_path(l->path, folder, prefix, l->kind, l->number);
	out = log_file_open(l);
	if (!out ||
	    fprintf(out,
		    "pitrace %s\n"
		    "not whole: the %s runs, or it was killed and all it had counted is lost\n",
		    l->kind, runs) < 0)
		err = -errno;
	if (out && fclose(out) && !err)
		err = -errno;
	if (err)
		escape_printf(stderr, "%s: %s: %s: the log cannot be created\n", l->program,
			      l->path, why_not(err));
	return !err;
}

void log_file_close(struct log_file *l, FILE *out, int err)
{
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	if (out && fclose(out) && !err)
		err = -errno;
	if (err)
		escape_printf(stderr, "%s: %s: %s: the log is incomplete\n", l->program, l->path,
			      why_not(err));
}
