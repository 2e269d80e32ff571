/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Symbols of a file without section headers: the dynamic linker's tables still exist. Only the hash
 * tables show the number of symbols. Also applies relocations to data.
 */
#include <elf.h>
#include <stdlib.h>

#include "a2n/elf/elf_file.h"

struct dynamic {
	uint64_t symbols, strings, strings_size, hash, gnu_hash, rela, rela_size;
};

/* False: the file has none. */
static bool read_dynamic(struct elf_file *f, struct dynamic *d)
{
	bool wide = f->header.e_ident[EI_CLASS] == ELFCLASS64;
	size_t count = 0, i;
	GElf_Phdr h;
	struct bytes b;

	*d = (struct dynamic){ 0 };
	elf_getphdrnum(f->elf, &count);
	for (i = 0; i < count; i++)
		if (gelf_getphdr(f->elf, (int)i, &h) && h.p_type == PT_DYNAMIC)
			break;
	if (i >= count)
		return false;
	b = elf_address_bytes(f, h.p_vaddr, h.p_filesz);
	while (bytes_left(&b)) {
		uint64_t tag = wide ? bytes_u64(&b) : bytes_u32(&b);
		uint64_t value = wide ? bytes_u64(&b) : bytes_u32(&b);

		if (b.bad || tag == DT_NULL)
			break;
		if (tag == DT_SYMTAB)
			d->symbols = value;
		else if (tag == DT_STRTAB)
			d->strings = value;
		else if (tag == DT_STRSZ)
			d->strings_size = value;
		else if (tag == DT_HASH)
			d->hash = value;
		else if (tag == DT_GNU_HASH)
			d->gnu_hash = value;
		else if (tag == DT_RELA)
			d->rela = value;
		else if (tag == DT_RELASZ)
			d->rela_size = value;
	}
	return true;
}

/* The chains end with the last symbol; those before `first` are not in the table. */
static uint32_t count_gnu_hash(struct elf_file *f, uint64_t address)
{
	struct bytes b = elf_address_bytes(f, address, UINT32_MAX / 8);
	uint32_t buckets = bytes_u32(&b), first = bytes_u32(&b), words = bytes_u32(&b);
	uint32_t top = 0, i;

	bytes_u32(&b);
	bytes_skip(&b, words * (f->header.e_ident[EI_CLASS] == ELFCLASS64 ? 8ull : 4ull));
	if (b.bad || buckets > bytes_left(&b) / 4)
		return 0;
	for (i = 0; i < buckets; i++) {
		uint32_t head = bytes_u32(&b);

		if (head > top)
			top = head;
	}
	if (top < first || !bytes_skip(&b, (top - first) * 4ull))
		return first;
	while (!(bytes_u32(&b) & 1) && !b.bad)
		top++;
	return b.bad ? 0 : top + 1;
}

uint32_t elf_symbols_segment(struct elf_file *f, struct symtab *t)
{
	bool wide = f->header.e_ident[EI_CLASS] == ELFCLASS64;
	uint32_t count = 0, found = 0, i, k;
	struct bytes b, strings;
	struct dynamic d;

	if (!read_dynamic(f, &d) || !d.symbols || !d.strings || !d.strings_size)
		return 0;
	if (d.hash) {
		b = elf_address_bytes(f, d.hash, 8);
		bytes_u32(&b);
		count = bytes_u32(&b);
	} else if (d.gnu_hash) {
		count = count_gnu_hash(f, d.gnu_hash);
	}
	strings = elf_address_bytes(f, d.strings, d.strings_size);
	b = elf_address_bytes(f, d.symbols, count * (wide ? 24ull : 16ull));
	for (i = 0; i < count && bytes_left(&b); i++) {
		GElf_Sym sym;
		const char *name;
		size_t length;

		sym.st_name = bytes_u32(&b);
		if (!wide) {
			sym.st_value = bytes_u32(&b);
			sym.st_size = bytes_u32(&b);
		}
		sym.st_info = bytes_u8(&b);
		sym.st_other = bytes_u8(&b);
		sym.st_shndx = bytes_u16(&b);
		if (wide) {
			sym.st_value = bytes_u64(&b);
			sym.st_size = bytes_u64(&b);
		}
		if (b.bad)
			break;
		/* Functions may be missing here, so the end of an unsized one is unknown. */
		if (!i || !sym.st_size || sym.st_shndx == SHN_UNDEF || sym.st_shndx == SHN_ABS)
			continue;
		name = elf_string(&strings, sym.st_name, &length);
		for (k = 0; name && k < f->n_segments; k++) {
			const struct elf_segment *s = &f->segments[k];

			if (sym.st_value >= s->address && sym.st_value - s->address < s->size &&
			    s->size <= UINT64_MAX - s->address) {
				found += elf_take_symbol(f, &sym, name, length,
							 s->address + s->size, t);
				break;
			}
		}
	}
	return found;
}

uint32_t elf_symbols_dynamic(struct elf_file *f, struct symtab *t)
{
	return f->n_sections > 1 ? elf_symbols_dynsym(f, t) : elf_symbols_segment(f, t);
}

/* ---- relocations ----------------------------------------------------------------------------- */

/* Returns the relocation type "load address plus addend". 0: a machine where the data hold the
 * addends. */
static uint32_t relative_type(unsigned int machine)
{
	switch (machine) {
	case EM_X86_64:
		return R_X86_64_RELATIVE;
	case EM_AARCH64:
		return R_AARCH64_RELATIVE;
	case EM_S390:
		return R_390_RELATIVE;
	case EM_PPC64:
		return R_PPC64_RELATIVE;
	case EM_RISCV:
		return R_RISCV_RELATIVE;
	case 258: /* EM_LOONGARCH, which older headers don't have */
		return 3;
	}
	return 0;
}

static void store(uint8_t *to, uint64_t value, uint8_t size, bool swap)
{
	uint32_t half = (uint32_t)value;

	if (swap) {
		value = __builtin_bswap64(value);
		half = __builtin_bswap32(half);
	}
	memcpy(to, size == 8 ? (void *)&value : &half, size);
}

struct bytes elf_relocated(struct elf_file *f, uint64_t address, uint64_t size, void **own)
{
	uint8_t word = f->header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	struct bytes b = elf_address_bytes(f, address, size), rela;
	uint32_t type = relative_type(f->header.e_machine);
	struct dynamic d;

	*own = NULL;
	if (!type || b.size < word || !read_dynamic(f, &d) || !d.rela || !d.rela_size)
		return b;
	rela = elf_address_bytes(f, d.rela, d.rela_size);
	while (bytes_left(&rela) >= 3u * word) {
		uint64_t at = word == 8 ? bytes_u64(&rela) : bytes_u32(&rela);
		uint64_t info = word == 8 ? bytes_u64(&rela) : bytes_u32(&rela);
		uint64_t addend = word == 8 ? bytes_u64(&rela) : bytes_u32(&rela);

		if ((word == 8 ? (uint32_t)info : (uint8_t)info) != type || at < address ||
		    at - address > b.size - word)
			continue;
		if (!*own) {
			*own = malloc(b.size);
			if (!*own)
				return bytes_of("", 0);
			memcpy(*own, b.base, b.size);
			b.base = *own;
		}
		store((uint8_t *)*own + (at - address), addend, word, b.swap);
	}
	return b;
}
