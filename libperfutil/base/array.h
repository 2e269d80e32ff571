/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arrays that grow. Their owner keeps the list (from malloc, initially NULL, released by free) and
 * its capacity in elements, an unsigned integer of any width. Growing may move the list.
 */
#ifndef PITRACE_ARRAY_H
#define PITRACE_ARRAY_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

struct array_room {
	void *start; /* NULL: no memory, or more than `most` elements */
	uint64_t holds;
};

/* The slow path of array_room(): takes values, so that a caller in a hot path can keep its own in
 * registers. */
struct array_room array_grown(void *list, uint64_t room, uint64_t need, uint64_t most, size_t size);

/*
 * Room for `need` elements or more; the new ones are not initialised. The room grows at least by
 * half, so that appending one by one copies each element only a few times. 0; or -ENOMEM, and list
 * and room are unchanged.
 */
#define array_room(list, room, need)                                                        \
	({                                                                                  \
		uint64_t array_need_ = (need);                                              \
		int array_rc_ = 0;                                                          \
                                                                                            \
		if (__builtin_expect(array_need_ > (room), 0)) {                            \
			struct array_room array_new_ = array_grown(list, room, array_need_, \
								   (typeof(room))-1,        \
								   sizeof(*(list)));        \
                                                                                            \
			if (array_new_.start) {                                             \
				(list) = array_new_.start;                                  \
				(room) = (typeof(room))array_new_.holds;                    \
			} else {                                                            \
				array_rc_ = -ENOMEM;                                        \
			}                                                                   \
		}                                                                           \
		array_rc_;                                                                  \
	})

/* Makes room for one element more than n. 0 or -ENOMEM, as array_room(). */
#define array_next(list, n, room) array_room(list, room, (uint64_t)(n) + 1)

/*
 * Makes element `index` exist in a list of `count` elements, all of which are in use: new ones are
 * zeroed. The count may become larger than index + 1. 0 or -ENOMEM, as array_room().
 */
#define array_reach(list, count, index)                                            \
	({                                                                         \
		size_t array_had_ = (count);                                       \
		int array_reach_ = array_room(list, count, (uint64_t)(index) + 1); \
		size_t array_has_ = (count);                                       \
                                                                                   \
		if (array_has_ > array_had_)                                       \
			memset(&(list)[array_had_], 0,                             \
			       (array_has_ - array_had_) * sizeof(*(list)));       \
		array_reach_;                                                      \
	})

#endif
