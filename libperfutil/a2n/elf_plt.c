/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names for procedure linkage tables. No symbol lies there; but each entry loads the address it
 * jumps to from a slot, and the relocations tell whose slot that is. So entries are decoded until
 * the slot is found, whatever their shape (lazy, .plt.sec, IBT, BTI).
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "elf_file.h"
#include "pool.h"

struct slot {
	uint64_t address;
	const char *name;
	size_t length;
	uint64_t target;	/* IRELATIVE: the function's address … */
	uint32_t symbol;	/* … and the symbol found there, plus one */
};

struct slots {
	struct slot *slot;
	uint32_t n, room;
	/* Entries that push their relocation's number: that of the table for .plt. */
	uint32_t first_lazy, n_lazy;
	bool failed;
};

enum slot_kind { NOT_A_SLOT, SLOT, SLOT_INDIRECT };

static enum slot_kind slot_kind(unsigned int machine, uint64_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ? SLOT :
		       type == R_X86_64_IRELATIVE ? SLOT_INDIRECT : NOT_A_SLOT;
	case EM_386:
		return type == R_386_JMP_SLOT || type == R_386_GLOB_DAT ? SLOT : NOT_A_SLOT;
	case EM_AARCH64:
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT ? SLOT :
		       type == R_AARCH64_IRELATIVE ? SLOT_INDIRECT : NOT_A_SLOT;
	case EM_S390:
		return type == R_390_JMP_SLOT || type == R_390_GLOB_DAT ? SLOT :
		       type == R_390_IRELATIVE ? SLOT_INDIRECT : NOT_A_SLOT;
	}
	return NOT_A_SLOT;
}

static void add_slot(struct slots *slots, const struct slot *slot)
{
	if (pool_grow(slots->slot, slots->n, slots->room))
		slots->slot[slots->n++] = *slot;
	else
		slots->failed = true;
}

static void read_slots(struct elf_file *f, const struct section *s, struct slots *slots)
{
	const struct section *table = s->link < f->n_sections ? &f->sections[s->link] : NULL;
	Elf_Data *data = s->scn ? elf_getdata(s->scn, NULL) : NULL, *symbols = NULL;
	size_t entry = gelf_fsize(f->elf, s->type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1,
				  EV_CURRENT);
	struct bytes strings = bytes_of("", 0);
	bool lazy = s->name && !strcmp(s->name, s->type == SHT_RELA ? ".rela.plt" : ".rel.plt");
	size_t i;

	if (!data || !data->d_buf || !entry ||
	    data->d_type != (s->type == SHT_RELA ? ELF_T_RELA : ELF_T_REL))
		return;
	if (table && (table->type == SHT_DYNSYM || table->type == SHT_SYMTAB) && table->scn &&
	    table->link < f->n_sections) {
		symbols = elf_getdata(table->scn, NULL);
		strings = elf_section_bytes(f, &f->sections[table->link]);
	}
	if (lazy)
		slots->first_lazy = slots->n;
	for (i = 0; i < data->d_size / entry && i <= INT32_MAX; i++) {
		struct slot slot = { .length = 0 };
		enum slot_kind kind;
		GElf_Rela r = { .r_addend = 0 };
		GElf_Rel rel;
		GElf_Sym sym;

		if (s->type == SHT_RELA) {
			if (!gelf_getrela(data, (int)i, &r))
				break;
		} else {
			if (!gelf_getrel(data, (int)i, &rel))
				break;
			r.r_offset = rel.r_offset;
			r.r_info = rel.r_info;
		}
		kind = slot_kind(f->header.e_machine, GELF_R_TYPE(r.r_info));
		if (kind == NOT_A_SLOT && !lazy)
			continue;
		slot.address = r.r_offset;
		if (kind == SLOT_INDIRECT)
			slot.target = (uint64_t)r.r_addend;
		else if (kind == SLOT && symbols && symbols->d_buf &&
			 symbols->d_type == ELF_T_SYM &&
			 GELF_R_SYM(r.r_info) <= INT32_MAX &&
			 gelf_getsym(symbols, (int)GELF_R_SYM(r.r_info), &sym))
			slot.name = elf_string(&strings, sym.st_name, &slot.length);
		if (slot.length > 4000)
			slot.name = NULL;
		add_slot(slots, &slot);
	}
	if (lazy)
		slots->n_lazy = slots->n - slots->first_lazy;
}

