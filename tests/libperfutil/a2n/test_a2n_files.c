/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which file's symbols serve: build ids, separate debug files, folders of sympath, files that were
 * deleted or replaced, names of every kind, and files that are none.
 */
#include <inttypes.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "a2n/module/files.h"
#include "elf_files.h"
#include "base/file_same.h"

static const char source[] =
	"int shown(int x) { return x + 1; }\n"
	"__attribute__((noinline)) static int hidden(int x) { return x * shown(x); }\n"
	"int calls(int x) { return hidden(x) + 2; }\n";

static uint64_t hidden, shown;

/* A name of the unwinding table: there is no other. */
static bool is_unnamed(const char *name, const char *module)
{
	char want[64];

	snprintf(want, sizeof(want), "%s+0x%" PRIx64, module, hidden);
	return !strcmp(name, want);
}

static void build(void)
{
	write_file("s.c", source, strlen(source));
	SH("gcc -g -O1 -fPIC -shared -nostdlib s.c -o full.so -Wl,--build-id=0x11223344aabbccdd");
	SH("strip -o stripped.so full.so");
	hidden = address_of("full.so", "hidden");
	shown = address_of("full.so", "shown");
}

static const uint8_t right_id[] = { 0x11, 0x22, 0x33, 0x44, 0xaa, 0xbb, 0xcc, 0xdd };

static const char *root(void)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/root", dir);
	return path;
}

/* pid 1 has `file` mapped, known to the trace as `path`. */
static void map_known_as(struct a2n *a, const char *file, const char *path, uint64_t inode,
			 uint32_t flags)
{
	const struct a2n_map map = { .path = path, .inode = inode, .dev_major = 8, .flags = flags };
	char whole[256];

	snprintf(whole, sizeof(whole), "%s/%s", dir, file);
	CU_ASSERT(map_as(a, whole, &map) > 0);
}

static const char *absolute(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void test_stripped(void)
{
	struct a2n *a = open_a2n(NULL, false);

	build();
	map_file(a, "stripped.so");
	CU_ASSERT_STRING_EQUAL(name_of(a, shown), "shown");
	CU_ASSERT_TRUE(is_unnamed(name_of(a, hidden), "stripped"));
	CU_ASSERT_EQUAL(warnings, 0);
	a2n_close(a);
}

static void test_debugdata(void)
{
	struct a2n *a;

	build();
	if (!HAVE("xz")) {
		unit_skip(NULL, "xz is not installed");
		return;
	}
	/* As Fedora's find-debuginfo does it: only the functions that .dynsym lacks. */
	SH("objcopy -S --remove-section .comment --keep-symbol=hidden full.so mini && "
	   "xz -kf mini && objcopy --add-section .gnu_debugdata=mini.xz stripped.so mini.so");
	a = open_a2n(NULL, false);
	map_file(a, "mini.so");
	CU_ASSERT_STRING_EQUAL(name_of(a, shown), "shown");
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	a2n_close(a);
	/* Damaged in the middle, and cut. */
	SH("head -c 100 mini.xz >cut && "
	   "objcopy --add-section .gnu_debugdata=cut stripped.so cut.so");
	a = open_a2n(NULL, false);
	map_file(a, "cut.so");
	CU_ASSERT_TRUE(is_unnamed(name_of(a, hidden), "cut"));
	CU_ASSERT_STRING_EQUAL(name_of(a, shown), "shown");
	a2n_close(a);
}

static void test_debuglink(void)
{
	struct a2n *a;
	struct a2n_answer r;

	build();
	SH("objcopy --only-keep-debug full.so linked.debug && "
	   "objcopy --add-gnu-debuglink=linked.debug stripped.so linked.so");
	a = open_a2n(NULL, false);
	map_file(a, "linked.so");
	r = ask(a, hidden);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "hidden");
	CU_ASSERT_STRING_EQUAL(r.module->symbols_from, absolute("linked.debug"));
	a2n_close(a);

	SH("mkdir -p .debug && mv linked.debug .debug/");
	a = open_a2n(NULL, false);
	map_file(a, "linked.so");
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	a2n_close(a);

	/* Another file of that name: its CRC differs. */
	SH("cp .debug/linked.debug linked.debug && echo >>linked.debug && rm -r .debug");
	a = open_a2n(NULL, false);
	map_file(a, "linked.so");
	CU_ASSERT_TRUE(is_unnamed(name_of(a, hidden), "linked"));
	a2n_close(a);

	/* Below a folder of sympath, in /usr/lib/debug's order. */
	SH("mkdir -p root/usr/lib/debug$PWD && "
	   "objcopy --only-keep-debug full.so root/usr/lib/debug$PWD/linked.debug");
	a = open_a2n(root(), false);
	map_file(a, "linked.so");
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	a2n_close(a);
	SH("rm -r root");
}

