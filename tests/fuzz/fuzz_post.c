/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: all of post, from a trace file to a report. The first byte chooses the reports, the rest is
 * the file. Its CRCs are made right, so that what a damaged file would hide behind them is reached.
 */
#include "fuzz.h"

int post_main(int argc, char **argv);
#define main post_main
#include "main.c"
#undef main

#include <fcntl.h>
#include <getopt.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_trace.h"

#define WORDS 12

/* "@" is the trace itself. Each writes to /dev/null, and what belongs on the screen to stdout,
 * which is that too. */
static const char *const wanted[][WORDS] = {
	{ "-tprof", "-sched", "-offcpu", "-irq", "-syscalls", "-faults", "-marks", "-cpu" },
	{ "-tprof", "-sched", "-offcpu", "-irq", "-syscalls", "-faults", "-marks", "-json", "-off" },
	{ "-show" }, { "-show", "-json" },
	{ "-tprof", "-off", "-pnm", "-clip", "1" }, { "-tprof", "-csv", "-tnm", "-cpu" },
	{ "-tprof", "-e", "cycles", "-v" },
	{ "-sched", "-csv" }, { "-offcpu", "-csv" }, { "-irq", "-csv" }, { "-syscalls", "-csv" },
	{ "-faults", "-csv" },
	{ "-calltree" }, { "-calltree", "-json" }, { "-calltree", "-csv", "-clip", "5" },
	{ "-callers", "-callees", "-json" }, { "-callers" }, { "-callees", "-csv" },
	{ "-callers=spin_unlock" }, { "-folded" }, { "-offcpu", "-folded" },
	{ "-offcpu", "-calltree" }, { "-annotate", "spin_unlock" },
	{ "-annotate", "vfs_read@vmlinux", "-json" }, { "-annotate", "copy_to_user", "-csv" },
	{ "-tprof", "-e", "0", "-kmap", "@" }, { "-annotate", "g@[vdso]", "-e", "0" },
	{ "-annotate", "one", "-e", "0", "-json" }, { "-annotate", "g", "-e", "0", "-csv" },
	{ "-calltree", "-e", "0", "-pnm" }, { "-callers=g", "-e", "timer", "-sympath", "/nowhere" },
};
#define REPORT_SETS (sizeof(wanted) / sizeof(wanted[0]))

/* It says what is wrong with the file; here nobody reads that. */
static void silence(void)
{
	FILE *out = fopen("/dev/null", "w"), *err = fopen("/dev/null", "w");

	if (!out || !err)
		abort();
	stdout = out;
	stderr = err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *own_out = stdout, *own_err = stderr;
	static FILE *no_out, *no_err;
	char *argv[WORDS + 8], path[64];
	uint8_t *file;
	int fd, code, argc = 0;

	if (size < 1)
		return 0;
	file = malloc(size);
	if (!file)
		abort();
	memcpy(file, data + 1, size - 1);
	fuzz_mend_crcs(file, size - 1);
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, file, size - 1) != (ssize_t)size - 1)
		abort();
	free(file);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	argv[argc++] = "post";
	for (const char *const *word = wanted[data[0] % REPORT_SETS]; *word; word++)
		argv[argc++] = strcmp(*word, "@") ? (char *)*word : path;
	argv[argc++] = "-o";
	argv[argc++] = "/dev/null";
	argv[argc++] = "-r";
	argv[argc++] = path;
	argv[argc] = NULL;
	if (!no_out) {
		silence();
		no_out = stdout;
		no_err = stderr;
	}
	stdout = no_out;
	stderr = no_err;
	optind = 0;
	code = post_main(argc, argv);
	stdout = own_out;
	stderr = own_err;
	close(fd);
	if (code < EXIT_CLEAN || code > EXIT_UNREADABLE)
		abort();
	return 0;
}

#ifdef LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	if (size < 2 || seed % 16 == 0)
		return LLVMFuzzerMutate(data, size, max);
	return 1 + fuzz_mutate(data + 1, size - 1, max - 1, seed / 16);
}
#endif
