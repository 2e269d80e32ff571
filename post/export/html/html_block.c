/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodes numbers to bytes, bytes to gzip, gzip to base64, and writes that to the page. */
#include "export/html/html_block.h"
#include "base/memstream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MOST 10 /* maximum bytes of a 64-bit number */

static char *encode(char *p, const uint8_t *in, unsigned int n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t x = (uint32_t)in[0] << 16 | (n > 1 ? in[1] << 8 : 0) | (n > 2 ? in[2] : 0);

	*p++ = digits[x >> 18];
	*p++ = digits[x >> 12 & 63];
	*p++ = n > 1 ? digits[x >> 6 & 63] : '=';
	*p++ = n > 2 ? digits[x & 63] : '=';
	return p;
}

/* Encodes the output of gzip. */
static void put_base64(void *arg, const void *data, size_t size)
{
	struct html_block *b = arg;
	const uint8_t *in = data, *end = in + size;
	char text[4096], *p = text;

	while (in < end) {
		if (b->nheld < sizeof(b->held)) {
			b->held[b->nheld++] = *in++;
			if (b->nheld < sizeof(b->held))
				continue;
		}
		p = encode(p, b->held, b->nheld);
		b->nheld = 0;
		for (; end - in >= 3 && p + 8 <= text + sizeof(text); in += 3)
			p = encode(p, in, 3);
		fwrite(text, 1, (size_t)(p - text), b->out);
		p = text;
	}
}

int html_block_begin(struct html_block *b, FILE *out, const char *name)
{
	b->out = out;
	b->nheld = 0;
	b->used = 0;
	fprintf(out, "<script type=\"application/octet-stream\" id=\"data-%s\">", name);
	return gzip_open_to(&b->gzip, put_base64, b);
}

static void flush(struct html_block *b)
{
	gzip_write(&b->gzip, b->room, b->used);
	b->used = 0;
}

void html_block_bytes(struct html_block *b, const void *data, size_t size)
{
	flush(b);
	gzip_write(&b->gzip, data, size);
}

void html_block_number(struct html_block *b, uint64_t value)
{
	if (b->used + NUMBER_MOST > sizeof(b->room))
		flush(b);
	for (; value >= 0x80; value >>= 7)
		b->room[b->used++] = (uint8_t)(value | 0x80);
	b->room[b->used++] = (uint8_t)value;
}

void html_block_end(struct html_block *b)
{
	char text[4];
	const char *end;

	flush(b);
	gzip_close(&b->gzip);
	if (b->nheld) {
		end = encode(text, b->held, b->nheld);
		fwrite(text, 1, (size_t)(end - text), b->out);
	}
	fputs("</script>\n", b->out);
}

int html_block_json(struct html_block *b, FILE *out, const char *name, html_block_writer write,
		    const void *arg)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	struct json j;
	int rc = to ? 0 : -ENOMEM;

	if (!rc) {
		json_begin(&j, to, false);
		rc = write(arg, &j);
		if (memstream_close(to, &text) && !rc)
			rc = -ENOMEM;
	}
	if (!rc)
		rc = html_block_begin(b, out, name);
	if (!rc) {
		html_block_bytes(b, text, size);
		html_block_end(b);
	}
	free(text);
	return rc;
}
