/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libopcodes supports the machine it was built for; binutils-multiarch-dev's supports all. Targets
 * within the symbol are printed as offsets, as other addresses in reports are.
 */
#define PACKAGE "pitrace" /* required by bfd.h */
#include <dis-asm.h>

#include "report/disasm.h"
#include "report/insn.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct disasm {
	struct disassemble_info info;
	disassembler_ftype print;
	char *text;
	size_t room, used;
	uint64_t low, high; /* address range of the symbol */
	unsigned int machine;
	uint64_t target; /* the last printed address */
	bool has_target;
};

static const struct {
	unsigned int elf;
	enum bfd_architecture arch;
	unsigned long mach, mach_32;
} machines[] = {
	{ EM_X86_64, bfd_arch_i386, bfd_mach_x86_64, bfd_mach_x64_32 },
	{ EM_386, bfd_arch_i386, bfd_mach_i386_i386, bfd_mach_i386_i386 },
	{ EM_AARCH64, bfd_arch_aarch64, bfd_mach_aarch64, bfd_mach_aarch64_ilp32 },
	{ EM_ARM, bfd_arch_arm, bfd_mach_arm_unknown, bfd_mach_arm_unknown },
	{ EM_PPC64, bfd_arch_powerpc, bfd_mach_ppc64, bfd_mach_ppc },
	{ EM_S390, bfd_arch_s390, bfd_mach_s390_64, bfd_mach_s390_31 },
};

static int append(struct disasm *d, const char *format, va_list args)
{
	int n = vsnprintf(d->text + d->used, d->room - d->used, format, args);

	if (n > 0)
		d->used += (size_t)n < d->room - d->used ? (size_t)n : d->room - d->used - 1;
	return n;
}

static int print_plain(void *stream, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = append(stream, format, args);
	va_end(args);
	return n;
}

static int print_styled(void *stream, enum disassembler_style style, const char *format, ...)
{
	va_list args;
	int n;

	(void)style;
	va_start(args, format);
	n = append(stream, format, args);
	va_end(args);
	return n;
}

static void print_address(bfd_vma address, struct disassemble_info *info)
{
	struct disasm *d = info->stream;

	d->target = address;
	d->has_target = true;
	if (address >= d->low && address < d->high)
		print_plain(d, "+0x%" PRIx64, (uint64_t)address - d->low);
	else
		print_plain(d, "0x%" PRIx64, (uint64_t)address);
}

struct disasm *disasm_open(unsigned int machine, bool is_32, bool big_endian, const char **why)
{
	struct disasm *d = calloc(1, sizeof(*d));
	size_t i = 0, n = sizeof(machines) / sizeof(machines[0]);

	if (!d)
		return NULL;
	while (i < n && machines[i].elf != machine)
		i++;
	d->machine = machine;
	if (i < n) {
		init_disassemble_info(&d->info, d, print_plain, print_styled);
		d->info.arch = machines[i].arch;
		d->info.mach = is_32 ? machines[i].mach_32 : machines[i].mach;
		d->info.endian = big_endian ? BFD_ENDIAN_BIG : BFD_ENDIAN_LITTLE;
		d->info.endian_code = d->info.endian;
		d->info.print_address_func = print_address;
		d->print = disassembler(d->info.arch, big_endian, d->info.mach, NULL);
	}
	if (!d->print) {
		*why = "this post's libopcodes doesn't know the machine: "
		       "build it with binutils-multiarch-dev";
		free(d);
		return NULL;
	}
	disassemble_init_for_target(&d->info);
	return d;
}

static size_t print_one(struct disasm *d, const uint8_t *code, size_t size, size_t at,
			uint64_t address, char *text, size_t room)
{
	size_t i;
	int n;

	d->text = text;
	d->room = room;
	d->used = 0;
	text[0] = '\0';
	d->info.buffer = (bfd_byte *)(uintptr_t)code;
	d->info.buffer_vma = address;
	d->info.buffer_length = size;
	n = d->print(address + at, &d->info);
	for (i = 0; i < d->used; i++) {
		if (text[i] == '\t')
			text[i] = ' ';
	}
	while (d->used && text[d->used - 1] == ' ')
		text[--d->used] = '\0';
	return n > 0 && (size_t)n <= size - at ? (size_t)n : 0;
}

size_t disasm_one(struct disasm *d, const uint8_t *code, size_t size, size_t at, uint64_t address,
		  char *text, size_t room)
{
	d->low = address;
	d->high = address + size;
	return print_one(d, code, size, at, address, text, room);
}

void disasm_insn(struct disasm *d, const uint8_t *code, size_t size, uint64_t address,
		 struct insn *insn)
{
	/* Some machines read beyond the instruction if more bytes are there. */
	size_t most = size < 32 ? size : 32;

	d->has_target = false;
	d->low = d->high = 0;
	insn->length = print_one(d, code, most, 0, address, insn->text, sizeof(insn->text));
	insn->target = d->target;
	insn_classify(d->machine, insn);
	insn->direct = insn->direct && d->has_target;
}

void disasm_close(struct disasm *d)
{
	if (d)
		disassemble_free_target(&d->info);
	free(d);
}
