/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: minima of the agent for Java. What is read is written and read again as the same; what is
 * not, is told with its place.
 */
#include "calibration_text.h"
#include "fuzz.h"

#define KEY     "vm: A\nmetric: b\nmetric: c\n"
#define METRICS 2

static bool same(const struct calibration *a, const struct calibration *b)
{
	return !memcmp(a->minimum, b->minimum, SEQUENCES * METRICS * sizeof(*a->minimum)) &&
	       !memcmp(a->floor, b->floor, FLOORS * METRICS * sizeof(*a->floor));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct calibration c = { 0 }, again = { 0 };
	struct calibration_fault fault;
	char *text = NULL;
	size_t written;
	FILE *out;
	int rc;

	if (calibration_init(&c, METRICS) || calibration_init(&again, METRICS))
		abort();
	rc = calibration_read(&c, KEY, data, size, &fault);
	if (rc) {
		if (fault.offset > size || !*fault.what)
			abort();
	} else {
		out = open_memstream(&text, &written);
		if (!out || calibration_write(out, &c, KEY) || fclose(out) ||
		    calibration_read(&again, KEY, text, written, &fault) || !same(&c, &again) ||
		    calibration_merge(&c, &again))
			abort();
		free(text);
	}
	for (uint32_t s = 0; s < SEQUENCES; s++)
		if (calibration_over(&c, (uint16_t)s, 1) > c.minimum[s * METRICS + 1])
			abort();
	calibration_free(&c);
	calibration_free(&again);
	return 0;
}
