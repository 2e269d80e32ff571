/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_pt_image [KIND]... DATA TRUTH PROGRAM [ARGUMENT]...: a program is stepped, and what a
 * processor with Intel PT would have told of it is encoded (by libipt's encoder) into a perf.data
 * as perf record -e intel_pt//u writes it. TRUTH: each taken branch, "from to instructions kind",
 * and where tracing was off for a while, "at to instructions off"; TRUTH.at has, a line each, how
 * many bytes had been told by then. KIND: interrupts (each 500th instruction), overflow (a stretch
 * in the middle that is lost), cpus (a buffer of a CPU, not of a thread), pieces (the buffer was
 * written in two), repeats (the first loop is told as one of 30,000 turns more than it had).
 */
#include <elf.h>
#include <errno.h>
#include <intel-pt.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isa/flow.h"

#define ROOM     (64u << 20)
#define PMU      8
#define PSB_EACH 3000 /* bytes */
#define ID       41
#define TYPE                                                                            \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU)

static struct {
	struct pt_encoder *encoder;
	uint8_t *aux;
	uint8_t *records;
	size_t nrecords, at_aux[2];
	unsigned int naux;
	FILE *truth, *places;
	pid_t pid;
	uint64_t time, psb;
	uint8_t bits, nbits;
	bool interrupts, overflow, cpus, pieces;
	unsigned int repeats;
	bool lost;    /* nothing is told now */
	uint64_t run; /* instructions since the last record */
} g;

static void die(const char *what)
{
	fprintf(stderr, "test_pt_image: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- packets --------------------------------------------------------------------------------- */

static void put(struct pt_packet p)
{
	if (pt_enc_next(g.encoder, &p) < 0)
		die("pt_enc_next");
}

static void flush(void)
{
	if (g.nbits)
		put((struct pt_packet){
			.type = ppt_tnt_8,
			.payload.tnt = { .bit_size = g.nbits, .payload = g.bits } });
	g.bits = g.nbits = 0;
}

static void taken(bool is)
{
	g.bits = (uint8_t)(g.bits << 1 | is);
	if (++g.nbits == 6)
		flush();
}

static void ip(enum pt_packet_type type, uint64_t to)
{
	flush();
	put((struct pt_packet){
		.type = type,
		.payload.ip = { .ipc = to ? pt_ipc_full : pt_ipc_suppressed, .ip = to } });
}

static void stamp(void)
{
	put((struct pt_packet){ .type = ppt_tsc, .payload.tsc.tsc = g.time });
}

static void mode(void)
{
	struct pt_packet p = { .type = ppt_mode };

	p.payload.mode.leaf = pt_mol_exec;
	p.payload.mode.bits.exec = pt_set_exec_mode(ptem_64bit);
	put(p);
}

static void synchronize(uint64_t at)
{
	flush();
	put((struct pt_packet){ .type = ppt_psb });
	stamp();
	mode();
	if (at)
		put((struct pt_packet){ .type = ppt_fup,
					.payload.ip = { .ipc = pt_ipc_full, .ip = at } });
	put((struct pt_packet){ .type = ppt_psbend });
	pt_enc_get_offset(g.encoder, &g.psb);
}

/* ---- perf's records -------------------------------------------------------------------------- */

static void bytes(const void *p, size_t n)
{
	memcpy(g.records + g.nrecords, p, n);
	g.nrecords += n;
}

static void word(uint64_t v)
{
	bytes(&v, 8);
}

static void two(uint32_t a, uint32_t b)
{
	bytes(&a, 4);
	bytes(&b, 4);
}

static size_t record(uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	bytes(&h, sizeof(h));
	return g.nrecords - sizeof(h);
}

static void ends(size_t at)
{
	uint16_t size = (uint16_t)(g.nrecords - at);

	memcpy(g.records + at + 6, &size, 2);
}

static void identity(void)
{
	two((uint32_t)g.pid, (uint32_t)g.pid);
	word(g.time);
	two(0, 0);
	word(ID);
}

static void text(const char *s)
{
	char room[4096] = { 0 };
	size_t n = (strlen(s) & ~7ul) + 8;

	strncpy(room, s, sizeof(room) - 1);
	bytes(room, n);
}

/* Writes records of the code that is mapped now. */
static void maps(void)
{
	char path[64], line[4096], name[4096];
	unsigned long start, end, offset;
	struct stat st;
	size_t at;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", g.pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx r-xp %lx %*s %*s %4095s", &start, &end, &offset, name) !=
			    4 ||
		    name[0] != '/' || stat(name, &st))
			continue;
		at = record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
		two((uint32_t)g.pid, (uint32_t)g.pid);
		word(start);
		word(end - start);
		word(offset);
		two(0, 0);
		word(st.st_ino);
		word(0);
		two(5, 2);
		text(name);
		identity();
		ends(at);
	}
	if (f)
		fclose(f);
}

