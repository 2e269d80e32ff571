/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sites of x86-64 as compilers leave them, read from sections of a loaded program: where the entry
 * is, what changes when they are switched, what is refused and in which words.
 */
#include <fcntl.h>

#include "sites.h"
#include "unit.h"

#define TEXT  0x401000u
#define DATA  0x500000u
#define TABLE 0x600000u

static uint8_t text[512], data[512], table[64];
static struct object_function functions[4];
static Elf64_Phdr unwinders = { .p_type = PT_GNU_EH_FRAME, .p_vaddr = TABLE, .p_memsz = 64 };
static const struct image_segment segments[] = {
	{ TEXT, sizeof(text), true, text },
	{ DATA, sizeof(data), false, data },
	{ TABLE, sizeof(table), false, table },
};
static const struct patch_image image = { 0, segments, 3 };
static struct object_file object;
static struct sites sites;
static struct patch_fault fault;

static void begin(void)
{
	memset(text, 0xcc, sizeof(text));
	memset(data, 0, sizeof(data));
	memset(table, 0, sizeof(table));
	object = (struct object_file){ .functions = functions, .fd = -1 };
	fault = (struct patch_fault){ 0 };
	sites_free(&sites);
}

static void function(uint64_t address)
{
	functions[object.n_functions++] = (struct object_function){ address, 16, "f" };
}

static void code(uint64_t at, const char *bytes, size_t n)
{
	memcpy(text + (at - TEXT), bytes, n);
}

static void put64(size_t at, uint64_t v)
{
	memcpy(data + at, &v, sizeof(v));
}

static int patchable(size_t entries)
{
	return sites_patchable(&sites, &image, &object, DATA, entries * 8, &fault);
}

#define NOPS5 "\x90\x90\x90\x90\x90"
#define PAD   "\xf3\x0f\x1e\xfa"