static int by_address(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int by_target(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->target < y->target ? -1 : x->target > y->target;
}

/* Slots of indirect functions have no symbol, but an address that may have one. */
static void name_targets(struct slots *slots, const struct symtab *t)
{
	uint32_t i, some = 0;

	for (i = 0; i < slots->n; i++)
		some += slots->slot[i].target != 0;
	if (!some)
		return;
	qsort(slots->slot, slots->n, sizeof(*slots->slot), by_target);
	for (i = 0; i < t->n; i++) {
		const struct slot key = { .target = t->symbols[i].value };
		struct slot *slot = key.target ? bsearch(&key, slots->slot, slots->n,
							 sizeof(key), by_target) : NULL;

		if (!slot)
			continue;
		while (slot > slots->slot && slot[-1].target == key.target)
			slot--;
		/* Any alias names it: the shortest. (Names may move, numbers don't.) */
		for (; slot < slots->slot + slots->n && slot->target == key.target; slot++)
			if (!slot->symbol || strlen(symtab_name(t, i)) <
					     strlen(symtab_name(t, slot->symbol - 1)))
				slot->symbol = i + 1;
	}
}

static const struct slot *find_slot(const struct slots *slots, uint64_t address)
{
	const struct slot key = { .address = address };
	const struct slot *slot = slots->n ? bsearch(&key, slots->slot, slots->n, sizeof(key),
						     by_address) : NULL;

	return slot && (slot->name || slot->symbol) ? slot : NULL;
}

struct plt {
	struct elf_file *f;
	const struct section *section;
	struct slots *slots;		/* by address */
	struct slot *lazy;		/* by number */
	uint64_t got;			/* what i386's %ebx points to */
	struct symtab *out;
	uint32_t found;
};

static void name_entry(struct plt *p, uint64_t offset, uint64_t size, const struct slot *slot)
{
	const struct section *s = p->section;
	char name[4096];
	int length;

	if (!slot || s->size > UINT64_MAX - s->address)
		return;
	if (slot->name)
		length = snprintf(name, sizeof(name), "%.*s@plt", (int)slot->length, slot->name);
	else if (slot->symbol)
		length = snprintf(name, sizeof(name), "%s@plt",
				  symtab_name(p->out, slot->symbol - 1));
	else
		return;
	if (length <= 4 || (size_t)length >= sizeof(name))
		return;
	symtab_add(p->out, s->address + offset, size, s->address + s->size, RANK(RANK_LOCAL, 1),
		   name, (size_t)length);
	p->found++;
}

/* jmp *slot(%rip) or jmp *slot anywhere in the entry; else push $number. */
static void read_x86(struct plt *p, struct bytes b)
{
	bool wide = p->f->header.e_machine == EM_X86_64;
	uint64_t entry = p->section->entry == 8 ? 8 : 16, at, i;

	for (at = 0; at + entry <= b.size; at += entry) {
		const struct slot *slot = NULL;

		for (i = 0; i + 6 <= entry && !slot; i++) {
			uint64_t target;
			uint16_t op;

			bytes_seek(&b, at + i);
			op = bytes_u16(&b);
			if (op != 0x25ff && (wide || op != 0xa3ff))
				continue;
			target = bytes_u32(&b);
			if (wide)
				target = p->section->address + at + i + 6 +
					 (uint64_t)(int32_t)target;
			else if (op == 0xa3ff)
				target = (uint32_t)(target + p->got);
			slot = find_slot(p->slots, target);
		}
		for (i = 0; p->lazy && i <= 4 && i + 5 <= entry && !slot; i += 4) {
			uint32_t number;

			bytes_seek(&b, at + i);
			if (bytes_u8(&b) != 0x68)
				continue;
			number = bytes_u32(&b);
			if (!wide)
				number /= 8;
			if (number < p->slots->n_lazy)
				slot = &p->lazy[number];
		}
		name_entry(p, at, entry, slot);
	}
}

#define BTI_C	0xd503245fu
#define NOP	0xd503201fu

/* adrp x16, page; ldr x17, [x16, #low]; … br x17 or braa x17, x16 */
static void read_arm64(struct plt *p, struct bytes b)
{
	uint64_t at;

	for (at = 0; at + 8 <= b.size; at += 4) {
		uint64_t page, start = at, end;
		uint32_t adrp, ldr, insn;

		bytes_seek(&b, at);
		adrp = bytes_u32(&b);
		ldr = bytes_u32(&b);
		if ((adrp & 0x9f00001fu) != 0x90000010u || (ldr & 0xffc003ffu) != 0xf9400211u)
			continue;
		page = (adrp >> 29 & 3) | (adrp >> 5 & 0x7ffff) << 2;
		page = (page ^ 0x100000) - 0x100000;		/* sign of 21 bits */
		page = ((p->section->address + at) & ~0xfffull) + (page << 12);
		if (at >= 4 && bytes_seek(&b, at - 4) && bytes_u32(&b) == BTI_C)
			start = at - 4;
		for (end = at + 8; end + 4 <= b.size; end += 4) {
			bytes_seek(&b, end);
			insn = bytes_u32(&b);
			if ((insn & 0xfffffc1fu) == 0xd61f0000u || insn == 0xd71f0a30u)
				break;
		}
		for (end += 4; end + 4 <= b.size; end += 4)
			if (!bytes_seek(&b, end) || bytes_u32(&b) != NOP)
				break;
		if (end > b.size)
			end = b.size;
		name_entry(p, start, end - start,
			   find_slot(p->slots, page + (ldr >> 10 & 0xfff) * 8));
		at = end - 4;
	}
}

/* larl %r1, slot, first in each entry of 32 bytes */
static void read_s390(struct plt *p, struct bytes b)
{
	uint64_t at;

	for (at = 0; at + 32 <= b.size; at += 32) {
		bytes_seek(&b, at);
		if (bytes_u16(&b) == 0xc010)
			name_entry(p, at, 32, find_slot(p->slots, p->section->address + at +
						2 * (uint64_t)(int32_t)bytes_u32(&b)));
	}
}

uint32_t elf_symbols_plt(struct elf_file *f, struct symtab *t)
{
	struct slots slots = { .n = 0 };
	struct plt p = { .f = f, .slots = &slots, .out = t };
	uint32_t i;

	for (i = 1; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];

		if (s->type == SHT_RELA || s->type == SHT_REL)
			read_slots(f, s, &slots);
		else if (s->name && (!strcmp(s->name, ".got.plt") ||
				     (!p.got && !strcmp(s->name, ".got"))))
			p.got = s->address;
	}
	if (!slots.n || slots.failed)
		goto out;
	if (slots.n_lazy) {
		p.lazy = malloc(slots.n_lazy * sizeof(*p.lazy));
		if (!p.lazy)
			goto out;
		memcpy(p.lazy, slots.slot + slots.first_lazy, slots.n_lazy * sizeof(*p.lazy));
	}
	name_targets(&slots, t);
	qsort(slots.slot, slots.n, sizeof(*slots.slot), by_address);
	for (i = 1; i < f->n_sections; i++) {
		struct bytes b;

		p.section = &f->sections[i];
		if (!p.section->code || !p.section->name ||
		    (strncmp(p.section->name, ".plt", 4) && strcmp(p.section->name, ".iplt")))
			continue;
		b = elf_section_bytes(f, p.section);
		switch (f->header.e_machine) {
		case EM_X86_64:
		case EM_386:
			b.swap = *(const uint8_t *)&(const uint16_t){ 1 } != 1;
			read_x86(&p, b);
			break;
		case EM_AARCH64:
			/* Instructions are little-endian always. */
			b.swap = *(const uint8_t *)&(const uint16_t){ 1 } != 1;
			read_arm64(&p, b);
			break;
		case EM_S390:
			read_s390(&p, b);
			break;
		}
	}
out:
	free(p.lazy);
	free(slots.slot);
	return p.found;
}
