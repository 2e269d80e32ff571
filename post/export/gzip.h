/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compresses a file with gzip as it is written. */
#ifndef POST_GZIP_H
#define POST_GZIP_H

#include <stdio.h>

#include <zlib.h>

struct gzip {
	void (*put)(void *arg, const void *data, size_t size);
	void *arg;
	z_stream z;
	unsigned char room[65536];
};

/* Returns 0 or -ENOMEM. The FILE keeps write errors. */
int gzip_open(struct gzip *g, FILE *out);
/* The same, but passes the compressed data to `put`. */
int gzip_open_to(struct gzip *g, void (*put)(void *arg, const void *data, size_t size), void *arg);
void gzip_write(struct gzip *g, const void *data, size_t size);
void gzip_close(struct gzip *g);

#endif
