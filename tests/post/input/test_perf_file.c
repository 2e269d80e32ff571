/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf.data files in every form give the same records in the same order; cut after any byte, or
 * with any byte changed, they give what stands before the fault, which is told with its place.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/perf/perf_order.h"
#include "input/readers.h"
#include "perf_image.h"
#include "unit.h"

/*
 * Blocks of records are kept for the next file: LeakSanitizer would map and clear each anew, twice
 * a file, which would be most of these tests. It finds those that are kept; of a block in use the
 * table has ~address, by which it does not.
 */
#define KEPT 8
static uintptr_t kept[KEPT];

void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	unsigned int i, none = KEPT;
	void *p;

	for (i = 0; i < KEPT && size == PERF_BLOCK && alignment == PERF_BLOCK; i++) {
		if (kept[i] && kept[i] % PERF_BLOCK == 0) {
			p = (void *)kept[i];
			kept[i] = ~kept[i];
			return memset(p, 0xA5, 4096);
		}
		if (!kept[i])
			none = i;
	}
	p = __real_aligned_alloc(alignment, size);
	if (p && none < KEPT)
		kept[none] = ~(uintptr_t)p;
	return p;
}

void __wrap_free(void *p)
{
	for (unsigned int i = 0; p && i < KEPT; i++) {
		CU_ASSERT_FATAL(kept[i] != (uintptr_t)p); /* twice */
		if (kept[i] == ~(uintptr_t)p) {
			kept[i] = (uintptr_t)p;
			return;
		}
	}
	__real_free(p);
}

struct got {
	uint64_t sample[64]; /* times */
	unsigned int samples, names, others, events, lost;
	uint64_t last_name;
	bool ordered, complete;
	size_t faults;
	uint64_t fault; /* where the first is */
	int opened;
	char what[160];
	unsigned int modules;
	char module[600]; /* the kernel's, that was told last */
	struct pitrace_mte_map map;
	struct pifile_header header;
};

static void take(struct got *g, const struct pirecord *r, uint64_t *last)
{
	g->ordered &= r->time >= *last;
	*last = r->time;
	if (r->major == PITRACE_TPROF) {
		if (g->samples < 64)
			g->sample[g->samples] = r->time;
		g->samples++;
	} else if (r->major == PITRACE_MTE) {
		const struct pitrace_mte_map *map = r->data;

		g->names++;
		g->last_name = r->time;
		if (r->minor == PITRACE_MTE_MODULE && map->flags & PITRACE_MAP_KERNEL) {
			CU_ASSERT_FATAL(map->path_len < sizeof(g->module) &&
					sizeof(*map) + map->path_len < r->size);
			g->modules++;
			g->map = *map;
			memcpy(g->module, map->path, map->path_len);
			g->module[map->path_len] = 0;
		}
	} else if (r->major == PITRACE_SYSINFO) {
		g->events++;
	} else if (r->major == PITRACE_LOST) {
		g->lost += ((const struct pitrace_lost_rec *)r->data)->count;
	} else {
		g->others++;
	}
}

static struct got read_image(const uint8_t *data, size_t size, unsigned int what)
{
	const struct pifile_fault *list = NULL;
	struct pifile_fault fault = { 0 };
	struct got g = { .ordered = true };
	struct pirecord r;
	struct input in = { .reader = &reader_perf };
	char path[64];
	uint64_t last = 0;
	int fd = memfd_create("perf", MFD_CLOEXEC), rc;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = in.name = path;
	g.opened = in.reader->open(&in, &fault);
	if (!g.opened) {
		rc = in.reader->begin(&in, what);
		while (!rc && (rc = in.reader->next(&in, &r)) > 0) {
			take(&g, &r, &last);
			rc = 0;
		}
		CU_ASSERT_EQUAL(rc, 0);
		g.faults = in.reader->faults(&in, &list);
		g.fault = g.faults ? list[0].offset : 0;
		g.complete = in.complete;
		g.header = in.header;
		if (g.faults)
			strcpy(g.what, list[0].what);
		in.reader->close(&in);
	} else {
		g.fault = fault.offset;
		strcpy(g.what, fault.what);
	}
	close(fd);
	return g;
}

