/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses a reader by the file's first bytes. */
#include "input/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular.h"
#include "input/spool.h"
#include "record/listed.h"

static const struct reader *const readers[] = {
#define LISTED(name) &reader_##name,
	READERS(LISTED)
#undef LISTED
};

LISTED_AT(reader, readers)
LISTED_NAMED(reader, readers)

/* If a trace is a folder, one of its files contains the header. */
static int open_head(const char *path)
{
	int fd = open(path, REGULAR_HOLD);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		int inner = openat(fd, "data", REGULAR_HOLD);

		close(fd);
		if (inner < 0)
			errno = EINVAL;
		fd = inner;
	}
	return regular_reopen(fd, NULL);
}

static int read_head(const char *path, char *head, size_t *size, struct pifile_fault *fault)
{
	int fd = open_head(path), rc = 0;
	ssize_t n = fd < 0 ? -1 : pread(fd, head, INPUT_HEAD, 0);

	if (n < 0)
		rc = -errno;
	if (rc == -EINVAL)
		snprintf(fault->what, sizeof(fault->what), "not a regular file");
	if (rc && !fault->what[0])
		snprintf(fault->what, sizeof(fault->what), "%s", strerror(-rc));
	if (fd >= 0)
		close(fd);
	if (rc)
		fault->offset = NO_OFFSET; /* concerns the whole file */
	*size = n > 0 ? (size_t)n : 0;
	return rc;
}

#define FROM_GPERFTOOLS \
	"of these post reads CPU profiles; go tool pprof -proto makes a profile that it reads"

/* Returns the name of a known format that has no reader, by the file's first bytes, for the error
 * message. */
static const char *other_name(const char *head, size_t size)
{
	static const struct {
		const char *begin, *name;
	} others[] = {
		{ "heap profile:", "a heap or growth profile of gperftools: " FROM_GPERFTOOLS },
		{ "--- contention", "a contention profile of gperftools: " FROM_GPERFTOOLS },
		{ "--- heap", "a heap profile of gperftools: " FROM_GPERFTOOLS },
		{ "--- growth", "a growth profile of gperftools: " FROM_GPERFTOOLS },
		{ "JAVA PROFILE 1.0",
		  "a Java heap dump: hdump -pprof makes a profile of it, which post reads" },
		{ "JiTD", "a jitdump: it is read with a trace that its process is in" },
		{ "DTiJ", "a jitdump: it is read with a trace that its process is in" },
		{ "\177ELF", "a program or library, no trace" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		size_t n = strlen(others[i].begin);

		if (size >= n && !memcmp(head, others[i].begin, n))
			return others[i].name;
	}
	return size ? "not a trace that post knows" : "the file is empty";
}

int input_open(struct input *in, const char *path, struct pifile_fault *fault)
{
	const struct reader *r;
	char head[INPUT_HEAD];
	size_t size, i;
	int rc;

	*in = (struct input){ .path = path,
			      .name = path,
			      .spool = -1,
			      .program = in->program,
			      .descriptors = in->descriptors,
			      .inlined = in->inlined };
	memset(fault, 0, sizeof(*fault));
	if (is_pipe(path)) {
		in->spool = spool_open(path, fault);
		if (in->spool < 0)
			return in->spool;
		snprintf(in->spool_path, sizeof(in->spool_path), "/proc/self/fd/%d", in->spool);
		in->path = in->spool_path;
		in->name = strcmp(path, "-") ? path : "stdin";
	}
	rc = read_head(in->path, head, &size, fault);
	if (rc)
		return rc;
	for (i = 0; (r = reader_at(i)); i++) {
		if (!r->probe(head, size))
			continue;
		in->reader = r;
		rc = r->open(in, fault);
		if (rc)
			in->reader = NULL;
		if (rc && !fault->what[0]) {
			fault->offset = NO_OFFSET;
			snprintf(fault->what, sizeof(fault->what), "%s", strerror(-rc));
		}
		return rc;
	}
	snprintf(fault->what, sizeof(fault->what), "%s", other_name(head, size));
	return -EINVAL;
}

void input_close(struct input *in)
{
	if (in->reader)
		in->reader->close(in);
	in->reader = NULL;
	if (in->spool >= 0)
		close(in->spool);
	in->spool = -1;
}
