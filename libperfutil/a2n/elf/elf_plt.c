/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names entries of procedure linkage tables, which have no symbols. Each entry loads its target
 * from a slot, and the relocations name the slot's symbol. So the code is searched for loads from
 * slots: this works for any linker and size of entries (lazy, .plt.sec, IBT, retpolines, BTI).
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "a2n/elf/elf_file.h"
#include "a2n/base/pool.h"
#include "base/search.h"

struct slot {
	uint64_t address;
	const char *name;
	size_t length;
	uint64_t target; /* IRELATIVE: the function's address … */
	uint32_t symbol; /* … and the symbol found there, plus one */
};

struct slots {
	struct slot *slot;
	uint32_t n, room;
	/* Entries that push their relocation's number: the table for .plt. */
	uint32_t first_lazy, n_lazy;
	bool failed;
};

enum slot_kind { NOT_A_SLOT, SLOT, SLOT_INDIRECT };

static enum slot_kind slot_kind(unsigned int machine, uint64_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ? SLOT :
		       type == R_X86_64_IRELATIVE                              ? SLOT_INDIRECT :
										 NOT_A_SLOT;
	case EM_386:
		return type == R_386_JMP_SLOT || type == R_386_GLOB_DAT ? SLOT : NOT_A_SLOT;
	case EM_AARCH64:
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT ? SLOT :
		       type == R_AARCH64_IRELATIVE                               ? SLOT_INDIRECT :
										   NOT_A_SLOT;
	case EM_S390:
		return type == R_390_JMP_SLOT || type == R_390_GLOB_DAT ? SLOT :
		       type == R_390_IRELATIVE                          ? SLOT_INDIRECT :
									  NOT_A_SLOT;
	}
	return NOT_A_SLOT;
}

static void add_slot(struct slots *slots, const struct slot *slot)
{
	if (!array_next(slots->slot, slots->n, slots->room))
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
			 symbols->d_type == ELF_T_SYM && GELF_R_SYM(r.r_info) <= INT32_MAX &&
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
		uint64_t target = t->symbols[i].value;
		struct slot *slot;

		if (!target)
			continue;
		slot = slots->slot + search_sorted(k, 0, slots->n, slots->slot[k].target < target);
		/* Any alias names it: takes the shortest. (Names may move, numbers do not.) */
		for (; slot < slots->slot + slots->n && slot->target == target; slot++)
			if (!slot->symbol ||
			    strlen(symtab_name(t, i)) < strlen(symtab_name(t, slot->symbol - 1)))
				slot->symbol = i + 1;
	}
}

static const struct slot *find_slot(const struct slots *slots, uint64_t address)
{
	uint32_t at = search_sorted(i, 0, slots->n, slots->slot[i].address < address);

	return at < slots->n && slots->slot[at].address == address ? &slots->slot[at] : NULL;
}

struct plt {
	struct elf_file *f;
	const struct section *section;
	struct slots *slots;     /* by address */
	struct slot *lazy;       /* by number */
	uint64_t got, other_got; /* values of i386's %ebx: .got.plt; .got (mold) */
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
	/* Ranked above a local symbol: linkers have their own names for entries (mold's
	 * NAME$plt). */
	symtab_add(p->out, s->address + offset, size, s->address + s->size, RANK(RANK_WEAK, 1),
		   name, (size_t)length);
	p->found++;
}

#define MOST_BYTES 64 /* maximum of an entry */

/* Returns the length of an instruction that loads from a slot, and the slot; 0: there is none here.
 * jmp *slot, mov slot,%r11 or %eax: relative to %rip or %ebx, or absolute. */
static unsigned int loads(const struct plt *p, struct bytes b, uint64_t at, uint64_t *slot)
{
	bool wide = p->f->header.e_machine == EM_X86_64, got = false;
	unsigned int length = 6;
	uint8_t op, more;

	bytes_seek(&b, at);
	op = bytes_u8(&b);
	if (!wide && op == 0xa1) {
		length = 5;
	} else {
		more = bytes_u8(&b);
		got = !wide && ((op == 0xff && more == 0xa3) || (op == 0x8b && more == 0x83));
		if (wide && op == 0x4c && more == 0x8b && bytes_u8(&b) == 0x1d)
			length = 7;
		else if (!got && (op != 0xff || more != 0x25))
			return 0;
	}
	*slot = bytes_u32(&b);
	if (wide)
		*slot = p->section->address + at + length + (uint64_t)(int32_t)*slot;
	else if (got)
		*slot = (uint32_t)(*slot + p->got);
	return b.bad ? 0 : length;
}