static void is_whole(const struct got *g, const char *what)
{
	static const uint64_t times[IMAGE_SAMPLES] = {
		1000, 2000, 3000, 4000, 4500, 5000, 7000, 8000,
	};

	if (g->opened || g->faults || g->samples != IMAGE_SAMPLES)
		printf("# %s: open %d, %u samples, %zu faults: %s\n", what, g->opened, g->samples,
		       g->faults, g->what);
	CU_ASSERT_EQUAL(g->opened, 0);
	CU_ASSERT_EQUAL(g->faults, 0);
	CU_ASSERT_EQUAL(g->samples, IMAGE_SAMPLES);
	CU_ASSERT(!memcmp(g->sample, times, sizeof(times)));
	CU_ASSERT(g->ordered);
	CU_ASSERT_EQUAL(g->names, 3);
	CU_ASSERT_EQUAL(g->last_name, 6000);
	CU_ASSERT_EQUAL(g->events, 2);
	CU_ASSERT_EQUAL(g->lost, 12);
}

/* Each header, order of bytes, size of an attr, with rounds and without. */
static void forms(void)
{
	static const uint64_t headers[] = { 16, 72, 104 };
	static const uint64_t attrs[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 160, 256 };

	for (unsigned int h = 0; h < 3; h++) {
		for (unsigned int a = 0; a < sizeof(attrs) / sizeof(attrs[0]); a++) {
			for (unsigned int k = 0; k < 4; k++) {
				struct perf_image m = { .header = headers[h],
							.attr = attrs[a],
							.swap = k & 1,
							.rounds = k & 2 };
				struct got g;
				char what[64];

				snprintf(what, sizeof(what), "header %u, attr %u, form %u",
					 (unsigned int)headers[h], (unsigned int)attrs[a], k);
				image_build(&m);
				g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
				is_whole(&g, what);
				CU_ASSERT(g.complete);
				g = read_image(m.data, m.n, PIMERGE_MTE);
				CU_ASSERT_EQUAL(g.samples, 0);
				CU_ASSERT_EQUAL(g.names, 3);
				free(m.data);
			}
		}
	}
}

/* Packed in chunks of every size: records straddle them anywhere. */
static void packed(void)
{
	for (size_t chunk = 1; chunk < 700; chunk += chunk < 200 ? 1 : 17) {
		for (unsigned int k = 0; k < 8; k++) {
			struct perf_image m = {
				.header = k & 4 ? 16 : 104,
				.attr = 128,
				.chunk = chunk,
				.swap = k & 1,
				.rounds = true,
				.packing = k & 2 ? PACKED : PACKED_2,
			};
			struct got g;
			char what[64];

			snprintf(what, sizeof(what), "chunks of %zu, form %u", chunk, k);
			image_build(&m);
			g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
			is_whole(&g, what);
			free(m.data);
		}
	}
}

/* A file that perf could not finish: no length, no features, all of its records. */
static void unfinished(void)
{
	struct perf_image m = { .header = 104, .attr = 128, .rounds = true, .no_size = true };
	struct got g;

	image_build(&m);
	g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
	CU_ASSERT_EQUAL(g.samples, IMAGE_SAMPLES);
	CU_ASSERT_EQUAL(g.faults, 1);
	CU_ASSERT_EQUAL(g.fault, 48);
	CU_ASSERT(!g.complete);
	free(m.data);
}

/* Cut after any byte: never fewer samples than of a shorter piece, and the fault is reported. */
static void cut(void)
{
	for (unsigned int k = 0; k < 8; k++) {
		struct perf_image m = { .header = k & 4 ? 16 : 104,
					.attr = 112,
					.chunk = 100,
					.swap = k & 1,
					.rounds = true,
					.packing = k & 2 ? PACKED : PLAIN };
		unsigned int before = 0;

		image_build(&m);
		for (size_t n = 0; n < m.n; n++) {
			struct got g = read_image(m.data, n, PIMERGE_MTE | PIMERGE_TRACE);

			if (g.opened) {
				CU_ASSERT(n < 104);
				CU_ASSERT(g.fault <= n);
				CU_ASSERT(g.what[0]);
				continue;
			}
			CU_ASSERT(g.samples >= before);
			CU_ASSERT(g.ordered);
			CU_ASSERT(g.faults || g.samples == IMAGE_SAMPLES || m.header == 16);
			/* A pipe that ends between two records cannot be recognized as
			 * truncated. */
			if (m.header == 104 && n < m.n - 200)
				CU_ASSERT(g.faults && !g.complete);
			before = g.samples;
		}
		/* Compressed data come in blocks: the last one may be lost as a whole. */
		CU_ASSERT(before >= IMAGE_SAMPLES - (m.packing == PLAIN ? 0 : 2));
		free(m.data);
	}
}

