/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interposes functions that end the program's image, close its libraries, give up rights, throw or
 * jump. Each then calls the next definition of the function.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hook_events.h"
#include "hook_interpose.h"
#include "hookit_begin.h"
#include "modules.h"
#include "patched.h"

#define SHOWN __attribute__((visibility("default")))

/* ---- the next definition --------------------------------------------------------------------- */

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

/* A library that was opened with RTLD_LOCAL is not in the global scope: searches each library. */
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
		/* The reference is kept: the function found there is called from now on. */
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
		fprintf(stderr, "hookit: %s(): no other definition was found\n", name);
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

/* ---- dlclose --------------------------------------------------------------------------------- */

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

/* ---- dlopen ---------------------------------------------------------------------------------- */

/* Whether the caller's search for a library by name could differ from ours: by RPATH, or by its own
 * RUNPATH. */
struct searching {
	uintptr_t caller;
	bool by_path;
};

static bool is_in(const struct dl_phdr_info *info, uintptr_t address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
			return true;
	}
	return false;
}

static int find_paths(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct searching *s = arg;
	const ElfW(Dyn) *d = NULL;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++)
		s->by_path |= d->d_tag == DT_RPATH ||
			      (d->d_tag == DT_RUNPATH && is_in(info, s->caller));
	return 0;
}

static bool finds_its_own(const char *file, uintptr_t caller)
{
	struct searching s = { .caller = caller };

	if (!file || (strchr(file, '/') && !strchr(file, '$')))
		return false;
	s.by_path = strchr(file, '$');
	dl_iterate_phdr(find_paths, &s);
	return s.by_path;
}

/* The loader searches the paths of its caller. Where that matters, this is a tail call, and the
 * library is found when the next one is opened. */
SHOWN void *dlopen(const char *file, int mode)
{
	void *library;

	if ((!patched_asks() && !hookit_foresees()) ||
	    finds_its_own(file, (uintptr_t)__builtin_return_address(0)))
		return NEXT(dlopen)(file, mode);
	library = NEXT(dlopen)(file, mode);
	if (library && hookit_foresees())
		modules_foresee();
	if (library && patched_asks())
		patched_loaded();
	return library;
}

/* ---- rights and root ------------------------------------------------------------------------- */

/* Files of the program may be out of reach from then on, and so would be the functions' names. */
static void before_loss(void)
{
	int error = errno;

	if (hookit_runs() && !hookit_is_borrowed())
		modules_load();
	errno = error;
}

SHOWN int chroot(const char *path)
{
	before_loss();
	return NEXT(chroot)(path);
}

SHOWN int setuid(uid_t user)
{
	before_loss();
	return NEXT(setuid)(user);
}

SHOWN int seteuid(uid_t user)
{
	before_loss();
	return NEXT(seteuid)(user);
}

SHOWN int setreuid(uid_t real, uid_t effective)
{
	before_loss();
	return NEXT(setreuid)(real, effective);
}

SHOWN int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	before_loss();
	return NEXT(setresuid)(real, effective, saved);
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

/* The C library ends the parent by its own _exit(). */
SHOWN int daemon(int stays, int open)
{
	hookit_write();
	return NEXT(daemon)(stays, open);
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

/* The arguments up to the NULL; for execle, the environment follows. On the stack: a child of
 * vfork() has no other memory of its own. */
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
	hook_popped((uintptr_t)__builtin_dwarf_cfa(), EVENT_UNWIND);
	return NEXT(__cxa_begin_catch)(exception);
}

SHOWN void hook_longjmp(struct __jmp_buf_tag *to, int value) __asm__("longjmp")
	__attribute__((noreturn));

/* ---- jumps ----------------------------------------------------------------------------------- */

/* Returns the stack pointer that setjmp() saved, which the C library mangles; 0: not known. */
static uintptr_t kept_sp(const struct __jmp_buf_tag *to)
{
#if defined(__x86_64__) && defined(__GLIBC__)
	uintptr_t sp = (uintptr_t)to->__jmpbuf[6];

	__asm__("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(sp) : : "cc");
	return sp;
#else
	(void)to;
	return 0;
#endif
}

#define NEAR 4096

enum jumps { JUMP, JUMP_BARE, JUMP_SIGNAL, JUMP_CHECKED, JUMPS };
static hook_jump *jumps[JUMPS];
static bool sp_is_known;

/* Finds the real functions before a handler needs them, because the search takes locks; called
 * again if another library's constructor jumps. Tests whether the C library mangles the stack
 * pointer in the known way. */
static __attribute__((constructor)) void find_jumps(void)
{
	static const char *const names[JUMPS] = { "longjmp", "_longjmp", "siglongjmp",
						  "__longjmp_chk" };
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	jmp_buf kept;

	for (int i = 0; i < JUMPS; i++)
		jumps[i] = (hook_jump *)(uintptr_t)dlsym(RTLD_NEXT, names[i]);
	if (!setjmp(kept))
		sp_is_known = here - kept_sp(kept) < NEAR;
}

void interpose_jumps(hook_jump **ours, hook_jump **real)
{
	*ours = hook_longjmp;
	*real = jumps[JUMP];
}

static __attribute__((noreturn)) void go(enum jumps which, struct __jmp_buf_tag *to, int value)
{
	uintptr_t sp = sp_is_known ? kept_sp(to) : 0;

	if (sp > (uintptr_t)__builtin_frame_address(0))
		hook_popped(sp, EVENT_POPPED);
	if (!jumps[which])
		find_jumps();
	jumps[which](to, value);
	abort();
}

/* Defined by symbol names: the header may redirect one of them to another. */
#define JUMPS_BY(name, which)                                                      \
	SHOWN void hook_##name(struct __jmp_buf_tag *to, int value) __asm__(#name) \
		__attribute__((noreturn));                                         \
	void hook_##name(struct __jmp_buf_tag *to, int value)                      \
	{                                                                          \
		go(which, to, value);                                              \
	}
JUMPS_BY(longjmp, JUMP)
JUMPS_BY(_longjmp, JUMP_BARE)
JUMPS_BY(siglongjmp, JUMP_SIGNAL)
JUMPS_BY(__longjmp_chk, JUMP_CHECKED)
