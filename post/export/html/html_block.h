/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A block of data in a page: a script element with a type that browsers do not run. Its text is the
 * data, compressed by gzip, in base64, so that browsers cannot take any of the data for markup.
 * Numbers are LEB128: seven bits a byte, lowest first; signed ones are zigzag-encoded (0, -1, 1,
 * -2, …).
 */
#ifndef POST_HTML_BLOCK_H
#define POST_HTML_BLOCK_H

#include <json.h>
#include <stdint.h>

#include "export/gzip.h"

struct html_block {
	FILE *out;
	struct gzip gzip;
	uint8_t held[3]; /* less than a group of base64 */
	unsigned int nheld;
	uint8_t room[4096]; /* not compressed yet */
	size_t used;
};

/* Returns 0 or -ENOMEM. The FILE keeps write errors. */
int html_block_begin(struct html_block *b, FILE *out, const char *name);
void html_block_bytes(struct html_block *b, const void *data, size_t size);
void html_block_number(struct html_block *b, uint64_t value);
static inline void html_block_signed(struct html_block *b, int64_t value)
{
	html_block_number(b, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}
void html_block_end(struct html_block *b);
/* Writes a block of JSON text that `write` produces. Returns 0 or -errno. */
typedef int (*html_block_writer)(const void *arg, struct json *j);
int html_block_json(struct html_block *b, FILE *out, const char *name, html_block_writer write,
		    const void *arg);

#endif