/* Any byte made another one: it opens or not, and ends. */
static void changed(void)
{
	static const uint8_t with[] = { 0xFF, 1, 0, 0x80 };

	for (unsigned int k = 0; k < 4; k++) {
		struct perf_image m = { .header = k & 1 ? 16 : 104,
					.attr = 64,
					.chunk = 64,
					.rounds = true,
					.packing = k & 2 ? PACKED_2 : PLAIN };

		image_build(&m);
		for (size_t n = 0; n < m.n; n++) {
			uint8_t was = m.data[n];

			/* Reading what is packed takes four times as long: two values do. */
			for (unsigned int i = 0; i < (k & 2 ? 2 : sizeof(with)); i++) {
				struct got g;

				m.data[n] = with[i];
				g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
				/* Compressed data have no checksum: one changed byte may change
				 * many. */
				CU_ASSERT(g.opened || m.packing != PLAIN || g.samples < 64);
				CU_ASSERT(!g.opened || g.what[0]);
			}
			m.data[n] = was;
		}
		free(m.data);
	}
}

/* A record shorter than its header is reported, and reading continues at the next reliable one. */
static void short_record(void)
{
	struct perf_image m = { .header = 16, .attr = 64, .rounds = true };
	struct got g;
	size_t at;

	image_build(&m);
	at = m.n;
	image_u64(&m, 0);
	image_sample(&m, 9000, 0, 41, 0x10090);
	g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
	CU_ASSERT_EQUAL(g.samples, IMAGE_SAMPLES + 1);
	CU_ASSERT_EQUAL(g.faults, 1);
	CU_ASSERT_EQUAL(g.fault, at);
	CU_ASSERT(!g.complete);
	free(m.data);
}

/* Behind damage, so many of `decoys` are heads of records that lead nowhere; then there are
 * `records` real ones. Fewer than four of those are believed at the file's end alone. */
