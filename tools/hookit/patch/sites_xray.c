/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The section xray_instr_map. */
#include "sites_add.h"

#define VERSION_RELATIVE 2
#define VERSION_NEWEST   2

/* Kinds of sleds, by XRay's numbers; higher ones are events that the program itself logs. */
static const uint8_t kinds[] = { SITE_BEGIN, SITE_END, SITE_TAIL, SITE_BEGIN };

int sites_xray(struct sites *s, const struct patch_image *im, uint64_t address, uint64_t size,
	       struct patch_fault *f)
{
	struct bytes b = image_bytes(im, address, size, false);
	const size_t entry = 32;

	if (size && bytes_left(&b) < size) {
		patch_fault(f, 0, "xray_instr_map: its %llu bytes are not loaded",
			    (unsigned long long)size);
		return -1;
	}
	while (bytes_left(&b) >= entry) {
		uint64_t here = address + b.at;
		struct patch_site site = { .at = bytes_u64(&b), .function = bytes_u64(&b) };
		uint8_t kind = bytes_u8(&b), version;
		const char *why;

		bytes_skip(&b, 1);
		version = bytes_u8(&b);
		bytes_skip(&b, entry - 19);
		s->entries++;
		if (version > VERSION_NEWEST) {
			patch_fault(f, b.at - entry,
				    "xray_instr_map: entry %zu has version %u; 0 to %u are known",
				    s->entries - 1, version, VERSION_NEWEST);
			return -1;
		}
		if (version >= VERSION_RELATIVE) {
			site.at += here;
			site.function += here + 8;
		}
		if (kind >= sizeof(kinds))
			continue;
		site.kind = kinds[kind];
		why = site_code_sled(image_bytes(im, site.at, SITE_LONGEST * 4, true), site.kind,
				     &site.code);
		if (!image_bytes(im, site.function, 1, true).size)
			why = "its function is outside of the program's code";
		if (why)
			site_refused(s, site.at, why);
		else if (site_add(s, &site, f, b.at - entry))
			return -1;
	}
	if (!bytes_left(&b))
		return 0;
	patch_fault(f, b.at, "xray_instr_map: %zu bytes are left after %zu entries", bytes_left(&b),
		    s->entries);
	return -1;
}
