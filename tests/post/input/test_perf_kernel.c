/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of this machine's kernel symbols serve for a perf.data: those of the kernel that it was
 * recorded on, of the modules that are still the same builds. /proc and /sys are this test's.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "input/perf/perf_kernel.h"
#include "unit.h"

#define NOTE(id) "\4\0\0\0\24\0\0\0\3\0\0\0GNU\0" id
#define KERNEL   "kernelkernelkernel__"
#define SAME     "samesamesamesamesame"
#define NEW      "newnewnewnewnewnewne"
#define OLD      "oldoldoldoldoldoldol"

static const char text[] =
	"ffffffff81000000 T _text\nffffffff81000010 t work\n"
	"ffffffffc0000000 t same_one\t[same]\nffffffffc0001000 t other_one\t[other]\n"
	"ffffffffc0001010 t other_two\t[other]\nffffffffc0002000 t untold_one\t[untold]\n"
	"ffffffffc0003000 t bpf_prog_1\t[bpf]\nffffffffc0004000 t no_note\t[no_note]\n"
	"ffffffffc0005000 t same_again\t[same]\n";
static const struct {
	const char *path, *data;
	size_t size;
} files[] = {
	{ "/proc/kallsyms", text, sizeof(text) - 1 },
	{ "/sys/kernel/notes", NOTE(KERNEL), sizeof(NOTE(KERNEL)) - 1 },
	{ "/sys/module/same/notes/.note.gnu.build-id", NOTE(SAME), sizeof(NOTE(SAME)) - 1 },
	{ "/sys/module/other/notes/.note.gnu.build-id", NOTE(NEW), sizeof(NOTE(NEW)) - 1 },
};
static const char *kept; /* the copy that perf keeps */
static const char *kept_path;
static const char *kallsyms; /* instead of the file above */

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

int __wrap_open64(const char *path, int flags, ...)
{
	const char *data = strstr(path, ".debug/[kernel.kallsyms]") ? kept : NULL;
	size_t size = data ? strlen(data) : 0;
	int fd;

	if (data && kept_path)
		CU_ASSERT_STRING_EQUAL(path, kept_path);

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(path, files[i].path)) {
			data = files[i].data;
			size = files[i].size;
		}
	if (kallsyms && !strcmp(path, "/proc/kallsyms")) {
		data = kallsyms;
		size = strlen(kallsyms);
	}
	if (!data)
		return __real_open64(path, flags & ~O_CREAT);
	fd = memfd_create("text", MFD_CLOEXEC);
	CU_ASSERT_FATAL(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	CU_ASSERT_FATAL(!lseek(fd, 0, SEEK_SET));
	return fd;
}

static const Elf64_Ehdr *vdso;

unsigned long __real_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type);

unsigned long __wrap_getauxval(unsigned long type)
{
	return type == AT_SYSINFO_EHDR ? (unsigned long)vdso : __real_getauxval(type);
}

/* The source of symbols that is used for a recording of this kernel or another one, depending on
 * its symbol _text. */
static char *symbols(const char *kernel, uint64_t at, bool ksymbols)
{
	struct perf_build_id ids[] = {
		{ -1, PERF_RECORD_MISC_KERNEL, "", 20, "[kernel.kallsyms]", false, false, 0 },
		{ -1, PERF_RECORD_MISC_KERNEL, SAME, 20, "/lib/modules/x/same.ko", false, false,
		  0 },
		{ -1, PERF_RECORD_MISC_KERNEL, OLD, 20, "/lib/modules/x/other.ko.xz", false, false,
		  0 },
		{ -1, PERF_RECORD_MISC_KERNEL, OLD, 20, "[no_note]", false, false, 0 },
		{ -1, PERF_RECORD_MISC_USER, OLD, 20, "[untold]", false, false, 0 },
	};
	struct input in = { .origins = 0 };
	struct perf p = {
		.in = &in,
		.build_id = ids,
		.nbuild_ids = sizeof(ids) / sizeof(ids[0]),
		.kernel_reference = at,
		.kernel_symbol = "_text",
	};
	struct blob b;
	char *copy;

	memcpy(ids[0].id, kernel, 20);
	p.count[PERF_RECORD_KSYMBOL] = ksymbols;
	b = perf_kernel_symbols(&p);
	copy = strndup(b.data ? b.data : "", b.size);
	blob_free(&p.kallsyms);
	return copy;
}

static bool in(const char *kernel, uint64_t at, bool ksymbols, const char *line)
{
	char *all = symbols(kernel, at, ksymbols);
	bool there = strstr(all, line) != NULL;

	free(all);
	return there;
}

#define HERE 0xffffffff81000000ull

static void test_modules(void)
{
	CU_ASSERT(in(KERNEL, HERE, false, "ffffffff81000010 t work\n"));
	CU_ASSERT(in(KERNEL, HERE, false, "same_one\t[same]\n"));
	CU_ASSERT(in(KERNEL, HERE, false, "same_again\t[same]\n"));
	CU_ASSERT(in(KERNEL, HERE, false, "untold_one"));
	/* Loaded anew since, as another build; one that has no id any more. */
	CU_ASSERT_FALSE(in(KERNEL, HERE, false, "other_one"));
	CU_ASSERT_FALSE(in(KERNEL, HERE, false, "other_two"));
	CU_ASSERT_FALSE(in(KERNEL, HERE, false, "no_note"));
}

