/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file's bytes compressed on their way out, as gzip does it. */
#ifndef POST_GZIP_H
#define POST_GZIP_H

#include <stdio.h>

#include <zlib.h>

struct gzip {
	FILE *out;
	z_stream z;
	unsigned char room[65536];
};

/* 0 or -ENOMEM. What cannot be written is the FILE's error. */
int gzip_open(struct gzip *g, FILE *out);
void gzip_write(struct gzip *g, const void *data, size_t size);
void gzip_close(struct gzip *g);

#endif