static void test_debug_by_build_id(void)
{
	static const uint8_t fixed_id[] = { 0x11, 0x22, 0x33, 0x44, 0x99 };
	static const char debug_file[] = "root/usr/lib/debug/.build-id/11/223344aabbccdd.debug";
	struct a2n *a;

	build();
	SH("mkdir -p root/usr/lib/debug/.build-id/11 && "
	   "objcopy --only-keep-debug --compress-debug-sections full.so %s",
	   debug_file);
	a = open_a2n(root(), false);
	map_file(a, "stripped.so");
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	a2n_close(a);

	/* The program itself is gone: the debug file names it all the same. */
	a = open_a2n(root(), false);
	map_known_as(a, "stripped.so", "/gone/lib.so", 77, A2N_MAP_DELETED);
	CU_ASSERT_EQUAL(a2n_build_id(a, 8, 0, 77, 0, right_id, sizeof(right_id)), 0);
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden - 1), "shown");
	CU_ASSERT_EQUAL(warnings, 0);
	a2n_close(a);

	/* The same with addresses that are not the offsets in the file. */
	SH("gcc -g -O1 -no-pie -nostdlib -Wl,-e,calls s.c -o fixed -Wl,--build-id=0x1122334499 && "
	   "objcopy --only-keep-debug fixed root/usr/lib/debug/.build-id/11/22334499.debug");
	a = open_a2n(root(), false);
	map_known_as(a, "fixed", "/gone/fixed", 78, A2N_MAP_DELETED);
	CU_ASSERT_EQUAL(a2n_build_id(a, 8, 0, 78, 0, fixed_id, sizeof(fixed_id)), 0);
	CU_ASSERT_STRING_EQUAL(name_of(a, address_of("fixed", "hidden")), "hidden");
	CU_ASSERT_EQUAL(ask(a, address_of("fixed", "hidden")).module_offset,
			address_of("fixed", "hidden"));
	a2n_close(a);

	/* Not wanted. */
	{
		const struct a2n_options options = { .sympath = root(), .no_debug_files = true };

		a = a2n_open(&options);
		map_file(a, "stripped.so");
		CU_ASSERT_TRUE(is_unnamed(name_of(a, hidden), "stripped"));
		a2n_close(a);
	}

	/* A debug file under the right name with another id inside. */
	SH("gcc -g -O1 -fPIC -shared -nostdlib s.c -o other.so -Wl,--build-id=0x99 && "
	   "objcopy --only-keep-debug other.so %s",
	   debug_file);
	a = open_a2n(root(), false);
	map_file(a, "stripped.so");
	CU_ASSERT_TRUE(is_unnamed(name_of(a, hidden), "stripped"));
	a2n_close(a);
	SH("rm -r root");
}

