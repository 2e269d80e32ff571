/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The jitdump reader. The file is untrusted: it is read by pread into a window (so truncation does
 * no harm), every record stays inside its own size, and memory is bounded by the largest line
 * table, not by the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/read_all.h"
#include "jitdump.h"
#include "a2n/jit/jitdump_format.h"

#define WINDOW     (64u * 1024)
#define MAX_HEADER 4096           /* maximum size of a future header */
#define MAX_NAME   (32u * 1024)   /* longer ones are truncated */
#define MAX_TABLE  (16u << 20)    /* bytes of a line table that are kept */
#define MAX_LATE   10000000000ull /* ns; maximum delay of a report */
#define MAX_CODE   (1ull << 30)   /* larger code is not a function */

struct jitdump {
	int fd;
	struct jitdump_info info;
	uint64_t at;   /* offset of the next record */
	uint64_t size; /* size of the file at the last fstat */
	struct jitdump_fault fault;

	uint8_t *window;
	uint64_t window_at;
	size_t window_size;

	/* Data for the next LOAD, from preceding DEBUG_INFO and UNWINDING records. */
	uint8_t *table;
	uint64_t table_at; /* in the file */
	size_t table_size, table_room;
	uint32_t table_lines;
	uint64_t unwind_at, unwind_size, unwind_header;

	/* of the last LOAD: entries that jitdump_line has not read */
	struct bytes lines;
	uint64_t lines_at; /* in the file */
	uint32_t lines_left;
	uint64_t lines_add;          /* offset that the writer added to their addresses */
	uint64_t vma;                /* of that LOAD */
	uint64_t code_at, code_size; /* offset of its bytes; 0: missing */
	uint64_t eh_frame_at, eh_frame_size;
	bool v8;
	const char *file;
	char name[MAX_NAME + 1];
};

static void fault(struct jitdump *d, uint64_t offset, const char *what)
{
	if (!d->fault.what) {
		d->fault.offset = offset;
		d->fault.what = what;
	}
	d->fault.records++;
}

/* Reads up to `want` bytes at an offset into the window; *got is less at the end of the file. */
static const uint8_t *peek(struct jitdump *d, uint64_t offset, size_t want, size_t *got)
{
	if (offset < d->window_at || offset + want > d->window_at + d->window_size) {
		size_t n;

		d->window_at = offset;
		d->window_size = 0;
		if (pread_all(d->fd, d->window, WINDOW, offset, &n))
			return NULL;
		d->window_size = n;
	}
	*got = d->window_at + d->window_size - offset;
	if (*got > want)
		*got = want;
	return d->window + (offset - d->window_at);
}

static struct bytes cursor(const struct jitdump *d, const uint8_t *p, size_t size)
{
	struct bytes b = bytes_of(p, size);

	b.swap = d->info.swapped;
	return b;
}

static const char *read_header(struct jitdump *d)
{
	size_t got;
	const uint8_t *p = peek(d, 0, JITDUMP_HEADER_LATE, &got);
	struct bytes b;
	uint32_t magic, size;

	if (!p)
		return "cannot be read";
	b = cursor(d, p, got);
	magic = bytes_u32(&b);
	if (magic == __builtin_bswap32(JITDUMP_MAGIC))
		d->info.swapped = b.swap = true;
	else if (magic != JITDUMP_MAGIC)
		return got ? "not a jitdump: another magic number" : "empty";
	d->info.version = bytes_u32(&b);
	size = bytes_u32(&b);
	d->info.machine = bytes_u32(&b);
	d->v8 = bytes_u32(&b) == JITDUMP_PAD_V8;
	d->info.pid = bytes_u32(&b);
	bytes_u64(&b); /* its time: for some writers wall-clock time, in microseconds */
	d->info.flags = bytes_u64(&b);
	d->info.raw_time = d->info.flags & JITDUMP_RAW_TIME;
	if (!b.bad && size >= JITDUMP_HEADER_LATE && bytes_u64(&b) == JITDUMP_LATE_TAG)
		d->info.late = bytes_u64(&b);
	if (d->info.late > MAX_LATE)
		d->info.late = MAX_LATE;
	if (b.bad)
		return "the header is cut short";
	if (!d->info.version || d->info.version > 2)
		return "unsupported version of jitdump";
	if (size < JITDUMP_HEADER || size > MAX_HEADER)
		return "invalid header size";
	d->at = size;
	return NULL;
}

