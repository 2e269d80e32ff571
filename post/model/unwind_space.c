/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process's modules in libdw, kept in step with liba2n's timeline. */
#include "model/unwind_space.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "model/jit_code.h"
#include "model/made_elf.h"

/* Writes an ELF header without a file, from which libdw reads the machine. */
static size_t make_header(uint8_t *to, unsigned int machine, bool is_32)
{
	union {
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} h = { 0 };

	memcpy(h.e64.e_ident, ELFMAG, SELFMAG);
	h.e64.e_ident[EI_CLASS] = is_32 ? ELFCLASS32 : ELFCLASS64;
	h.e64.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
	h.e64.e_ident[EI_VERSION] = EV_CURRENT;
	h.e64.e_type = ET_CORE; /* at the same offset in both classes */
	h.e64.e_machine = (Elf64_Half)machine;
	h.e64.e_version = EV_CURRENT;
	if (is_32)
		h.e32.e_ehsize = sizeof(h.e32);
	else
		h.e64.e_ehsize = sizeof(h.e64);
	memcpy(to, &h, sizeof(h));
	return is_32 ? sizeof(h.e32) : sizeof(h.e64);
}

int unwind_space_open(struct unwind_space *s, uint32_t pid, unsigned int machine, bool is_32,
		      const Dwfl_Thread_Callbacks *callbacks, void *arg)
{
	*s = (struct unwind_space){ .pid = pid, .is_32 = is_32, .machine = machine };
	elf_version(EV_CURRENT);
	s->elf = elf_memory((char *)s->header, make_header(s->header, machine, is_32));
	s->dwfl = s->elf ? dwfl_file_begin() : NULL;
	if (!s->dwfl) {
		unwind_space_close(s);
		return -ENOMEM;
	}
	dwfl_report_begin(s->dwfl);
	dwfl_report_end(s->dwfl, NULL, NULL);
	/* The process may no longer exist, so libdw gets no pid. */
	if (dwfl_attach_state(s->dwfl, s->elf, 1, callbacks, arg))
		return 0;
	unwind_space_close(s);
	return -EINVAL;
}

static void free_module(struct unwind_module *m)
{
	free(m->file.made);
	free(m);
}

void unwind_space_close(struct unwind_space *s)
{
	uint32_t i;

	if (s->dwfl)
		dwfl_end(s->dwfl);
	if (s->elf)
		elf_end(s->elf);
	for (i = 0; i < s->nmodule; i++)
		free_module(s->module[i]);
	*s = (struct unwind_space){ 0 };
}

static bool can_be_had(const struct unwind_module *m)
{
	return m->file.low != m->file.high;
}

/* Returns the number of the generated code that an answer is in; 0: a file. */
static uint64_t code_of(const struct a2n_answer *answer)
{
	return answer->module_offset & A2N_CODE ? answer->module_offset >> 32 : 0;
}

static bool is_code(const struct unwind_space *s, struct a2n *a, uint64_t time, uint64_t address,
		    uint64_t code)
{
	struct a2n_answer answer;

	a2n_resolve(a, s->pid, time, address, false, &answer);
	return code_of(&answer) == code;
}

/* Returns whether the module is still mapped. Code without a generated file, or with other code
 * over one of its ends, is looked up again. */
static bool still_there(const struct unwind_space *s, struct a2n *a, uint64_t time,
			const struct unwind_module *m)
{
	const struct dwfl_file *f = &m->file;
	struct a2n_answer answer;

	if (m->code)
		return can_be_had(m) && is_code(s, a, time, m->probe, m->code) &&
		       is_code(s, a, time, f->low, m->code) &&
		       is_code(s, a, time, f->high - 1, m->code);
	a2n_resolve(a, s->pid, time, m->probe, false, &answer);
	if (answer.module != m->file.module)
		return false;
	return !can_be_had(m) || m->probe - answer.module_offset == m->file.bias;
}

/* Removes all modules except those that `keeps` accepts. Modules that are reported again stay
 * open. */
static int sweep(struct unwind_space *s, struct a2n *a, uint64_t time,
		 bool (*keeps)(const struct unwind_space *s, struct a2n *a, uint64_t time,
			       const struct unwind_module *m))
{
	struct unwind_module *gone = NULL, *m;
	uint32_t i, kept = 0;
	int rc;

	dwfl_report_begin(s->dwfl);
	for (i = 0; i < s->nmodule; i++) {
		m = s->module[i];
		if (!keeps(s, a, time, m)) {
			s->ncode -= m->code != 0;
			m->next = gone;
			gone = m;
			continue;
		}
		if (can_be_had(m))
			dwfl_file_report(&m->file, s->dwfl);
		s->module[kept++] = m;
	}
	s->nmodule = kept;
	rc = dwfl_report_end(s->dwfl, NULL, NULL) ? -ENOMEM : 0;
	/* libdw used their bytes until now. */
	while (gone) {
		m = gone;
		gone = m->next;
		free_module(m);
	}
	return rc;
}

