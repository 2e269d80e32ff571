/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of code: recorded pages by (process, page), the kernel's as process 0; images of modules by
 * module. */
#include "model/code_bytes.h"

#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/read_all.h"
#include "model/elf_machine.h"
#include "record/record_as.h"

#define PAGE        4096u
#define MAX_SEGMENT (1u << 30)

struct code_bytes_page {
	uint32_t pid;
	uint16_t low, high; /* known bytes; low == high: unknown */
	uint64_t number;
	uint8_t *bytes;
	/* For kernel pages only, all of which precede the first run: */
	uint64_t since;   /* start time; also valid earlier if there is no older version */
	uint32_t older;   /* index of the older version + 1 */
	uint8_t *changed; /* PAGE flags: bytes that changed; or NULL */
};
#define KERNEL_PID 0

struct segment {
	struct segment *next;
	uint64_t address;
	size_t size;
	uint8_t bytes[];
};

struct code_bytes_image {
	const struct a2n_module *module; /* NULL: the vdso, 64-bit and 32-bit */
	const char *name;
	struct segment *segment; /* list of executable segments */
	uint32_t machine;
	bool is_32, big_endian;
	const char *why; /* reason why there is no code */
};

/* ---- images ---------------------------------------------------------------------------------- */

/* Reads a segment of a file, or of the copy of a vdso. */
static struct segment *read_segment(int fd, const struct input_section *s, const GElf_Phdr *p)
{
	struct segment *g;
	if (p->p_filesz > MAX_SEGMENT ||
	    (s && (p->p_offset > s->size || s->size - p->p_offset < p->p_filesz)))
		return NULL;
	g = malloc(sizeof(*g) + p->p_filesz);
	if (!g)
		return NULL;
	g->address = p->p_vaddr;
	g->size = p->p_filesz;
	if (s) {
		memcpy(g->bytes, (const char *)s->data + p->p_offset, g->size);
		return g;
	}
	(void)pread_all(fd, g->bytes, g->size, p->p_offset, &g->size);
	return g;
}

static void read_image(struct code_bytes_image *m, Elf *elf, int fd, const struct input_section *s)
{
	struct segment *g;
	GElf_Ehdr header;
	size_t n = 0, i;
	GElf_Phdr p;

	m->why = "the file cannot be read";
	if (!elf || !gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &n))
		return;
	m->machine = header.e_machine;
	m->is_32 = gelf_getclass(elf) == ELFCLASS32;
	m->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	for (i = 0; i < n && gelf_getphdr(elf, (int)i, &p); i++) {
		g = p.p_type == PT_LOAD && p.p_flags & PF_X ? read_segment(fd, s, &p) : NULL;
		if (!g)
			continue;
		g->next = m->segment;
		m->segment = g;
		m->why = NULL;
	}
}

static struct code_bytes_image *add_image(struct code_bytes *b)
{
	struct code_bytes_image *m;

	if (array_next(b->image, b->nimage, b->room_image))
		return NULL;
	m = &b->image[b->nimage++];
	*m = (struct code_bytes_image){ 0 };
	return m;
}

static int add_vdso(struct code_bytes *b, const struct input_section *s)
{
	struct code_bytes_image *m;
	Elf *elf;

	if (!s->data || !s->size)
		return 0;
	m = add_image(b);
	if (!m)
		return -ENOMEM;
	elf = elf_memory((char *)(uintptr_t)s->data, s->size);
	read_image(m, elf, -1, s);
	if (elf)
		elf_end(elf);
	m->name = m->is_32 ? A2N_VDSO_32 : A2N_VDSO;
	return 0;
}

int code_bytes_begin(struct code_bytes *b, struct names *n, struct input *in)
{
	struct input_section s;
	size_t i;
	int rc = 0;

	*b = (struct code_bytes){ .names = n, .machine = elf_machine(&in->header) };
	b->big_endian = b->machine == EM_S390;
	elf_version(EV_CURRENT);
	for (i = 0; !rc && in->reader->section(in, i, &s) > 0; i++) {
		if (s.type == PIFILE_SEC_VDSO)
			rc = add_vdso(b, &s);
	}
	return rc;
}

