/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The original's calls, for programs whose structs are of another size: base/sized.h. */
#include <a2nint.h>
#include "base/sized.h"

#undef A2nGetSymbol
#undef A2nGetSymbolAt

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
