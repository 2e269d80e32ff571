/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rewrite_classes [-l] HOOKS FILE...: each class file, in its place, with calls of HOOKS' methods:
 * at calls, or at locks.
 * Prints how many methods were rewritten and which were left, and why.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "class_rewrite.h"

static int32_t methods;
static unsigned int left_count;

static int32_t choose(void *arg, const struct class_method *m)
{
	(void)arg, (void)m;
	return methods++;
}

static void left(void *file, int32_t id, const char *why)
{
	(void)id;
	printf("%s: %s\n", (const char *)file, why);
	left_count++;
}

static void *content(const char *file, size_t *size)
{
	int fd = open(file, O_RDONLY);
	struct stat st;
	char *data;

	if (fd < 0 || fstat(fd, &st) || !(data = malloc((size_t)st.st_size + 1)) ||
	    read(fd, data, (size_t)st.st_size) != st.st_size) {
		perror(file);
		exit(1);
	}
	close(fd);
	*size = (size_t)st.st_size;
	return data;
}

int main(int argc, char **argv)
{
	enum class_hooks what = HOOKS_OF_CALLS;
	int code = 0;

	if (argc > 1 && !strcmp(argv[1], "-l")) {
		what = HOOKS_OF_LOCKS;
		argc--, argv++;
	}
	for (int i = 2; i < argc; i++) {
		struct class_rewrite how = { .hooks = argv[1],
					     .method = choose,
					     .left = left,
					     .arg = argv[i],
					     .what = what };
		struct class_out out = { 0 };
		const char *why;
		size_t size, offset;
		void *data = content(argv[i], &size);
		int rc = class_rewrite(data, size, &how, &out, &offset, &why), fd;

		if (rc < 0) {
			printf("%s: at %zu: %s: %s\n", argv[i], offset, why, strerror(-rc));
			code = 1;
		}
		fd = rc > 0 ? open(argv[i], O_WRONLY | O_TRUNC) : -1;
		if (rc > 0 &&
		    (fd < 0 || write(fd, out.data, out.n) != (ssize_t)out.n || close(fd))) {
			perror(argv[i]);
			code = 1;
		}
		class_out_free(&out);
		free(data);
	}
	printf("%d methods, %u left\n", (int)methods, left_count);
	return code;
}