static struct code_bytes_image *get_image(struct code_bytes *b, const struct a2n_module *module)
{
	struct code_bytes_image *m;
	char path[PATH_MAX];
	uint32_t i;
	Elf *elf;
	int fd;

	for (i = b->nimage; i-- > 0;) {
		m = &b->image[i];
		if (m->module ? m->module == module : !strcmp(m->name, module->name))
			return m;
	}
	m = add_image(b);
	if (!m)
		return NULL;
	m->module = module;
	m->name = module->name;
	m->why = module->name[0] == '/' ? "the file that ran is not here" :
					  "its code is in no file";
	fd = a2n_module_open(b->names->a2n, module, A2N_FILE_CODE, path, sizeof(path));
	if (fd < 0)
		return m;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	read_image(m, elf, fd, NULL);
	if (elf)
		elf_end(elf);
	close(fd);
	return m;
}

static void find_in_image(const struct code_bytes_image *m, uint64_t address,
			  struct bytes_found *found)
{
	const struct segment *g;

	found->why = m->why;
	if (m->why)
		return;
	found->why = "the file has no code there";
	found->machine = m->machine;
	found->is_32 = m->is_32;
	found->big_endian = m->big_endian;
	for (g = m->segment; g; g = g->next) {
		if (address - g->address >= g->size)
			continue;
		found->at = g->bytes + (address - g->address);
		found->size = g->size - (address - g->address);
		found->why = NULL;
	}
}

/* ---- recorded pages -------------------------------------------------------------------------- */

static struct code_bytes_page *find_page(const struct code_bytes *b, uint32_t pid, uint64_t number)
{
	uint32_t i = keys_find(&b->by_page, hash_mix(number, pid), b->page, p,
			       p->pid == pid && p->number == number);

	return i == NO_KEY ? NULL : &b->page[i];
}

static struct code_bytes_page *get_page(struct code_bytes *b, uint32_t pid, uint64_t number)
{
	struct code_bytes_page *p = find_page(b, pid, number);

	if (p)
		return p;
	if (array_next(b->page, b->npage, b->room_page))
		return NULL;
	p = &b->page[b->npage];
	*p = (struct code_bytes_page){ .pid = pid, .number = number, .bytes = malloc(PAGE) };
	if (p->bytes && !keys_add(&b->by_page, hash_mix(number, pid), b->npage)) {
		b->npage++;
		return p;
	}
	free(p->bytes);
	return NULL;
}

static int keep(struct code_bytes *b, uint32_t pid, uint64_t address, const uint8_t *code,
		uint32_t n)
{
	while (n) {
		uint32_t low = (uint32_t)(address % PAGE), part = PAGE - low;
		struct code_bytes_page *p = get_page(b, pid, address / PAGE);

		if (!p)
			return -ENOMEM;
		if (part > n)
			part = n;
		memcpy(p->bytes + low, code, part);
		if (p->low == p->high || low > p->high || low + part < p->low) {
			p->low = (uint16_t)low;
			p->high = (uint16_t)(low + part);
		} else {
			p->low = low < p->low ? (uint16_t)low : p->low;
			p->high = low + part > p->high ? (uint16_t)(low + part) : p->high;
		}
		address += part;
		code += part;
		n -= part;
	}
	b->epoch++;
	return 0;
}

/* Adds a new version of a page whose code changed; look-ups by page number find the newest. */
static struct code_bytes_page *newer(struct code_bytes *b, uint32_t was)
{
	uint8_t *bytes = malloc(PAGE);
	struct code_bytes_page *p;

	if (!bytes || array_next(b->page, b->npage, b->room_page)) {
		free(bytes);
		return NULL;
	}
	p = &b->page[was];
	b->page[b->npage++] = *p;
	*p = (struct code_bytes_page){
		.pid = KERNEL_PID,
		.number = p->number,
		.bytes = bytes,
		.older = b->npage,
	};
	return p;
}

