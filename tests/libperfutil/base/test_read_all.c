// SPDX-License-Identifier: GPL-3.0-or-later
/* Reading to the end: files, pipes that give parts, limits, errors. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/read_all.h"
#include "unit.h"

#define SIZE 300000

static char byte_at(size_t i)
{
	return (char)(i * 7 + i / 251);
}

static bool right(const char *text, size_t from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] != byte_at(from + i))
			return false;
	return true;
}

static int new_file(size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	char *text = malloc(size + 1);

	for (size_t i = 0; i < size; i++)
		text[i] = byte_at(i);
	CU_ASSERT_FATAL(fd >= 0 && pwrite(fd, text, size, 0) == (ssize_t)size);
	free(text);
	return fd;
}

static void test_file(void)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, SIZE };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		int fd = new_file(sizes[i]);
		char *text = NULL;
		size_t size = 1;

		CU_ASSERT_EQUAL_FATAL(read_all(fd, sizes[i], &text, &size), 0);
		CU_ASSERT_EQUAL(size, sizes[i]);
		CU_ASSERT(right(text, 0, size) && !text[size]);
		free(text);
		/* The rest only. */
		CU_ASSERT(lseek(fd, (off_t)(sizes[i] / 2), SEEK_SET) >= 0);
		CU_ASSERT_EQUAL_FATAL(read_all(fd, SIZE, &text, &size), 0);
		CU_ASSERT_EQUAL(size, sizes[i] - sizes[i] / 2);
		CU_ASSERT(right(text, sizes[i] / 2, size));
		free(text);
		close(fd);
	}
}

static void test_pipe(void)
{
	int ends[2], status;
	char *text = NULL;
	size_t size = 0;
	pid_t pid;

	CU_ASSERT_FATAL(!pipe(ends));
	pid = fork();
	if (!pid) {
		for (size_t i = 0; i < 5000; i++) {
			char c = byte_at(i);

			if (write(ends[1], &c, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(ends[1]);
	CU_ASSERT_EQUAL(read_all(ends[0], SIZE, &text, &size), 0);
	CU_ASSERT(size == 5000 && right(text, 0, size));
	free(text);
	close(ends[0]);
	CU_ASSERT(waitpid(pid, &status, 0) == pid && !status);
}

static void test_refused(void)
{
	int fd = new_file(SIZE);
	char *text = "x";
	size_t size = 1;

	CU_ASSERT_EQUAL(read_all(fd, SIZE - 1, &text, &size), -EFBIG);
	CU_ASSERT(!text && !size);
	lseek(fd, 0, SEEK_SET);
	CU_ASSERT_EQUAL(read_all(fd, SIZE, &text, &size), 0);
	CU_ASSERT(size == SIZE && right(text, 0, size));
	free(text);
	close(fd);
	fd = open("/proc", O_RDONLY | O_CLOEXEC);
	CU_ASSERT_EQUAL(read_all(fd, SIZE, &text, &size), -EISDIR);
	CU_ASSERT(!text && !size);
	close(fd);
}

static void test_part(void)
{
	int fd = new_file(SIZE), folder = open("/proc", O_RDONLY | O_CLOEXEC);
	char *room = malloc(SIZE);
	size_t got;

	CU_ASSERT_EQUAL(pread_all(fd, room, 1000, 5, &got), 0);
	CU_ASSERT(got == 1000 && right(room, 5, got));
	CU_ASSERT_EQUAL(pread_all(fd, room, SIZE, 10, &got), 0);
	CU_ASSERT(got == SIZE - 10 && right(room, 10, got));
	CU_ASSERT_EQUAL(pread_all(fd, room, 1, SIZE, &got), 0);
	CU_ASSERT_EQUAL(got, 0);
	CU_ASSERT_EQUAL(pread_all(folder, room, 1, 0, &got), -EISDIR);
	CU_ASSERT_EQUAL(got, 0);
	CU_ASSERT_EQUAL(pread_all(fd, room, 1, UINT64_MAX - 7, &got), -EINVAL);
	free(room);
	close(fd);
	close(folder);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "file", test_file }, { "pipe", test_pipe }, { "refused", test_refused },
		{ "part", test_part }, { NULL, NULL },
	};

	return unit_run("read_all", tests);
}
