/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file has two headers, an empty segment for the code, the table, and the section names. */
#include "model/made_elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDER ELFDATA2MSB
#else
#define ORDER ELFDATA2LSB
#endif

static const char names[16] = "\0.eh_frame\0.str"; /* a multiple of 8, since the table follows */

enum { NO_SECTION, EH_FRAME, NAMES, SECTIONS };

struct made_64 {
	Elf64_Ehdr header;
	Elf64_Phdr code;
	Elf64_Shdr section[SECTIONS];
	char names[sizeof(names)];
};

struct made_32 {
	Elf32_Ehdr header;
	Elf32_Phdr code;
	Elf32_Shdr section[SECTIONS];
	char names[sizeof(names)];
};

/* The fields of both ELF classes have the same names. */
#define FILL(made, elf_class, code_size, size, at, machine)                             \
	do {                                                                            \
		(made)->header.e_ident[EI_CLASS] = (elf_class);                         \
		(made)->header.e_ident[EI_DATA] = ORDER;                                \
		(made)->header.e_ident[EI_VERSION] = EV_CURRENT;                        \
		(made)->header.e_type = ET_DYN;                                         \
		(made)->header.e_machine = (uint16_t)(machine);                         \
		(made)->header.e_version = EV_CURRENT;                                  \
		(made)->header.e_phoff = sizeof((made)->header);                        \
		(made)->header.e_shoff = sizeof((made)->header) + sizeof((made)->code); \
		(made)->header.e_ehsize = sizeof((made)->header);                       \
		(made)->header.e_phentsize = sizeof((made)->code);                      \
		(made)->header.e_phnum = 1;                                             \
		(made)->header.e_shentsize = sizeof((made)->section[0]);                \
		(made)->header.e_shnum = SECTIONS;                                      \
		(made)->header.e_shstrndx = NAMES;                                      \
		(made)->code.p_type = PT_LOAD;                                          \
		(made)->code.p_flags = PF_R | PF_X;                                     \
		(made)->code.p_memsz = (code_size);                                     \
		(made)->code.p_align = 1;                                               \
		(made)->section[EH_FRAME].sh_name = 1;                                  \
		(made)->section[EH_FRAME].sh_type = SHT_PROGBITS;                       \
		(made)->section[EH_FRAME].sh_flags = SHF_ALLOC;                         \
		(made)->section[EH_FRAME].sh_addr = (at);                               \
		(made)->section[EH_FRAME].sh_offset = sizeof(*(made));                  \
		(made)->section[EH_FRAME].sh_size = (size);                             \
		(made)->section[EH_FRAME].sh_addralign = 1;                             \
		(made)->section[NAMES].sh_name = 11;                                    \
		(made)->section[NAMES].sh_type = SHT_STRTAB;                            \
		(made)->section[NAMES].sh_offset = sizeof(*(made)) - sizeof(names);     \
		(made)->section[NAMES].sh_size = sizeof(names);                         \
		(made)->section[NAMES].sh_addralign = 1;                                \
		memcpy((made)->header.e_ident, ELFMAG, SELFMAG);                        \
		memcpy((made)->names, names, sizeof(names));                            \
	} while (0)

uint8_t *made_elf(unsigned int machine, bool is_32, uint64_t code_size, const void *eh_frame,
		  size_t size, uint64_t at, size_t *length)
{
	const size_t head = is_32 ? sizeof(struct made_32) : sizeof(struct made_64);
	struct made_64 *m64;
	struct made_32 *m32;
	uint8_t *file;

	if (is_32 && (code_size > UINT32_MAX || at > UINT32_MAX || size > UINT32_MAX))
		return NULL;
	file = calloc(1, head + size);
	if (!file)
		return NULL;
	if (is_32) {
		m32 = (void *)file;
		FILL(m32, ELFCLASS32, (uint32_t)code_size, (uint32_t)size, (uint32_t)at, machine);
	} else {
		m64 = (void *)file;
		FILL(m64, ELFCLASS64, code_size, size, at, machine);
	}
	memcpy(file + head, eh_frame, size);
	*length = head + size;
	return file;
}
