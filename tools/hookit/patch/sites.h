/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patch sites: places in a program's code that its compiler reserved for calls of hooks. Sections
 * of the loaded program list them:
 *
 * __patchable_function_entries (-fpatchable-function-entry=N[,M], gcc and clang): for each function
 *   the address of N nops, M of which precede its entry. After the entry there may be a landing pad
 *   (endbr64, bti) before the remaining nops.
 * hookit_training_sites: the same, for the library's own functions.
 * xray_instr_map (-fxray-instrument, clang): 32 bytes for each place: its address, its function's
 *   address, a kind, and a version. From version 2 on, addresses are relative to their own field;
 *   before, absolute.
 */
#ifndef PATCH_SITES_H
#define PATCH_SITES_H

#include "image.h"
#include "object_file.h"
#include "site_code.h"

enum site_kind {
	SITE_ENTRY, /* the return is hooked as well */
	SITE_BEGIN, /* of a function that has sites at its ends */
	SITE_END,   /* a return */
	SITE_TAIL,  /* a jump to another function follows */
};

struct patch_site {
	uint64_t at, function; /* the code to be changed; the function's entry */
	struct site_code code;
	uint8_t kind;
	bool wanted, on;
	bool own;      /* the library's, not the program's */
	uint8_t *stub; /* its stub; NULL: none yet */
};

struct sites {
	struct patch_site *list;
	size_t n, room;
	size_t entries; /* entries of the sections */
	/* Sites that cannot be patched, by reason; the address of the first of each. */
	struct {
		size_t n;
		uint64_t at;
		char what[128];
	} refused[4];
};

/* Each reads the section at an address of the image and adds its sites; `o` has the functions.
 * Returns -1 with a fault if the section is not in the image or is damaged (offset in the section),
 * or if there is no memory. Sites before it are kept. */
int sites_patchable(struct sites *s, const struct patch_image *im, const struct object_file *o,
		    uint64_t address, uint64_t size, struct patch_fault *f);
int sites_xray(struct sites *s, const struct patch_image *im, uint64_t address, uint64_t size,
	       struct patch_fault *f);
/* Returns how many of these sections an object has; sites_read() also reads them, or returns -1. */
int sites_sections(const struct object_file *o);
int sites_read(struct sites *s, const struct patch_image *im, const struct object_file *o,
	       struct patch_fault *f);
void sites_free(struct sites *s);

#endif