static int note_changes(struct code_bytes_page *p, uint32_t low, const uint8_t *code, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (low + i < p->low || low + i >= p->high || p->bytes[low + i] == code[i])
			continue;
		if (!p->changed)
			p->changed = calloc(1, PAGE);
		if (!p->changed)
			return -ENOMEM;
		p->changed[low + i] = 1;
	}
	return 0;
}

/* Keeps kernel code that libperfutil recorded: a whole page or a part of one. */
static int keep_kernel(struct code_bytes *b, const struct pirecord *r, const struct pitrace_code *c)
{
	const uint8_t *code = (const uint8_t *)(c + 1);
	uint32_t low = (uint32_t)(c->address % PAGE);
	struct code_bytes_page *p = get_page(b, KERNEL_PID, c->address / PAGE);

	if (!p)
		return -ENOMEM;
	if (low + c->bytes > PAGE || !c->bytes)
		return 0;
	b->epoch++;
	if (r->minor == PITRACE_CODE_CHANGED)
		return note_changes(p, low, code, c->bytes);
	if (p->high > p->low)
		p = newer(b, (uint32_t)(p - b->page));
	if (!p)
		return -ENOMEM;
	p->since = r->time;
	p->low = (uint16_t)low;
	p->high = (uint16_t)(low + c->bytes);
	memcpy(p->bytes + low, code, c->bytes);
	return 0;
}

static void find_kernel(const struct code_bytes *b, uint64_t address, uint64_t time,
			struct bytes_found *found)
{
	const struct code_bytes_page *p = find_page(b, KERNEL_PID, address / PAGE);
	uint32_t at = (uint32_t)(address % PAGE), end;

	found->why =
		"the kernel's code there was not recorded: the user who traced could not read /proc/kcore";
	while (p && p->since > time && p->older)
		p = &b->page[p->older - 1];
	if (!p || at < p->low || at >= p->high)
		return;
	for (end = at; end < p->high && !(p->changed && p->changed[end]); end++)
		;
	found->why = "the kernel changed this code while it was traced";
	if (end == at)
		return;
	found->why = NULL;
	found->at = p->bytes + at;
	found->size = end - at;
}

/* Marks bytes as unknown, since memory changes from now on; length 0: the whole address space. */
static void give_up(struct code_bytes *b, uint32_t pid, uint64_t start, uint64_t length)
{
	uint32_t i;

	for (i = 0; i < b->npage; i++) {
		struct code_bytes_page *p = &b->page[i];

		if (p->pid == pid && (!length || p->number * PAGE - start < length ||
				      start - p->number * PAGE < PAGE))
			p->low = p->high = 0;
	}
	b->epoch++;
}

static int inherit(struct code_bytes *b, uint32_t parent, uint32_t child)
{
	uint32_t i, n = b->npage;
	int rc = 0;

	give_up(b, child, 0, 0);
	for (i = 0; i < n && !rc; i++) {
		const struct code_bytes_page p = b->page[i];

		if (p.pid == parent && p.high > p.low && parent != KERNEL_PID)
			rc = keep(b, child, p.number * PAGE + p.low, p.bytes + p.low,
				  p.high - p.low);
	}
	return rc;
}

