/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * a2n_lines [-s FOLDERS] FILE <ADDRESSES: the source of a file's addresses (hexadecimal, a line
 * each) as `addr2line -a -f -i` prints it, from liba2n; messages go to stderr. For scripts that
 * compare it with other programs.
 */
#include <a2n.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer {
	uint64_t address;
	char *text;
	bool told;
};

struct answers {
	struct answer *list;
	size_t n;
};

static void warn(void *arg, const char *module, const char *message)
{
	(void)arg;
	fprintf(stderr, "%s: %s\n", module, message);
}

static void take(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	struct answer *a = &((struct answers *)arg)->list[i];
	size_t size, k;
	FILE *out = open_memstream(&a->text, &size);

	if (!out || a->told || !n)
		abort();
	a->told = true;
	for (k = 0; k < n; k++) {
		if (frames[k].inlined != (k + 1 < n))
			abort();
		fprintf(out, "%s\n", frames[k].function ? frames[k].function : "??");
		fprintf(out, frames[k].line ? "%s:%" PRIu32 "\n" : "%s:?\n",
			frames[k].file ? frames[k].file : "??", frames[k].line);
	}
	fclose(out);
}

int main(int argc, char **argv)
{
	bool path = argc == 4 && !strcmp(argv[1], "-s");
	struct a2n_options options = { .sympath = path ? argv[2] : NULL, .warn = warn };
	struct a2n_map map = { .start = 0x10000000, .length = 0x1000, .path = argv[argc - 1] };
	struct answers all = { NULL, 0 };
	struct a2n_answer answer;
	uint64_t *address = NULL, one;
	struct a2n *a;
	size_t i;
	int rc;

	if (argc != 2 && !path) {
		fputs("usage: a2n_lines [-s FOLDERS] FILE <ADDRESSES\n", stderr);
		return 2;
	}
	while (scanf("%" SCNx64, &one) == 1) {
		all.list = realloc(all.list, (all.n + 1) * sizeof(*all.list));
		address = realloc(address, (all.n + 1) * sizeof(*address));
		if (!all.list || !address)
			abort();
		all.list[all.n] = (struct answer){ .address = one };
		address[all.n++] = one;
	}
	a = a2n_open(&options);
	if (!a || a2n_process(a, 0, 1, 0) || a2n_add_map(a, 1, 1, &map))
		abort();
	a2n_resolve(a, 1, 2, map.start, false, &answer);
	rc = a2n_lines(a, answer.module, address, all.n, true, take, &all);
	if (rc)
		fprintf(stderr, "a2n_lines: %s\n", strerror(-rc));
	for (i = 0; i < all.n; i++) {
		printf("0x%016" PRIx64 "\n", all.list[i].address);
		fputs(all.list[i].text ? all.list[i].text : "??\n??:?\n", stdout);
		free(all.list[i].text);
	}
	free(all.list);
	free(address);
	a2n_close(a);
	return rc == -ENOENT ? 1 : rc != 0;
}