static void test_bpf(void)
{
	CU_ASSERT(in(KERNEL, HERE, false, "bpf_prog_1"));
	CU_ASSERT_FALSE(in(KERNEL, HERE, true, "bpf_prog_1"));
	CU_ASSERT(in(KERNEL, HERE, true, "same_one"));
}

/* Booted anew: the kernel itself has moved. */
static void test_moved(void)
{
	CU_ASSERT(in(KERNEL, HERE + 0x200000, false, "ffffffff81200010 t work\n"));
	CU_ASSERT_FALSE(in(KERNEL, HERE + 0x200000, false, "same_one"));
}

/* perf's copy is of one boot, the recording perhaps of another. */
static void test_kept(void)
{
	static const char other[] = "otherkernel_________";
	const char *home = getenv("HOME");

	setenv("HOME", "/nowhere", 1);
	kept = "ffffffff91000000 T _text\nffffffff91000020 t kept_one\n"
	       "ffffffffc0000000 t module_one\t[module]\n";
	CU_ASSERT(in(other, 0xffffffff91000000ull, false, "ffffffff91000020 t kept_one\n"));
	CU_ASSERT(in(other, 0xffffffff91000000ull, false, "module_one"));
	CU_ASSERT(in(other, HERE, false, "ffffffff81000020 t kept_one\n"));
	CU_ASSERT_FALSE(in(other, HERE, false, "module_one"));
	kept = NULL;
	if (home)
		setenv("HOME", home, 1);
}

/* A recording of a kernel with that id; NULL: it has none, but a release. */
static struct perf recording(struct perf_build_id *id, struct input *in, const char *kernel,
			     const char *release)
{
	struct perf p = { .in = in,
			  .build_id = id,
			  .kernel_reference = HERE,
			  .kernel_symbol = "_text" };

	memset(in, 0, sizeof(*in));
	snprintf(in->header.release, sizeof(in->header.release), "%s", release ? release : "");
	*id = (struct perf_build_id){ .pid = -1,
				      .misc = PERF_RECORD_MISC_KERNEL,
				      .size = 20,
				      .path = (char *)"[kernel.kallsyms]" };
	if (kernel) {
		memcpy(id->id, kernel, 20);
		p.nbuild_ids = 1;
	}
	return p;
}

/* This machine's vdso, where the recording is of its kernel and that has one of 64 bits. */
static void test_vdso(void)
{
	static const Elf64_Ehdr wide = { .e_ident = { [EI_CLASS] = ELFCLASS64 },
					 .e_shoff = 1000,
					 .e_shnum = 3,
					 .e_shentsize = 64 };
	static const Elf64_Ehdr narrow = { .e_ident = { [EI_CLASS] = ELFCLASS32 } };
	struct utsname u;
	const struct {
		const Elf64_Ehdr *vdso;
		const char *kernel, *release;
		size_t size; /* 0: none */
	} rows[] = {
		{ &wide, KERNEL, NULL, 1192 },   { &wide, OLD, NULL, 0 },
		{ &wide, OLD, u.release, 0 },    { &narrow, KERNEL, NULL, 0 },
		{ NULL, KERNEL, NULL, 0 },       { &wide, NULL, u.release, 1192 },
		{ &wide, NULL, "another", 0 },   { NULL, OLD, NULL, 0 },
		{ &narrow, NULL, u.release, 0 },
	};

	CU_ASSERT_EQUAL(uname(&u), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct perf_build_id id;
		struct input in;
		struct perf p = recording(&id, &in, rows[i].kernel, rows[i].release);
		size_t size = 1;

		vdso = rows[i].vdso;
		CU_ASSERT_PTR_EQUAL(perf_kernel_vdso(&p, &size), rows[i].size ? vdso : NULL);
		CU_ASSERT_EQUAL(size, rows[i].size);
		/* The order of requests does not matter. */
		CU_ASSERT_EQUAL(perf_kernel_symbols(&p).data != NULL, p.same_kernel);
		blob_free(&p.kallsyms);
	}
}

#define HIDDEN "0000000000000000 T _text\n0000000000000000 t work\n"

/* The kernel's place is reported for addresses without a symbol: missing, or hidden from this
 * user. */
