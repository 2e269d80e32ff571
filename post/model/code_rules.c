/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens each file once and queries its tables with libdw. Results are cached by address. */
#include "model/code_rules.h"

#include <dwarf.h>
#include <endian.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/keys.h"

#define FILES      256 /* maximum number of open files; the code of others is unknown */
#define KEPT       8192
#define ROWS       4096 /* maximum rows of a function's table to check */
#define CALL_BYTES 7    /* length of the longest call */
#define CODE_BYTES 16   /* maximum bytes to check */

struct ruled_file {
	const struct a2n_module *module;
	int fd; /* -1: unavailable, or not x86 */
	Elf *elf;
	Dwarf_CFI *table;
	int frame; /* DWARF's number of the frame pointer register */
};

struct kept_rule {
	const struct a2n_module *module;
	uint64_t address;
	uint8_t rule, call;
	bool has_rule, has_call, ends;
};

struct kept_function {
	const struct a2n_symbol *symbol;
	uint8_t is;
};

struct code_rules {
	struct a2n *a2n;
	struct ruled_file *file;
	uint32_t nfile, room;
	struct kept_rule rule[KEPT];
	struct kept_function function[KEPT];
};

/* ---- files ----------------------------------------------------------------------------------- */

static void open_file(struct code_rules *r, struct ruled_file *f)
{
	char path[PATH_MAX];
	GElf_Ehdr h;

	f->fd = a2n_module_open(r->a2n, f->module, A2N_FILE_CODE, path, sizeof(path));
	if (f->fd < 0)
		return;
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	if (f->elf && elf_kind(f->elf) == ELF_K_ELF && gelf_getehdr(f->elf, &h) &&
	    (h.e_machine == EM_X86_64 || h.e_machine == EM_386)) {
		f->frame = h.e_machine == EM_X86_64 ? 6 : 5;
		f->table = dwarf_getcfi_elf(f->elf);
		return;
	}
	if (f->elf)
		elf_end(f->elf);
	f->elf = NULL;
	close(f->fd);
	f->fd = -1;
}

/* Returns the open file of a module; NULL: unavailable. */
static struct ruled_file *file_of(struct code_rules *r, const struct a2n_module *m)
{
	struct ruled_file *f;
	uint32_t i;

	for (i = 0; i < r->nfile; i++) {
		if (r->file[i].module == m)
			return r->file[i].fd < 0 ? NULL : &r->file[i];
	}
	if (r->nfile == FILES || array_next(r->file, r->nfile, r->room))
		return NULL;
	f = &r->file[r->nfile++];
	*f = (struct ruled_file){ .module = m, .fd = -1 };
	if (m->name[0] == '/')
		open_file(r, f);
	return f->fd < 0 ? NULL : f;
}

/* Reads code from an address on; returns the number of bytes. */
static size_t read_code(const struct ruled_file *f, uint64_t address, uint8_t *to, size_t size)
{
	size_t n = 0, i;
	GElf_Phdr p;

	if (elf_getphdrnum(f->elf, &n))
		return 0;
	for (i = 0; i < n && gelf_getphdr(f->elf, (int)i, &p); i++) {
		uint64_t in = address - p.p_vaddr;
		ssize_t got;

		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X) || address < p.p_vaddr ||
		    in >= p.p_filesz || p.p_offset > INT64_MAX - in)
			continue;
		if (size > p.p_filesz - in)
			size = p.p_filesz - in;
		got = pread(f->fd, to, size, (off_t)(p.p_offset + in));
		return got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool is_register(const Dwarf_Op *op, int number)
{
	return op->atom == DW_OP_breg0 + number ||
	       (op->atom == DW_OP_bregx && op->number == (Dwarf_Word)number);
}

/* Returns the rule of a row of the table. *end: where the row ends; *ends: the code has no
 * caller. */
static enum code_rule row_rule(const struct ruled_file *f, uint64_t address, uint64_t *end,
			       bool *ends)
{
	enum code_rule rule = CODE_FRAME_KEPT;
	Dwarf_Op none[3], *ops;
	Dwarf_Addr from, to;
	Dwarf_Frame *frame;
	bool signal = false;
	int back;
	size_t n;

	*ends = false;
	if (!f->table || dwarf_cfi_addrframe(f->table, address, &frame))
		return CODE_RULE_UNKNOWN;
	back = dwarf_frame_info(frame, &from, &to, &signal);
	*end = to;
	if (!dwarf_frame_cfa(frame, &ops, &n) && n && is_register(ops, f->frame))
		rule = CODE_FRAME_HERE;
	else if (!signal && !dwarf_frame_register(frame, f->frame, none, &ops, &n) && (n || ops))
		rule = CODE_FRAME_USED;
	/* An undefined return address means that the code does not return. */
	if (back >= 0 && !dwarf_frame_register(frame, back, none, &ops, &n))
		*ends = !n && ops;
	free(frame);
	return rule;
}

static struct kept_rule *kept(struct code_rules *r, const struct a2n_module *m, uint64_t address)
{
	struct kept_rule *k = &r->rule[hash_mix(address, (uintptr_t)m >> 4) % KEPT];

	if (k->module != m || k->address != address)
		*k = (struct kept_rule){ .module = m, .address = address };
	return k;
}

static struct kept_rule *find_rule(struct code_rules *r, const struct a2n_module *m,
				   uint64_t address)
{
	struct kept_rule *k = kept(r, m, address);
	struct ruled_file *f;
	uint64_t end;

	if (k->has_rule)
		return k;
	k->has_rule = true;
	f = file_of(r, m);
	if (f)
		k->rule = (uint8_t)row_rule(f, address, &end, &k->ends);
	return k;
}

