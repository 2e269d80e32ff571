/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: DWARF as a2n_lines reads it. An input is two files: a size (4 bytes, little-endian), the
 * program of that size, and what it refers to: a .dwo, what dwz shared, a package of .dwo. The
 * first is found as /proc/self/fd/900, the second as 901, which is how seeds name it. Each address
 * is told at most once, in frames that end in one that is not inlined; strings have ends. What
 * functions are given is asked as well.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "a2n.h"
#include "a2n/dwarf/dwarf_file.h"
#include "a2n/module_functions.h"
#include "fuzz.h"

#define FIRST  900
#define SECOND 901
#define ASKED  512

struct told {
	bool once[ASKED];
	bool inlined;
};

static void put_file(int fd, const uint8_t *data, size_t size)
{
	int file = memfd_create("fuzz", MFD_CLOEXEC);

	if (file < 0 || write(file, data, size) != (ssize_t)size || dup2(file, fd) != fd)
		abort();
	close(file);
}

static void take(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	struct told *t = arg;
	size_t k;

	if (i >= ASKED || t->once[i] || !n || (n > 1 && !t->inlined))
		abort();
	t->once[i] = true;
	for (k = 0; k < n; k++) {
		if (frames[k].inlined != (k + 1 < n))
			abort();
		if (frames[k].line && !frames[k].file)
			abort();
		if (frames[k].function)
			fuzz_touch(frames[k].function, strlen(frames[k].function));
		if (frames[k].file)
			fuzz_touch(frames[k].file, strlen(frames[k].file));
	}
}

/* Takes the functions inlined in one that begins at an address. */
static void take_inlined(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	(void)arg;
	if (i >= ASKED || n != 2 || !frames[0].inlined || frames[1].inlined ||
	    (frames[1].line && !frames[1].file))
		abort();
	if (frames[0].function)
		fuzz_touch(frames[0].function, strlen(frames[0].function));
	if (frames[1].file)
		fuzz_touch(frames[1].file, strlen(frames[1].file));
}

static void take_signature(void *arg, size_t i, const struct signature *s)
{
	(void)arg;
	if (i >= ASKED || s->n > SIGNATURE_MOST || s->result.kind > VALUE_OTHER)
		abort();
	for (uint32_t k = 0; k < s->n; k++)
		if (s->parameter[k].kind > VALUE_OTHER || s->parameter[k].general > 2 ||
		    s->parameter[k].vector > 2)
			abort();
}

/* Where its code is, and near 0. */
static void choose(struct elf_file *f, uint64_t address[ASKED])
{
	uint32_t i, k, n = 0;

	for (i = 0; i < f->n_sections && n < ASKED - 64; i++)
		for (k = 0;
		     f->sections[i].code && k < 400 && k < f->sections[i].size && n < ASKED - 64;
		     k++)
			address[n++] = f->sections[i].address + k;
	for (i = 0; n < ASKED; i++)
		address[n++] = i * 16;
}

static void as_package(const uint8_t *data, size_t size)
{
	struct bytes part[PARTS], b;
	struct dwarf_file f;
	struct elf_file elf;

	put_file(SECOND, data, size);
	if (elf_file_open_any(&elf, dup(SECOND)))
		return;
	if (!dwarf_file_open(&f, &elf, "package", true))
		abort();
	for (b = f.part[PART_CU_INDEX], bytes_skip(&b, 16); bytes_left(&b) >= 8;) {
		struct dwarf_unit u;

		if (!dwarf_package_find(&f, bytes_u64(&b), part))
			continue;
		fuzz_touch(part[PART_INFO].base, part[PART_INFO].size);
		fuzz_touch(part[PART_ABBREV].base, part[PART_ABBREV].size);
		fuzz_touch(part[PART_STR_OFFSETS].base, part[PART_STR_OFFSETS].size);
		if (part[PART_INFO].size && dwarf_unit_header(&f, part, 0, &u))
			dwarf_unit_open(&u);
	}
	dwarf_file_close(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct a2n_options options = { .demangle = true };
	struct a2n_map map = { .start = 0x1000, .length = 0x1000, .path = "/proc/self/fd/900" };
	static uint64_t address[ASKED];
	struct a2n_answer answer;
	struct told *told;
	struct elf_file elf;
	struct a2n *a;
	uint32_t first;
	int inlined;

	if (size < 4)
		return 0;
	memcpy(&first, data, 4);
	if (first > size - 4)
		first = (uint32_t)size - 4;
	put_file(FIRST, data + 4, first);
	as_package(data + 4 + first, size - 4 - first);
	if (elf_file_open(&elf, dup(FIRST)))
		return 0;
	choose(&elf, address);
	elf_file_close(&elf);
	a = a2n_open(&options);
	told = malloc(sizeof(*told));
	if (!a || !told || a2n_process(a, 0, 1, 0) || a2n_add_map(a, 0, 1, &map))
		abort();
	a2n_resolve(a, 1, 1, map.start, false, &answer);
	for (inlined = 0; inlined < 2; inlined++) {
		memset(told, 0, sizeof(*told));
		told->inlined = inlined;
		a2n_lines(a, answer.module, address, ASKED, inlined, take, told);
	}
	inner_inlined(a, answer.module, address, ASKED, take_inlined, NULL);
	inner_signatures(a, answer.module, address, ASKED, take_signature, NULL);
	free(told);
	a2n_close(a);
	return 0;
}
