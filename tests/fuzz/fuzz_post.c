/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: all of post, from a trace file to a report. The first byte chooses the reports (EVERY: all,
 * one set after the other: for seeds), the rest is the file. The CRCs of a file of ours are made
 * right, so that what a damaged one would hide behind them is reached; files of other formats are
 * left as they are.
 * For reports that look into a folder, behind the last section stand files to find there: of each
 * its length (4 bytes) and as much; none where the length is 0.
 */
#include "fuzz.h"

int post_main(int argc, char **argv);
#define main post_main
#include "main.c"
#undef main

#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_input.h"
#include "fuzz_trace.h"

#define WORDS 12

/* "@" is the trace itself (alone: a second one), "#" the folder, "~" something to be written in
 * there. Else each writes to /dev/null, and what belongs on the screen to stdout, which is that
 * too. */
static const char *const wanted[][WORDS] = {
	{ "-tprof", "-sched", "-offcpu", "-irq", "-syscalls", "-faults", "-marks", "-cpu" },
	{ "-tprof", "-sched", "-offcpu", "-irq", "-syscalls", "-faults", "-marks", "-json",
	  "-off" },
	{ "-show" },
	{ "-show", "-json" },
	{ "-tprof", "-off", "-pnm", "-clip", "1" },
	{ "-tprof", "-csv", "-tnm", "-cpu" },
	{ "-tprof", "-e", "cycles", "-v" },
	{ "-sched", "-csv" },
	{ "-offcpu", "-csv" },
	{ "-irq", "-csv" },
	{ "-syscalls", "-csv" },
	{ "-faults", "-csv" },
	{ "-calltree" },
	{ "-calltree", "-json" },
	{ "-calltree", "-csv", "-clip", "5" },
	{ "-callers", "-callees", "-json" },
	{ "-callers" },
	{ "-callees", "-csv" },
	{ "-callers=spin_unlock" },
	{ "-folded" },
	{ "-offcpu", "-folded" },
	{ "-offcpu", "-calltree" },
	{ "-annotate", "spin_unlock" },
	{ "-annotate", "vfs_read@vmlinux", "-json" },
	{ "-annotate", "copy_to_user", "-csv" },
	{ "-tprof", "-e", "0", "-kmap", "@" },
	{ "-tprof", "-k", "@", "-nsf" },
	{ "-annotate", "g@[vdso]", "-e", "0" },
	{ "-annotate", "one", "-e", "0", "-json" },
	{ "-annotate", "g", "-e", "0", "-csv" },
	{ "-calltree", "-e", "0", "-pnm" },
	{ "-callers=g", "-e", "timer", "-sympath", "/nowhere" },
	{ "-marks", "-csv" },
	{ "-marks", "-tnm" },
	{ "-sched", "-pnm", "-marks", "-tprof", "-tnm" },
	{ "-tprof", "-line", "-jdir", "#", "-sympath", "#", "-v", "-marks" },
	{ "-tprof", "-line", "-inline", "-json", "-jdir", "#", "-sympath", "#" },
	{ "-tprof", "-inline", "-line", "-csv", "-jdir", "#", "-sympath", "#", "-off" },
	{ "-calltree", "-line", "-inline", "-jdir", "#", "-sympath", "#" },
	{ "-callers", "-line", "-json", "-jdir", "#", "-sympath", "#" },
	{ "-folded", "-inline", "-jdir", "#", "-sympath", "#" },
	{ "-annotate", "hot", "-jdir", "#", "-sympath", "#" },
	{ "-annotate", "hot@program", "-json", "-jdir", "#", "-sympath", "#" },
	{ "-annotate", "hot", "-csv", "-jdir", "#", "-sympath", "#" },
	{ "-annotate", "A::run", "-jdir", "#", "-sympath", "#", "-json" },
	{ "-explain", "5000007:0x700000001010:10.00005", "-jdir", "#", "-json" },
	{ "-explain", "5000008:0x700000002010:10.000052", "-jdir", "#", "-csv" },
	{ "-explain", "5000011:0x700000000110:10.000054", "-jdir", "#" },
	{ "-arc" },
	{ "-arc", "-line", "-jdir", "#", "-sympath", "#" },
	{ "-arc", "-c", "-cp" },
	{ "-arc", "-ck" },
	{ "-flow", "-cp" },
	{ "-tree" },
	{ "-tree", "-callers", "-json" },
	{ "-tree", "-folded", "-inline", "-sympath", "#" },
	{ "-disasm", "-jdir", "#", "-sympath", "#" },
	{ "-verify", "-sympath", "#" },
	{ "-format", "pprof", "-jdir", "#", "-sympath", "#" },
	{ "-format", "folded", "-cpus", "0" },
	{ "-format", "speedscope", "-time", "10.00001-" },
	{ "-format", "firefox", "-comm", "*" },
	{ "-format", "chrome" },
	{ "-format", "perfetto" },
	{ "-format", "perfetto", "-pid", "1-99" },
	{ "-tprof", "-symbol", "*a*", "-tid", "0-100000" },
	{ "-sched", "-offcpu", "-tid", "1-300" },
	{ "-info" },
	{ "-stats" },
	{ "-validate" },
	{ "-functions" },
	{ "-functions", "-json" },
	{ "-functions", "-csv" },
	{ "-format", "gperftools" },
	{ "-format", "xray" },
	{ "-format", "perf.data" },
	{ "-format", "perf.data", "-o", "~" },
	{ "-format", "ctf", "-o", "~" },
	{ "-format", "speedscope", "-inline", "-sympath", "#" },
	{ "-tprof", "-calltree", "-sched", "-time", "10-10.0001", "-cpus", "0,2-70", "-comm",
	  "a*,?*" },
	{ "-arc", "-csv", "-line" },
	{ "-arc", "-json", "-c" },
	{ "-flow", "-csv" },
	{ "-flow", "-json" },
	{ "-disasm", "-csv", "-sympath", "#", "-jdir", "#" },
	{ "-disasm", "-json" },
	{ "-verify", "-json", "-sympath", "#" },
	{ "-verify", "-csv" },
	{ "-info", "-csv" },
	{ "-info", "-json" },
	{ "-stats", "-json" },
	{ "-validate", "-json" },
	{ "-validate", "-csv" },
	{ "-tprof", "-sched", "@" },
	{ "-calltree", "@" },
	{ "-format", "chrome", "@" },
	{ "-format", "xray-map" },
	{ "-critical", "-pnm" },
	{ "-critical", "-json", "-tid", "1-300" },
	{ "-critical", "-csv" },
	{ "-html", "-sympath", "#", "-jdir", "#" },
	{ "-html", "-tnm", "-tid", "1-300" },
	{ "-html", "-tree" },
	{ "-html", "-offcpu" },
	{ "-diff", "-html", "@" },
	{ "-diff", "-html", "@", "-tid", "1-300" },
	{ "-html", "-tree", "-cp" },
	{ "-html", "-e", "0", "-pnm" },
};

