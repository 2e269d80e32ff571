/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The original's calls: processes, modules, jitted methods with code and lines, each at its time;
 * this process itself; symbols that travel in a file; the kernel's; many threads at once.
 * (Linked with --wrap=fdopen.)
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "a2n.h"
#include "a2nint.h"
#include "elf_files.h"

static SYMDATA d;

static const char *at(uint32_t pid, uint64_t time, uint64_t address)
{
	CU_ASSERT(A2nGetSymbolAt(pid, address, time, &d) >= 0);
	return d.sym_name;
}

#define IS(pid, time, address, name) CU_ASSERT_STRING_EQUAL(at(pid, time, address), name)

static bool no_stream;

FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode)
{
	errno = EMFILE;
	return no_stream ? NULL : __real_fdopen(fd, mode);
}

static void test_states(void)
{
	A2nTerminate();
	CU_ASSERT_EQUAL(A2nGetSymbol(1, 1, &d), -EINVAL);
	CU_ASSERT_EQUAL(A2nCreateProcess(1, 1), -EINVAL);
	CU_ASSERT_EQUAL(A2nCreateMsiFile("/nowhere/x"), -EINVAL);
	CU_ASSERT_EQUAL(A2nSetSymbolSearchPath("/nowhere"), 0);
	CU_ASSERT_EQUAL(A2nSetSymbolSearchPath("/else"), 0);
	CU_ASSERT_EQUAL(A2nInit(), 0);
	CU_ASSERT_EQUAL(A2nSetSymbolSearchPath(NULL), -EBUSY);
	CU_ASSERT_EQUAL(A2nSetSymbolSearchPath("/late"), -EBUSY);
	CU_ASSERT_EQUAL(A2nGetVersion(), A2N_VERSION);
	CU_ASSERT_EQUAL(A2nGetSymbol(1, 1, &d), A2N_NOTHING_MAPPED);
	CU_ASSERT_STRING_EQUAL(d.mod_name, A2N_NO_MODULE);
	CU_ASSERT_STRING_EQUAL(d.owning_pid_name, A2N_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(d.src_file, "");
	CU_ASSERT(!d.mod_length && !d.sym_length && !d.code && !d.flags);
	A2nTerminate();
}

static void test_methods(void)
{
	static const uint8_t code[] = { 1, 2, 3, 4 };
	static const A2N_LINE lines[] = { { 4, 10 }, { 16, 12 }, { 32, 7 } };
	const char *file;
	uint32_t line;

	CU_ASSERT_EQUAL_FATAL(A2nInit(), 0);
	CU_ASSERT_EQUAL(A2nCreateProcess(7, 100), 0);
	CU_ASSERT_EQUAL(A2nSetProcessName(7, "one", 100), 0);
	CU_ASSERT_EQUAL(A2nAddJittedMethod(7, "first", 0x1000, 4, code, 110), 0);
	CU_ASSERT_EQUAL(A2nForkProcess(7, 8, 120), 0);
	CU_ASSERT_EQUAL(A2nAddJittedMethodLines(7, "second", 0x1000, 64, NULL, "S.java", lines, 3,
						200),
			0);
	CU_ASSERT_EQUAL(A2nCloneProcess(7, 9, A2N_NEXT), 0);
	IS(7, 150, 0x1002, "first");
	CU_ASSERT(d.code && !memcmp(d.code, code, 4) && d.sym_length == 4 && d.sym_addr == 0x1000);
	CU_ASSERT(d.flags == A2N_FLAG_JITTED && d.mod_addr == 0x1000 && d.mod_length == 4);
	CU_ASSERT_STRING_EQUAL(d.mod_name, A2N_JITCODE);
	CU_ASSERT_STRING_EQUAL(d.owning_pid_name, "one");
	IS(7, 200, 0x1002, "second");
	CU_ASSERT(!d.code && d.sym_length == 64 && !d.src_lineno);
	IS(7, A2N_NEXT, 0x1004, "second");
	CU_ASSERT_EQUAL(d.src_lineno, 10);
	IS(9, A2N_NEXT, 0x1004, "second");
	IS(8, A2N_NEXT, 0x1002, "first");
	CU_ASSERT_PTR_NOT_NULL(d.code);
	CU_ASSERT_EQUAL(A2nGetLineNumber(7, 0x101f, &file, &line), A2N_SUCCESS);
	CU_ASSERT(!strcmp(file, "S.java") && line == 12);
	CU_ASSERT_EQUAL(A2nGetLineNumber(7, 0x1020, &file, &line), A2N_SUCCESS);
	CU_ASSERT_EQUAL(line, 7);
	CU_ASSERT_EQUAL(A2nGetLineNumber(7, 0x1003, &file, &line), A2N_NO_LINE);
	CU_ASSERT_EQUAL(A2nGetLineNumberAt(7, 0x1001, 150, &file, &line), A2N_NO_LINE);
	CU_ASSERT_EQUAL(A2nGetLineNumber(7, 0x9000, &file, &line), A2N_NOTHING_MAPPED);
	CU_ASSERT_STRING_EQUAL(file, "");
	CU_ASSERT_EQUAL(A2nAddJittedMethod(7, "x", 1, 1ull << 40, NULL, 300), -EMSGSIZE);
	CU_ASSERT_EQUAL(A2nRemoveJittedMethod(7, 0x1000, 64, 400), 0);
	IS(7, 399, 0x1000, "second");
	CU_ASSERT_EQUAL(A2nCreateProcess(7, 500), 0);
	IS(7, 500, 0x1000, A2N_NO_MODULE);
	A2nTerminate();
}

static int count(void *arg, const SYMDATA *s)
{
	int *n = arg;

	CU_ASSERT(s->sym_name && s->mod_name && s->src_file && s->owning_pid_name);
	/* Questions may be asked meanwhile. */
	A2nGetSymbol(1, 1, &d);
	if (!strcmp(s->sym_name, "shown::it(int)"))
		n[1]++;
	return ++n[0] == n[2];
}

/* Lines of files are those of their DWARF. */
static void test_lines(void)
{
	static const char source[] = "int first(int x)\n{\n\treturn x;\n}\n";
	char path[128], wanted[128];
	const char *file;
	uint32_t line;
	uint64_t it;

	write_file("l.c", source, strlen(source));
	SH("gcc -O1 -g -fPIC -shared -nostdlib l.c -o l.so -Wl,-Ttext-segment=0,-z,noseparate-code");
	snprintf(path, sizeof(path), "%s/l.so", dir);
	snprintf(wanted, sizeof(wanted), "%s/l.c", dir);
	it = 0x400000 + address_of("l.so", "first");
	CU_ASSERT_EQUAL_FATAL(A2nInit(), 0);
	CU_ASSERT_EQUAL(A2nAddModule(7, 0x400000, 0x2000, path, 100, 0), 0);
	IS(7, 100, it, "first");
	CU_ASSERT_EQUAL(d.src_lineno, 0);
	CU_ASSERT_EQUAL(A2nGetLineNumber(7, it, &file, &line), A2N_SUCCESS);
	CU_ASSERT_STRING_EQUAL(file, wanted);
	CU_ASSERT(line == 2 || line == 3);
	CU_ASSERT_EQUAL(A2nGetLineNumber(7, 0x401fff, &file, &line), A2N_NO_SYMBOL_HERE);
	CU_ASSERT(!*file && !line);
	SH("strip -g l.so");
	CU_ASSERT_EQUAL(A2nInit(), 0);
	CU_ASSERT_EQUAL(A2nAddModule(7, 0x400000, 0x2000, path, 100, 0), 0);
	CU_ASSERT_EQUAL(A2nGetLineNumber(7, it, &file, &line), A2N_NO_LINE);
	A2nTerminate();
}

/* A library here, then gone, its symbols saved. */
static void test_modules(void)
{
	static const char source[] = "namespace shown { int it(int x) { return x; } int at; }\n"
				     "extern \"C\" int more(int x) { return x + 1; }\n";
	static const char kallsyms[] = "ffffffff81000000 T _stext\nffffffff81000100 T there\n"
				       "ffffffff81000200 T _etext\n";
	static const char kernel[] = ".globl _stext,there,_etext\n_stext: nop\n.balign 256\n"
				     "there: nop\n.balign 256\n_etext: nop\n";
	static const char moved[] = "ffffffff91000000 T _stext\nffffffff91000100 T was_there\n"
				    "ffffffff91000200 T _etext\n"
				    "ffffffffc0000000 t of_module\t[mod]\n";
	static const char odd[] = "pitrace-msi 1\nMODULE /odd\nSEGMENT 0 5000 1000\n"
				  "MODULE /odd\nSEGMENT 0 1000 1000\nSYMBOL 1000 1800 7 1 odd\n";
	char path[128], msi[128], other[128];
	int n[3] = { 0, 0, -1 };
	uint64_t it;

	write_file("m.cc", source, strlen(source));
	SH("gcc -O1 -fPIC -shared -nostdlib m.cc -o m.so -Wl,--build-id,-Ttext-segment=0,-z,noseparate-code");
	snprintf(path, sizeof(path), "%s/m.so", dir);
	snprintf(msi, sizeof(msi), "%s/m.msi", dir);
	snprintf(other, sizeof(other), "%s/other.msi", dir);
	it = address_of("m.so", "_ZN5shown2itEi");
	CU_ASSERT_EQUAL_FATAL(A2nInit(), 0);
	CU_ASSERT_EQUAL(A2nAddModule(7, 0x400000, 0x2000, path, 100, 0), 0);
	IS(7, 100, 0x400000 + it, "shown::it(int)");
	CU_ASSERT(d.mod_addr == 0x400000 && d.mod_length == 0x2000 && !d.flags);
	CU_ASSERT(d.sym_addr == 0x400000 + it && d.sym_length && !d.code);
	CU_ASSERT_STRING_EQUAL(d.mod_name, path);
	CU_ASSERT_EQUAL(A2nGetSymbol(7, 0x401fff, &d), A2N_NO_SYMBOL_HERE);
	CU_ASSERT_EQUAL(A2nGetAllFunctions(path, count, n), 0);
	CU_ASSERT(n[0] >= 2 && n[1] == 1);
	n[2] = n[0] + 1;
	CU_ASSERT_EQUAL(A2nGetAllFunctions(path, count, n), 1);
	CU_ASSERT_EQUAL(A2nGetAllFunctions("/nowhere", count, n), -ENOENT);
	CU_ASSERT_EQUAL(A2nCreateMsiFile(msi), 0);
	CU_ASSERT_EQUAL(A2nCreateMsiFile("/nowhere/m.msi"), -ENOENT);
	/* Nothing is left of one that cannot be written. */
	no_stream = true;
	CU_ASSERT_EQUAL(A2nCreateMsiFile(other), -EMFILE);
	no_stream = false;
	CU_ASSERT_EQUAL(access(other, F_OK), -1);
	SH("mv m.so m.so.kept");
	CU_ASSERT_EQUAL(A2nInit(), 0);
	CU_ASSERT_EQUAL(A2nAddModule(7, 0x400000, 0x2000, path, 100, 0), 0);
	CU_ASSERT_EQUAL(A2nGetSymbol(7, 0x400000 + it, &d), A2N_MODULE_NO_SYMBOLS);
	CU_ASSERT_EQUAL(A2nInit(), 0);
	CU_ASSERT_EQUAL(A2nLoadMsiFile(msi), 0);
	CU_ASSERT_EQUAL(A2nAddModule(7, 0x500000, 0x2000, path, 100, 0), 0);
	IS(7, 100, 0x500000 + it, "shown::it(int)");
	CU_ASSERT_EQUAL(d.sym_addr, 0x500000 + it);
	IS(7, 100, 0x500000 + address_of("m.so.kept", "more"), "more");
	CU_ASSERT_EQUAL(A2nGetSymbol(7, 0x501fff, &d), A2N_NO_SYMBOL_HERE);
	/* Segments without symbols belong to no module: the next ones serve. */
	write_file("odd.msi", odd, strlen(odd));
	snprintf(msi, sizeof(msi), "%s/odd.msi", dir);
	CU_ASSERT_EQUAL(A2nLoadMsiFile(msi), 0);
	CU_ASSERT_EQUAL(A2nAddModule(7, 0x600000, 0x2000, "/odd", 100, 0), 0);
	IS(7, 100, 0x600010, "odd");
	CU_ASSERT_EQUAL(d.sym_addr, 0x600000);
	/* Not what it says it is; not there. */
	write_file("bad.msi", "pitrace-msj 1\n", 14);
	snprintf(msi, sizeof(msi), "%s/bad.msi", dir);
	CU_ASSERT_EQUAL(A2nLoadMsiFile(msi), -EBADMSG);
	CU_ASSERT_EQUAL(A2nLoadMsiFile("/nowhere"), -ENOENT);
	/* The kernel's. */
	write_file("map", kallsyms, strlen(kallsyms));
	snprintf(msi, sizeof(msi), "%s/map", dir);
	CU_ASSERT_EQUAL(A2nSetKernelMapName(msi), 0);
	CU_ASSERT_EQUAL(A2nGetSymbol(7, 0xffffffff81000110, &d), A2N_SUCCESS);
	CU_ASSERT_STRING_EQUAL(d.sym_name, "there");
	CU_ASSERT_EQUAL(d.flags, A2N_FLAG_KERNEL);
	CU_ASSERT_EQUAL(A2nSetKernelMapName("/nowhere"), -ENOENT);
	CU_ASSERT_EQUAL(A2nSetKernelImageName(msi), -EBADMSG);
	CU_ASSERT_EQUAL(A2nInit(), 0);
	write_file("kernel.S", kernel, strlen(kernel));
	SH("gcc -nostdlib -static -no-pie kernel.S -o vmlinux -Wl,-Ttext=0xffffffff81000000,-e,_stext,--build-id=none 2>/dev/null");
	snprintf(msi, sizeof(msi), "%s/vmlinux", dir);
	CU_ASSERT_EQUAL(A2nSetKernelImageName(msi), 0);
	CU_ASSERT_EQUAL(A2nGetSymbol(7, 0xffffffff81000110, &d), A2N_SUCCESS);
	CU_ASSERT_STRING_EQUAL(d.sym_name, "there");
	/* It ran at another address, which kallsyms shows, in either order. */
	write_file("map", moved, strlen(moved));
	snprintf(path, sizeof(path), "%s/map", dir);
	CU_ASSERT_EQUAL(A2nSetKernelMapName(path), 0);
	CU_ASSERT_EQUAL(A2nGetSymbol(7, 0xffffffff91000110, &d), A2N_SUCCESS);
	CU_ASSERT_STRING_EQUAL(d.sym_name, "there");
	CU_ASSERT_EQUAL(d.sym_addr, 0xffffffff91000100);
	CU_ASSERT_EQUAL(A2nGetSymbol(7, 0xffffffffc0000010, &d), A2N_SUCCESS);
	CU_ASSERT_STRING_EQUAL(d.sym_name, "of_module");
	CU_ASSERT_EQUAL(A2nInit(), 0);
	CU_ASSERT_EQUAL(A2nSetKernelMapName(path), 0);
	CU_ASSERT_EQUAL(A2nSetKernelImageName(msi), 0);
	CU_ASSERT_EQUAL(A2nGetSymbol(7, 0xffffffff91000110, &d), A2N_SUCCESS);
	CU_ASSERT_STRING_EQUAL(d.sym_name, "there");
	CU_ASSERT_EQUAL(A2nSetKernelImageName("/bin/true"), -ENODATA);
	/* Either symbol makes a kernel's image of it, and shows where it ran, in code or not. */
	for (int i = 0; i < 4; i++) {
		const char *name = i % 2 ? "_stext" : "_text";
		char text[300];

		snprintf(text, sizeof(text),
			 ".globl %s\n%s%s%s:\n.text\n.skip 256\n.type there,@function\nthere: .skip 256\n",
			 name, i < 2 ? ".text\n" : ".set ", name,
			 i < 2 ? "" : ",0xffffffff81000000\n#");
		write_file("kernel.S", text, strlen(text));
		SH("gcc -nostdlib -static -no-pie kernel.S -o vmlinux -Wl,-Ttext=0xffffffff81000000,-e,there,--build-id=none 2>/dev/null");
		snprintf(text, sizeof(text), "ffffffff91000000 T %s\nffffffff91000400 T _etext\n",
			 name);
		write_file("map", text, strlen(text));
		CU_ASSERT_EQUAL(A2nInit(), 0);
		CU_ASSERT_EQUAL(A2nSetKernelImageName(msi), 0);
		CU_ASSERT_EQUAL(A2nSetKernelMapName(path), 0);
		CU_ASSERT_EQUAL(A2nGetSymbol(7, 0xffffffff91000110, &d), A2N_SUCCESS);
		CU_ASSERT_STRING_EQUAL(d.sym_name, "there");
	}
	A2nTerminate();
}

static void test_self(void)
{
	uint32_t pid = (uint32_t)getpid();
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char map[64];
	FILE *f;

	snprintf(map, sizeof(map), "/tmp/perf-%u.map", pid);
	f = fopen(map, "w");
	CU_ASSERT_FATAL(f && code != MAP_FAILED);
	fprintf(f, "%lx 100 made here\n", (unsigned long)code);
	fclose(f);
	CU_ASSERT_EQUAL_FATAL(A2nInit(), 0);
	CU_ASSERT_EQUAL(A2nLoadMap(pid), 0);
	unlink(map);
	CU_ASSERT_EQUAL(A2nGetSymbol(pid, (uint64_t)(uintptr_t)test_self, &d), A2N_SUCCESS);
	CU_ASSERT_STRING_EQUAL(d.sym_name, "test_self");
	CU_ASSERT_STRING_EQUAL(d.owning_pid_name, "test_a2nint");
	CU_ASSERT_EQUAL(d.sym_addr, (uint64_t)(uintptr_t)test_self);
	CU_ASSERT_EQUAL(A2nGetSymbol(pid, (uint64_t)(uintptr_t)code + 8, &d), A2N_SUCCESS);
	CU_ASSERT_STRING_EQUAL(d.sym_name, "made here");
	CU_ASSERT_EQUAL(A2nGetSymbol(pid, (uint64_t)(uintptr_t)code + 0x100, &d), A2N_CODE_UNKNOWN);
	CU_ASSERT_EQUAL(A2nLoadMap(UINT32_MAX), -ENOENT);
	A2nTerminate();
	munmap(code, 4096);
}

static void *asks(void *arg)
{
	uint64_t wrong = 0, i;
	SYMDATA own;

	for (i = 0; i < 20000; i++) {
		uint64_t k = (i * 7 + (uintptr_t)arg) % 100;
		char name[16];

		snprintf(name, sizeof(name), "f%d", (int)k);
		wrong += A2nGetSymbolAt(7, 0x1000 + k * 16 + 3, 1000, &own) ||
			 strcmp(own.sym_name, name) || own.sym_addr != 0x1000 + k * 16;
	}
	return (void *)(uintptr_t)wrong;
}

static void test_threads(void)
{
	pthread_t thread[4];
	uintptr_t i;

	CU_ASSERT_EQUAL_FATAL(A2nInit(), 0);
	for (i = 0; i < 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", (int)i);
		CU_ASSERT_EQUAL(A2nAddJittedMethod(7, name, 0x1000 + i * 16, 16, NULL, 1000), 0);
	}
	for (i = 0; i < 4; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&thread[i], NULL, asks, (void *)i), 0);
	for (i = 0; i < 1000; i++)
		CU_ASSERT_EQUAL(A2nAddJittedMethod(7, "later", 0x1000, 1600, NULL, 2000 + i), 0);
	for (i = 0; i < 4; i++) {
		void *wrong;

		pthread_join(thread[i], &wrong);
		CU_ASSERT_PTR_NULL(wrong);
	}
	A2nTerminate();
}

static int run(void)
{
	static const struct unit_test tests[] = {
		{ "states", test_states },
		{ "methods", test_methods },
		{ "lines", test_lines },
		{ "modules", test_modules },
		{ "self", test_self },
		{ "threads", test_threads },
		{ NULL, NULL },
	};

	return unit_run("a2nint", tests);
}

int main(void)
{
	return with_folder(run);
}
