/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which symbol covers an address in an ELF file: kinds of programs, gaps, aliases, PLT entries. */
#include "elf_files.h"

static const char program[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"static int fresh(int x) { return x * 3; }\n"
	"__attribute__((noinline)) static int hidden(int x) { return puts(\"\") + x; }\n"
	"__attribute__((weak)) int weak_one(int x) { return hidden(x) + 1; }\n"
	"int strong_one(int x) __attribute__((alias(\"weak_one\")));\n"
	"__attribute__((section(\".text.cold\"), noinline)) int far_away(void) { return rand(); }\n"
	"static int impl(void) { return 1; }\n"
	"static void *pick(void) { return impl; }\n"
	"int indirect(void) __attribute__((ifunc(\"pick\")));\n"
	"int main(int c, char **v) { char b[9]; strcpy(b, v[0]); qsort(b, 1, 1, 0);\n"
	"  return weak_one(c) + fresh(c) + far_away() + indirect() + b[0]; }\n";

/* Works for every machine whose assembler knows nop. */
static const char assembly[] =
	".text\n.globl one\n.type one,%function\none: nop\nnop\n.size one,.-one\n"
	".skip 64,0\n"
	".globl outer\n.type outer,%function\nouter: nop\nnop\n"
	".type inner,%function\ninner: nop\nnop\n.size inner,.-inner\n"
	"label_in_outer: nop\nnop\n.size outer,.-outer\n.skip 32,0\n"
	".globl by_hand\n.type by_hand,%function\nby_hand: nop\nnop\n"
	"local_place: nop\nnop\n"
	".globl old_style\nold_style: nop\nnop\n"
	".type two_local,%function\n.weak two_weak\n.type two_weak,%function\n"
	".globl two_global\n.type two_global,%function\n.globl __two_global\n"
	".type __two_global,%function\n.globl two_global_long\n.type two_global_long,%function\n"
	"two_local:\ntwo_weak:\n__two_global:\ntwo_global_long:\ntwo_global: nop\nnop\nnop\nnop\n"
	".size two_local,.-two_local\n.size two_weak,.-two_weak\n.size two_global,.-two_global\n"
	".size __two_global,.-__two_global\n.size two_global_long,.-two_global_long\n"
	".globl sized_wins\n.type sized_wins,%function\n.type local_sized,%function\n"
	"sized_wins:\nlocal_sized: nop\nnop\n.size local_sized,.-local_sized\nnop\nnop\n"
	".globl long_one\n.type long_one,%function\n.globl short_one\n.type short_one,%function\n"
	"long_one:\nshort_one: nop\nnop\n.size short_one,.-short_one\nnop\nnop\n"
	".size long_one,.-long_one\n"
	".section .other,\"ax\"\n.globl elsewhere\n.type elsewhere,%function\nelsewhere: nop\nnop\n"
	".section .zlast,\"ax\"\n.globl beyond\n.type beyond,%function\nbeyond: nop\nnop\n"
	".size beyond,0x100000\n"
	".data\n.globl in_data\n.type in_data,%function\nin_data: .long 1\n.size in_data,4\n";

static void test_programs(void)
{
	static const char *const flags[] = {
		"-pie -fPIE",
		"-no-pie",
		"-static",
		"-static-pie -fPIE",
		"-Wl,-z,noseparate-code",
		"-Wl,-z,max-page-size=0x200000",
		"-fuse-ld=lld",
		"-fuse-ld=lld -no-pie",
		"-Wl,--hash-style=sysv -Wl,-z,now",
		"-Wl,--emit-relocs",
		"-ffunction-sections -Wl,--gc-sections -O2 -g",
		"-fuse-ld=gold",
		"-Wl,-z,pack-relative-relocs",
	};
	uint32_t i, built = 0;

	write_file("p.c", program, strlen(program));
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct a2n *a;
		char name[16];

		snprintf(name, sizeof(name), "p%u", i);
		if (sh("gcc -O1 -w %s p.c -o p%u 2>/dev/null", flags[i], i)) {
			unit_skip(name, flags[i]);
			continue;
		}
		built++;
		a = open_a2n(NULL, false);
		map_file(a, name);
		check_against_nm(a, "nm", name);
		CU_ASSERT_STRING_EQUAL(name_of(a, address_of(name, "main") + 4), "main");
		CU_ASSERT_STRING_EQUAL(name_of(a, address_of(name, "far_away")), "far_away");
		CU_ASSERT_STRING_EQUAL(name_of(a, address_of(name, "weak_one")), "strong_one");
		CU_ASSERT_EQUAL(warnings, 0);
		a2n_close(a);
	}
	CU_ASSERT(built > 4);
}