int jitdump_open(struct jitdump **out, int fd, const char **why)
{
	struct jitdump *d;
	struct stat st;

	if (!out || !why) {
		close(fd);
		return -EINVAL;
	}
	d = calloc(1, sizeof(*d));
	*why = NULL;
	*out = NULL;
	if (d)
		d->window = malloc(WINDOW);
	if (!d || !d->window) {
		free(d);
		close(fd);
		return -ENOMEM;
	}
	d->fd = fd;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		*why = "not a regular file";
	else
		*why = read_header(d);
	if (*why) {
		jitdump_close(d);
		return -EBADMSG;
	}
	*out = d;
	return 0;
}

void jitdump_close(struct jitdump *d)
{
	if (!d)
		return;
	close(d->fd);
	free(d->window);
	free(d->table);
	free(d);
}

const struct jitdump_info *jitdump_info(const struct jitdump *d)
{
	return &d->info;
}

void jitdump_fault(const struct jitdump *d, struct jitdump_fault *f)
{
	*f = d->fault;
}

/* ---- records before a LOAD ------------------------------------------------------------------- */

static void forget(struct jitdump *d)
{
	d->table_size = 0;
	d->table_lines = 0;
	d->unwind_size = 0;
}

/* The whole table is kept: an entry may refer to the previous name. */
static int read_debug(struct jitdump *d, uint64_t size)
{
	size_t got, have = 0, room = (size_t)(size - JITDUMP_DEBUG_FIXED);
	const uint8_t *p = peek(d, d->at, JITDUMP_DEBUG_FIXED, &got);
	struct bytes b;
	uint64_t count;

	if (!p)
		return -EIO;
	b = cursor(d, p, got);
	bytes_skip(&b, JITDUMP_PREFIX);
	bytes_u64(&b); /* the code's address: the LOAD has it too */
	count = bytes_u64(&b);
	if (size - JITDUMP_DEBUG_FIXED > MAX_TABLE || count > room / (JITDUMP_DEBUG_ENTRY + 1)) {
		fault(d, d->at, "a line table with more entries than fit into it");
		return 0;
	}
	if (array_room(d->table, d->table_room, room))
		return -ENOMEM;
	while (have < room) {
		p = peek(d, d->at + JITDUMP_DEBUG_FIXED + have,
			 room - have < WINDOW ? room - have : WINDOW, &got);
		if (!p || !got)
			return -EIO;
		memcpy(d->table + have, p, got);
		have += got;
	}
	d->table_at = d->at + JITDUMP_DEBUG_FIXED;
	d->table_size = room;
	d->table_lines = (uint32_t)count;
	return 0;
}

static int read_unwind(struct jitdump *d, uint64_t size)
{
	size_t got;
	const uint8_t *p = peek(d, d->at, JITDUMP_UNWIND_FIXED, &got);
	struct bytes b;
	uint64_t bytes, header;

	if (!p)
		return -EIO;
	b = cursor(d, p, got);
	bytes_skip(&b, JITDUMP_PREFIX);
	bytes = bytes_u64(&b);
	header = bytes_u64(&b);
	if (bytes > size - JITDUMP_UNWIND_FIXED || header > bytes) {
		fault(d, d->at, "unwinding tables larger than their record");
		return 0;
	}
	d->unwind_at = d->at + JITDUMP_UNWIND_FIXED;
	d->unwind_size = bytes;
	d->unwind_header = header;
	return 0;
}

/* Writers may put .eh_frame or its header first. The header begins with its version, 1; .eh_frame
 * with a length that is a multiple of 4. */