/* One process reads all inputs, and writes some of them itself: it is not shut in. */
void __wrap_load_shut_in(const struct options *o, const struct opener_output *output,
			 unsigned int n);
void __wrap_load_shut_in(const struct options *o, const struct opener_output *output,
			 unsigned int n)
{
	(void)o;
	(void)output;
	(void)n;
}

static const char *const beside[] = {
	"jit-5000007.dump", "log-jita2n_5000008", "log-jtnm_5000008", "perf-5000009.map",
	"program",          "source.c",
};
#define BESIDE      (sizeof(beside) / sizeof(beside[0]))
#define REPORT_SETS (sizeof(wanted) / sizeof(wanted[0]))
#define EVERY       0xff

/* Discards the messages about the file. */
static void silence(void)
{
	FILE *out = fopen("/dev/null", "w"), *err = fopen("/dev/null", "w");

	if (!out || !err)
		abort();
	stdout = out;
	stderr = err;
}

static char folder[64], written[72];

/* Removes the output: a file or a folder of files. */
static void remove_written(void)
{
	char path[128];
	struct dirent *e;
	DIR *d;

	d = opendir(written);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%.32s", written, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	remove(written);
}

static void empty_folder(void)
{
	char path[128];

	remove_written();
	for (size_t i = 0; i < BESIDE; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, beside[i]);
		unlink(path);
	}
}

