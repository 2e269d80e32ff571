/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of this machine's kernel symbols serve for a perf.data: those of the kernel that it was
 * recorded on, of the modules that are still the same builds. /proc and /sys are this test's.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
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

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

int __wrap_open64(const char *path, int flags, ...)
{
	const char *data = strstr(path, ".debug/[kernel.kallsyms]") ? kept : NULL;
	size_t size = data ? strlen(data) : 0;
	int fd;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(path, files[i].path)) {
			data = files[i].data;
			size = files[i].size;
		}
	if (!data)
		return __real_open64(path, flags & ~O_CREAT);
	fd = memfd_create("text", MFD_CLOEXEC);
	CU_ASSERT_FATAL(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	CU_ASSERT_FATAL(!lseek(fd, 0, SEEK_SET));
	return fd;
}

/* What serves, of a recording of this kernel or another one, of its symbol _text there. */
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

int main(void)
{
	static const struct unit_test tests[] = { { "modules", test_modules },
						  { "bpf", test_bpf },
						  { "moved", test_moved },
						  { "kept", test_kept },
						  { NULL, NULL } };

	return unit_run("perf_kernel", tests);
}