static void test_replaced(void)
{
	static const uint8_t wrong[] = { 1, 2, 3, 4 };
	struct a2n *a;
	struct a2n_answer r;
	struct stat st;

	build();
	/* The id of the file on disk is another one than what ran. */
	a = open_a2n(NULL, false);
	map_known_as(a, "full.so", absolute("full.so"), 5, 0);
	a2n_build_id(a, 8, 0, 5, 0, wrong, sizeof(wrong));
	r = ask(a, hidden);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_PTR_NOT_NULL(strstr(r.module->symbols_from, "replaced"));
	CU_ASSERT_EQUAL(warnings, 1);
	ask(a, shown);
	CU_ASSERT_EQUAL(warnings, 1);
	/* It becomes known too late: what was answered before is not answered again. */
	a2n_build_id(a, 8, 0, 5, 0, right_id, sizeof(right_id));
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	a2n_build_id(a, 8, 0, 5, 0, NULL, 0);
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), A2N_NO_SYMBOLS);
	a2n_close(a);

	/* The id came with the mapping. */
	a = open_a2n(NULL, false);
	{
		struct a2n_map map = { .path = absolute("full.so"),
				       .build_id = wrong,
				       .build_id_size = sizeof(wrong) };

		CU_ASSERT(map_as(a, absolute("full.so"), &map) > 0);
	}
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), A2N_NO_SYMBOLS);
	a2n_close(a);

	/* No id, another inode: another file, which names nothing. The same inode: the same. */
	CU_ASSERT_EQUAL(stat(absolute("full.so"), &st), 0);
	a = open_a2n(NULL, false);
	map_known_as(a, "full.so", absolute("full.so"), st.st_ino + 1, 0);
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), A2N_NO_SYMBOLS);
	CU_ASSERT_EQUAL(warnings, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(warned, "inode"));
	/* Its build id knows better. */
	a2n_build_id(a, 8, 0, st.st_ino + 1, 0, right_id, sizeof(right_id));
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	a2n_close(a);
	a = open_a2n(NULL, false);
	map_known_as(a, "full.so", absolute("full.so"), st.st_ino, 0);
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	CU_ASSERT_EQUAL(warnings, 0);
	a2n_close(a);

	/* Deleted, and something else has its name now: only an id can vouch for it. */
	a = open_a2n(NULL, false);
	map_known_as(a, "full.so", absolute("full.so"), 5, A2N_MAP_DELETED);
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), A2N_NO_SYMBOLS);
	CU_ASSERT_PTR_NOT_NULL(strstr(warned, "deleted"));
	a2n_build_id(a, 8, 0, 5, 0, right_id, sizeof(right_id));
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	a2n_close(a);
}

/* bare.so as it is, mapped when it had been changed last. With what was in it then, changed so much
 * later, where `content`; then `what` happens to it. The name that it has then. */
static const char *name_after(const struct file_content *content, const char *what, int more)
{
	static char name[64];
	const char *path = absolute("bare.so");
	struct a2n *a = open_a2n(NULL, false);
	struct stat st;

	CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
	a2n_time_of_day(a, file_touched(&st));
	map_known_as(a, "bare.so", path, st.st_ino + (uint64_t)more, 0);
	if (content)
		CU_ASSERT_EQUAL(a2n_content(a, 8, 0, st.st_ino + (uint64_t)more, 0, content->size,
					    content->touched, content->sum),
				0);
	usleep(60000);
	CU_ASSERT_EQUAL_FATAL(system(what), 0);
	snprintf(name, sizeof(name), "%s", name_of(a, hidden));
	a2n_close(a);
	return name;
}

/* Without a build id: a change of the mode or the links is none of the content; a write is one also
 * where its time is set back, which only the content shows. */