int code_bytes_record(struct code_bytes *b, const struct pirecord *r)
{
	const struct pitrace_code *c;
	const struct pitrace_mte_map *map;
	const struct pitrace_mte_unmap *unmap;
	const struct pitrace_mte_task *task;

	if (r->major == PITRACE_CODE) {
		c = RECORD_AS(r, struct pitrace_code);
		if (!c || c->bytes > r->size - sizeof(*c) || c->bytes > PITRACE_CODE_MAX)
			return 0; /* runs.c has counted it as malformed */
		if (c->pid == KERNEL_PID)
			return keep_kernel(b, r, c);
		return keep(b, c->pid, c->address, (const uint8_t *)(c + 1), c->bytes);
	}
	if (r->major != PITRACE_MTE || !b->npage)
		return 0;
	switch (r->minor) {
	case PITRACE_MTE_MODULE:
		map = record_map(r);
		if (map && !(map->flags & PITRACE_MAP_KERNEL) && map->length)
			give_up(b, map->pid, map->start, map->length);
		return 0;
	case PITRACE_MTE_UNMAP:
		unmap = RECORD_AS(r, struct pitrace_mte_unmap);
		if (unmap && unmap->length)
			give_up(b, unmap->pid, unmap->start, unmap->length);
		return 0;
	case PITRACE_MTE_PROCESS:
	case PITRACE_MTE_FORK:
	case PITRACE_MTE_CLONE:
		task = RECORD_AS(r, struct pitrace_mte_task);
		if (!task || task->flags & PITRACE_TASK_WALK)
			return 0;
		if (r->minor != PITRACE_MTE_PROCESS)
			return inherit(b, task->ppid, task->pid);
		give_up(b, task->pid, 0, 0);
		return 0;
	default:
		return 0;
	}
}

/* ---- look-up --------------------------------------------------------------------------------- */

static void find_made(const struct code_bytes *b, const struct a2n_answer *answer,
		      struct bytes_found *found)
{
	uint64_t at = A2N_CODE_OFFSET(answer->module_offset);
	struct a2n_code code = { 0 };
	struct jit_from from;

	found->why = "its program announced this code without its bytes";
	if (!a2n_code(b->names->a2n, answer->module_offset, &code) || !code.bytes)
		return;
	from = jit_from(&b->names->jit, code.bytes);
	if (from.size > code.size) /* moved partially */
		from.size = code.size;
	if (at >= from.size)
		return;
	if (!from.machine) {
		found->why = jit_no_machine;
		return;
	}
	found->why = NULL;
	found->at = (const uint8_t *)code.bytes + at;
	found->size = from.size - at;
	found->machine = from.machine;
	found->is_32 = from.machine == EM_386 || from.machine == EM_ARM || from.machine == EM_PPC;
	found->big_endian = from.big_endian;
}

int code_bytes_find(struct code_bytes *b, uint32_t pid, uint64_t address, uint64_t time,
		    bool kernel, struct bytes_found *found)
{
	const struct code_bytes_page *p;
	uint32_t at = (uint32_t)(address % PAGE);
	const struct code_bytes_image *m;
	struct a2n_answer answer;

	*found = (struct bytes_found){ .machine = b->machine, .big_endian = b->big_endian };
	if (kernel) {
		find_kernel(b, address, time, found);
		return 0;
	}
	p = find_page(b, pid, address / PAGE);
	if (p && at >= p->low && at < p->high) {
		found->at = p->bytes + at;
		found->size = p->high - at;
		return 0;
	}
	a2n_resolve(b->names->a2n, pid, time, address, false, &answer);
	if (answer.module_offset & A2N_CODE) {
		find_made(b, &answer, found);
		return 0;
	}
	if (answer.result == A2N_RESULT_NO_MODULE) {
		found->why = "no known mapping is there";
		return 0;
	}
	m = get_image(b, answer.module);
	if (!m)
		return -ENOMEM;
	find_in_image(m, answer.module_offset, found);
	return 0;
}

void code_bytes_free(struct code_bytes *b)
{
	uint32_t i;

	for (i = 0; i < b->npage; i++) {
		free(b->page[i].bytes);
		free(b->page[i].changed);
	}
	for (i = 0; i < b->nimage; i++) {
		while (b->image[i].segment) {
			struct segment *g = b->image[i].segment;

			b->image[i].segment = g->next;
			free(g);
		}
	}
	free(b->page);
	free(b->image);
	keys_free(&b->by_page);
	*b = (struct code_bytes){ 0 };
}