static void nops(void)
{
	static const struct {
		const char *bytes;
		size_t size, length;
	} list[] = {
		{ "\x90", 1, 1 },
		{ "\x66\x90", 2, 2 },
		{ "\x0f\x1f\x00", 3, 3 },
		{ "\x0f\x1f\x40\x08", 4, 4 },
		{ "\x0f\x1f\x44\x00\x08", 5, 5 },
		{ "\x66\x0f\x1f\x44\x00\x08", 6, 6 },
		{ "\x0f\x1f\x80\x00\x02\x00\x00", 7, 7 },
		{ "\x0f\x1f\x84\x00\x00\x02\x00\x00", 8, 8 },
		{ "\x66\x0f\x1f\x84\x00\x00\x02\x00\x00", 9, 9 },
		{ "\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00", 10, 10 },
		{ "\x0f\x1f\x05\x00\x00\x00\x00", 7, 7 },
		{ "\x0f\x1f\x04\x25\x00\x00\x00\x00", 8, 8 },
		/* Others, and cut ones. */
		{ "\xc3", 1, 0 },
		{ "\x0f\x0b", 2, 0 },
		{ "\x0f\x1f\x48\x08", 4, 0 },
		{ "\x66\x0f\x1f\x44\x00", 5, 0 },
		{ "\x0f", 1, 0 },
		{ "\x66\x66", 2, 0 },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		CU_ASSERT_EQUAL(site_code_nop(bytes_of(list[i].bytes, list[i].size)),
				list[i].length);
}

/* gcc's: before the jump is there its distance is, of bytes that are instructions themselves. */
static void row(void)
{
	int32_t distances[SITE_DISTANCES];
	struct patch_site *s;
	size_t n;

	begin();
	code(TEXT, NOPS5 "\xc3", 6);
	function(TEXT);
	put64(0, TEXT);
	CU_ASSERT_EQUAL_FATAL(patchable(1), 0);
	CU_ASSERT_EQUAL_FATAL(sites.n, 1);
	s = sites.list;
	CU_ASSERT(s->at == TEXT && s->function == TEXT && s->kind == SITE_ENTRY);
	CU_ASSERT(s->code.far && s->code.free == UINT32_MAX && s->code.length == 5 &&
		  !s->code.keeps);
	CU_ASSERT(s->code.switched.at == 0 && s->code.switched.n == 1);
	CU_ASSERT(s->code.switched.on[0] == 0xe9 && s->code.switched.off[0] == 0x90);
	n = site_code_distances(&s->code, distances);
	CU_ASSERT_FATAL(n > 10 && n <= SITE_DISTANCES);
	for (size_t i = 0; i < n; i++) {
		uint8_t each[4];

		memcpy(each, &distances[i], sizeof(each));
		for (int k = 0; k < 4; k++)
			CU_ASSERT(strchr("\x90\xf5\xf8\xf9\xfc", each[k]) ||
				  (k == 3 && strchr("\x26\x2e\x36", each[k])));
		s->code.distance = distances[i];
		CU_ASSERT(site_code_aim(&s->code, TEXT, TEXT + 5 + (uint64_t)distances[i]));
		CU_ASSERT(!memcmp(s->code.before.on, each, 4) && s->code.before.at == 1);
		CU_ASSERT(!site_code_aim(&s->code, TEXT, TEXT + 6 + (uint64_t)distances[i]));
	}
}

/* clang's: the long nop's own bytes are the distance. */
static void one_long(void)
{
	struct patch_site *s;

	begin();
	code(TEXT, "\x0f\x1f\x44\x00\x08\xc3", 6);
	code(TEXT + 16, "\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00\xc3", 11);
	function(TEXT);
	function(TEXT + 16);
	put64(0, TEXT);
	put64(8, TEXT + 16);
	CU_ASSERT_EQUAL_FATAL(patchable(2), 0);
	CU_ASSERT_EQUAL_FATAL(sites.n, 2);
	s = sites.list;
	CU_ASSERT(s->code.far && s->code.before.n == 0);
	CU_ASSERT(s->code.free == 0xffff0000 && s[1].code.free == 0);
	CU_ASSERT_EQUAL(s->code.distance, 0x0800441f);
	CU_ASSERT_EQUAL(s->code.switched.off[0], 0x0f);
	CU_ASSERT_EQUAL(s[1].code.distance, (int32_t)0x841f0f2e);
	CU_ASSERT(s[1].code.length == 10 && s[1].code.switched.off[0] == 0x66);
}

/* If the target of the nop's own bytes is occupied, its operand is changed: at any moment it is a
 * nop of that length. */
static void long_elsewhere(void)
{
	static const struct {
		const char *nop;
		size_t length;
		uint32_t free;
	} list[] = {
		{ "\x0f\x1f\x44\x00\x08", 5, 0xffff0000 },
		{ "\x66\x0f\x1f\x44\x00\x08", 6, 0xff000000 },
		{ "\x0f\x1f\x80\x00\x02\x00\x00", 7, 0xffff0000 },
		{ "\x0f\x1f\x84\x00\x00\x02\x00\x00", 8, 0xffff0000 },
		{ "\x66\x0f\x1f\x84\x00\x00\x02\x00\x00", 9, 0xff000000 },
		{ "\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00", 10, 0 },
		/* It may be the SIB byte that has the displacement follow. */
		{ "\x0f\x1f\x04\x25\x00\x00\x00\x00", 8, 0 },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		int32_t distances[SITE_DISTANCES];
		struct site_code c;
		size_t n;

		CU_ASSERT_PTR_NULL_FATAL(
			site_code_entry(bytes_of(list[i].nop, list[i].length), &c));
		CU_ASSERT(c.length == list[i].length && c.free == list[i].free);
		n = site_code_distances(&c, distances);
		CU_ASSERT(n == (c.free ? 19 : 1) && distances[0] == c.distance);
		for (size_t k = 0; k < n; k++) {
			uint8_t changed[16];

			c.distance = distances[k];
			CU_ASSERT(site_code_aim(&c, TEXT, TEXT + 5 + (uint64_t)distances[k]));
			CU_ASSERT((c.before.n == 0) == (distances[k] == distances[0]));
			CU_ASSERT(!memcmp(c.before.off, list[i].nop + 1, 4));
			memcpy(changed, list[i].nop, list[i].length);
			/* Each byte of it is written first. */
			for (size_t at = 0; at < 4; at++) {
				memcpy(changed + 1, list[i].nop + 1, 4);
				changed[1 + at] = c.before.on[at];
				CU_ASSERT(site_code_nop(bytes_of(changed, list[i].length)) ==
					  list[i].length);
			}
			memcpy(changed + 1, c.before.on, 4);
			CU_ASSERT(site_code_nop(bytes_of(changed, list[i].length)) ==
				  list[i].length);
		}
	}
}

/* Where the function begins: nops before are passed over, a landing pad is behind or before. */
static void entries(void)
{
	begin();
	code(TEXT, "\x90\x90\x90" NOPS5 "\xc3", 9);
	function(TEXT + 3);
	code(TEXT + 32, PAD NOPS5 "\xc3", 10);
	function(TEXT + 32);
	code(TEXT + 64, "\x90\x90\x90" PAD NOPS5 "\xc3", 13);
	function(TEXT + 67);
	/* Another one ends right before it. */
	code(TEXT + 95, "\xc3" NOPS5 "\xc3", 7);
	functions[object.n_functions++] = (struct object_function){ TEXT + 95, 1, "g" };
	put64(0, TEXT);
	put64(8, TEXT + 36);
	put64(16, TEXT + 64);
	put64(24, TEXT + 32);
	CU_ASSERT_EQUAL_FATAL(patchable(4), 0);
	CU_ASSERT_EQUAL_FATAL(sites.n, 4);
	CU_ASSERT(sites.list[0].at == TEXT + 3 && sites.list[0].function == TEXT + 3);
	CU_ASSERT(sites.list[1].at == TEXT + 36 && sites.list[1].function == TEXT + 32);
	CU_ASSERT(sites.list[2].at == TEXT + 71 && sites.list[2].function == TEXT + 67);
	CU_ASSERT(sites.list[3].at == TEXT + 36 && sites.list[3].function == TEXT + 32);
}

/* Without symbols: by what unwinders read, which is refused unless it has the form that is
 * known. */
static void stripped(void)
{
	static const uint8_t head[] = { 1, 0x1b, 3, 0x3b };
	int32_t begins[] = { 0,
			     0,
			     (int32_t)(TEXT - 64 - TABLE),
			     0,
			     (int32_t)(TEXT + 3 - TABLE),
			     0,
			     (int32_t)(TEXT + 99 - TABLE),
			     0 };
	uint32_t n = 3;

	begin();
	code(TEXT, "\x90\x90\x90" NOPS5 "\xc3", 9);
	put64(0, TEXT);
	CU_ASSERT_EQUAL(patchable(1), 0);
	CU_ASSERT_EQUAL(sites.n, 0);
	CU_ASSERT(strstr(sites.refused[0].what, "not certain where the function begins") != NULL);
	CU_ASSERT(sites.refused[0].n == 1 && sites.refused[0].at == TEXT);

	object.header.e_phnum = 1;
	object.segments = &unwinders;
	memcpy(table, head, sizeof(head));
	memcpy(table + 4, begins, sizeof(begins));
	memcpy(table + 8, &n, sizeof(n));
	CU_ASSERT_EQUAL(patchable(1), 0);
	CU_ASSERT_EQUAL_FATAL(sites.n, 1);
	CU_ASSERT_EQUAL(sites.list[0].at, TEXT + 3);

	n = 1000;
	memcpy(table + 8, &n, sizeof(n));
	CU_ASSERT_EQUAL(patchable(1), 0);
	CU_ASSERT(sites.n == 1 && sites.refused[0].n == 2);
	n = 3;
	memcpy(table + 8, &n, sizeof(n));
	table[3] = 0x1b;
	CU_ASSERT_EQUAL(patchable(1), 0);
	CU_ASSERT(sites.n == 1 && sites.refused[0].n == 3);
}

static void refused(void)
{
	begin();
	for (uint64_t i = 0; i < 3; i++)
		function(TEXT + i * 16);
	code(TEXT, "\x66\x90\xc3", 3);
	code(TEXT + 16, "\xe9\x90\x90\x90\x90", 5);
	code(TEXT + 32, "\x55\xc3\xc3\xc3\xc3", 5);
	put64(0, TEXT);
	put64(8, TEXT + 16);
	put64(16, TEXT + 32);
	put64(24, DATA);
	put64(32, 0);
	CU_ASSERT_EQUAL(patchable(5), 0);
	CU_ASSERT(sites.n == 0 && sites.entries == 5);
	CU_ASSERT(strstr(sites.refused[0].what, "no room for a jump") != NULL);
	CU_ASSERT(strstr(sites.refused[1].what, "another tool has patched it") != NULL);
	CU_ASSERT(strstr(sites.refused[2].what, "there is no nop") != NULL);
	CU_ASSERT(strstr(sites.refused[3].what, "outside of the program's code") != NULL);

	/* The section is cut, or not there: what was before is kept. */
	CU_ASSERT_EQUAL(sites_patchable(&sites, &image, &object, DATA, 12, &fault), -1);
	CU_ASSERT_EQUAL(fault.offset, 8);
	CU_ASSERT(strstr(fault.what, "4 bytes are left after") != NULL);
	fault.what[0] = 0;
	CU_ASSERT_EQUAL(sites_patchable(&sites, &image, &object, DATA, 1 << 20, &fault), -1);
	CU_ASSERT(strstr(fault.what, "not loaded") != NULL);
}

#define SLED_NOP "\x66\x0f\x1f\x84\x00\x00\x02\x00\x00"

static void xray_entry(size_t i, uint64_t at, uint64_t f, uint8_t kind, uint8_t version)
{
	size_t here = i * 32;

	if (version >= 2) {
		at -= DATA + here;
		f -= DATA + here + 8;
	}
	put64(here, at);
	put64(here + 8, f);
	data[here + 16] = kind;
	data[here + 18] = version;
}

static void xray(void)
{
	struct patch_site *s;

	begin();
	code(TEXT, "\xeb\x09" SLED_NOP, 11);
	code(TEXT + 16, "\xc3\x2e\x66\x0f\x1f\x84\x00\x00\x02\x00\x00", 11);
	code(TEXT + 32, "\xeb\x09" SLED_NOP, 11);
	code(TEXT + 48, "\x41\xba\x01\x00\x00\x00\xe8\x00\x00\x00\x00", 11);
	xray_entry(0, TEXT, TEXT, 0, 2);
	xray_entry(1, TEXT + 16, TEXT, 1, 2);
	xray_entry(2, TEXT + 32, TEXT, 2, 0);
	xray_entry(3, TEXT + 48, TEXT + 48, 0, 2);
	xray_entry(4, TEXT + 32, TEXT, 4, 2);
	xray_entry(5, DATA, TEXT, 0, 2);
	xray_entry(6, TEXT, DATA, 0, 2);
	CU_ASSERT_EQUAL_FATAL(sites_xray(&sites, &image, DATA, 7 * 32, &fault), 0);
	CU_ASSERT(sites.n == 3 && sites.entries == 7);
	s = sites.list;
	CU_ASSERT(s[0].kind == SITE_BEGIN && s[1].kind == SITE_END && s[2].kind == SITE_TAIL);
	CU_ASSERT(s[0].at == TEXT && s[1].at == TEXT + 16 && s[2].at == TEXT + 32);
	CU_ASSERT(s[1].function == TEXT && s[2].function == TEXT);
	/* One byte: the jump over the others becomes none; the return becomes a nop. */
	CU_ASSERT(s[0].code.switched.at == 1 && s[0].code.switched.on[0] == 0);
	CU_ASSERT(s[1].code.switched.at == 0 && s[1].code.switched.on[0] == 0x90);
	CU_ASSERT(site_code_aim(&s[0].code, TEXT, TEXT + 0x1007));
	CU_ASSERT(s[0].code.keeps && s[0].code.before.at == 2 &&
		  !memcmp(s[0].code.before.on, "\xe9\x00\x10\x00\x00", 5));
	CU_ASSERT(!site_code_aim(&s[0].code, TEXT, TEXT + (UINT64_C(1) << 31) + 100));
	CU_ASSERT(strstr(sites.refused[0].what, "XRay's own runtime") != NULL);
	CU_ASSERT(strstr(sites.refused[1].what, "outside") != NULL);
	CU_ASSERT(strstr(sites.refused[2].what, "its function is outside") != NULL);

	xray_entry(1, TEXT, TEXT, 0, 9);
	CU_ASSERT_EQUAL(sites_xray(&sites, &image, DATA, 64, &fault), -1);
	CU_ASSERT(fault.offset == 32 && strstr(fault.what, "entry 8 has version 9") != NULL);
	fault.what[0] = 0;
	CU_ASSERT_EQUAL(sites_xray(&sites, &image, DATA, 33, &fault), -1);
	CU_ASSERT(fault.offset == 32 && strstr(fault.what, "1 bytes are left") != NULL);
}

/* A real file: this program. */
static void own_file(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const struct object_function *f;
	Elf64_Shdr sh;
	uint64_t at = 0;

	begin();
	CU_ASSERT_FATAL(object_file_open(&object, fd, &fault));
	CU_ASSERT(object_file_functions(&object, &fault));
	CU_ASSERT(object_file_section(&object, ".text", &sh));
	CU_ASSERT(!object_file_section(&object, ".texts", &sh));
	CU_ASSERT_EQUAL(sites_sections(&object), 0);
	for (size_t i = 0; i < object.n_functions; i++) {
		if (!strcmp(object.functions[i].name, "own_file"))
			at = object.functions[i].address;
		if (i)
			CU_ASSERT(object.functions[i - 1].address <= object.functions[i].address);
	}
	f = object_file_function(&object, at + 5);
	CU_ASSERT(f && !strcmp(f->name, "own_file"));
	CU_ASSERT(object_file_function(&object, 1) == NULL);
	object_file_close(&object);
	close(fd);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "nops", nops },         { "row", row },
		{ "one_long", one_long }, { "long_elsewhere", long_elsewhere },
		{ "entries", entries },   { "stripped", stripped },
		{ "refused", refused },   { "xray", xray },
		{ "own_file", own_file }, { NULL, NULL },
	};
	int rc = unit_run("patch_sites", tests);

	sites_free(&sites);
	return rc;
}
