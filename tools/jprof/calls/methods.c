/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "methods.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 4096 /* methods: blocks stay where they are */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct method *_Atomic blocks[METHODS_MOST / BLOCK];
static atomic_uint count;

int32_t methods_add(const char *class, uint32_t class_length, const char *name,
		    uint32_t name_length, const char *descriptor, uint32_t descriptor_length,
		    bool is_static)
{
	char *text = malloc((size_t)class_length + name_length + descriptor_length + 2), *p = text;
	struct method *block = NULL;
	uint32_t number;

	if (!text)
		return -1;
	p = mempcpy(p, class, class_length);
	*p++ = '.';
	p = mempcpy(p, name, name_length);
	p = mempcpy(p, descriptor, descriptor_length);
	*p = 0;
	pthread_mutex_lock(&lock);
	number = count;
	if (number < METHODS_MOST) {
		block = blocks[number / BLOCK];
		if (!block)
			block = blocks[number / BLOCK] = calloc(BLOCK, sizeof(*block));
	}
	if (block) {
		block[number % BLOCK] = (struct method){ text, is_static };
		count = number + 1;
	}
	pthread_mutex_unlock(&lock);
	if (!block)
		free(text);
	return block ? (int32_t)number : -1;
}

const struct method *methods_get(uint32_t number)
{
	return &blocks[number / BLOCK][number % BLOCK];
}

uint32_t methods_count(void)
{
	return count;
}