/* A file's variables are forgotten together with its functions. */
static void test_variables_of_replaced(void)
{
	static const char variables[] = "int counter[4] = { 1 };\n"
					"int *get(void) { return counter; }\n";
	static const uint8_t wrong[] = { 1, 2, 3, 4 };
	const struct a2n_symbol *s;
	uint64_t at = BIAS + 0x8000, offset = 0;
	struct a2n *a;

	write_file("v.c", variables, strlen(variables));
	SH("gcc -O1 -fPIC -shared -nostdlib v.c -o data.so -Wl,--build-id=0x11223344aabbccdd "
	   "-Wl,--section-start=.data=0x8000");
	a = open_a2n(NULL, false);
	map_known_as(a, "data.so", absolute("data.so"), 6, 0);
	a2n_build_id(a, 8, 0, 6, 0, wrong, sizeof(wrong));
	CU_ASSERT_PTR_NULL(a2n_variable(a, 1, 20, at, &offset));
	a2n_build_id(a, 8, 0, 6, 0, right_id, sizeof(right_id));
	s = a2n_variable(a, 1, 20, at + 8, &offset);
	CU_ASSERT_FATAL(s != NULL);
	CU_ASSERT_STRING_EQUAL(s->name, "counter");
	CU_ASSERT_EQUAL(offset, 8);
	CU_ASSERT_PTR_NOT_NULL(a2n_variable(a, 1, 20, at + 15, &offset));
	CU_ASSERT_PTR_NULL(a2n_variable(a, 1, 20, at + 16, &offset));
	a2n_build_id(a, 8, 0, 6, 0, wrong, sizeof(wrong));
	CU_ASSERT_PTR_NULL(a2n_variable(a, 1, 20, at, &offset));
	a2n_close(a);
}

static void one_line(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	char *to = arg;

	CU_ASSERT(i == 0 && n == 1 && frames[0].file && frames[0].function);
	snprintf(to, 64, "%s %s:%u", frames[0].function, strrchr(frames[0].file, '/') + 1,
		 frames[0].line);
}

/* Lines of each kind of file: as it is, packed, with the better part of it elsewhere. What was
 * unpacked and read for them is given back (a2n_files_leaks). */
static void test_lines(void)
{
	static const char *const files[] = { "full.so", "packed.so", "split.so" };

	build();
	SH("objcopy --compress-debug-sections full.so packed.so && "
	   "gcc -g -gsplit-dwarf -O1 -fPIC -shared -nostdlib s.c -o split.so");
	for (int i = 0; i < 3; i++) {
		struct a2n *a = open_a2n(NULL, false);
		char got[64] = "";
		struct a2n_answer r;

		map_file(a, files[i]);
		r = ask(a, address_of(files[i], "hidden"));
		for (int again = 0; again < 2; again++)
			CU_ASSERT_EQUAL(a2n_lines(a, r.module, &r.module_offset, 1, true, one_line,
						  got),
					0);
		CU_ASSERT_STRING_EQUAL(got, "hidden s.c:2");
		CU_ASSERT_EQUAL(warnings, 0);
		a2n_close(a);
	}
}

