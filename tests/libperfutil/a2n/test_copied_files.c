/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of files in the trace: they name where the file is gone, if they are the file that ran. */
#include <fcntl.h>
#include <pifile.h>
#include <pitrace.h>
#include <unistd.h>

#include "a2n/elf/elf_file.h"
#include "elf_files.h"

static const char source[] =
	"__attribute__((noinline)) static int hidden(int x) { return x * x; }\n"
	"int calls(int x) { return hidden(x) + 2; }\n";

static uint64_t hidden;

static void build(void)
{
	write_file("s.c", source, strlen(source));
	SH("gcc -g -O1 -fPIC -shared -nostdlib s.c -o full.so -Wl,--build-id");
	hidden = address_of("full.so", "hidden");
}

/* The file ran, with this inode, below a path that is not here. */
static void map_gone(struct a2n *a, uint64_t inode)
{
	const struct a2n_map map = { .path = "/gone/lib.so", .inode = inode, .dev_major = 8 };
	char whole[256];

	snprintf(whole, sizeof(whole), "%s/full.so", dir);
	CU_ASSERT(map_as(a, whole, &map) > 0);
}

/* A section with a copy of a file, as of inode 77. */
static uint8_t *copy_of(const char *name, size_t *size)
{
	const struct pitrace_mte_buildid id = { .dev_major = 8, .inode = 77 };
	uint8_t *file = (uint8_t *)read_file(name, size), *copy = malloc(sizeof(id) + *size);

	CU_ASSERT_FATAL(file && copy);
	memcpy(copy, &id, sizeof(id));
	memcpy(copy + sizeof(id), file, *size);
	*size += sizeof(id);
	free(file);
	return copy;
}

static void test_copies(void)
{
	struct a2n *a = open_a2n(NULL, false);
	struct a2n_answer r;
	uint8_t *copy;
	size_t size;
	char path[PATH_MAX];
	int fd;

	build();
	copy = copy_of("full.so", &size);
	map_gone(a, 77);
	CU_ASSERT_EQUAL(ask(a, hidden).result, A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_FILE, copy, size), 0);
	r = ask(a, hidden);
	CU_ASSERT_EQUAL(r.result, A2N_OK);
	CU_ASSERT_STRING_EQUAL(r.module->name, "/gone/lib.so");
	CU_ASSERT_STRING_EQUAL(r.module->symbols_from, "/gone/lib.so (its copy in the trace)");
	fd = a2n_module_open(a, r.module, A2N_FILE_CODE, path, sizeof(path));
	CU_ASSERT(fd >= 0 &&
		  lseek(fd, 0, SEEK_END) == (off_t)(size - sizeof(struct pitrace_mte_buildid)));
	close(fd);
	a2n_close(a);

	/* Another inode is another file. */
	a = open_a2n(NULL, false);
	map_gone(a, 78);
	CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_FILE, copy, size), 0);
	CU_ASSERT_EQUAL(ask(a, hidden).result, A2N_RESULT_NO_SYMBOLS);
	a2n_close(a);
	free(copy);
}

/* An inode that was given to another file: the build id decides. */
static void test_copies_of_one_inode(void)
{
	static const uint8_t other[20] = { 1, 2, 3 };
	struct a2n *a = open_a2n(NULL, false);
	struct build_id id;
	struct elf_file elf;
	char whole[256];
	uint8_t *copy;
	size_t size;

	build();
	snprintf(whole, sizeof(whole), "%s/full.so", dir);
	CU_ASSERT_PTR_NULL_FATAL(elf_file_open(&elf, open(whole, O_RDONLY)));
	elf_file_build_id(&elf, &id);
	elf_file_close(&elf);
	copy = copy_of("full.so", &size);
	map_gone(a, 77);
	CU_ASSERT_EQUAL(a2n_build_id(a, 8, 0, 77, 0, other, sizeof(other)), 0);
	CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_FILE, copy, size), 0);
	CU_ASSERT_EQUAL(ask(a, hidden).result, A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_EQUAL(a2n_build_id(a, 8, 0, 77, 0, id.id, id.size), 0);
	CU_ASSERT_EQUAL(ask(a, hidden).result, A2N_OK);
	a2n_close(a);
	free(copy);
}

/* Parts of a section, and files that are none, name nothing; a file without its end may still have
 * tables. */
static void test_copies_damaged(void)
{
	uint8_t *copy;
	size_t size;

	build();
	copy = copy_of("full.so", &size);
	for (size_t n = 0; n < size; n = n < 100 ? n + 1 : n + n / 4) {
		struct a2n *a = open_a2n(NULL, false);
		struct a2n_answer r;

		map_gone(a, 77);
		CU_ASSERT_EQUAL(a2n_feed_section(a, PIFILE_SEC_FILE, copy, n), 0);
		r = ask(a, hidden);
		CU_ASSERT(r.result == A2N_RESULT_NO_SYMBOLS || n > 1000);
		a2n_close(a);
	}
	free(copy);
}

static int run(void)
{
	static const struct unit_test tests[] = {
		{ "use", test_copies },
		{ "of_one_inode", test_copies_of_one_inode },
		{ "damaged", test_copies_damaged },
		{ NULL, NULL },
	};

	return unit_run("copied_files", tests);
}

int main(void)
{
	return with_folder(run);
}