static void after_damage(unsigned int decoys, unsigned int records, bool more)
{
	struct perf_image m = { .header = 16, .attr = 64, .rounds = true };
	char place[40];
	struct got g;
	size_t at, good;

	image_build(&m);
	at = m.n;
	image_u64(&m, 0);
	for (unsigned int i = 0; i < decoys; i++) {
		size_t begun = image_begin(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

		for (unsigned int k = 0; k <= i; k++)
			image_u64(&m, UINT64_MAX);
		image_end(&m, begun);
	}
	image_u64(&m, UINT64_MAX);
	good = m.n;
	for (unsigned int i = 0; i < records; i++)
		image_sample(&m, 9000 + i, 0, 41, 0x10090);
	if (more)
		image_u64(&m, UINT64_MAX);
	g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
	snprintf(place, sizeof(place), "reading goes on at byte %zu", good);
	if (more && records < 4) {
		CU_ASSERT_EQUAL(g.samples, IMAGE_SAMPLES);
		CU_ASSERT_PTR_NOT_NULL(strstr(g.what, "nothing behind it can be read"));
	} else {
		CU_ASSERT_EQUAL(g.samples, IMAGE_SAMPLES + records);
		CU_ASSERT_PTR_NOT_NULL(strstr(g.what, place));
	}
	CU_ASSERT_EQUAL(g.fault, at);
	CU_ASSERT(g.faults == 1 || (more && records >= 4));
	free(m.data);
}

static void believed(void)
{
	for (unsigned int decoys = 0; decoys < 4; decoys++) {
		for (unsigned int records = 1; records < 6; records++)
			for (int more = 0; more < 2; more++)
				after_damage(decoys, records, more);
		/* More than the buffer must have. */
		after_damage(decoys, 2000, false);
	}
}

/* A sample with an unknown id is reported and left out. */
static void unknown_id(void)
{
	struct perf_image m = { .header = 16, .attr = 64 };
	struct got g;
	size_t at;

	image_build(&m);
	at = m.n;
	image_sample(&m, 9000, 0, 99, 0x10090);
	g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
	CU_ASSERT_EQUAL(g.samples, IMAGE_SAMPLES);
	CU_ASSERT_EQUAL(g.faults, 1);
	CU_ASSERT_EQUAL(g.fault, at);
	free(m.data);
}

/* The data after an AUXTRACE record do not count to its length. */
static void aux_data(void)
{
	struct perf_image m = { .header = 16, .attr = 64 };
	uint8_t zeros[64] = { 0 };
	struct got g;
	size_t at;

	image_build(&m);
	at = image_begin(&m, 71, 0);
	image_u64(&m, sizeof(zeros));
	image_bytes(&m, zeros, 32);
	image_end(&m, at);
	image_bytes(&m, zeros, sizeof(zeros));
	image_sample(&m, 9000, 0, 41, 0x10090);
	g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
	CU_ASSERT_EQUAL(g.samples, IMAGE_SAMPLES + 1);
	CU_ASSERT_EQUAL(g.faults, 0);
	free(m.data);
}

/* A kernel module, by its path: only its name, of any length. */
static struct got module_of(const char *path)
{
	struct perf_image m = { .header = 16, .attr = 128 };
	size_t length = strlen(path), at;
	struct got g;

	image_build(&m);
	at = image_begin(&m, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	image_u32(&m, UINT32_MAX);
	image_u32(&m, 0);
	image_u64(&m, 0xffffffffc0000000);
	image_u64(&m, 0x4000);
	image_u64(&m, 0);
	image_bytes(&m, path, length);
	do
		image_bytes(&m, "", 1);
	while ((m.n - at) % 8);
	image_id(&m, 9000, 0, 41);
	image_end(&m, at);
	g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
	CU_ASSERT_EQUAL(g.opened, 0);
	CU_ASSERT_EQUAL(g.faults, 0);
	free(m.data);
	return g;
}

static void modules(void)
{
	static const char *const names[][2] = {
		{ "/lib/modules/6.1/kernel/net/nfs-v4.ko", "nfs_v4" },
		{ "/lib/modules/6.1/kernel/net/a.ko.xz", "a" },
		{ "[ext4]", "ext4" },
		{ "[snd-hda]", "snd_hda" },
		{ "b.ko", "b" },
		{ "[kernel.kallsyms]_text", NULL },
		{ "/lib/modules/.ko", NULL },
		{ "[]", NULL },
		{ "[open", NULL },
		{ "/lib/no-module", NULL },
	};
	char path[600], want[600];
	struct got g;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		g = module_of(names[i][0]);
		CU_ASSERT_EQUAL(g.modules, names[i][1] != NULL);
		CU_ASSERT_STRING_EQUAL(g.module, names[i][1] ? names[i][1] : "");
		if (names[i][1]) {
			CU_ASSERT(g.map.start == 0xffffffffc0000000 && g.map.length == 0x4000);
			CU_ASSERT(g.map.flags & PITRACE_MAP_EXEC);
		}
	}
	/* A name longer than that of any module is truncated, and not more than necessary. */
	for (size_t n = 250; n < 262; n++) {
		memset(want, 0, sizeof(want));
		memset(want, 'm', n < 255 ? n : 255);
		memset(path, 'm', n);
		strcpy(path + n, ".ko");
		g = module_of(path);
		CU_ASSERT_EQUAL(g.modules, 1);
		CU_ASSERT_STRING_EQUAL(g.module, want);
	}
}

static void set64(struct perf_image *m, size_t at, uint64_t value)
{
	value = m->swap ? __builtin_bswap64(value) : value;
	memcpy(m->data + at, &value, 8);
}

/* Each field of the header, at its limit and beyond. */
static void header_fields(void)
{
	for (unsigned int swap = 0; swap < 2; swap++) {
		struct perf_image m = { .header = 104, .attr = 128, .swap = swap };
		uint64_t data, size;
		struct got g;

		image_build(&m);
		g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
		is_whole(&g, "header");
		CU_ASSERT_STRING_EQUAL(g.header.release, "6.1.0-test");
		CU_ASSERT_STRING_EQUAL(g.header.machine, "x86_64");
		data = 104 + 32 + 2 * (128 + 16);
		memcpy(&size, m.data + 48, 8);
		size = swap ? __builtin_bswap64(size) : size;

		set64(&m, 8, 71); /* smaller than any header */
		g = read_image(m.data, m.n, PIMERGE_MTE);
		CU_ASSERT(g.opened && g.fault == 8 && strstr(g.what, "a header of 71 bytes"));
		set64(&m, 8, 104);
		set64(&m, 40, m.n + 1); /* data beyond the end */
		g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
		CU_ASSERT(!g.opened && !g.complete && g.fault == 40 && g.samples == 0 &&
			  strstr(g.what, "beyond its end"));
		set64(&m, 40, data);
		set64(&m, 48, m.n - data); /* up to the end: no table of features */
		g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
		CU_ASSERT(!g.opened && strstr(g.what, "table of features is not in the file"));
		set64(&m, 48, m.n - data + 1); /* one more than there is */
		g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
		CU_ASSERT(!g.opened && g.fault == m.n &&
			  strstr(g.what, "the file ends here, 1 bytes of its data"));
		set64(&m, 48, UINT64_MAX);
		g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
		CU_ASSERT(!g.opened && strstr(g.what, "the file ends here"));
		CU_ASSERT(g.samples >= IMAGE_SAMPLES);
		set64(&m, 48, size);
		g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
		is_whole(&g, "put back");
		free(m.data);
	}
}

/* The first record of a pipe without a header; no attr is so long that its length turns round. */
static void bare_pipe(void)
{
	struct perf_image m = { .header = 16, .attr = 64 };
	uint32_t attr;

	image_build(&m);
	CU_ASSERT(reader_perf.probe(m.data + 16, m.n - 16));
	for (unsigned int i = 0; i < 4; i++) {
		static const uint32_t wrong[] = { 63, 88 - 8 + 1, UINT32_MAX - 7, UINT32_MAX };

		attr = wrong[i];
		memcpy(m.data + 16 + 8 + 4, &attr, 4);
		CU_ASSERT_FALSE(reader_perf.probe(m.data + 16, m.n - 16));
	}
	attr = 64;
	memcpy(m.data + 16 + 8 + 4, &attr, 4);
	m.data[16 + 6]++; /* a length that is not a multiple of 8 */
	CU_ASSERT_FALSE(reader_perf.probe(m.data + 16, m.n - 16));
	free(m.data);
}

/* The facts in the file about its machine and its command, and nothing else. */
static void facts(void)
{
	static const char *const want[] = {
		"", "command: perf a b\n", "host: mill\n", "host: mill\ncommand: perf a b\n", "",
	};

	for (unsigned int swap = 0; swap < 2; swap++) {
		for (unsigned int i = 0; i < sizeof(want) / sizeof(*want); i++) {
			struct perf_image command = { .swap = swap }, host = { .swap = swap };
			struct input in = { .reader = &reader_perf };
			struct perf p = { .in = &in, .pipe = true, .swap = swap };
			struct input_section section;

			image_u32(&command, i < 4 ? 3 : 0);
			image_feature_text(&command, "perf");
			image_feature_text(&command, "a");
			image_feature_text(&command, "b");
			image_feature_text(&host, "mill");
			in.state = &p;
			p.feature_bits[0] = (i & 1 || i == 4 ? 1ull << PERF_CMDLINE : 0) |
					    (i & 2 ? 1ull << PERF_HOSTNAME : 0);
			p.feature_data[PERF_CMDLINE] = (struct blob){ .data = command.data,
								      .size = command.n };
			p.feature_data[PERF_HOSTNAME] = (struct blob){ .data = host.data,
								       .size = host.n };
			CU_ASSERT_EQUAL(reader_perf.section(&in, 0, &section), 1);
			CU_ASSERT_STRING_EQUAL(p.system, want[i]);
			CU_ASSERT_EQUAL(section.size, strlen(want[i]));
			free(p.system);
			free(command.data);
			free(host.data);
		}
	}
}

int main(void)
{
	static const struct unit_test tests[] = { { "forms", forms },
						  { "packed", packed },
						  { "unfinished", unfinished },
						  { "cut", cut },
						  { "changed", changed },
						  { "short_record", short_record },
						  { "believed", believed },
						  { "unknown_id", unknown_id },
						  { "aux_data", aux_data },
						  { "modules", modules },
						  { "header_fields", header_fields },
						  { "bare_pipe", bare_pipe },
						  { "facts", facts },
						  { NULL, NULL } };

	return unit_run("perf_file", tests);
}
