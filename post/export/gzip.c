/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gzip compression with zlib. */
#include "export/gzip.h"

#include <errno.h>

#define GZIP_WINDOW 31 /* zlib's flag for a gzip header */

static void put_to_file(void *arg, const void *data, size_t size)
{
	fwrite(data, 1, size, arg);
}

int gzip_open(struct gzip *g, FILE *out)
{
	return gzip_open_to(g, put_to_file, out);
}

int gzip_open_to(struct gzip *g, void (*put)(void *arg, const void *data, size_t size), void *arg)
{
	g->put = put;
	g->arg = arg;
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
		g->put(g->arg, g->room, sizeof(g->room) - g->z.avail_out);
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
