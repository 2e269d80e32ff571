/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gzip compression by zlib. */
#include "export/gzip.h"

#include <errno.h>

#define GZIP_WINDOW 31 /* zlib's flag for a gzip header */

int gzip_open(struct gzip *g, FILE *out)
{
	g->out = out;
	g->z = (z_stream){ 0 };
	return deflateInit2(&g->z, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) ==
			       Z_OK ?
		       0 :
		       -ENOMEM;
}

static void drain(struct gzip *g, int how)
{
	int rc;

	do {
		g->z.next_out = g->room;
		g->z.avail_out = sizeof(g->room);
		rc = deflate(&g->z, how);
		fwrite(g->room, 1, sizeof(g->room) - g->z.avail_out, g->out);
	} while (rc == Z_OK && (!g->z.avail_out || how == Z_FINISH));
}

void gzip_write(struct gzip *g, const void *data, size_t size)
{
	const unsigned char *p = data;
	size_t n;

	for (; size; p += n, size -= n) {
		n = size < 1u << 30 ? size : 1u << 30;
		g->z.next_in = (unsigned char *)p;
		g->z.avail_in = (unsigned int)n;
		drain(g, Z_NO_FLUSH);
	}
}

void gzip_close(struct gzip *g)
{
	drain(g, Z_FINISH);
	deflateEnd(&g->z);
}