static void test_no_build_id(void)
{
	static const char back[] =
		"cp -p bare.so kept.so && printf x | dd of=bare.so bs=1 seek=5000 "
		"conv=notrunc status=none && touch -r kept.so bare.so";
	static const char put_back[] = "cat kept.so >bare.so";
	struct file_content was, late;
	int fd;

	build();
	SH("gcc -g -O1 -fPIC -shared -nostdlib s.c -o bare.so -Wl,--build-id=none");
	hidden = address_of("bare.so", "hidden");
	CU_ASSERT_FATAL(!chdir(dir));
	/* Nobody knows more: the time of the last write decides. */
	CU_ASSERT_STRING_EQUAL(name_after(NULL, "true", 0), "hidden");
	CU_ASSERT_EQUAL(warnings, 0);
	CU_ASSERT_STRING_EQUAL(name_after(NULL, "chmod 700 bare.so", 0), "hidden");
	CU_ASSERT_EQUAL(warnings, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(warned, "time of its last write alone"));
	CU_ASSERT_STRING_EQUAL(name_after(NULL, "ln bare.so second.so", 0), "hidden");
	CU_ASSERT_STRING_EQUAL(name_after(NULL, "rm second.so", 0), "hidden");
	CU_ASSERT_EQUAL(warnings, 1);
	CU_ASSERT_STRING_EQUAL(name_after(NULL, "touch bare.so", 0), A2N_NO_SYMBOLS);
	CU_ASSERT_PTR_NOT_NULL(strstr(warned, "changed after it was mapped"));
	CU_ASSERT_STRING_EQUAL(name_after(NULL, back, 0), "hidden");
	CU_ASSERT_PTR_NOT_NULL(strstr(warned, "time of its last write alone"));
	SH("cat kept.so >bare.so");

	/* The content of this build id is known. */
	fd = open("bare.so", O_RDONLY);
	CU_ASSERT_FATAL(fd >= 0 && file_content(fd, &was));
	close(fd);
	late = was;
	CU_ASSERT_STRING_EQUAL(name_after(&was, "chmod 755 bare.so", 0), "hidden");
	CU_ASSERT_STRING_EQUAL(name_after(&was, "touch bare.so", 0), "hidden");
	CU_ASSERT_EQUAL(warnings, 0);
	CU_ASSERT_STRING_EQUAL(name_after(&was, back, 0), A2N_NO_SYMBOLS);
	CU_ASSERT_PTR_NOT_NULL(strstr(warned, "changed after it was mapped"));
	CU_ASSERT_STRING_EQUAL(name_after(&was, put_back, 0), "hidden");
	CU_ASSERT_EQUAL(warnings, 0);
	/* The same file once more, with another inode; another one. */
	CU_ASSERT_STRING_EQUAL(name_after(&was, "true", 1), "hidden");
	CU_ASSERT_EQUAL(warnings, 0);
	was.size++;
	CU_ASSERT_STRING_EQUAL(name_after(&was, "true", 1), A2N_NO_SYMBOLS);
	/* When it was read it had been changed already: that says nothing. */
	late.touched = UINT64_MAX;
	CU_ASSERT_STRING_EQUAL(name_after(&late, "touch bare.so", 0), A2N_NO_SYMBOLS);
}

static void test_sympath(void)
{
	char two[600];
	struct a2n *a;

	build();
	/* Full path below the folder first, then the bare name, then /. */
	SH("mkdir -p root/usr/lib root2 && cp full.so root/usr/lib/full.so && "
	   "cp stripped.so root/full.so");
	a = open_a2n(root(), false);
	map_known_as(a, "full.so", "/usr/lib/full.so", 5, 0);
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	CU_ASSERT_EQUAL(warnings, 0);
	a2n_close(a);
	SH("rm -r root/usr && cp full.so root/full.so");
	a = open_a2n(root(), false);
	map_known_as(a, "full.so", "/usr/lib/full.so", 5, 0);
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	a2n_close(a);
	/* Two folders; slashes and empty parts don't matter. */
	snprintf(two, sizeof(two), ":%s/nothing:/:%s2//:%s/", dir, root(), root());
	a = open_a2n(two, false);
	map_known_as(a, "full.so", "/usr/lib/full.so", 5, 0);
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	a2n_close(a);
	/* The wrong one there does not hide the right one in /. */
	SH("gcc -g -O1 -fPIC -shared -nostdlib s.c -o root/full.so -Wl,--build-id=0x99");
	a = open_a2n(root(), false);
	map_known_as(a, "full.so", absolute("full.so"), 5, 0);
	a2n_build_id(a, 8, 0, 5, 0, right_id, sizeof(right_id));
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
	CU_ASSERT_STRING_EQUAL(ask(a, hidden).module->symbols_from, absolute("full.so"));
	a2n_close(a);
	/* No way out of the folder. */
	SH("cp full.so escaped.so");
	a = open_a2n(root(), false);
	map_known_as(a, "full.so", "/../escaped.so", 5, 0);
	CU_ASSERT_STRING_EQUAL(name_of(a, hidden), A2N_NO_SYMBOLS);
	a2n_close(a);
	SH("rm -r root");
}