int unwind_space_check(struct unwind_space *s, struct a2n *a, uint64_t time, uint64_t epoch)
{
	uint32_t i;

	if (s->epoch == epoch)
		return 0;
	s->epoch = epoch;
	for (i = 0; i < s->nmodule && still_there(s, a, time, s->module[i]); i++)
		;
	return i == s->nmodule ? 0 : sweep(s, a, time, still_there);
}

static bool is_file(const struct unwind_space *s, struct a2n *a, uint64_t time,
		    const struct unwind_module *m)
{
	(void)s;
	(void)a;
	(void)time;
	return !m->code;
}

static struct unwind_module *find(const struct unwind_space *s, const struct a2n_answer *answer,
				  uint64_t code, uint64_t address)
{
	uint32_t i;

	for (i = 0; i < s->nmodule; i++) {
		struct unwind_module *m = s->module[i];

		if (m->file.module != answer->module || m->code != code)
			continue;
		if (code || !can_be_had(m) || m->file.bias == address - answer->module_offset)
			return m;
	}
	return NULL;
}

/* Generates an ELF file with the unwind table of a piece of code; not if other code covers an end
 * of this code, or a module of libdw is within it: then libdw could not tell to which one an
 * address belongs. */
static bool make_file(const struct unwind_space *s, struct a2n *a, uint64_t time,
		      struct unwind_module *m, const struct jit_table *table,
		      const struct a2n_answer *answer)
{
	struct dwfl_file *f = &m->file;
	uint32_t i;

	f->bias = f->low = answer->range_start;
	f->high = f->low + answer->range_length;
	if (!is_code(s, a, time, f->low, m->code) || !is_code(s, a, time, f->high - 1, m->code))
		return false;
	for (i = 0; i < s->nmodule; i++)
		if (s->module[i]->file.low < f->high && f->low < s->module[i]->file.high)
			return false;
	f->made = made_elf(s->machine, s->is_32, answer->range_length, table->eh_frame, table->size,
			   table->at, &f->made_size);
	return f->made;
}

struct unwind_module *unwind_space_at(struct unwind_space *s, struct a2n *a, uint64_t time,
				      uint64_t address, bool *added)
{
	struct jit_table table = { .size = 0 };
	struct a2n_answer answer;
	struct unwind_module *m;
	uint64_t code;

	*added = false;
	a2n_resolve(a, s->pid, time, address, false, &answer);
	if (answer.result == A2N_RESULT_NO_MODULE)
		return NULL;
	code = code_of(&answer);
	if (code && answer.code)
		table = jit_table(answer.code);
	if (!table.size)
		code = 0; /* all of these are one module without a table */
	m = find(s, &answer, code, address);
	if (m)
		return m;
	/* The stack has fewer frames than there is room for, so its own modules will fit again. */
	if (s->nmodule == UNWIND_MODULES) {
		s->swept = true;
		if (!s->ncode || sweep(s, a, time, is_file))
			return &s->full;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return &s->full;
	*m = (struct unwind_module){
		.probe = address,
		.code = code,
		.file = { .a2n = a,
			  .module = answer.module,
			  .bias = address - answer.module_offset },
	};
	s->ncode += code != 0;
	if (!(code ? make_file(s, a, time, m, &table, &answer) : dwfl_file_range(&m->file)) ||
	    address < m->file.low || address >= m->file.high) {
		m->file.low = m->file.high = 0;
		s->module[s->nmodule++] = m;
		return m;
	}
	s->module[s->nmodule++] = m;
	dwfl_report_begin_add(s->dwfl);
	dwfl_file_report(&m->file, s->dwfl);
	if (dwfl_report_end(s->dwfl, NULL, NULL) || !m->file.mod) {
		m->file.low = m->file.high = 0;
		m->file.mod = NULL;
		return m;
	}
	*added = true;
	return m;
}

bool unwind_space_read(struct unwind_space *s, uint64_t address, void *to, size_t size)
{
	Dwfl_Module *mod = dwfl_addrmodule(s->dwfl, address);
	GElf_Addr bias;
	Elf *elf = mod ? dwfl_module_getelf(mod, &bias) : NULL;
	size_t n = 0, i, bytes;
	const char *file = elf ? elf_rawfile(elf, &bytes) : NULL;
	GElf_Phdr p;

	if (!file || elf_getphdrnum(elf, &n))
		return false;
	address -= bias;
	for (i = 0; i < n && gelf_getphdr(elf, (int)i, &p); i++) {
		/* Writable memory may differ from the file. */
		if (p.p_type != PT_LOAD || p.p_flags & PF_W || address < p.p_vaddr ||
		    address - p.p_vaddr > p.p_filesz || p.p_filesz - (address - p.p_vaddr) < size)
			continue;
		if (p.p_offset > bytes || bytes - p.p_offset < p.p_filesz)
			return false;
		memcpy(to, file + p.p_offset + (address - p.p_vaddr), size);
		return true;
	}
	return false;
}
