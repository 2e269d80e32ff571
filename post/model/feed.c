/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes records and sections to liba2n, with what only post knows about them; kernel maps and
 * images. */
#include "model/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/read_all.h"
#include "base/regular.h"
#include "base/text.h"

#define MAX_MAP_FILE (1ull << 30)

int feed_record(struct a2n *a, struct trace *t, const struct pirecord *r)
{
	int rc = a2n_feed_record(a, r);

	if (rc != -EBADMSG)
		return rc;
	trace_malformed(t, r, "too short, or its text has no end");
	return 0;
}

int feed_section(struct a2n *a, const struct input_section *s, bool kernel_map)
{
	if (!s->data)
		return 0; /* malformed: the reader noted the fault */
	a2n_machine(a, s->origin);
	switch ((unsigned int)s->type) {
	case PIFILE_SEC_KALLSYMS:
		return kernel_map ? 0 : a2n_kallsyms(a, s->data, s->size);
	case INPUT_SEC_SYMBOLS:
		return a2n_symbols(a, s->data, s->size);
	case PIFILE_SEC_PERFMAP:
		return 0; /* read after the records: model/maps.c */
	default:
		return a2n_feed_section(a, (uint32_t)s->type, s->data, s->size);
	}
}

/* Reads a whole file or pipe, since /proc/kallsyms reports no size. The caller frees *text. */
static int read_text(const char *path, char **text, size_t *size)
{
	struct stat st = { 0 };
	int fd = regular_or_pipe_open(path, &st), rc;

	*text = NULL;
	*size = 0;
	if (fd < 0)
		return S_ISDIR(st.st_mode) ? -EISDIR : -errno;
	rc = read_all(fd, MAX_MAP_FILE, text, size);
	close(fd);
	return rc;
}

enum kernel_file { KERNEL_OTHER, KERNEL_ELF, KERNEL_TEXT, KERNEL_HIDDEN };

/* Checks for lines "address type name", and for addresses other than 0. */
static enum kernel_file kind_of(const char *text, size_t size)
{
	enum kernel_file kind = KERNEL_OTHER;
	struct bytes b = bytes_of(text, size);
	const char *line, *word;
	size_t length;

	if (size >= 4 && !memcmp(text, "\177ELF", 4))
		return KERNEL_ELF;
	while (kind != KERNEL_TEXT && bytes_line(&b, &line, &length)) {
		struct bytes l = bytes_of(line, length);
		uint64_t address;

		if (!text_number(&l, 16, &address) || !text_word(&l, &word, &length) ||
		    length != 1 || !text_word(&l, &word, &length)) {
			/* Other files may contain such lines, but not as the first line. */
			if (kind == KERNEL_OTHER)
				break;
			continue;
		}
		kind = address ? KERNEL_TEXT : KERNEL_HIDDEN;
	}
	return kind;
}

const char *feed_kernel_map(struct a2n *a, uint32_t machines, const char *path)
{
	const char *why = NULL;
	char *text;
	size_t size;
	uint32_t i;
	int rc = read_text(path, &text, &size);

	if (!rc) {
		switch (kind_of(text, size)) {
		case KERNEL_ELF:
			why = "an ELF file, not a copy of /proc/kallsyms: -k takes a vmlinux";
			break;
		case KERNEL_OTHER:
			why = "not a copy of /proc/kallsyms";
			break;
		case KERNEL_HIDDEN:
			why = "all its addresses are 0: it was copied without CAP_SYSLOG";
			break;
		case KERNEL_TEXT:
			break;
		}
	}
	for (i = 0; !rc && !why && (!i || i < machines); i++) {
		a2n_machine(a, i);
		rc = a2n_kallsyms(a, text, size);
	}
	free(text);
	return why           ? why :
	       rc == -EINVAL ? "neither a regular file nor a pipe" :
	       rc            ? strerror(-rc) :
			       NULL;
}

/* Returns why a file is not a kernel image, judging by its first bytes. */
static const char *no_image(int fd)
{
	char head[4096];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n >= 0x206 && !memcmp(head + 0x202, "HdrS", 4))
		return "a packed kernel: -k takes the vmlinux that is in it";
	/* The last line may be truncated. */
	if (n > 0 && kind_of(head, (size_t)n) != KERNEL_OTHER)
		return "not a vmlinux: -kmap takes a copy of /proc/kallsyms";
	return "not a vmlinux: no ELF file";
}

const char *feed_kernel_image(struct a2n *a, uint32_t machines, const char *path)
{
	const char *why = NULL;
	struct stat st = { 0 };
	int fd = regular_open(path, 0, &st), rc = 0;
	uint32_t i;

	if (fd < 0)
		return S_ISDIR(st.st_mode) ? strerror(EISDIR) :
		       errno == EINVAL     ? "no regular file" :
					     strerror(errno);
	for (i = 0; !rc && (!i || i < machines); i++) {
		int own = dup(fd);

		a2n_machine(a, i);
		rc = own < 0 ? -errno : a2n_kernel_image(a, own);
	}
	if (rc)
		why = rc == -EBADMSG ? no_image(fd) :
		      rc == -ENODATA ? "not a vmlinux with symbols" :
				       strerror(-rc);
	close(fd);
	return why;
}