static void check_assembly(const char *file)
{
	struct a2n *a = open_a2n(NULL, false);
	uint64_t nop, t;
	struct a2n_answer r;

	map_file(a, file);
	check_against_nm(a, "nm", file);
	nop = (address_of(file, "inner") - address_of(file, "outer")) / 2;

	t = address_of(file, "one");
	CU_ASSERT_STRING_EQUAL(name_of(a, t), "one");
	CU_ASSERT_STRING_EQUAL(name_of(a, t + 2 * nop - 1), "one");
	r = ask(a, t + 2 * nop);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_NO_SYMBOL);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, A2N_NO_SYMBOL_FOUND);
	CU_ASSERT_EQUAL(r.symbol_offset, t + 2 * nop);
	CU_ASSERT_EQUAL(r.module_offset, t + 2 * nop);
	CU_ASSERT_STRING_EQUAL(name_of(a, address_of(file, "outer") - 1), A2N_NO_SYMBOL_FOUND);

	t = address_of(file, "outer");
	CU_ASSERT_STRING_EQUAL(name_of(a, t), "outer");
	r = ask(a, t + 2 * nop + 1);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "inner");
	CU_ASSERT_EQUAL(r.symbol_offset, 1);
	CU_ASSERT_EQUAL(r.symbol->size, 2 * nop);
	/* After the inner one, the outer one continues; the label there has no size. */
	CU_ASSERT_STRING_EQUAL(name_of(a, t + 4 * nop), "outer");
	CU_ASSERT_PTR_EQUAL(ask(a, t + 4 * nop).symbol, ask(a, t).symbol);
	CU_ASSERT_STRING_EQUAL(name_of(a, t + 6 * nop), A2N_NO_SYMBOL_FOUND);

	/* Unsized functions reach to the next function, over local labels. */
	t = address_of(file, "by_hand");
	CU_ASSERT_STRING_EQUAL(name_of(a, t), "by_hand");
	CU_ASSERT_STRING_EQUAL(name_of(a, t + 3 * nop), "by_hand");
	CU_ASSERT_EQUAL(ask(a, t).symbol->size, 4 * nop);
	CU_ASSERT_STRING_EQUAL(name_of(a, address_of(file, "old_style") + nop), "old_style");

	CU_ASSERT_STRING_EQUAL(name_of(a, address_of(file, "two_weak")), "two_global");
	t = address_of(file, "sized_wins");
	CU_ASSERT_STRING_EQUAL(name_of(a, t), "local_sized");
	CU_ASSERT_STRING_EQUAL(name_of(a, t + 2 * nop), A2N_NO_SYMBOL_FOUND);
	t = address_of(file, "long_one");
	CU_ASSERT_STRING_EQUAL(name_of(a, t + 2 * nop), "long_one");
	/* A size beyond the section's end is cut off there. */
	r = ask(a, address_of(file, "beyond") + nop);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "beyond");
	CU_ASSERT(r.symbol->size < 0x1000);
	CU_ASSERT_STRING_EQUAL(name_of(a, address_of(file, "elsewhere")), "elsewhere");
	a2n_close(a);
}

static void test_gaps_and_aliases(void)
{
	struct a2n *a;

	write_file("g.s", assembly, strlen(assembly));
	SH("gcc -shared -nostdlib g.s -o g.so");
	check_assembly("g.so");
	SH("gcc -m32 -shared -nostdlib g.s -o g32.so");
	check_assembly("g32.so");

	/* Only from .dynsym: a symbol without a size could cover functions that are not
	 * exported. */
	SH("cp g.so stripped.so && strip stripped.so");
	a = open_a2n(NULL, false);
	map_file(a, "stripped.so");
	CU_ASSERT_STRING_EQUAL(name_of(a, address_of("g.so", "one")), "one");
	CU_ASSERT_STRING_EQUAL(name_of(a, address_of("g.so", "by_hand")), A2N_NO_SYMBOL_FOUND);
	CU_ASSERT_STRING_EQUAL(name_of(a, address_of("g.so", "inner")), "outer");
	a2n_close(a);
}

