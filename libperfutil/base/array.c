/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A small list begins with one cache line, because many owners never have more than a few elements,
 * and doubles; a large one, whose unused memory matters, grows by half.
 */
#include <stdlib.h>

#include "base/array.h"

#define FIRST_BYTES 64
#define LARGE_BYTES (4u << 20)

struct array_room array_grown(void *list, uint64_t room, uint64_t need, uint64_t most, size_t size)
{
	uint64_t more = FIRST_BYTES / size + 1;
	struct array_room none = { NULL, room };
	size_t bytes;

	more += room < LARGE_BYTES / size ? 2 * room : room + room / 2;
	if (need > most)
		return none;
	if (more < need)
		more = need;
	if (more > most)
		more = most;
	if (__builtin_mul_overflow(more, size, &bytes) || bytes > PTRDIFF_MAX)
		return none;
	return (struct array_room){ realloc(list, bytes), more };
}