static void test_odd_names(void)
{
	static const char *const names[] = { "with blank.so", "new\nline.so", "\xff\xfe.so",
					     "quote'\".so",   "%s%n.so",      "trailing (deleted)",
					     "...",           "-rf" };
	uint32_t i;

	build();
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct a2n *a = open_a2n(NULL, false);
		size_t size;
		char *image = read_file("full.so", &size);

		write_file(names[i], image, size);
		free(image);
		map_known_as(a, "full.so", absolute(names[i]), 0, 0);
		CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
		CU_ASSERT_STRING_EQUAL(ask(a, hidden).module->name, absolute(names[i]));
		a2n_close(a);
	}
	/* Through symbolic links, as libraries are. */
	SH("ln -s full.so link.so");
	{
		struct a2n *a = open_a2n(NULL, false);

		map_known_as(a, "full.so", absolute("link.so"), 0, 0);
		CU_ASSERT_STRING_EQUAL(name_of(a, hidden), "hidden");
		a2n_close(a);
	}
}

/* Why a file cannot be taken. */
static void test_why_not(void)
{
	static const struct {
		const char *path, *why;
	} rows[] = {
		{ "why.fifo", "not a regular file" }, { ".", "not a regular file" },
		{ "why.none", "no such file" },       { "why.text/below", "no such file" },
		{ "why.loop", "cannot be read" },     { "why.huge", "larger than 4 GB" },
	};
	const char *why;
	struct stat st;
	int fd;

	SH("mkfifo why.fifo; : >why.text; ln -s why.loop why.loop; truncate -s 4294967297 why.huge");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		why = "";
		CU_ASSERT_EQUAL(file_open_regular(rows[i].path, &st, &why), -1);
		CU_ASSERT_STRING_EQUAL(why, rows[i].why);
	}
	SH("truncate -s 4294967296 why.huge");
	fd = file_open_regular("why.huge", &st, &why);
	CU_ASSERT(fd >= 0 && !close(fd) && st.st_size == 4294967296);
	SH("rm why.*");
}

static void test_not_files(void)
{
	static const struct {
		const char *make, *path;
	} things[] = {
		{ "mkfifo fifo", "fifo" },
		{ "mkdir -p folder", "folder" },
		{ "true", "nothing" },
		{ ": >empty", "empty" },
		{ "echo text >text", "text" },
		{ "truncate -s 5G huge", "huge" },
		{ "ln -s loop loop", "loop" },
		{ "cp full.so object.so && printf '\\001' | dd of=object.so bs=1 seek=16 "
		  "conv=notrunc 2>/dev/null",
		  "object.so" },
	};
	static const char *const others[] = { "[heap]",
					      "anon_inode:[perf_event]",
					      "socket:[12]",
					      "/memfd:jit (deleted)",
					      "/dev/zero",
					      "relative.so",
					      "/proc/self/mem",
					      "/dev/tty",
					      "/" };
	uint32_t i;

	build();
	for (i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		struct a2n *a = open_a2n(NULL, false);

		SH("%s", things[i].make);
		map_known_as(a, "full.so", absolute(things[i].path), 0, 0);
		CU_ASSERT_STRING_EQUAL(name_of(a, hidden), A2N_NO_SYMBOLS);
		CU_ASSERT_EQUAL(warnings, 1);
		CU_ASSERT_PTR_NOT_NULL(strstr(warned, ask(a, hidden).module->symbols_from));
		a2n_close(a);
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct a2n *a = open_a2n(NULL, false);

		map_known_as(a, "full.so", others[i], 0, 0);
		CU_ASSERT_STRING_EQUAL(name_of(a, hidden), A2N_NO_SYMBOLS);
		CU_ASSERT_STRING_EQUAL(ask(a, hidden).module->name, others[i]);
		a2n_close(a);
	}
	SH("rm -f huge");
}