static int place_unwind(struct jitdump *d, struct jitdump_event *e)
{
	size_t got;
	const uint8_t *p;

	if (!d->unwind_size)
		return 0;
	e->eh_frame_offset = d->unwind_at;
	e->eh_frame_size = d->unwind_size - d->unwind_header;
	e->eh_frame_hdr_offset = d->unwind_at + e->eh_frame_size;
	e->eh_frame_hdr_size = d->unwind_header;
	if (!d->unwind_header || !e->eh_frame_size)
		return 0;
	p = peek(d, d->unwind_at, 4, &got);
	if (!p)
		return -EIO;
	if (got == 4 && p[0] == 1) {
		e->eh_frame_hdr_offset = d->unwind_at;
		e->eh_frame_offset = d->unwind_at + d->unwind_header;
	}
	return 0;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Checks for printable UTF-8: code hardly ever is. */
static bool is_text(const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		unsigned int more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;

		if ((*p && *p < ' ') || (*p >= 0x7f && *p < 0xc0) || (size_t)(end - p) <= more)
			return false;
		for (p++; more; more--, p++)
			if ((*p & 0xc0) != 0x80)
				return false;
	}
	return true;
}

/* Finds the start of the code's bytes. They follow the name's NUL. V8 writes names with NULs in
 * them, so text between the first NUL and the record's end minus the code's size belongs to the
 * name; other bytes are padding after the code. */
static uint64_t find_code(const uint8_t *text, uint64_t room, size_t length, uint64_t size)
{
	const uint64_t next = length + 1;
	uint64_t end, i;

	if (next > room || size > room - next)
		return 0;
	end = room - size;
	if (end == next || end > MAX_NAME || text[end - 1] || !is_text(text + next, text + end))
		return next;
	for (i = next; i < end && !text[i]; i++)
		;
	return i < end ? end : next;
}

/* For a writer that reports late: b is at the name; a time follows, then the code. */
static int read_late(struct jitdump *d, struct bytes b, uint64_t room, struct jitdump_event *e)
{
	const uint64_t code = e->name_length + 1 + JITDUMP_SINCE;
	uint64_t since;

	bytes_skip(&b, e->name_length + 1);
	since = bytes_u64(&b);
	if (b.bad || room < code) {
		fault(d, d->at, "a record shorter than its kind");
		return 0;
	}
	e->earliest = e->time > d->info.late ? e->time - d->info.late : 0;
	if (since & JITDUMP_ALONE) {
		since &= ~JITDUMP_ALONE;
		e->earliest = 0;
	}
	if (e->earliest < since)
		e->earliest = since < e->time ? since : e->time;
	if (room - code >= e->size)
		e->code_offset = d->at + JITDUMP_LOAD_FIXED + code;
	e->lines = d->table_lines;
	return e->size ? 1 : 0;
}

/* Returns 1, 0: skipped, -errno. */
static int read_load(struct jitdump *d, uint64_t size, struct jitdump_event *e)
{
	uint64_t room = size - JITDUMP_LOAD_FIXED, code;
	const uint8_t *p, *text, *nul;
	struct bytes b;
	size_t got, seen;

	p = peek(d, d->at, size < WINDOW ? (size_t)size : WINDOW, &got);
	if (!p || got < JITDUMP_LOAD_FIXED)
		return -EIO;
	b = cursor(d, p, got);
	bytes_skip(&b, JITDUMP_PREFIX);
	e->pid = bytes_u32(&b);
	e->tid = bytes_u32(&b);
	d->vma = bytes_u64(&b); /* LLVM writes 0 */
	e->address = bytes_u64(&b);
	e->size = bytes_u64(&b);
	e->index = bytes_u64(&b);
	text = p + b.at;
	seen = got - b.at;
	nul = memchr(text, 0, seen < MAX_NAME ? seen : MAX_NAME);
	if (!nul && seen < MAX_NAME) {
		fault(d, d->at, "a name that is not terminated");
		return 0;
	}
	if (e->size > MAX_CODE || e->address + e->size < e->address) {
		fault(d, d->at, "invalid code size");
		return 0;
	}
	e->name_length = nul ? (size_t)(nul - text) : MAX_NAME;
	memcpy(d->name, text, e->name_length);
	d->name[e->name_length] = 0;
	e->name = d->name;
	e->earliest = e->time;
	if (d->info.late && nul)
		return read_late(d, b, room, e);
	/* After a truncated name the start of the code cannot be found. */
	code = nul ? find_code(text, room, e->name_length, e->size) : 0;
	e->code_offset = code ? d->at + JITDUMP_LOAD_FIXED + code : 0;
	if (!e->size)
		return 0; /* no address can be in it */
	e->lines = d->table_lines;
	return 1;
}

