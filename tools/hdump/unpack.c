/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unpack.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/read_all.h"

#define PACKED      (256u << 10)
#define GZIP_WINDOW (MAX_WBITS + 16)

/* ---- zlib, member by member ------------------------------------------------------------------ */

static void end_early(struct unpacker *u, const char *why)
{
	if (!u->fault)
		u->fault = why;
	u->over = true;
}

/* Reads more of the file into zlib's input. Returns false at its end. */
static bool more_packed(struct unpacker *u)
{
	size_t got = 0;
	int rc = pread_all(u->fd, u->packed, PACKED, u->read, &got);

	if (rc) {
		u->error = -rc;
		u->over = true;
	}
	u->z.next_in = u->packed;
	u->z.avail_in = (uInt)got;
	u->read += got;
	return got != 0;
}

/* A gzip file may have several members, one after another, and zeros at its end. */
static void next_member(struct unpacker *u)
{
	while (u->z.avail_in || more_packed(u)) {
		if (*u->z.next_in) {
			inflateReset(&u->z);
			return;
		}
		u->z.next_in++;
		u->z.avail_in--;
	}
	u->over = true;
}

static size_t unpack(struct unpacker *u, uint8_t *to, size_t room)
{
	int rc = Z_OK;

	u->z.next_out = to;
	u->z.avail_out = (uInt)room;
	while (u->z.avail_out && !u->over) {
		if (!u->z.avail_in && !more_packed(u)) {
			end_early(u, "the file ends within a part compressed by gzip");
			break;
		}
		rc = inflate(&u->z, Z_NO_FLUSH);
		if (rc == Z_STREAM_END)
			next_member(u);
		else if (rc != Z_OK && rc != Z_BUF_ERROR)
			end_early(u, "the data that follows cannot be decompressed by gzip");
	}
	return room - u->z.avail_out;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static bool wait_for_room(struct unpacker *u)
{
	bool stop;

	pthread_mutex_lock(&u->lock);
	while (!u->stop && u->put - u->taken == UNPACK_BLOCKS)
		pthread_cond_wait(&u->changed, &u->lock);
	stop = u->stop;
	pthread_mutex_unlock(&u->lock);
	return !stop;
}

static void *unpack_ahead(void *arg)
{
	struct unpacker *u = arg;
	unsigned int block;
	size_t n;

	while (!u->over && wait_for_room(u)) {
		block = u->put % UNPACK_BLOCKS;
		n = unpack(u, u->blocks + (size_t)block * UNPACK_BLOCK, UNPACK_BLOCK);
		if (!n)
			break;
		u->size[block] = n;
		u->read_then[block] = u->read;
		pthread_mutex_lock(&u->lock);
		u->put++;
		pthread_cond_signal(&u->changed);
		pthread_mutex_unlock(&u->lock);
	}
	pthread_mutex_lock(&u->lock);
	u->ended = true;
	pthread_cond_signal(&u->changed);
	pthread_mutex_unlock(&u->lock);
	return NULL;
}

/* The new thread inherits a mask that blocks all signals: they are for this thread. */
static void begin(struct unpacker *u)
{
	sigset_t all, before;

	u->begun = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	u->has_thread = !pthread_create(&u->thread, NULL, unpack_ahead, u);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end(struct unpacker *u)
{
	if (u->has_thread) {
		pthread_mutex_lock(&u->lock);
		u->stop = true;
		pthread_cond_signal(&u->changed);
		pthread_mutex_unlock(&u->lock);
		pthread_join(u->thread, NULL);
	}
	u->has_thread = u->begun = false;
}

/* ---- the caller ------------------------------------------------------------------------------ */

/* Returns the size of the next block, 0 at the end. */
static size_t wait_for_block(struct unpacker *u)
{
	size_t size;

	pthread_mutex_lock(&u->lock);
	while (!u->ended && u->put == u->taken)
		pthread_cond_wait(&u->changed, &u->lock);
	size = u->put == u->taken ? 0 : u->size[u->taken % UNPACK_BLOCKS];
	pthread_mutex_unlock(&u->lock);
	return size;
}

static void give_back(struct unpacker *u)
{
	u->at = 0;
	pthread_mutex_lock(&u->lock);
	u->taken++;
	pthread_cond_signal(&u->changed);
	pthread_mutex_unlock(&u->lock);
}

size_t unpack_take(struct unpacker *u, uint8_t *to, size_t room, uint64_t *read, const char **fault)
{
	unsigned int block;
	size_t size, n;

	if (!u->begun)
		begin(u);
	if (!u->has_thread) {
		n = u->over ? 0 : unpack(u, to, room);
		*read = u->read;
	} else {
		size = wait_for_block(u);
		block = u->taken % UNPACK_BLOCKS;
		n = size - u->at < room ? size - u->at : room;
		memcpy(to, u->blocks + (size_t)block * UNPACK_BLOCK + u->at, n);
		*read = size ? u->read_then[block] : u->read;
		u->at += n;
		if (size && u->at == size)
			give_back(u);
	}
	*fault = n ? NULL : u->error ? strerror(u->error) : u->fault;
	return n;
}

int unpack_open(struct unpacker *u, int fd)
{
	*u = (struct unpacker){ .fd = fd };
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->changed, NULL);
	u->packed = malloc(PACKED);
	u->blocks = malloc((size_t)UNPACK_BLOCKS * UNPACK_BLOCK);
	return u->packed && u->blocks && inflateInit2(&u->z, GZIP_WINDOW) == Z_OK ? 0 : -ENOMEM;
}

int unpack_rewind(struct unpacker *u)
{
	end(u);
	u->read = u->at = 0;
	u->over = u->ended = u->stop = false;
	u->fault = NULL;
	u->error = 0;
	u->put = u->taken = 0;
	u->z.avail_in = 0;
	return inflateReset(&u->z) == Z_OK ? 0 : -EINVAL;
}

void unpack_close(struct unpacker *u)
{
	end(u);
	inflateEnd(&u->z);
	free(u->packed);
	free(u->blocks);
	pthread_mutex_destroy(&u->lock);
	pthread_cond_destroy(&u->changed);
	u->packed = u->blocks = NULL;
}