/* A file cut at any length, and one with any byte changed, is read or refused. */
static void test_damaged(void)
{
	size_t size, at;
	char *image;
	uint32_t named = 0;

	build();
	image = read_file("full.so", &size);
	for (at = 0; at < size; at += 1 + at / 64) {
		struct a2n *a = open_a2n(NULL, false);

		write_file("damaged.so", image, at);
		map_known_as(a, "full.so", absolute("damaged.so"), 0, 0);
		named += ask(a, hidden).result == A2N_OK;
		a2n_close(a);
	}
	for (at = 0; at < size; at += 1 + at / 64) {
		struct a2n *a = open_a2n(NULL, false);

		image[at] = (char)~image[at];
		write_file("damaged.so", image, size);
		image[at] = (char)~image[at];
		map_known_as(a, "full.so", absolute("damaged.so"), 0, 0);
		named += ask(a, hidden).result == A2N_OK;
		a2n_close(a);
	}
	CU_ASSERT(named > 10);
	free(image);
}

static void test_vdso(void)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct a2n_map map = { .start = 0x7fff00000000,
			       .length = 0x2000,
			       .path = "[vdso]",
			       .flags = A2N_MAP_VDSO };
	struct a2n_answer r;
	struct a2n *a;
	struct nm *list;
	int n, i;

	if (!image) {
		unit_skip(NULL, "no vdso here");
		return;
	}
	a = open_a2n(NULL, false);
	a2n_add_map(a, 10, 1, &map);
	a2n_resolve(a, 1, 20, map.start + 0x800, false, &r);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_EQUAL(a2n_vdso(a, image, 0x2000), 0);
	write_file("vdso", image, 0x2000);
	SH("nm -D vdso >/dev/null");
	n = read_nm("nm -D", "vdso", &list);
	CU_ASSERT(n > 0);
	for (i = 0; i < n; i++) {
		if (!list[i].size)
			continue;
		a2n_resolve(a, 1, 20, map.start + list[i].value + list[i].size - 1, false, &r);
		CU_ASSERT_EQUAL(r.result, A2N_OK);
		CU_ASSERT_EQUAL(r.symbol->value, list[i].value);
		CU_ASSERT_STRING_EQUAL(r.module->name, A2N_VDSO);
	}
	free(list);
	CU_ASSERT_EQUAL(a2n_vdso(a, "junk", 4), 0);
	a2n_resolve(a, 1, 20, map.start + 0x800, false, &r);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_EQUAL(a2n_vdso(a, NULL, 0), 0);
	a2n_close(a);
}

/* 32-bit programs have a vdso of their own: neither's symbols name the other's addresses. */
static void test_vdso_of_32bit_programs(void)
{
#if defined(__x86_64__)
	static const char code[] = ".globl narrow\n.type narrow,@function\n.skip 32\n"
				   "narrow: nop\nret\n.size narrow,.-narrow\n";
	struct a2n_map map = { .start = 0xf7fc0000,
			       .length = 0x2000,
			       .path = "[vdso]",
			       .flags = A2N_MAP_VDSO };
	uint64_t wide = map.start + (1ull << 32), at;
	struct a2n *a = open_a2n(NULL, false);
	struct a2n_answer r;
	struct nm *list;
	size_t size;
	char *image, path[64];
	int fd;

	write_file("n.s", code, sizeof(code) - 1);
	SH("gcc -m32 -nostdlib -shared -o narrow.so n.s");
	CU_ASSERT_EQUAL_FATAL(read_nm("nm -D", "narrow.so", &list), 1);
	image = read_file("narrow.so", &size);
	at = list[0].value + list[0].size - 1;
	a2n_add_map(a, 10, 1, &map);
	map.start = wide;
	a2n_add_map(a, 10, 1, &map);
	CU_ASSERT_EQUAL(a2n_vdso(a, image, size), 0);
	a2n_resolve(a, 1, 20, 0xf7fc0000 + at, false, &r);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "narrow");
	CU_ASSERT_STRING_EQUAL(r.module->name, A2N_VDSO_32);
	fd = a2n_module_open(a, r.module, A2N_FILE_CODE, path, sizeof(path));
	CU_ASSERT(fd >= 0 && !strcmp(path, A2N_VDSO_32) && lseek(fd, 0, SEEK_END) == (off_t)size);
	close(fd);
	a2n_resolve(a, 1, 20, wide + at, false, &r);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_STRING_EQUAL(r.module->name, A2N_VDSO);
	CU_ASSERT_EQUAL(a2n_module_open(a, r.module, A2N_FILE_CODE, path, sizeof(path)), -ENOENT);
	a2n_close(a);
	free(list);
	free(image);
