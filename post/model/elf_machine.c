/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/elf_machine.h"

#include <elf.h>
#include <string.h>

uint32_t elf_machine(const struct pifile_header *h)
{
	static const struct {
		const char *name;
		uint32_t machine;
	} machines[] = {
		{ "x86_64", EM_X86_64 },
		{ "aarch64", EM_AARCH64 },
		{ "ppc64le", EM_PPC64 },
		{ "s390x", EM_S390 },
	};
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strncmp(machines[i].name, h->machine, sizeof(h->machine)))
			return machines[i].machine;
	return 0;
}
