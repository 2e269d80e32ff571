/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf.data files in every form give the same records in the same order; cut after any byte, or
 * with any byte changed, they give what stands before the fault, which is told with its place.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/format.h"
#include "perf_image.h"
#include "unit.h"

struct got {
	uint64_t sample[64];		/* times */
	unsigned int samples, names, others, events, lost;
	uint64_t last_name;
	bool ordered, complete;
	size_t faults;
	uint64_t fault;			/* where the first is */
	int opened;
	char what[160];
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
		g->names++;
		g->last_name = r->time;
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
	struct input in = { .format = &format_perf };
	char path[64];
	uint64_t last = 0;
	int fd = memfd_create("perf", MFD_CLOEXEC), rc;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = in.name = path;
	g.opened = in.format->open(&in, &fault);
	if (!g.opened) {
		rc = in.format->begin(&in, what);
		while (!rc && (rc = in.format->next(&in, &r)) > 0) {
			take(&g, &r, &last);
			rc = 0;
		}
		CU_ASSERT_EQUAL(rc, 0);
		g.faults = in.format->faults(&in, &list);
		g.fault = g.faults ? list[0].offset : 0;
		g.complete = in.complete;
		if (g.faults)
			strcpy(g.what, list[0].what);
		in.format->close(&in);
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
				struct perf_image m = { .header = headers[h], .attr = attrs[a],
							.swap = k & 1, .rounds = k & 2 };
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
				.header = k & 4 ? 16 : 104, .attr = 128, .chunk = chunk,
				.swap = k & 1, .rounds = true,
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

/* Cut after any byte: never fewer samples than of a shorter piece, the fault told. */
static void cut(void)
{
	for (unsigned int k = 0; k < 8; k++) {
		struct perf_image m = { .header = k & 4 ? 16 : 104, .attr = 112, .chunk = 100,
					.swap = k & 1, .rounds = true,
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
			/* Of a pipe that ends between two records nobody can tell. */
			if (m.header == 104 && n < m.n - 200)
				CU_ASSERT(g.faults && !g.complete);
			before = g.samples;
		}
		/* What is packed comes in blocks: the last may be lost as a whole. */
		CU_ASSERT(before >= IMAGE_SAMPLES - (m.packing == PLAIN ? 0 : 2));
		free(m.data);
	}
}

/* Any byte made another one: it opens or not, and ends. */
static void changed(void)
{
	static const uint8_t with[] = { 0, 0xFF, 0x80, 1 };

	for (unsigned int k = 0; k < 4; k++) {
		struct perf_image m = { .header = k & 1 ? 16 : 104, .attr = 64, .chunk = 64,
					.rounds = true, .packing = k & 2 ? PACKED_2 : PLAIN };

		image_build(&m);
		for (size_t n = 0; n < m.n; n++) {
			uint8_t was = m.data[n];

			for (unsigned int i = 0; i < sizeof(with); i++) {
				struct got g;

				m.data[n] = with[i];
				g = read_image(m.data, m.n, PIMERGE_MTE | PIMERGE_TRACE);
				/* What is packed has no checksum: a byte may become many. */
				CU_ASSERT(g.opened || m.packing != PLAIN || g.samples < 64);
				CU_ASSERT(!g.opened || g.what[0]);
			}
			m.data[n] = was;
		}
		free(m.data);
	}
}

/* A record shorter than its head is told, and reading goes on at the next that is sure. */
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

/* A sample with an id of no event is told and left out. */
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

/* What lies behind an AUXTRACE record does not count to its length. */
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

int main(void)
{
	static const struct unit_test tests[] = {
		{ "forms", forms }, { "packed", packed }, { "unfinished", unfinished },
		{ "cut", cut }, { "changed", changed }, { "short_record", short_record },
		{ "unknown_id", unknown_id }, { "aux_data", aux_data }, { NULL, NULL }
	};

	return unit_run("perf_file", tests);
}