static void begin(const char *name)
{
	size_t at = record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	two((uint32_t)g.pid, (uint32_t)g.pid);
	text(name);
	identity();
	ends(at);
	g.time += 10;
	maps();
	g.time += 10;
	at = record(PERF_RECORD_ITRACE_START, 0);
	two((uint32_t)g.pid, (uint32_t)g.pid);
	identity();
	ends(at);
	g.time += 10;
}

static void exits(void)
{
	size_t at;

	g.time += 100;
	at = record(PERF_RECORD_EXIT, 0);
	two((uint32_t)g.pid, 1);
	two((uint32_t)g.pid, 1);
	word(g.time);
	identity();
	ends(at);
}

static void info(void)
{
	/* PMU, shift, multiplier, zero, user time, TSC bit, no compressed returns … */
	const uint64_t words[] = {
		PMU, 0, 1, 0, 1, 0x400, 0x800, 0, 0, g.cpus, 0x200, 0x3c000, 0, 0, 2, 0, 0,
	};
	size_t at = record(70, 0);

	two(1, 0);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		word(words[i]);
	ends(at);
}

static void aux(uint64_t from, uint64_t to)
{
	size_t at = record(PERF_RECORD_AUX, 0);

	word(from);
	word(to - from);
	word(0);
	identity();
	ends(at);
	at = g.at_aux[g.naux++] = record(71, 0);
	word((to - from + 7) & ~7ull);
	word(from);
	word(0);
	two(0, g.cpus ? UINT32_MAX : (uint32_t)g.pid);
	two(g.cpus ? 0 : UINT32_MAX, 0);
	ends(at);
	bytes(g.aux + from, to - from);
	bytes("\0\0\0\0\0\0\0", -(to - from) & 7);
}

/* ---- what ran -------------------------------------------------------------------------------- */

static bool is_direct(const uint8_t *code)
{
	while (*code == 0x66 || *code == 0x67 || *code == 0xF2 || *code == 0xF3 || *code == 0x2E ||
	       *code == 0x3E || (*code & 0xF0) == 0x40)
		code++;
	return *code == 0xE8 || *code == 0xE9 || *code == 0xEB;
}

static const char *word_of(uint8_t kind)
{
	return kind == 1 ? "call" : kind == 2 ? "return" : kind == 3 ? "jump" : "other";
}

static void put_place(void)
{
	uint64_t offset = 0;

	pt_enc_get_offset(g.encoder, &offset);
	fprintf(g.places, "%lu\n", offset);
}

static void say(const char *kind, uint64_t from, uint64_t to)
{
	if (!g.lost) {
		fprintf(g.truth, "0x%lx 0x%lx %lu %s\n", from, to, g.run, kind);
		put_place();
	}
	g.run = 0;
}

static void off_and_on(uint64_t at, uint64_t to)
{
	ip(ppt_tip_pgd, 0);
	g.time += 100;
	maps();
	g.time += 100;
	stamp();
	ip(ppt_tip_pge, to);
	say("off", at, to);
}

static void ran(const struct flow *f, const uint8_t *code, uint64_t from, uint64_t to, uint64_t n)
{
	g.time += 3;
	if (f->what == FLOW_REPEAT && from == to)
		return;
	g.run++;
	if (g.lost)
		return;
	switch (f->what) {
	case FLOW_MAYBE:
		taken(to != from + f->length);
		while (to < from && g.repeats) {
			g.repeats--;
			taken(true);
		}
		if (to != from + f->length)
			say(word_of(f->kind), from, to);
		break;
	case FLOW_BRANCH:
		if (!is_direct(code))
			ip(ppt_tip, to);
		say(word_of(f->kind), from, to);
		break;
	case FLOW_SYSCALL:
		off_and_on(from + f->length, to);
		break;
	default:
		break;
	}
	if (g.interrupts && n % 500 == 499 && f->what == FLOW_NEXT) {
		ip(ppt_fup, to);
		off_and_on(to, to);
	}
}

static struct flow look(uint64_t at, uint8_t code[FLOW_BYTES + 1])
{
	struct iovec to = { code, FLOW_BYTES + 1 }, from = { (void *)at, FLOW_BYTES + 1 };
	ssize_t got = process_vm_readv(g.pid, &to, 1, &from, 1, 0);

	return flow_x86(code, got > 0 ? (size_t)got : 0, true);
}