static size_t read_at(const struct jitdump *d, uint64_t at, uint64_t size, void *to, size_t room)
{
	size_t n = 0;

	if (at)
		(void)pread_all(d->fd, to, size < room ? size : room, at, &n);
	return n;
}

size_t jitdump_code(const struct jitdump *d, void *code, size_t room)
{
	return read_at(d, d->code_at, d->code_size, code, room);
}

size_t jitdump_eh_frame(const struct jitdump *d, void *eh_frame, size_t room)
{
	return read_at(d, d->eh_frame_at, d->eh_frame_size, eh_frame, room);
}

/* Reads the next entry unchanged; false: no complete one. */
static bool read_line(struct bytes *b, struct jitdump_line *line, const char **file)
{
	line->address = bytes_u64(b);
	line->line = bytes_u32(b);
	line->discriminator = bytes_u32(b);
	*file = (const char *)b->base + b->at;
	if (b->bad || !memchr(*file, 0, bytes_left(b)))
		return false;
	bytes_skip(b, strlen(*file) + 1);
	return true;
}

/* V8 and LLVM add the size of an ELF header. They are recognized by their other records, other
 * writers by lines beyond the code's end. */
static uint64_t added(const struct jitdump *d, const struct jitdump_event *e)
{
	struct bytes b = d->lines;
	uint64_t low = UINT64_MAX, high = 0;
	struct jitdump_line line;
	const char *file;
	uint32_t i;

	for (i = 0; i < d->lines_left && read_line(&b, &line, &file); i++) {
		low = line.address < low ? line.address : low;
		high = line.address > high ? line.address : high;
	}
	if (!i || low < e->address || low - e->address < JITDUMP_ELF_HEADER)
		return 0;
	return d->v8 || !d->vma || high - e->address > e->size ? JITDUMP_ELF_HEADER : 0;
}

static int read_unload(struct jitdump *d, struct jitdump_event *e)
{
	size_t got;
	const uint8_t *p = peek(d, d->at, JITDUMP_UNLOAD_FIXED, &got);
	struct bytes b;

	if (!p)
		return -EIO;
	b = cursor(d, p, got);
	bytes_skip(&b, JITDUMP_PREFIX);
	e->kind = JITDUMP_UNLOAD;
	e->pid = bytes_u32(&b);
	e->tid = bytes_u32(&b);
	e->address = bytes_u64(&b);
	e->size = bytes_u64(&b);
	if (e->size > MAX_CODE || e->address + e->size < e->address) {
		fault(d, d->at, "invalid code size");
		return 0;
	}
	return e->size ? 1 : 0;
}

static int read_move(struct jitdump *d, struct jitdump_event *e)
{
	size_t got;
	const uint8_t *p = peek(d, d->at, JITDUMP_MOVE_FIXED, &got);
	struct bytes b;

	if (!p)
		return -EIO;
	b = cursor(d, p, got);
	bytes_skip(&b, JITDUMP_PREFIX);
	e->pid = bytes_u32(&b);
	e->tid = bytes_u32(&b);
	bytes_u64(&b);
	e->from = bytes_u64(&b);
	e->address = bytes_u64(&b);
	e->size = bytes_u64(&b);
	e->index = bytes_u64(&b);
	if (e->size > MAX_CODE || e->address + e->size < e->address ||
	    e->from + e->size < e->from) {
		fault(d, d->at, "invalid code size");
		return 0;
	}
	return e->size ? 1 : 0;
}

static const uint32_t smallest[] = {
	[JITDUMP_ID_LOAD] = JITDUMP_LOAD_FIXED,     [JITDUMP_ID_MOVE] = JITDUMP_MOVE_FIXED,
	[JITDUMP_ID_DEBUG] = JITDUMP_DEBUG_FIXED,   [JITDUMP_ID_CLOSE] = JITDUMP_PREFIX,
	[JITDUMP_ID_UNWIND] = JITDUMP_UNWIND_FIXED,
};