enum code_rule code_rule(struct code_rules *r, const struct a2n_module *m, uint64_t address)
{
	return find_rule(r, m, address)->rule;
}

bool code_ends_stack(struct code_rules *r, const struct a2n_module *m, uint64_t address)
{
	return find_rule(r, m, address)->ends;
}

static enum code_frame_kind look_through(const struct ruled_file *f, uint64_t from, uint64_t to)
{
	enum code_frame_kind is = CODE_FRAME_UNKNOWN;
	uint64_t end = 0;
	unsigned int i;
	bool ends;

	for (i = 0; i < ROWS && from < to; i++, from = end) {
		enum code_rule rule = row_rule(f, from, &end, &ends);

		if (rule == CODE_FRAME_HERE)
			return CODE_WITH_FRAME;
		if (rule == CODE_RULE_UNKNOWN || end <= from)
			return is;
		is = CODE_WITHOUT_FRAME;
	}
	return is;
}

enum code_frame_kind code_has_frame(struct code_rules *r, const struct a2n_symbol *function)
{
	struct kept_function *k = &r->function[hash_mix((uintptr_t)function, 1) % KEPT];
	struct ruled_file *f;

	if (k->symbol == function)
		return k->is;
	*k = (struct kept_function){ .symbol = function };
	f = file_of(r, function->module);
	if (f && function->size && function->size <= UINT64_MAX - function->value)
		k->is = (uint8_t)look_through(f, function->value, function->value + function->size);
	return k->is;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Returns whether the bytes before `end` are a call. FF /2 is a call through a register or
 * memory. */
static bool is_call(const uint8_t *end)
{
	unsigned int length;

	if (end[-5] == 0xE8)
		return true;
	for (length = 2; length <= CALL_BYTES; length++) {
		const uint8_t *p = end - length;
		unsigned int mode = p[1] >> 6, low = p[1] & 7, want = 2;

		if (p[0] != 0xFF || (p[1] >> 3 & 7) != 2)
			continue;
		if (mode != 3 && low == 4) {
			want++;
			if (!mode && length > 2 && (p[2] & 7) == 5)
				want += 4;
		}
		want += mode == 1 ? 1 : mode == 2 || (!mode && low == 5) ? 4 : 0;
		if (want == length)
			return true;
	}
	return false;
}

/* Code that is entered without a call: the return from signal handlers (mov $15,%rax; syscall), and
 * the first code of a goroutine, which is entered after its first byte. */
static bool is_entered(const uint8_t *at, size_t n)
{
	static const uint8_t restorer[] = { 0x48, 0xC7, 0xC0, 0x0F, 0, 0, 0, 0x0F, 0x05 };

	return (n >= sizeof(restorer) && !memcmp(at, restorer, sizeof(restorer))) ||
	       (n && at[-1] == 0x90 && at[0] == 0xE8);
}

enum code_known code_follows_call(struct code_rules *r, const struct a2n_module *m,
				  uint64_t address)
{
	struct kept_rule *k = kept(r, m, address);
	uint8_t code[CALL_BYTES + CODE_BYTES];
	struct ruled_file *f;
	size_t n;

	if (k->has_call)
		return k->call;
	k->has_call = true;
	f = file_of(r, m);
	n = f && address >= CALL_BYTES ? read_code(f, address - CALL_BYTES, code, sizeof(code)) : 0;
	/* 32-bit programs return from signals elsewhere. */
	if (n < CALL_BYTES || f->frame != 6)
		return CODE_UNKNOWN;
	k->call = is_call(code + CALL_BYTES) || is_entered(code + CALL_BYTES, n - CALL_BYTES) ?
			  CODE_YES :
			  CODE_NO;
	return k->call;
}

bool code_calls_direct(struct code_rules *r, const struct a2n_module *m, uint64_t address,
		       int64_t *reach)
{
	struct ruled_file *f = file_of(r, m);
	uint8_t code[5];
	int32_t far;

	if (!f || address < sizeof(code) ||
	    read_code(f, address - sizeof(code), code, sizeof(code)) != sizeof(code) ||
	    code[0] != 0xE8)
		return false;
	memcpy(&far, code + 1, sizeof(far));
	*reach = (int32_t)le32toh((uint32_t)far);
	return true;
}

bool code_jumps(struct code_rules *r, const struct a2n_module *m, uint64_t address)
{
	struct ruled_file *f = file_of(r, m);
	uint8_t code[CODE_BYTES];
	size_t n = f ? read_code(f, address, code, sizeof(code)) : 0, i = 0;

	if (n < sizeof(code))
		return true;
	if (code[0] == 0xF3 && code[1] == 0x0F && code[2] == 0x1E)
		i = 4; /* endbr64 */
	if (code[i] == 0x68)
		i += 5; /* push: an entry that is not yet bound */
	i += code[i] == 0xF2;
	return code[i] == 0xE9 || code[i] == 0xEB || (code[i] == 0xFF && code[i + 1] == 0x25);
}

struct code_rules *code_rules_open(struct a2n *a)
{
	struct code_rules *r = calloc(1, sizeof(*r));

	elf_version(EV_CURRENT);
	if (r)
		r->a2n = a;
	return r;
}

void code_rules_close(struct code_rules *r)
{
	uint32_t i;

	for (i = 0; i < r->nfile; i++) {
		struct ruled_file *f = &r->file[i];

		if (f->table)
			dwarf_cfi_end(f->table);
		if (f->elf)
			elf_end(f->elf);
		if (f->fd >= 0)
			close(f->fd);
	}
	free(r->file);
	free(r);
}
