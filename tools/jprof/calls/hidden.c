/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hidden.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "escape.h"
#include "java_text.h"

#define MOST 10000 /* names that are kept; further ones are only counted */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char **names;
static uint32_t kept, room;
static uint64_t count;

/* Hidden classes are Lpackage/Class.0x000001; and no other class has a dot in its name. */
static bool is_hidden(const char *signature)
{
	return *signature == 'L' && strchr(signature, '.');
}

static void keep(const char *signature)
{
	char *name = NULL;

	pthread_mutex_lock(&lock);
	count++;
	if (kept < MOST && !array_next(names, kept, room))
		name = strndup(signature + 1, strlen(signature) - 2);
	java_text(name);
	if (name)
		names[kept++] = name;
	pthread_mutex_unlock(&lock);
}

void hidden_see(jvmtiEnv *vm, jclass class)
{
	char *signature;

	if ((*vm)->GetClassSignature(vm, class, &signature, NULL))
		return;
	if (is_hidden(signature))
		keep(signature);
	(*vm)->Deallocate(vm, (unsigned char *)signature);
}

void hidden_write(FILE *out)
{
	pthread_mutex_lock(&lock);
	if (count)
		fprintf(out, "\nhidden classes, which cannot be changed: %" PRIu64 "\n", count);
	for (uint32_t i = 0; i < kept; i++) {
		escape_print(out, names[i]);
		fputc('\n', out);
	}
	if (kept < count)
		fprintf(out, "and %" PRIu64 " more\n", count - kept);
	pthread_mutex_unlock(&lock);
}
