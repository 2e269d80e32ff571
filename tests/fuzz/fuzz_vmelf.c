/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a Java VM's library, or its debug file, as an ELF file of which nothing is known: symbols
 * with the room behind them, the build id, the debug file's name.
 */
#include "fuzz.h"
#include "vm_elf.h"

static void ask(const struct vm_elf *f, const char *name)
{
	size_t room = 0;
	uint64_t value = vm_elf_symbol(f, name, &room);

	if (value && room > UINT64_MAX - value)
		abort();
	if (value && !vm_elf_has_symbols(f))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct vm_elf f = { data, size };
	char name[NAME_MAX + 1];
	uint32_t n = 0;
	const uint8_t *id = vm_elf_build_id(&f, &n);

	if (id && (!n || n > VM_ELF_ID || id < data || id + n > data + size))
		abort();
	if (id)
		fuzz_touch(id, n);
	if (vm_elf_debug_name(&f, name) && (!*name || strchr(name, '/')))
		abort();
	ask(&f, "_begin");
	ask(&f, "flag");
	ask(&f, "");
	return 0;
}