static void leave(void)
{
	empty_folder();
	rmdir(folder);
}

static void make_folder(void)
{
	if (*folder)
		return;
	fuzz_folder(folder);
	snprintf(written, sizeof(written), "%s/written", folder);
	atexit(leave);
}

static void fill_folder(struct fuzz_input in)
{
	uint32_t length;
	char path[128];
	size_t n;
	int fd;

	for (size_t i = 0; i < BESIDE && in.size; i++) {
		fuzz_take(&in, &length, sizeof(length));
		n = length < in.size ? length : in.size;
		if (!n)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, beside[i]);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 || write(fd, in.data, n) != (ssize_t)n)
			abort();
		close(fd);
		in.data += n;
		in.size -= n;
	}
}

/* The words of these reports, how many. */
static int get_words(size_t set, char *path, char **argv, bool *beside_it)
{
	char *out = "/dev/null";
	int n = 0;

	*beside_it = false;
	for (const char *const *word = wanted[set]; *word; word++) {
		if (!strcmp(*word, "#") || !strcmp(*word, "~"))
			make_folder();
		*beside_it |= !strcmp(*word, "#");
		if (!strcmp(*word, "~"))
			out = NULL;
		argv[n++] = !strcmp(*word, "@") ? path :
			    !strcmp(*word, "#") ? folder :
			    !strcmp(*word, "~") ? written :
						  (char *)*word;
	}
	if (out) {
		argv[n++] = "-o";
		argv[n++] = out;
	}
	argv[n++] = path;
	argv[n] = NULL;
	return n;
}

static bool is_ours(const uint8_t *file, size_t size)
{
	return size >= strlen(PIFILE_MAGIC) && !memcmp(file, PIFILE_MAGIC, strlen(PIFILE_MAGIC));
}

static void run_post(int argc, char **argv)
{
	FILE *own_out = stdout, *own_err = stderr;
	static FILE *no_out, *no_err;
	int code;

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
	if (code < EXIT_CLEAN || code > EXIT_UNREADABLE)
		abort();
}

static void run_set(const uint8_t *data, size_t size, size_t set)
{
	char *argv[WORDS + 8] = { "post" }, path[64];
	uint8_t *file = malloc(size + 1);
	int fd = memfd_create("fuzz", MFD_CLOEXEC), argc;
	size_t trace = size;
	bool beside_it;

	if (!file || fd < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	memcpy(file, data, size);
	argc = 1 + get_words(set, path, argv + 1, &beside_it);
	if (is_ours(file, trace)) {
		if (beside_it) {
			trace = fuzz_trace_end(file, size);
			fill_folder((struct fuzz_input){ file + trace, size - trace });
		}
		fuzz_mend_crcs(file, trace);
	}
	if (write(fd, file, trace) != (ssize_t)trace)
		abort();
	free(file);
	run_post(argc, argv);
	close(fd);
	if (*folder)
		empty_folder();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	for (size_t set = 0; data[0] == EVERY && set < REPORT_SETS; set++)
		run_set(data + 1, size - 1, set);
	if (data[0] != EVERY)
		run_set(data + 1, size - 1, data[0] % REPORT_SETS);
	return 0;
}

#ifdef LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	if (size < 2 || seed % 16 == 0)
		return LLVMFuzzerMutate(data, size, max);
	if (data[0] == EVERY)
		data[0] = (uint8_t)(seed / 16 % REPORT_SETS);
	return 1 + fuzz_mutate(data + 1, size - 1, max - 1, seed / 16);
}
#endif
