/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a program calls of others that ends its image, closes its libraries or throws: seen here
 * first. Each goes on to where it would have gone.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hook_thread.h"
#include "hookit_begin.h"
#include "modules.h"

#define SHOWN __attribute__((visibility("default")))

/* ---- the next one ---------------------------------------------------------------------------- */

#define LIBRARIES 4096

struct libraries {
	char *name[LIBRARIES];
	size_t n;
};

static int list(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct libraries *l = arg;

	(void)size;
	if (*info->dlpi_name && l->n < LIBRARIES)
		l->name[l->n++] = strdup(info->dlpi_name);
	return 0;
}

/* A library that was opened for itself alone is in nobody's list: each is asked. */
static void *look(const char *name, void *own)
{
	struct libraries *l = calloc(1, sizeof(*l));
	void *found = NULL;

	if (l)
		dl_iterate_phdr(list, l);
	for (size_t i = 0; l && i < l->n; i++) {
		void *library = found ? NULL : dlopen(l->name[i], RTLD_LAZY | RTLD_NOLOAD);

		free(l->name[i]);
		if (!library)
			continue;
		found = dlsym(library, name);
		if (found == own)
			found = NULL;
		/* What is found there is called: then it stays open. */
	}
	free(l);
	return found;
}

static void *next(void *_Atomic *kept, const char *name, void *own)
{
	void *found = *kept;

	if (found)
		return found;
	found = dlsym(RTLD_NEXT, name);
	if (!found)
		found = look(name, own);
	if (!found) {
		fprintf(stderr, "hookit: %s: there is none\n", name);
		abort();
	}
	*kept = found;
	return found;
}

#define NEXT(name)                                                                         \
	({                                                                                 \
		static void *_Atomic kept;                                                 \
		(__typeof__(&name))(uintptr_t)next(&kept, #name, (void *)(uintptr_t)name); \
	})

/* ---- libraries that are closed --------------------------------------------------------------- */

SHOWN int dlclose(void *library)
{
	int rc;

	if (!hookit_runs())
		return NEXT(dlclose)(library);
	modules_see();
	rc = NEXT(dlclose)(library);
	modules_closed();
	return rc;
}

/* ---- ends of the image ----------------------------------------------------------------------- */

SHOWN void _exit(int code)
{
	hookit_write();
	NEXT(_exit)(code);
	__builtin_unreachable();
}

SHOWN void _Exit(int code)
{
	_exit(code);
}

SHOWN void quick_exit(int code)
{
	hookit_write();
	NEXT(quick_exit)(code);
	__builtin_unreachable();
}

SHOWN int execve(const char *path, char *const argv[], char *const envp[])
{
	hookit_write();
	return NEXT(execve)(path, argv, envp);
}

SHOWN int execvpe(const char *file, char *const argv[], char *const envp[])
{
	hookit_write();
	return NEXT(execvpe)(file, argv, envp);
}

SHOWN int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

SHOWN int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

SHOWN int fexecve(int fd, char *const argv[], char *const envp[])
{
	hookit_write();
	return NEXT(fexecve)(fd, argv, envp);
}

/* The arguments up to the NULL; then for execle the environment. On the stack: a child of vfork()
 * has no other memory. */
#define COUNT_ARGUMENTS(n, first)                        \
	do {                                             \
		va_list count_;                          \
		va_start(count_, first);                 \
		for (n = 1; va_arg(count_, char *); n++) \
			;                                \
		va_end(count_);                          \
	} while (0)
#define TAKE_ARGUMENTS(argv, n, first, list)             \
	do {                                             \
		argv[0] = (char *)(uintptr_t)first;      \
		for (size_t i_ = 1; i_ <= n; i_++)       \
			argv[i_] = va_arg(list, char *); \
	} while (0)

SHOWN int execl(const char *path, const char *first, ...)
{
	va_list list;
	size_t n;

	COUNT_ARGUMENTS(n, first);
	{
		char *argv[n + 1];

		va_start(list, first);
		TAKE_ARGUMENTS(argv, n, first, list);
		va_end(list);
		return execv(path, argv);
	}
}

SHOWN int execlp(const char *file, const char *first, ...)
{
	va_list list;
	size_t n;

	COUNT_ARGUMENTS(n, first);
	{
		char *argv[n + 1];

		va_start(list, first);
		TAKE_ARGUMENTS(argv, n, first, list);
		va_end(list);
		return execvp(file, argv);
	}
}

SHOWN int execle(const char *path, const char *first, ...)
{
	char *const *envp;
	va_list list;
	size_t n;

	COUNT_ARGUMENTS(n, first);
	{
		char *argv[n + 1];

		va_start(list, first);
		TAKE_ARGUMENTS(argv, n, first, list);
		envp = va_arg(list, char *const *);
		va_end(list);
		return execve(path, argv, envp);
	}
}

/* ---- exceptions ------------------------------------------------------------------------------ */

void __cxa_throw(void *object, void *type, void (*destroy)(void *));
void __cxa_rethrow(void);
void *__cxa_begin_catch(void *exception);

SHOWN void __cxa_throw(void *object, void *type, void (*destroy)(void *))
{
	hook_self.thrown = hook_self.tree->depth;
	NEXT(__cxa_throw)(object, type, destroy);
	__builtin_unreachable();
}

SHOWN void __cxa_rethrow(void)
{
	hook_self.thrown = hook_self.tree->depth;
	NEXT(__cxa_rethrow)();
	__builtin_unreachable();
}

SHOWN void *__cxa_begin_catch(void *exception)
{
	hook_self.thrown = 0;
	return NEXT(__cxa_begin_catch)(exception);
}