static void test_other_machines(void)
{
	static const struct {
		const char *name, *build, *needs;
	} machines[] = {
		{ "arm64", "aarch64-linux-gnu-gcc -shared -nostdlib g.s", "aarch64-linux-gnu-gcc" },
		/* 32-bit programs */
		{ "i386", "gcc -m32 -shared -nostdlib g.s", "gcc" },
		{ "armel",
		  "clang --target=arm-linux-gnueabihf -c g.s -o arm.o && "
		  "aarch64-linux-gnu-ld -m armelf_linux_eabi -shared arm.o",
		  "aarch64-linux-gnu-ld" },
		{ "mips64", "clang --target=mips64-linux-gnu -fuse-ld=lld -shared -nostdlib g.s",
		  "ld.lld" },
		{ "mips", "clang --target=mips-linux-gnu -fuse-ld=lld -shared -nostdlib g.s",
		  "ld.lld" },
		{ "arm", "clang --target=arm-linux-gnueabihf -fuse-ld=lld -shared -nostdlib g.s",
		  "ld.lld" },
		{ "riscv", "clang --target=riscv64-linux-gnu -fuse-ld=lld -shared -nostdlib g.s",
		  "ld.lld" },
		{ "ppc64le",
		  "clang --target=powerpc64le-linux-gnu -fuse-ld=lld -shared -nostdlib g.s",
		  "ld.lld" },
	};
	uint32_t i;

	write_file("g.s", assembly, strlen(assembly));
	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct a2n *a;
		char file[32];

		snprintf(file, sizeof(file), "%s.so", machines[i].name);
		if (sh("command -v %s >/dev/null && %s -o %s 2>/dev/null", machines[i].needs,
		       machines[i].build, file)) {
			snprintf(file, sizeof(file), "machine_%s", machines[i].name);
			unit_skip(file, "no compiler, or no linker, for it");
			continue;
		}
		a = open_a2n(NULL, false);
		map_file(a, file);
		check_against_nm(a, HAVE("llvm-nm") ? "llvm-nm" : "nm", file);
		a2n_close(a);
	}
}