static void test_place(void)
{
	static const struct {
		const char *kallsyms, *kernel, *symbol;
		uint64_t at;
		bool place;
	} rows[] = {
		{ NULL, KERNEL, "_text", HERE, false },
		{ NULL, OLD, "_text", HERE, true },
		{ HIDDEN, KERNEL, "_text", HERE, true },
		{ HIDDEN, KERNEL, "", HERE, false },
		{ HIDDEN, KERNEL, "_text", 0, false },
		/* Not hidden, but its symbol is not there: where all that was is not known. */
		{ HIDDEN "ffffffff81000010 t work\n", KERNEL, "_text", HERE, true },
		{ "0000000000000000 T\n", KERNEL, "_text", HERE, true },
		{ "ffffffff81000010 t work\n", KERNEL, "_text", HERE, true },
		{ "ffffffff81000010 t work\n", KERNEL, "", HERE, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct perf_build_id id;
		struct input in;
		struct perf p = recording(&id, &in, rows[i].kernel, NULL);
		struct blob b;

		kallsyms = rows[i].kallsyms;
		p.kernel_reference = rows[i].at;
		snprintf(p.kernel_symbol, sizeof(p.kernel_symbol), "%s", rows[i].symbol);
		b = perf_kernel_place(&p);
		if ((b.data != NULL) != rows[i].place)
			printf("# %zu\n", i);
		CU_ASSERT_EQUAL(b.data != NULL, rows[i].place);
		if (b.data)
			CU_ASSERT(b.size == 25 &&
				  !memcmp(b.data, "ffffffff81000000 a _text\n", 25));
		blob_free(&p.kallsyms);
	}
	kallsyms = NULL;
}

/* perf's copy serves where this kernel's symbols are hidden; else they explain that. */
static void test_hidden(void)
{
	const char *home = getenv("HOME");
	char *all;

	setenv("HOME", "/nowhere", 1);
	kallsyms = HIDDEN;
	all = symbols(KERNEL, HERE, false);
	CU_ASSERT_STRING_EQUAL(all, HIDDEN);
	free(all);
	kept = "ffffffff81000000 T _text\nffffffff81000020 t kept_one\n";
	kept_path = "/nowhere/.debug/[kernel.kallsyms]/"
		    "6b65726e656c6b65726e656c6b65726e656c5f5f/kallsyms";
	all = symbols(KERNEL, HERE, false);
	CU_ASSERT_STRING_EQUAL(all, kept);
	free(all);
	/* Without a home folder there is none. */
	unsetenv("HOME");
	all = symbols(KERNEL, HERE, false);
	CU_ASSERT_STRING_EQUAL(all, HIDDEN);
	free(all);
	kept = kept_path = kallsyms = NULL;
	if (home)
		setenv("HOME", home, 1);
}

static void test_module_names(void)
{
	static const struct {
		const char *path, *name; /* NULL: none */
	} rows[] = {
		{ "/lib/modules/6.1/kernel/fs/ext4.ko", "ext4" },
		{ "/lib/modules/6.1/snd-hda.ko.xz", "snd_hda" },
		{ "x.ko", "x" },
		{ "[ext4]", "ext4" },
		{ "[snd-pcm]\n", "snd_pcm" },
		{ "/a/[b]", NULL },
		{ "[]", NULL },
		{ "[open", NULL },
		{ "/a/.ko", NULL },
		{ "/usr/bin/ls", NULL },
		{ "", NULL },
		{ "/a.ko/b", NULL },
		{ "abcdefgh.ko", "abcdefg" },
		{ "abcdefg.ko", "abcdefg" },
		{ "[abcdefghi]", "abcdefg" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char name[8 + 1] = "????????";

		CU_ASSERT_EQUAL(perf_kernel_module(rows[i].path, name, 8), rows[i].name != NULL);
		CU_ASSERT_STRING_EQUAL(name, rows[i].name ? rows[i].name : "????????");
	}
}

/* The kernel's and its modules' build ids, as perf has them in its table. */
static void test_ids(void)
{
	struct perf_build_id ids[] = {
		{ -1, PERF_RECORD_MISC_KERNEL, KERNEL, 20, "[kernel.kallsyms]", false, false, 0 },
		{ 7, PERF_RECORD_MISC_USER, OLD, 20, "/usr/bin/ls", false, false, 0 },
		{ -1, PERF_RECORD_MISC_KERNEL, "", 0, "/lib/none.ko", false, false, 0 },
		{ -1, PERF_RECORD_MISC_GUEST_KERNEL, OLD, 20, "[guest]", false, false, 0 },
		{ -1, PERF_RECORD_MISC_KERNEL, SAME, 16, "/lib/same.ko", false, false, 0 },
	};
	struct perf p = { .build_id = ids };
	struct blob b = perf_kernel_ids(&p);
	uint8_t want[400];
	size_t n;

	CU_ASSERT(!b.data && !b.size);
	p.nbuild_ids = sizeof(ids) / sizeof(*ids);
	b = perf_kernel_ids(&p);
	n = perf_build_id_entry(want, PERF_RECORD_MISC_KERNEL, -1, ids[0].id, 20, ids[0].path);
	n += perf_build_id_entry(want + n, PERF_RECORD_MISC_KERNEL, -1, ids[4].id, 16, ids[4].path);
	CU_ASSERT(b.size == n && !memcmp(b.data, want, n));
	blob_free(&b);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "modules", test_modules }, { "bpf", test_bpf },
		{ "moved", test_moved },     { "kept", test_kept },
		{ "vdso", test_vdso },       { "place", test_place },
		{ "hidden", test_hidden },   { "module_names", test_module_names },
		{ "ids", test_ids },         { NULL, NULL }
	};

	return unit_run("perf_kernel", tests);
}
