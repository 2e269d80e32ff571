/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * a2n_names FILE <ADDRESSES: of each of a file's addresses (hexadecimal, a line each) where its
 * symbol begins, how long it is, and its name, from liba2n. For scripts that compare it with other
 * programs.
 */
#include <a2n.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct a2n_map map = { .start = 1ull << 40, .length = 1ull << 40 };
	struct a2n_answer answer;
	struct a2n *a;
	uint64_t at;

	if (argc != 2) {
		fputs("usage: a2n_names FILE <ADDRESSES\n", stderr);
		return 2;
	}
	map.path = argv[1];
	a = a2n_open(NULL);
	if (!a || a2n_process(a, 0, 1, 0) || a2n_add_map(a, 1, 1, &map))
		abort();
	/* Files are made so that offsets in them are addresses. */
	while (scanf("%" SCNx64, &at) == 1) {
		a2n_resolve(a, 1, 2, map.start + at, false, &answer);
		printf("%" PRIx64 " %" PRIx64 " %s\n", answer.symbol->value, answer.symbol->size,
		       answer.symbol->name);
	}
	a2n_close(a);
	return 0;
}