/* Every entry that objdump calls name@plt has that name, from its first to its last byte. */
static void check_plt(const char *objdump, const char *name, int at_least)
{
	struct a2n *a = open_a2n(NULL, false);
	char command[512], line[512];
	int n = 0, wrong = 0;
	FILE *f;

	map_file(a, name);
	snprintf(command, sizeof(command), "%s -d '%s/%s' | grep '@plt>:$'", objdump, dir, name);
	f = popen(command, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	while (fgets(line, sizeof(line), f)) {
		char plt[256];
		unsigned long at;

		/* objdump writes *ABS*+0x1234@plt for what has no symbol. */
		if (sscanf(line, "%lx <%255[^>]>", &at, plt) != 2 || plt[0] == '*')
			continue;
		n++;
		if (strcmp(name_of(a, at), plt) || strcmp(name_of(a, at + 7), plt)) {
			if (!wrong++)
				printf("# %s: %#lx %s is %s\n", name, at, plt, name_of(a, at));
		}
	}
	pclose(f);
	if (n < at_least)
		printf("# %s: only %d entries\n", name, n);
	CU_ASSERT(n >= at_least);
	CU_ASSERT_EQUAL(wrong, 0);
	a2n_close(a);
}

static unsigned long plt_of(const char *name)
{
	char command[256];
	unsigned long at = 0;
	FILE *f;

	snprintf(command, sizeof(command),
		 "readelf -SW %s/%s | sed -n 's/.* \\.plt  *PROGBITS  *\\([0-9a-f]*\\) .*/\\1/p'",
		 dir, name);
	f = popen(command, "r");
	CU_ASSERT_EQUAL_FATAL(fscanf(f, "%lx", &at), 1);
	pclose(f);
	return at;
}

/* Entries that load nothing and push a number have the name of that relocation. */
static __attribute__((unused)) void check_pushes(const char *name)
{
	struct a2n *a = open_a2n(NULL, false);
	unsigned long at = plt_of(name);
	char command[256], symbol[64], plt[72];
	unsigned int n = 0;
	FILE *f;

	map_file(a, name);
	snprintf(command, sizeof(command),
		 "readelf -rW %s/%s | sed -n 's/.*_JUMP_SLO[^ ]* *[0-9a-f]* *\\([a-z]*\\).*/\\1/p'",
		 dir, name);
	f = popen(command, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	for (at += 16; fscanf(f, "%63s", symbol) == 1; at += 16, n++) {
		snprintf(plt, sizeof(plt), "%s@plt", symbol);
		CU_ASSERT_STRING_EQUAL(name_of(a, at), plt);
		CU_ASSERT_STRING_EQUAL(name_of(a, at + 15), plt);
	}
	CU_ASSERT(n >= 3);
	pclose(f);
	a2n_close(a);
}

static void test_plt(void)
{
	static const char calls[] =
		"extern void a(void), bb(void), cc(void); extern int take(void *);\n"
		"int g(void) { a(); bb(); cc(); bb(); return take(a); }\n";
	static const char start[] = "int g(void); void _start(void) { g(); for (;;) ; }\n";

	write_file("p.c", program, strlen(program));
	write_file("c.c", calls, strlen(calls));
	write_file("s.c", start, strlen(start));
#if defined(__x86_64__)
	SH("gcc -w -O1 p.c -o lazy -Wl,-z,lazy -fcf-protection=none");
	check_plt("objdump", "lazy", 4);
	SH("gcc -w -O1 p.c -o ibt -Wl,-z,lazy,-z,ibtplt -fcf-protection=full");
	check_plt("objdump", "ibt", 4);
	SH("gcc -w -O1 p.c -o now -Wl,-z,now");
	check_plt("objdump", "now", 4);
	SH("gcc -w -O1 -no-pie p.c -o nopie");
	check_plt("objdump", "nopie", 4);
	SH("gcc -shared -nostdlib -fPIC c.c -o c.so -Wl,-z,lazy");
	check_plt("objdump", "c.so", 3);
	SH("gcc -m32 -shared -nostdlib -fPIC c.c -o c32.so -Wl,-z,lazy");
	check_plt("objdump", "c32.so", 3);
	/* A slot of another kind, too: the address of a. */
	SH("gcc -shared -nostdlib -fPIC c.c -o push.so -Wl,-z,lazy,-z,ibtplt");
	check_pushes("push.so");
	SH("gcc -m32 -shared -nostdlib -fPIC c.c -o push32.so -Wl,-z,lazy,-z,ibtplt");
	check_pushes("push32.so");
	SH("gcc -m32 -fno-pic -nostdlib -no-pie s.c c32.so -o c32 -Wl,--allow-shlib-undefined");
	check_plt("objdump", "c32", 1);
	/* A static program's indirect functions. */
	SH("gcc -w -O1 -static p.c -o static");
	{
		struct a2n *a = open_a2n(NULL, false);
		unsigned long at = plt_of("static");

		map_file(a, "static");
		CU_ASSERT_PTR_NOT_NULL(strstr(name_of(a, at), "@plt"));
		CU_ASSERT_PTR_NOT_NULL(strstr(name_of(a, at + 16), "@plt"));
		a2n_close(a);
	}
	/* Without a symbol table the imports still have names; the rest has none. */
	SH("strip -o lazy-stripped lazy");
	{
		struct a2n *a;
		struct a2n_answer r;

		check_plt("objdump", "lazy-stripped", 4);
		a = open_a2n(NULL, false);
		map_file(a, "lazy-stripped");
		r = ask(a, address_of("lazy", "main"));
		CU_ASSERT_EQUAL(r.result, A2N_OK);
		CU_ASSERT_PTR_EQUAL(strstr(r.symbol->name, "lazy-stripped+0x"), r.symbol->name);
		CU_ASSERT_EQUAL(r.symbol_offset, 0);
		CU_ASSERT_EQUAL(warnings, 1);
		a2n_close(a);
	}
#else
	unit_skip("plt_x86", "not on x86-64");
#endif
	if (!HAVE("aarch64-linux-gnu-gcc"))
		unit_skip("plt_arm64", "no compiler for arm64");
	if (HAVE("aarch64-linux-gnu-gcc")) {
		SH("aarch64-linux-gnu-gcc -shared -nostdlib -fPIC c.c -o c64.so -Wl,-z,lazy");
		check_plt("aarch64-linux-gnu-objdump", "c64.so", 3);
		SH("aarch64-linux-gnu-gcc -mbranch-protection=standard -shared -nostdlib -fPIC c.c "
		   "-o bti.so -Wl,-z,lazy,-z,force-bti 2>/dev/null");
		check_plt("aarch64-linux-gnu-objdump", "bti.so", 3);
		SH("aarch64-linux-gnu-gcc -mbranch-protection=standard -shared -nostdlib -fPIC c.c "
		   "-o pac.so -Wl,-z,lazy,-z,force-bti,-z,pac-plt 2>/dev/null");
		check_plt("aarch64-linux-gnu-objdump", "pac.so", 3);
		/* Only there each entry begins with a landing pad. */
		SH("aarch64-linux-gnu-gcc -mbranch-protection=standard -nostdlib -no-pie s.c c64.so "
		   "-o bti -Wl,-z,lazy,-z,force-bti,--allow-shlib-undefined 2>/dev/null");
		check_plt("aarch64-linux-gnu-objdump", "bti", 1);
	}
}

/* Where g calls a, bb, cc, bb and take, the entries are, whatever linker made them: each has its
 * name from its first byte to its last, and no more. */
static void check_calls(const char *objdump, const char *name, const char *call, unsigned int size)
{
	static const char *const callees[] = { "a@plt", "bb@plt", "cc@plt", "bb@plt", "take@plt" };
	struct a2n *a = open_a2n(NULL, false);
	char command[512], line[512];
	unsigned int n = 0, wrong = 0;
	FILE *f;

	map_file(a, name);
	snprintf(command, sizeof(command), "%s -d --disassemble=g '%s/%s' | grep -wE '%s'", objdump,
		 dir, name, call);
	f = popen(command, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	while (fgets(line, sizeof(line), f)) {
		const char *bracket = strchr(line, '<'), *space = bracket;
		const char *expected = n < 5 ? callees[n] : "";
		unsigned long at;

		if (!bracket || strstr(line, "thunk.bx>"))
			continue;
		while (space && space > line + 1 && space[-2] != ' ' && space[-2] != '\t')
			space--;
		if (!space || sscanf(space - 1, "%lx", &at) != 1)
			continue;
		n++;
		if (strcmp(name_of(a, at), expected) ||
		    strcmp(name_of(a, at + size - 1), expected) ||
		    !strcmp(name_of(a, at - 1), expected) ||
		    !strcmp(name_of(a, at + size), expected)) {
			printf("# %s: %#lx is %s, not %s\n", name, at, name_of(a, at), expected);
			wrong++;
		}
	}
	pclose(f);
	if (n != 5)
		printf("# %s: %u calls\n", name, n);
	CU_ASSERT_EQUAL(n, 5);
	CU_ASSERT_EQUAL(wrong, 0);
	a2n_close(a);
}

static void test_plt_of_linkers(void)
{
	static const char calls[] =
		"extern void a(void), bb(void), cc(void); extern int take(int);\n"
		"__attribute__((visibility(\"protected\")))\n"
		"int g(void) { a(); bb(); cc(); bb(); return 1 + take(2); }\n";
	static const struct {
		const char *name, *needs, *object, *link;
		unsigned int size;
	} linked[] = {
		{ "ret", "ld.lld", "c", "ld.lld -z retpolineplt", 32 },
		{ "ret-now", "ld.lld", "c", "ld.lld -z retpolineplt -z now", 16 },
		{ "ret-32", "ld.lld", "c32", "ld.lld -m elf_i386 -z retpolineplt", 32 },
		{ "ret-32-now", "ld.lld", "c32", "ld.lld -m elf_i386 -z retpolineplt -z now", 32 },
		{ "lld", "ld.lld", "c", "ld.lld", 16 },
		{ "lld-32", "ld.lld", "c32", "ld.lld -m elf_i386", 16 },
		{ "lld-ibt", "ld.lld", "c", "ld.lld -z force-ibt 2>/dev/null", 16 },
		{ "gold", "ld.gold", "c", "ld.gold", 16 },
		{ "gold-now", "ld.gold", "c", "ld.gold -z now", 16 },
		{ "ld", "ld", "c", "ld", 16 },
		{ "ld-ibt", "ld", "c", "ld -z ibtplt", 16 },
		{ "ld-now-ibt", "ld", "c", "ld -z now -z ibtplt", 16 },
		{ "ld-32-ibt", "ld", "c32", "ld -m elf_i386 -z ibtplt", 16 },
		{ "mold", "mold", "c", "mold", 16 },
		{ "mold-now", "mold", "c", "mold -z now", 16 },
		{ "mold-32", "mold", "c32", "mold -m elf_i386", 16 },
		{ "arm64", "ld.lld", "ca", "ld.lld", 16 },
		{ "arm64-pac", "ld.lld", "ca", "ld.lld -z pac-plt -z force-bti 2>/dev/null", 24 },
		{ "arm64-mold", "mold", "ca", "mold -m aarch64linux", 16 },
		{ "arm64-ld", "aarch64-linux-gnu-ld", "ca", "aarch64-linux-gnu-ld", 16 },
		{ "arm64-gold", "aarch64-linux-gnu-ld.gold", "ca", "aarch64-linux-gnu-ld.gold",
		  16 },
	};
	unsigned int i, built = 0;

	write_file("c.c", calls, strlen(calls));
#if defined(__x86_64__)
	SH("gcc -O1 -fPIC -fcf-protection -c c.c -o c.o");
	sh("gcc -m32 -O1 -fPIC -fcf-protection -c c.c -o c32.o 2>/dev/null");
#else
	unit_skip("plt_of_x86_linkers", "gcc makes no code of x86 here");
#endif
	sh("aarch64-linux-gnu-gcc -O1 -fPIC -c c.c -o ca.o 2>/dev/null");
	for (i = 0; i < sizeof(linked) / sizeof(linked[0]); i++) {
		bool arm = linked[i].object[1] == 'a';
		char file[32], part[32];

		snprintf(file, sizeof(file), "plt-%s.so", linked[i].name);
		if (sh("command -v %s >/dev/null && %s -shared -o %s %s.o 2>/dev/null",
		       linked[i].needs, linked[i].link, file, linked[i].object)) {
			snprintf(part, sizeof(part), "plt_by_%s", linked[i].name);
			unit_skip(part, "that linker is not here");
			continue;
		}
		built++;
		check_calls(arm ? "aarch64-linux-gnu-objdump" : "objdump", file,
			    arm ? "bl" : "call|jmp", linked[i].size);
	}
	CU_ASSERT(built > 4);
}

/* mprotect and mremap leave parts of a segment mapped; each part knows its place in the file. */
static void test_parts_of_segment(void)
{
	struct a2n *a = open_a2n(NULL, false);
	uint64_t address;
	char path[128];
	struct a2n_answer r;
	struct a2n_map map = { .length = 0x1000, .path = path };

	write_file("p.c", program, strlen(program));
	SH("gcc -w -O1 -no-pie p.c -o parts -Wl,-z,separate-code");
	address = address_of("parts", "main");
	snprintf(path, sizeof(path), "%s/parts", dir);
	map.offset = (address & ~0xfffull) - 0x400000;
	map.start = 0x7000000000;
	a2n_add_map(a, 10, 1, &map);
	a2n_resolve(a, 1, 20, 0x7000000000 + (address & 0xfff), false, &r);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "main");
	CU_ASSERT_EQUAL(r.module_offset, address);
	CU_ASSERT_EQUAL(r.symbol->value, address);
	CU_ASSERT_EQUAL(r.symbol_offset, 0);
	/* Twice in one process, and in two. */
	map.start = 0x9000000000;
	a2n_add_map(a, 10, 1, &map);
	a2n_add_map(a, 10, 2, &map);
	CU_ASSERT_PTR_EQUAL(r.symbol,
			    (a2n_resolve(a, 1, 20, 0x9000000000 + (address & 0xfff) + 1, false, &r),
			     r.symbol));
	CU_ASSERT_EQUAL(r.symbol_offset, 1);
	CU_ASSERT_PTR_EQUAL(r.symbol,
			    (a2n_resolve(a, 2, 20, 0x9000000000 + (address & 0xfff), false, &r),
			     r.symbol));
	/* An offset that no segment holds. */
	map.offset = 0x40000000;
	map.start = 0xa000000000;
	a2n_add_map(a, 10, 1, &map);
	a2n_resolve(a, 1, 20, 0xa000000010, false, &r);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_NO_SYMBOL);
	a2n_close(a);
}

static void test_no_sections(void)
{
	static const char *const styles[] = { "sysv", "gnu", "both" };
	uint32_t i, class;

	write_file("g.s", assembly, strlen(assembly));
	for (i = 0; i < 6; i++) {
		struct a2n *a;
		size_t size;
		char *image;

		class = i / 3;
		SH("gcc %s -shared -nostdlib g.s -o whole.so -Wl,--hash-style=%s",
		   class ? "-m32" : "-m64", styles[i % 3]);
		image = read_file("whole.so", &size);
		if (class) {
			memset(image + 0x20, 0, 4); /* e_shoff */
			memset(image + 0x30, 0, 4); /* e_shnum, e_shstrndx */
		} else {
			memset(image + 0x28, 0, 8);
			memset(image + 0x3c, 0, 4);
		}
		write_file("bare.so", image, size);
		free(image);
		a = open_a2n(NULL, false);
		map_file(a, "bare.so");
		CU_ASSERT_STRING_EQUAL(name_of(a, address_of("whole.so", "one")), "one");
		CU_ASSERT_STRING_EQUAL(name_of(a, address_of("whole.so", "one") + 8),
				       A2N_NO_SYMBOL_FOUND);
		CU_ASSERT_STRING_EQUAL(name_of(a, address_of("whole.so", "two_global")),
				       "two_global");
		CU_ASSERT_STRING_EQUAL(name_of(a, address_of("whole.so", "long_one")), "long_one");
		a2n_close(a);
	}
}

static void test_demangled(void)
{
	static const char cxx[] =
		"extern \"C\" int puts(const char *);\n"
		"namespace outer { template <class T> struct Box { T get(int) { return T(); } };\n"
		"template struct Box<long>; }\n"
		"namespace outer { int call(const char *s) { return puts(s); } }\n";
	struct a2n *a;
	struct a2n_answer r;
	uint64_t at;

	write_file("x.cc", cxx, strlen(cxx));
	SH("gcc -O1 -fPIC -shared -nostdlib x.cc -o x.so");
	at = address_of("x.so", "_ZN5outer3BoxIlE3getEi");
	a = open_a2n(NULL, true);
	map_file(a, "x.so");
	r = ask(a, at);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "outer::Box<long>::get(int)");
	CU_ASSERT_STRING_EQUAL(r.symbol->raw_name, "_ZN5outer3BoxIlE3getEi");
	a2n_close(a);
	a = open_a2n(NULL, false);
	map_file(a, "x.so");
	CU_ASSERT_STRING_EQUAL(name_of(a, at), "_ZN5outer3BoxIlE3getEi");
	a2n_close(a);
}

static int run(void)
{
	static const struct unit_test tests[] = { { "programs", test_programs },
						  { "gaps_and_aliases", test_gaps_and_aliases },
						  { "other_machines", test_other_machines },
						  { "plt", test_plt },
						  { "plt_of_linkers", test_plt_of_linkers },
						  { "parts_of_segment", test_parts_of_segment },
						  { "no_sections", test_no_sections },
						  { "demangled", test_demangled },
						  { NULL, NULL } };

	return unit_run("a2n_elf", tests);
}

int main(void)
{
	return with_folder(run);
}
