/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * patch_loads LIBRARY: loads it, has its functions patched, calls one, and unloads it, several
 * times; also while it is patched. Another file takes its place at the end.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "patch_counter.h"

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 0; i < 6 && argc > 1; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*f)(int) = library ? (int (*)(int))dlsym(library, "t_loaded") : NULL;

		if (!f)
			return 2;
		sum += f(i);
		patch_counter_find();
		patch_counter_on();
		for (int k = 0; k < 10; k++)
			sum += f(k);
		if (i % 2)
			patch_counter_off();
		dlclose(library);
		patch_counter_off();
		patch_counter_on();
	}
	printf("%d\n", sum);
	return 0;
}