/* Finds the start of the entry whose load is at `at`, not before `from`. The load may be preceded
 * by endbr, a push of the relocation's number (mold), bnd, push %eax (retpolines). */
static uint64_t begin_x86(const struct plt *p, struct bytes b, uint64_t at, uint64_t from)
{
	const uint8_t *code = b.base;
	uint8_t mark = p->f->header.e_machine == EM_X86_64 ? 0xfa : 0xfb;

	if (at > from && code[at - 1] == (code[at] == 0xff ? 0xf2 : 0x50))
		at--;
	if (at >= from + 6 && code[at - 6] == 0x41 && code[at - 5] == 0xbb)
		at -= 6;
	else if (at >= from + 5 && code[at - 5] == 0xb9)
		at -= 5;
	if (at >= from + 4 && code[at - 4] == 0xf3 && code[at - 3] == 0x0f &&
	    code[at - 2] == 0x1e && code[at - 1] == mark)
		at -= 4;
	return at;
}

/* Entries without a load (those for .plt.sec) push their relocation's number. */
static void read_pushes(struct plt *p, struct bytes b)
{
	uint64_t at, i;

	for (at = 0; at + 16 <= b.size; at += 16)
		for (i = 0; i <= 4; i += 4) {
			uint32_t number;

			bytes_seek(&b, at + i);
			if (bytes_u8(&b) != 0x68)
				continue;
			number = bytes_u32(&b);
			if (p->f->header.e_machine == EM_386)
				number /= 8;
			if (number < p->slots->n_lazy)
				name_entry(p, at, 16, &p->lazy[number]);
			break;
		}
}

/* An entry extends to the start of the next; the last is as long as the previous one. */
static bool read_loads(struct plt *p, struct bytes b)
{
	uint64_t at = 0, begin = 0, next, from = 0, address, size = 0;
	const struct slot *slot = NULL, *found;
	unsigned int length;

	while (at + 5 <= b.size) {
		length = loads(p, b, at, &address);
		found = length ? find_slot(p->slots, address) : NULL;
		if (!found) {
			at++;
			continue;
		}
		next = begin_x86(p, b, at, from);
		if (slot) {
			if (next - begin <= MOST_BYTES)
				size = next - begin;
			name_entry(p, begin, size ? size : 16, slot);
		} else if (length == 7) {
			size = 32; /* size of a retpoline entry, unless others follow */
		} else if (p->section->entry == 8) {
			size = 8;
		}
		begin = next;
		slot = found;
		at += length;
		from = at;
	}
	if (slot)
		name_entry(p, begin, size ? size : 16, slot);
	return slot;
}

static void read_x86(struct plt *p, struct bytes b)
{
	uint64_t got = p->got;
	bool found = read_loads(p, b);

	if (!found && p->f->header.e_machine == EM_386 && p->other_got) {
		p->got = p->other_got;
		found = read_loads(p, b);
		p->got = got;
	}
	if (!found && p->lazy)
		read_pushes(p, b);
}

#define BTI_C 0xd503245fu
#define NOP   0xd503201fu

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
		page = (page ^ 0x100000) - 0x100000; /* sign of 21 bits */
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
			name_entry(p, at, 32,
				   find_slot(p->slots,
					     p->section->address + at +
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
		else if (s->name && !strcmp(s->name, ".got.plt"))
			p.got = s->address;
		else if (s->name && !strcmp(s->name, ".got"))
			p.other_got = s->address;
	}
	if (!p.got)
		p.got = p.other_got;
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
			b.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
			read_x86(&p, b);
			break;
		case EM_AARCH64:
			/* Instructions are always little-endian. */
			b.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
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