#else
	unit_skip(NULL, "not on x86-64");
#endif
}

/* A local label without a type names what nothing else does; within a function it is a place. */
static void test_labels(void)
{
	static const char labels[] =
		".text\n.globl sized\n.type sized,@function\nsized: .skip 8\ninside: .skip 8\n"
		".size sized,.-sized\n.skip 4\nroutine: .skip 12\n"
		".globl open\n.type open,@function\nopen: .skip 8\nin_open: .skip 8\n";
	static const struct {
		const char *after;
		uint32_t offset;
		const char *name;
	} want[] = {
		{ "sized", 0, "sized" },
		{ "sized", 12, "sized" },
		{ "sized", 17, A2N_NO_SYMBOL_FOUND },
		{ "sized", 20, "routine" },
		{ "sized", 31, "routine" },
		{ "open", 0, "open" },
		{ "open", 12, "open" },
	};
	struct a2n *a = open_a2n(NULL, false);
	size_t i;

	write_file("l.S", labels, strlen(labels));
	SH("gcc -fPIC -shared -nostdlib l.S -o labels.so");
	map_file(a, "labels.so");
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		CU_ASSERT_STRING_EQUAL(name_of(a, address_of("labels.so", want[i].after) +
							  want[i].offset),
				       want[i].name);
	a2n_close(a);
}

/* Saved symbols of 40,000 modules, each looked up: none reads all others'. */
static void test_saved_many(void)
{
	const uint32_t modules = 40000;
	struct a2n *a = a2n_open(NULL);
	const struct a2n_answer none = { 0 };
	struct rlimit had, most;
	char path[32], name[32];
	uint32_t i, wrong = 0;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "pitrace-msi 1\n");
	for (i = 0; i < modules; i++)
		fprintf(f, "MODULE /saved/%u\nSEGMENT 0 0 1000\nSYMBOL 100 200 7 1 f%u\n", i, i);
	fclose(f);
	/* 40,000 times 2.5 MB would take minutes. */
	getrlimit(RLIMIT_CPU, &had);
	most = had;
	most.rlim_cur = 60;
	setrlimit(RLIMIT_CPU, &most);
	CU_ASSERT_EQUAL_FATAL(a2n_symbols(a, text, size), 0);
	free(text);
	for (i = 0; i < modules; i++) {
		const struct a2n_map map = { .start = 0x10000, .length = 0x1000, .path = path };
		struct a2n_answer r = none;

		snprintf(path, sizeof(path), "/saved/%u", i);
		snprintf(name, sizeof(name), "f%u", i);
		a2n_add_map(a, 1, 1 + i, &map);
		a2n_resolve(a, 1 + i, 1, 0x10150, false, &r);
		wrong += strcmp(r.symbol->name, name) != 0;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	setrlimit(RLIMIT_CPU, &had);
	a2n_close(a);
}

static int run(void)
{
	static const struct unit_test tests[] = {
		{ "stripped", test_stripped },
		{ "debugdata", test_debugdata },
		{ "debuglink", test_debuglink },
		{ "debug_by_build_id", test_debug_by_build_id },
		{ "replaced", test_replaced },
		{ "lines", test_lines },
		{ "variables_of_replaced", test_variables_of_replaced },
		{ "no_build_id", test_no_build_id },
		{ "sympath", test_sympath },
		{ "odd_names", test_odd_names },
		{ "not_files", test_not_files },
		{ "why_not", test_why_not },
		{ "damaged", test_damaged },
		{ "vdso", test_vdso },
		{ "vdso_of_32bit_programs", test_vdso_of_32bit_programs },
		{ "labels", test_labels },
		{ "saved_many", test_saved_many },
		{ NULL, NULL }
	};

	return unit_run("a2n_files", tests);
}

int main(void)
{
	return with_folder(run);
}
