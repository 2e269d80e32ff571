/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places in code as users give them: what is found in a program that is made for it, byte by
 * byte, and what is refused, in words.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "swtrace/place.h"
#include "unit.h"

#define ADDRESS 0x401000u
#define CODE    0x300u /* its offset in the file */
#define SIZE    0x80u

static char folder[] = "/tmp/place.XXXXXX", path[PATH_MAX], said[1024];

int fail(const char *format, ...);
int fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(said, sizeof(said), format, list);
	va_end(list);
	return 125;
}

static struct program {
	Elf64_Ehdr header;
	Elf64_Phdr segment[2];
	Elf64_Shdr section[3];
	char names[32];
	Elf64_Sym symbol[4];
} program;

static void build(void)
{
	static const char names[] = "\0first\0second\0data";

	memset(&program, 0, sizeof(program));
	memcpy(program.header.e_ident, ELFMAG, SELFMAG);
	program.header.e_ident[EI_CLASS] = ELFCLASS64;
	program.header.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB :
										      ELFDATA2MSB;
	program.header.e_entry = ADDRESS + 8;
	program.header.e_phoff = offsetof(struct program, segment);
	program.header.e_phnum = 2;
	program.header.e_shoff = offsetof(struct program, section);
	program.header.e_shnum = 3;
	program.segment[0] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W,
		.p_vaddr = ADDRESS + 0x1000,
		.p_offset = CODE + SIZE,
		.p_filesz = SIZE,
	};
	program.segment[1] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = ADDRESS,
		.p_offset = CODE,
		.p_filesz = SIZE,
	};
	memcpy(program.names, names, sizeof(names));
	program.section[1] = (Elf64_Shdr){
		.sh_type = SHT_SYMTAB,
		.sh_link = 2,
		.sh_entsize = sizeof(Elf64_Sym),
		.sh_offset = offsetof(struct program, symbol),
		.sh_size = sizeof(program.symbol),
	};
	program.section[2] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct program, names),
		.sh_size = sizeof(program.names),
	};
	for (unsigned int i = 1; i < 4; i++)
		program.symbol[i] = (Elf64_Sym){
			.st_name = i == 1 ? 1 :
				   i == 2 ? 7 :
					    14,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, i == 3 ? STT_OBJECT : STT_FUNC),
			.st_shndx = 1,
			.st_value = i == 3 ? ADDRESS + 0x1000 : ADDRESS + 0x10 * i,
			.st_size = 0x10,
		};
}

static void write_as(const char *name, size_t size)
{
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	CU_ASSERT(fd >= 0 && write(fd, &program, size) == (ssize_t)size);
	CU_ASSERT(size < sizeof(program) || !ftruncate(fd, CODE + 2 * SIZE));
	close(fd);
}

/* Where a place is; UINT64_MAX: it was refused, in words. */
static uint64_t found(const char *text)
{
	uint64_t offset = UINT64_MAX - 1;
	char file[PATH_MAX];

	*said = 0;
	if (!place_find("--from", text, path, file, sizeof(file), &offset)) {
		CU_ASSERT(*said);
		return UINT64_MAX;
	}
	CU_ASSERT_STRING_EQUAL(file, path);
	CU_ASSERT_STRING_EQUAL(said, "");
	return offset;
}

static void is_refused(const char *text, const char *words)
{
	CU_ASSERT_EQUAL(found(text), UINT64_MAX);
	CU_ASSERT(strstr(said, words) != NULL);
	if (!strstr(said, words))
		printf("    %s: %s\n", text, said);
}

static void places(void)
{
	char text[PATH_MAX + 16];

	build();
	write_as("program", sizeof(program));
	CU_ASSERT_EQUAL(found("first"), CODE + 0x10);
	CU_ASSERT_EQUAL(found("second"), CODE + 0x20);
	CU_ASSERT_EQUAL(found("_start"), CODE + 8);
	CU_ASSERT_EQUAL(found("0x401000"), CODE);
	CU_ASSERT_EQUAL(found("0x40107f"), CODE + SIZE - 1);
	snprintf(text, sizeof(text), "%s:second", path);
	CU_ASSERT_EQUAL(found(text), CODE + 0x20);
	is_refused("0x401080", "has no code at 0x401080");
	is_refused("0x400fff", "has no code at 0x400fff");
	is_refused("0x402000", "has no code at 0x402000"); /* data */
	is_refused("firs", "has no function firs ");
	is_refused("first1", "has no function first1 ");
	is_refused("401000", "has no function 401000 ");
	is_refused("0x401000z", "has no function 0x401000z ");
	is_refused("data", "data");
}

static void files(void)
{
	uint64_t offset;
	char file[PATH_MAX];

	build();
	write_as("program", sizeof(program));
	*said = 0;
	CU_ASSERT_FALSE(place_find("--from", "first", NULL, file, sizeof(file), &offset));
	CU_ASSERT_STRING_EQUAL(said, "--from: 'first' names no file: give FILE:first");
	is_refused("/nowhere/program:first", "--from: /nowhere/program: No such file");
	is_refused("/tmp:first", "--from: /tmp: ");
	is_refused("/dev/null:first", "--from: /dev/null: not a regular file");
	CU_ASSERT_FALSE(place_find("--from", "first", path, file, strlen(path), &offset));
	CU_ASSERT(place_find("--from", "first", path, file, strlen(path) + 1, &offset));
}

static void not_of_this_machine(void)
{
	build();
	program.header.e_ident[EI_MAG3] = 'f';
	write_as("magic", sizeof(program));
	is_refused("first", "is not a 64-bit ELF file of this machine: give FILE:first");
	build();
	program.header.e_ident[EI_CLASS] = ELFCLASS32;
	write_as("class", sizeof(program));
	is_refused("0x401000", "is not a 64-bit ELF file");
	build();
	program.header.e_ident[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB;
	write_as("order", sizeof(program));
	is_refused("first", "is not a 64-bit ELF file");
	write_as("empty", 0);
	is_refused("first", "is not a 64-bit ELF file");
}

/* Tables that are not there, or not in the file. */
static void damaged(void)
{
	build();
	program.section[1].sh_size = UINT64_MAX;
	write_as("symbols", sizeof(program));
	is_refused("first", "has no function first ");
	CU_ASSERT_EQUAL(found("_start"), CODE + 8);
	build();
	program.section[1].sh_link = 3;
	write_as("link", sizeof(program));
	is_refused("first", "has no function first ");
	build();
	program.section[2].sh_offset = UINT64_MAX - 8;
	write_as("names", sizeof(program));
	is_refused("first", "has no function first ");
	build();
	program.section[2].sh_size = 6; /* "first" ends behind it */
	write_as("cut", sizeof(program));
	is_refused("first", "has no function first ");
	build();
	program.header.e_phoff = UINT64_MAX - 16;
	write_as("segments", sizeof(program));
	is_refused("first", "has no code at 0x401010");
	build();
	program.header.e_shnum = 0;
	write_as("stripped", sizeof(program));
	is_refused("first", "if the file was stripped");
	CU_ASSERT_EQUAL(found("0x401010"), CODE + 0x10);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "places", places },
		{ "files", files },
		{ "not_of_this_machine", not_of_this_machine },
		{ "damaged", damaged },
		{ NULL, NULL },
	};
	char command[64];
	int code;

	if (!mkdtemp(folder))
		return 1;
	code = unit_run("place", tests);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? 1 : code;
}
