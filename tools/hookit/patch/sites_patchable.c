/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The section __patchable_function_entries. */
#include "begins.h"
#include "sites_add.h"

#define PAD 4 /* bytes of a landing pad, on both machines */
#define NO_ENTRY                                                                            \
	"it is not certain where the function begins: the file has no symbol of it, nor a " \
	"table for unwinders (.eh_frame_hdr)"

static bool begins(const struct patch_image *im, const struct object_file *o, uint64_t low,
		   uint64_t high, uint64_t *begin)
{
	for (uint64_t at = low; at <= high; at++) {
		const struct object_function *f = object_file_function(o, at - im->bias);

		if (f && f->address == at - im->bias) {
			*begin = at;
			return true;
		}
	}
	return begins_between(im, o, low, high, begin);
}

/*
 * `at` is the address of the first nop. Nops before the function's entry are not executed and stay.
 * A landing pad precedes all nops, or follows those before the entry. Returns NULL, or why the site
 * is refused.
 */
static const char *find_entry(const struct patch_image *im, const struct object_file *o,
			      uint64_t at, struct patch_site *site)
{
	struct bytes code = image_bytes(im, at, 4096, true);
	uint64_t nops = 0, n;

	if (!bytes_left(&code))
		return "it is outside of the program's code";
	while ((n = site_code_nop(code))) {
		code = bytes_of(code.base + n, code.size - n);
		nops += n;
	}
	site->at = at;
	if (site_code_pad(image_bytes(im, at - PAD, 16, true)) == PAD &&
	    begins(im, o, at - PAD, at - PAD, &site->function))
		return NULL;
	if (!begins(im, o, at, at + nops, &site->function))
		return NO_ENTRY;
	site->at = site->function + site_code_pad(image_bytes(im, site->function, 16, true));
	return NULL;
}

int sites_patchable(struct sites *s, const struct patch_image *im, const struct object_file *o,
		    uint64_t address, uint64_t size, struct patch_fault *f)
{
	struct bytes b = image_bytes(im, address, size, false);
	uint64_t at;

	if (size && bytes_left(&b) < size) {
		patch_fault(f, 0, "__patchable_function_entries: its %llu bytes are not loaded",
			    (unsigned long long)size);
		return -1;
	}
	while (bytes_left(&b) >= sizeof(at)) {
		struct patch_site site = { .kind = SITE_ENTRY };
		const char *why;

		at = bytes_u64(&b);
		s->entries++;
		/* Entries of functions that the linker discarded. */
		if (!at || at == im->bias)
			continue;
		why = find_entry(im, o, at, &site);
		if (!why)
			why = site_code_entry(image_bytes(im, site.at, SITE_LONGEST, true),
					      &site.code);
		if (why)
			site_refused(s, at, why);
		else if (site_add(s, &site, f, b.at - sizeof(at)))
			return -1;
	}
	if (!bytes_left(&b))
		return 0;
	patch_fault(f, b.at, "__patchable_function_entries: %zu bytes are left after %zu entries",
		    bytes_left(&b), s->entries);
	return -1;
}