/* Reads one complete record. 1: an event, 0: none, -errno. */
static int read_record(struct jitdump *d, uint32_t id, uint64_t size, struct jitdump_event *e)
{
	int r;

	if (id != JITDUMP_ID_UNLOAD && id >= sizeof(smallest) / sizeof(smallest[0]))
		return 0; /* of a later version: its size shows where it ends */
	if (size < (id == JITDUMP_ID_UNLOAD ? JITDUMP_UNLOAD_FIXED : smallest[id])) {
		fault(d, d->at, "a record shorter than its kind");
		return 0;
	}
	switch (id) {
	case JITDUMP_ID_LOAD:
		r = read_load(d, size, e);
		if (r > 0) {
			int err = place_unwind(d, e);

			d->lines = cursor(d, d->table, d->table_size);
			d->lines_at = d->table_at;
			d->lines_left = d->table_lines;
			d->lines_add = added(d, e);
			d->file = "";
			d->code_at = e->code_offset;
			d->code_size = e->size;
			d->eh_frame_at = e->eh_frame_offset;
			d->eh_frame_size = e->eh_frame_size;
			if (err)
				r = err;
		}
		forget(d);
		return r;
	case JITDUMP_ID_MOVE:
		return read_move(d, e);
	case JITDUMP_ID_UNLOAD:
		return read_unload(d, e);
	case JITDUMP_ID_DEBUG:
		return read_debug(d, size);
	case JITDUMP_ID_UNWIND:
		return read_unwind(d, size);
	default:
		return 0; /* CLOSE: some writers continue after it */
	}
}

/* Only zeros follow: space that was never written. */
static bool only_zeros(struct jitdump *d, uint64_t offset)
{
	for (;;) {
		size_t got, i;
		const uint8_t *p = peek(d, offset, WINDOW, &got);

		if (!p || !got)
			return p != NULL;
		for (i = 0; i < got; i++)
			if (p[i])
				return false;
		offset += got;
	}
}

/* 1; 0: the file ends inside the next record; -errno. */
static int is_whole(struct jitdump *d, uint32_t size)
{
	struct stat st;

	if (d->at + size <= d->size)
		return 1;
	if (fstat(d->fd, &st))
		return -errno;
	d->size = (uint64_t)st.st_size;
	if (d->at + size <= d->size)
		return 1;
	/* A writer may be active: the window is stale at the next call. */
	d->window_size = 0;
	d->fault.unfinished = d->at;
	return 0;
}

int jitdump_next(struct jitdump *d, struct jitdump_event *e)
{
	d->lines_left = 0;
	d->fault.unfinished = 0;
	for (;;) {
		size_t got;
		const uint8_t *p = peek(d, d->at, JITDUMP_PREFIX, &got);
		struct bytes b;
		uint32_t id, size;
		int r;

		if (!p)
			return -errno;
		if (got < JITDUMP_PREFIX) {
			d->window_size = 0;
			d->fault.unfinished = got ? d->at : 0;
			return 0;
		}
		b = cursor(d, p, got);
		id = bytes_u32(&b);
		size = bytes_u32(&b);
		*e = (struct jitdump_event){ .kind = id, .offset = d->at, .time = bytes_u64(&b) };
		if (size < JITDUMP_PREFIX) {
			if (!only_zeros(d, d->at))
				fault(d, d->at,
				      "a record smaller than its header: what is "
				      "behind it cannot be read");
			return 0;
		}
		r = is_whole(d, size);
		if (r <= 0)
			return r;
		r = read_record(d, id, size, e);
		if (r < 0)
			return r;
		d->at += size;
		if (r)
			return 1;
	}
}

bool jitdump_line(struct jitdump *d, struct jitdump_line *line)
{
	static const char same[] = "\xff";
	const char *file;

	if (!d->lines_left)
		return false;
	d->lines_left--;
	if (!read_line(&d->lines, line, &file)) {
		fault(d, d->lines_at + d->lines.at, "a line table that ends inside an entry");
		d->lines_left = 0;
		return false;
	}
	line->address -= d->lines_add;
	if (strcmp(file, same))
		d->file = file;
	line->file = d->file;
	return true;
}
