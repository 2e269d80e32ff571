/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probes.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "class_unload.h"
#include "call_hooks.h"
#include "vm_image.h"
#include "vm_methods.h"

#define BEGIN "_ZN13SharedRuntime19dtrace_method_entryEP10JavaThreadP6Method"
#define END   "_ZN13SharedRuntime18dtrace_method_exitEP10JavaThreadP6Method"
#define FLAG  "DTraceMethodProbes"

/* A jump to an address that is stored after it. */
#if defined(__x86_64__)
static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 }; /* jmp *0(%rip) */
#elif defined(__aarch64__)
static const uint32_t jump[] = { 0x58000050, 0xd61f0200 }; /* ldr x16, .+8; br x16 */
#else
#define NO_JUMP
static const uint8_t jump[1];
#endif
#define ROOM (sizeof(jump) + sizeof(uintptr_t))

static void *room_at(const struct vm_image *i, const char *name)
{
	size_t room = 0;
	void *p = vm_image_symbol(i, name, &room);

	return room >= ROOM ? p : NULL;
}

static bool protect(void *p, int how)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)p & ~(page - 1);

	return !mprotect((void *)start, (uintptr_t)p + ROOM - start, how);
}

static void put_jump(void *at, hooks_probe *to)
{
	uintptr_t address = (uintptr_t)to;

	memcpy(at, jump, sizeof(jump));
	memcpy((char *)at + sizeof(jump), &address, sizeof(address));
	__builtin___clear_cache((char *)at, (char *)at + ROOM);
}

/* Returns NULL, or an error message: then nothing was changed. */
static const char *install(const struct vm_image *i, struct hooks_probes to)
{
	void *first = room_at(i, BEGIN), *last = room_at(i, END);
	size_t room;
	bool *flag = vm_image_symbol(i, FLAG, &room);

#ifdef NO_JUMP
	return "MODE=probes is for x86-64 and arm64";
#endif
	if (i->stripped)
		return "the Java VM's library has no symbol table, and there is no debug file of its build below /usr/lib/debug or beside it: install that one, or take MODE=rewrite, which needs none (without it: calls of hidden classes and of natives that the VM counts on)";
	if (!first || !last || !flag)
		return "this Java VM has no method probes: MODE=rewrite needs none";
	if (!protect(first, PROT_READ | PROT_WRITE | PROT_EXEC) ||
	    !protect(last, PROT_READ | PROT_WRITE | PROT_EXEC))
		return "the code of the Java VM's library may not be changed";
	put_jump(first, to.begin);
	put_jump(last, to.end);
	protect(first, PROT_READ | PROT_EXEC);
	protect(last, PROT_READ | PROT_EXEC);
	*flag = true;
	return NULL;
}

/* Returns the offset of the pending exception in the VM's thread, which ends an interpreted method;
 * 0: unknown. */
static size_t exception_at(const struct vm_image *i)
{
	size_t at;

	if (vm_image_member(i, "JavaThread", "_vm_result", &at) ||
	    vm_image_member(i, "JavaThread", "_vm_result_oop", &at))
		return at;
	return 0;
}

static void JNICALL class_unloaded(jvmtiEnv *vm, ...)
{
	(void)vm;
	vm_methods_unloaded();
}

const char *probes_begin(jvmtiEnv *vm, JavaVM *java, bool (*takes)(const char *name))
{
	struct vm_image image;
	const char *why = vm_image_open(&image, (const void *)(*java)->GetEnv);

	if (why)
		return why;
	why = vm_methods_init(&image, takes);
	if (!why && class_unload_subscribe(vm, class_unloaded))
		why = "this Java VM does not report when it unloads classes";
	if (!why)
		why = install(&image, hooks_probes(exception_at(&image)));
	vm_image_close(&image);
	return why;
}
