/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of text files of each length around what is read at a time, whole, without an end, too
 * long, and of files that grow: each line as it is, at its place.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "a2n/base/textfile.h"
#include "unit.h"

#define WINDOW (2 * TEXTFILE_LINE)

static int file_of(const char *text, size_t size)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	CU_ASSERT_FATAL(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	return fd;
}

/* Lines of this many bytes, without their ends, until `size` bytes are full. */
static void lines_of(char *text, size_t size, size_t each)
{
	for (size_t i = 0; i < size; i++)
		text[i] = (i + 1) % (each + 1) ? (char)('a' + i % 26) : '\n';
}

/* As many lines as memchr finds, each at its place, and what follows them. */
static void check(struct textfile *t, const char *text, size_t size)
{
	struct bytes line;
	uint64_t lines = 0;
	size_t at = 0;
	int rc;

	while ((rc = textfile_next(t, &line)) > 0) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t length = end ? (size_t)(end - text) - at : size - at;
		size_t shown = length > TEXTFILE_LINE ? TEXTFILE_LINE : length;

		CU_ASSERT_EQUAL_FATAL(t->offset, at);
		CU_ASSERT_EQUAL(t->line, ++lines);
		CU_ASSERT_EQUAL(t->cut, length > TEXTFILE_LINE);
		CU_ASSERT_EQUAL_FATAL(bytes_left(&line), shown);
		CU_ASSERT(!memcmp(line.base, text + at, shown));
		at += length + 1;
	}
	CU_ASSERT_EQUAL(rc, 0);
	/* All whole lines. */
	CU_ASSERT(at >= size || !memchr(text + at, '\n', size - at));
	if (at <= size && size - at <= TEXTFILE_LINE)
		CU_ASSERT_EQUAL(t->unfinished, size - at);
}

static void sizes(void)
{
	static const size_t sizes[] = {
		0,
		1,
		2,
		3,
		100,
		TEXTFILE_LINE - 1,
		TEXTFILE_LINE,
		TEXTFILE_LINE + 1,
		WINDOW - 1,
		WINDOW,
		WINDOW + 1,
		WINDOW + 2,
		2 * WINDOW - 1,
		2 * WINDOW,
		2 * WINDOW + 1,
	};
	static const size_t each[] = {
		0, 1, 2, 79, TEXTFILE_LINE - 1, TEXTFILE_LINE, TEXTFILE_LINE + 1, 3 * WINDOW,
	};
	static char text[3 * WINDOW];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (size_t k = 0; k < sizeof(each) / sizeof(*each); k++) {
			struct textfile t;
			const char *why = "";

			lines_of(text, sizes[i], each[k]);
			CU_ASSERT_EQUAL_FATAL(textfile_open(&t, file_of(text, sizes[i]), &why), 0);
			check(&t, text, sizes[i]);
			textfile_close(&t);
			textfile_memory(&t, text, sizes[i]);
			check(&t, text, sizes[i]);
			textfile_close(&t);
		}
	}
}

/* Byte by byte: no line before its end is there, each then. */
static void grows(void)
{
	static const char text[] = "one\n\ntwo\nx";
	const char *why = "";
	struct textfile t;
	struct bytes line;
	int fd = file_of("", 0);
	uint64_t lines = 0;
	size_t begun = 0;

	CU_ASSERT_EQUAL_FATAL(textfile_open(&t, fd, &why), 0);
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		bool whole = text[i] == '\n';

		CU_ASSERT_EQUAL(write(fd, text + i, 1), 1);
		CU_ASSERT_EQUAL(textfile_next(&t, &line), whole);
		if (whole) {
			CU_ASSERT(t.offset == begun && t.line == ++lines);
			CU_ASSERT_EQUAL(bytes_left(&line), i - begun);
			begun = i + 1;
			CU_ASSERT_EQUAL(textfile_next(&t, &line), 0);
		}
		CU_ASSERT_EQUAL(t.unfinished, i + 1 - begun);
	}
	/* Cut while it is read, it has no more. */
	CU_ASSERT_EQUAL(ftruncate(fd, 2), 0);
	CU_ASSERT_EQUAL(textfile_next(&t, &line), 0);
	textfile_close(&t);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "sizes", sizes },
		{ "grows", grows },
		{},
	};

	return unit_run("textfile", tests);
}
