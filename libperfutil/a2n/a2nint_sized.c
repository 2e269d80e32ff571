/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The original's calls, for programs whose structs have another size: base/sized.h. */
#include <a2nint.h>
#include "base/sized.h"

#undef A2nGetSymbol
#undef A2nGetSymbolAt
#undef A2nAddJittedMethodLines
#undef A2nGetAllFunctions

int A2nGetSymbol_sized(uint32_t pid, uint64_t address, SYMDATA *data, size_t size)
{
	SYMDATA own;
	int rc = whole_A2nGetSymbol(pid, address, sized_place(data, size, &own, sizeof(own)));

	if (rc >= 0)
		sized_give(data, size, &own, sizeof(own));
	return rc;
}

FIRST(int, A2nGetSymbol, uint32_t pid, uint64_t address, SYMDATA *data)
{
	return A2nGetSymbol_sized(pid, address, data, UP_TO(SYMDATA, src_lineno));
}

int A2nGetSymbolAt_sized(uint32_t pid, uint64_t address, uint64_t time, SYMDATA *data, size_t size)
{
	SYMDATA own;
	int rc = whole_A2nGetSymbolAt(pid, address, time,
				      sized_place(data, size, &own, sizeof(own)));

	if (rc >= 0)
		sized_give(data, size, &own, sizeof(own));
	return rc;
}

FIRST(int, A2nGetSymbolAt, uint32_t pid, uint64_t address, uint64_t time, SYMDATA *data)
{
	return A2nGetSymbolAt_sized(pid, address, time, data, UP_TO(SYMDATA, src_lineno));
}

int A2nAddJittedMethodLines_sized(uint32_t pid, const char *name, uint64_t address, uint64_t length,
				  const void *code, const char *file, const A2N_LINE *lines,
				  uint32_t count, uint64_t time, size_t size)
{
	const void *list = lines;
	void *own;
	int rc = sized_list(&list, &own, count, size, sizeof(*lines));

	if (!rc)
		rc = whole_A2nAddJittedMethodLines(pid, name, address, length, code, file, list,
						   count, time);
	free(own);
	return rc;
}

FIRST(int, A2nAddJittedMethodLines, uint32_t pid, const char *name, uint64_t address,
      uint64_t length, const void *code, const char *file, const A2N_LINE *lines, uint32_t count,
      uint64_t time)
{
	return A2nAddJittedMethodLines_sized(pid, name, address, length, code, file, lines, count,
					     time, UP_TO(A2N_LINE, line));
}

struct all_functions {
	int (*each)(void *arg, const SYMDATA *data);
	void *arg;
	size_t size; /* of the program's SYMDATA */
	char *own;   /* one of these */
};

static int give_function(void *arg, const SYMDATA *data)
{
	struct all_functions *f = arg;

	sized_copy(f->own, 0, f->size, data, sizeof(*data));
	return f->each(f->arg, (const void *)f->own);
}

int A2nGetAllFunctions_sized(const char *module, int (*each)(void *arg, const SYMDATA *data),
			     void *arg, size_t size)
{
	struct all_functions f = { each, arg, size, NULL };
	int rc;

	if (!each || size == sizeof(SYMDATA))
		return whole_A2nGetAllFunctions(module, each, arg);
	f.own = malloc(size);
	if (!f.own)
		return -ENOMEM;
	rc = whole_A2nGetAllFunctions(module, give_function, &f);
	free(f.own);
	return rc;
}

FIRST(int, A2nGetAllFunctions, const char *module, int (*each)(void *arg, const SYMDATA *data),
      void *arg)
{
	return A2nGetAllFunctions_sized(module, each, arg, UP_TO(SYMDATA, src_lineno));
}
