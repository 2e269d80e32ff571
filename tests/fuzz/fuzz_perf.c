/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: perf records, as the collector and the importer decode and convert them. The first 32 bytes
 * are the shape, the rest is one record. */
#include "fuzz.h"
#include "collect/perf/perf_decode.h"
#include "collect/perf/perf_records.h"

static int tell(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		uint64_t time)
{
	(void)arg, (void)major, (void)minor, (void)time;
	if (size > 2 * PERF_COPY_MAX)
		abort();
	fuzz_touch(data, size);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_shape shape = { 0 };
	struct perf_stacks stacks;
	struct perf_running running = { 0 };
	struct perf_item item;
	uint64_t head[4];
	const char *why = NULL;
	uint8_t *copy;
	int rc;

	if (size < sizeof(head))
		return 0;
	memcpy(head, data, sizeof(head));
	data += sizeof(head);
	size -= sizeof(head);
	shape.sample_type = head[0];
	shape.read_format = head[1];
	shape.regs_user = head[2] & 1 ? perf_user_registers() : head[2] >> 8;
	shape.regs_intr = head[3] >> 32;
	shape.id_all = head[2] & 2;
	shape.branch_type = (head[2] & 4 ? PERF_SAMPLE_BRANCH_HW_INDEX : 0) |
			    (head[2] & 32 ? PERF_BRANCH_COUNTERS : 0);
	shape.build_id = head[2] & 8;
	shape.swap = head[2] & 16;
	stacks = (struct perf_stacks){
		.want = head[3] & 15,
		.depth = head[3] >> 8 & 127,
		.most = head[3] >> 16 & 255,
		.regs = shape.regs_user,
		.copy = head[3] & 16 ? PERF_COPY_MAX : 8192,
		.registers = perf_registers_of(head[3] & 32 ? "aarch64" : "x86_64"),
	};
	copy = malloc(size ? size : 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	rc = perf_decode(&shape, copy, size, &item, &why);
	if ((rc != 0) != (why != NULL))
		abort();
	if (!rc) {
		if (item.text)
			fuzz_touch(item.text, item.text_len + 1);
		fuzz_touch(item.raw, item.nraw);
		perf_put_name(&item, tell, NULL);
		if (item.type == PERF_RECORD_SAMPLE)
			perf_put_sample(&item, &stacks, 0, tell, NULL);
		perf_put_dispatch(&item, &running, tell, NULL);
	}
	free(copy);
	return 0;
}