static void run(void)
{
	struct user_regs_struct r;
	uint8_t code[FLOW_BYTES + 1];
	uint64_t n = 0, ends = 0, offset;
	int status;

	if (ptrace(PTRACE_GETREGS, g.pid, 0, &r))
		die("registers");
	synchronize(0);
	ip(ppt_tip_pge, r.rip);
	for (;; n++) {
		uint64_t at = r.rip;
		struct flow f = look(at, code);

		if (f.what == FLOW_SYSCALL && (r.rax == 231 || r.rax == 60))
			break;
		if (ptrace(PTRACE_SINGLESTEP, g.pid, 0, 0) || waitpid(g.pid, &status, 0) != g.pid ||
		    !WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, g.pid, 0, &r))
			die("step");
		/* A stop behind cpuid, which some virtual machines' hosts forget. */
		if (f.what == FLOW_NEXT && f.length && r.rip != at + f.length) {
			ran(&f, code, at, at + f.length, n);
			at += f.length;
			f = look(at, code);
		}
		ran(&f, code, at, r.rip, n);
		/* After a branch that a packet reports: a jump after it would also be lost. */
		if (g.overflow && !ends && n >= 5000 && f.what == FLOW_MAYBE &&
		    r.rip != at + f.length) {
			flush();
			g.lost = true;
			ends = n + 1000;
		}
		if (g.lost && n == ends) {
			put((struct pt_packet){ .type = ppt_ovf });
			put((struct pt_packet){
				.type = ppt_fup,
				.payload.ip = { .ipc = pt_ipc_full, .ip = r.rip } });
			fprintf(g.truth, "gap\n");
			put_place();
			g.lost = false;
			g.run = 0;
		}
		if (!g.lost && !pt_enc_get_offset(g.encoder, &offset) && offset - g.psb > PSB_EACH)
			synchronize(r.rip);
	}
	ip(ppt_tip_pgd, 0);
	/* Without a record of its end tracing was switched off there, for all that is known. */
	g.run++;
	say(g.pieces ? "on" : "exit", (uint64_t)r.rip + 2, 0);
	kill(g.pid, SIGKILL);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_file(const char *path)
{
	struct perf_event_attr attr = {
		.type = PMU,
		.size = sizeof(attr),
		.config = 0x400,
		.sample_period = 1,
		.sample_type = TYPE,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.disabled = 1,
	};
	const uint64_t entry = sizeof(attr) + 16, attrs = 104 + 8, data = attrs + entry, id = ID;
	const uint64_t head[13] = { 0x32454c4946524550, 104, entry, attrs,   entry, data,
				    g.nrecords,         0,   0,     1u << 18 };
	const uint64_t ids[2] = { 104, 8 }, behind = data + g.nrecords + 16;
	const uint64_t index[7] = { behind, 8 + 16 * g.naux,    g.naux, data + g.at_aux[0],
				    48,     data + g.at_aux[1], 48 };
	FILE *f = fopen(path, "w");

	if (!f)
		die(path);
	fwrite(head, sizeof(head), 1, f);
	fwrite(&id, sizeof(id), 1, f);
	fwrite(&attr, sizeof(attr), 1, f);
	fwrite(ids, sizeof(ids), 1, f);
	fwrite(g.records, 1, g.nrecords, f);
	fwrite(index, sizeof(index), 1, f);
	if (fclose(f))
		die(path);
}

int main(int argc, char **argv)
{
	char places[4096];
	struct pt_config config;
	uint64_t size, half;
	const char *name;
	int i = 1;

	for (; i < argc; i++) {
		if (!strcmp(argv[i], "interrupts"))
			g.interrupts = true;
		else if (!strcmp(argv[i], "overflow"))
			g.overflow = true;
		else if (!strcmp(argv[i], "cpus"))
			g.cpus = true;
		else if (!strcmp(argv[i], "pieces"))
			g.pieces = true;
		else if (!strcmp(argv[i], "repeats"))
			g.repeats = 30000;
		else
			break;
	}
	if (argc - i < 3)
		return 2;
	g.aux = calloc(1, ROOM);
	g.records = calloc(2, ROOM);
	g.truth = fopen(argv[i + 1], "w");
	snprintf(places, sizeof(places), "%s.at", argv[i + 1]);
	g.places = fopen(places, "w");
	pt_config_init(&config);
	config.begin = g.aux;
	config.end = g.aux + ROOM;
	g.encoder = pt_alloc_encoder(&config);
	if (!g.aux || !g.records || !g.truth || !g.places || !g.encoder)
		die("begin");
	g.pid = fork();
	if (!g.pid) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[i + 2], argv + i + 2);
		_exit(127);
	}
	if (waitpid(g.pid, NULL, 0) != g.pid)
		die("wait");
	g.time = 1000000;
	name = strrchr(argv[i + 2], '/');
	info();
	begin(name ? name + 1 : argv[i + 2]);
	run();
	if (!g.pieces)
		exits();
	pt_enc_get_offset(g.encoder, &size);
	half = g.pieces ? size / 2 | 3 : size; /* padded */
	aux(0, half);
	if (g.pieces)
		aux(half, size);
	write_file(argv[i]);
	return fclose(g.truth) || fclose(g.places) ? 2 : 0;
}
