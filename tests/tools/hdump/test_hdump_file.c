/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a dump, plain and by gzip, whatever one looks at, skips, cuts off or damages; and
 * heaps by classes: added up, compared, in order.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dump_file.h"
#include "heap.h"
#include "rows.h"
#include "unit.h"

#define BYTES 700000

static uint8_t content[BYTES], packed[2 * BYTES];
static char path[64];
static int file = -1;

/* ---- files ---- */

static void begin(void)
{
	uint64_t seed = 1;

	/* Half of it is noise: packed, it is longer than a window too. */
	for (size_t i = 0; i < BYTES; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		content[i] = (uint8_t)(i & 1024 ? seed >> 40 : i / 251);
	}
	file = memfd_create("dump", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
}

static void end(void)
{
	close(file);
}

static void put(const void *data, size_t size)
{
	CU_ASSERT_EQUAL_FATAL(ftruncate(file, 0), 0);
	CU_ASSERT_EQUAL_FATAL(pwrite(file, data, size, 0), (ssize_t)size);
}

/* Packs a part of the content, behind what is packed already. */
static size_t pack(size_t at, size_t from, size_t size)
{
	z_stream z = { .next_in = content + from, .avail_in = (uInt)size };

	CU_ASSERT_EQUAL_FATAL(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8,
					   Z_DEFAULT_STRATEGY),
			      Z_OK);
	z.next_out = packed + at;
	z.avail_out = (uInt)(sizeof(packed) - at);
	CU_ASSERT_EQUAL_FATAL(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return sizeof(packed) - z.avail_out;
}

/* Whether the dump has just these bytes of the content, looked at `step` bytes a time. */
static bool has(struct dump_file *f, size_t from, size_t bytes, size_t step)
{
	size_t at = 0, have;

	while (at < bytes) {
		const uint8_t *p = dump_look(f, step, &have);
		size_t part = have < step ? have : step;

		if (f->at != from + at || !have || part > bytes - at ||
		    memcmp(p, content + from + at, part) != 0 || !dump_skip(f, part))
			return false;
		if (have < step && at + part != bytes)
			return false;
		at += part;
	}
	dump_look(f, 1, &have);
	return !have && f->over && f->at == from + bytes;
}

static void look_at(size_t size, size_t bytes, bool is_packed)
{
	static const size_t steps[] = { 1000, 262144, 262145, 300000, 699999, DUMP_LOOK_MOST };
	struct dump_file f;

	CU_ASSERT_EQUAL_FATAL(dump_open(&f, path), 0);
	CU_ASSERT(f.packed == is_packed && f.size == size && !f.at && !f.read);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		CU_ASSERT(has(&f, 0, bytes, steps[i]));
		CU_ASSERT_STRING_EQUAL(f.fault.what, "");
		CU_ASSERT_EQUAL(f.read, size);
		CU_ASSERT_EQUAL(dump_rewind(&f), 0);
		CU_ASSERT(!f.at && !f.read && !f.over && !f.have && !f.begin);
	}
	/* Nothing beyond the end of an earlier pass. */
	f.end = 1000;
	CU_ASSERT(has(&f, 0, 1000, 999));
	CU_ASSERT_EQUAL(dump_rewind(&f), 0);
	CU_ASSERT(has(&f, 0, 1000, 2000));
	CU_ASSERT_STRING_EQUAL(f.fault.what, "");
	dump_close(&f);
	CU_ASSERT(f.fd == -1 && !f.window && !f.unpacker && !f.packed);
}

static void looks(void)
{
	size_t n;

	begin();
	put(content, BYTES);
	look_at(BYTES, BYTES, false);
	n = pack(0, 0, BYTES);
	put(packed, n);
	look_at(n, BYTES, true);
	/* Three members, one of them empty, and zeros at the end. */
	n = pack(pack(pack(0, 0, 1), 1, 0), 1, BYTES - 1);
	put(packed, n);
	look_at(n, BYTES, true);
	memset(packed + n, 0, 300000);
	put(packed, n + 300000);
	look_at(n + 300000, BYTES, true);
	end();
}

static void skips(void)
{
	static const size_t ways[][2] = { { 0, 5 },           { 1, 262143 },     { 100, 262144 },
					  { 1, BYTES - 11 },  { 0, BYTES - 10 }, { 500000, 100000 },
					  { 262144, 300000 }, { 10, 1 } };
	struct dump_file f;
	size_t have;

	begin();
	for (int gzip = 0; gzip < 2; gzip++) {
		put(gzip ? packed : content, gzip ? pack(0, 0, BYTES) : BYTES);
		CU_ASSERT_EQUAL_FATAL(dump_open(&f, path), 0);
		for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
			const size_t look = ways[i][0], skip = ways[i][1];

			CU_ASSERT(!look || dump_look(&f, look, &have));
			CU_ASSERT_TRUE(dump_skip(&f, skip));
			CU_ASSERT(has(&f, skip, BYTES - skip, 4096));
			CU_ASSERT_FALSE(dump_skip(&f, 1));
			CU_ASSERT_TRUE(dump_skip(&f, 0));
			CU_ASSERT_EQUAL(dump_rewind(&f), 0);
		}
		CU_ASSERT_TRUE(dump_skip(&f, BYTES));
		CU_ASSERT_EQUAL(f.at, BYTES);
		CU_ASSERT_EQUAL(dump_rewind(&f), 0);
		CU_ASSERT_FALSE(dump_skip(&f, BYTES + 1));
		CU_ASSERT_EQUAL(f.at, BYTES);
		CU_ASSERT_EQUAL(dump_rewind(&f), 0);
		f.end = 1000;
		CU_ASSERT_FALSE(dump_skip(&f, 1001));
		CU_ASSERT_EQUAL(f.at, 1000);
		dump_close(&f);
	}
	end();
}

/* Reads it all: how much there is; what there is, is right. */
static size_t whole(struct dump_file *f)
{
	size_t have;
	bool same = true;

	while (dump_look(f, 1, &have) && have) {
		same &= f->at + have <= BYTES &&
			!memcmp(f->window + f->begin, content + f->at, have);
		dump_skip(f, have);
	}
	CU_ASSERT_TRUE(same);
	return f->at;
}

static void cut_and_damaged(void)
{
	struct dump_file f;
	size_t n, first;

	begin();
	first = pack(0, 0, 600000);
	n = pack(first, 600000, 100000);
	/* Cut: within a member, at its begin. */
	put(packed, first);
	CU_ASSERT_EQUAL_FATAL(dump_open(&f, path), 0);
	CU_ASSERT(whole(&f) == 600000 && !*f.fault.what);
	dump_close(&f);
	for (size_t size = first - 1; size > 20; size = size / 2) {
		put(packed, size);
		CU_ASSERT_EQUAL_FATAL(dump_open(&f, path), 0);
		CU_ASSERT_EQUAL(whole(&f), f.fault.offset);
		CU_ASSERT_STRING_EQUAL(f.fault.what,
				       "the file ends within a part compressed by gzip");
		CU_ASSERT(f.over && f.at <= 600000);
		CU_ASSERT_EQUAL(dump_rewind(&f), 0);
		CU_ASSERT_STRING_EQUAL(f.fault.what, "");
		dump_close(&f);
	}
	/* The data after a member are not another member. */
	packed[first] = 0x55;
	put(packed, n);
	CU_ASSERT_EQUAL_FATAL(dump_open(&f, path), 0);
	CU_ASSERT_EQUAL(whole(&f), 600000);
	CU_ASSERT_STRING_EQUAL(f.fault.what,
			       "the data that follows cannot be decompressed by gzip");
	CU_ASSERT_EQUAL(f.fault.offset, 600000);
	dump_close(&f);
	/* Its checksum is wrong. */
	packed[first - 8] ^= 1;
	put(packed, first);
	CU_ASSERT_EQUAL_FATAL(dump_open(&f, path), 0);
	CU_ASSERT_EQUAL(whole(&f), 600000);
	CU_ASSERT_STRING_EQUAL(f.fault.what,
			       "the data that follows cannot be decompressed by gzip");
	CU_ASSERT_EQUAL(f.fault.offset, 600000);
	dump_close(&f);
	end();
}

static void openings(void)
{
	static const uint8_t heads[][2] = { { 0x1f, 0x8a }, { 0x1e, 0x8b } };
	struct dump_file f;
	size_t have;

	begin();
	CU_ASSERT_EQUAL(dump_open(&f, "/nowhere/dump"), -ENOENT);
	dump_close(&f);
	CU_ASSERT_EQUAL(dump_open(&f, "/dev/null"), -EINVAL);
	dump_close(&f);
	/* Nothing at all, one byte, what is gzip's but for a byte. */
	CU_ASSERT_EQUAL_FATAL(dump_open(&f, path), 0);
	dump_look(&f, 1, &have);
	CU_ASSERT(!have && f.over && !f.packed && !*f.fault.what);
	dump_close(&f);
	put("\x1f", 1);
	CU_ASSERT_EQUAL_FATAL(dump_open(&f, path), 0);
	CU_ASSERT(dump_look(&f, 2, &have)[0] == 0x1f && have == 1 && !f.packed);
	dump_close(&f);
	for (int i = 0; i < 2; i++) {
		put(heads[i], 2);
		CU_ASSERT_EQUAL_FATAL(dump_open(&f, path), 0);
		CU_ASSERT(!memcmp(dump_look(&f, 2, &have), heads[i], 2) && have == 2 && !f.packed);
		dump_close(&f);
	}
	put("\x1f\x8b", 2);
	CU_ASSERT_EQUAL_FATAL(dump_open(&f, path), 0);
	dump_look(&f, 1, &have);
	CU_ASSERT(f.packed && !have && f.over);
	CU_ASSERT_STRING_EQUAL(f.fault.what, "the file ends within a part compressed by gzip");
	dump_close(&f);
	end();
}

/* ---- the thread that decompresses ---- */

static bool refuses;
extern int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
extern int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *),
			  void *arg)
{
	return refuses ? EAGAIN : __real_pthread_create(thread, how, start, arg);
}

static void without_thread(void)
{
	refuses = true;
	looks();
	skips();
	cut_and_damaged();
	openings();
	refuses = false;
}

static unsigned int blocks_ahead(struct unpacker *u)
{
	unsigned int n;

	pthread_mutex_lock(&u->lock);
	n = u->put - u->taken;
	pthread_mutex_unlock(&u->lock);
	return n;
}

/* It is at most so many blocks ahead, and ends with a file that is not read to its end. */
static void ahead(void)
{
	struct dump_file f;
	size_t n = 0, have;

	begin();
	for (int i = 0; i < 3; i++)
		n = pack(n, 0, BYTES);
	put(packed, n);
	CU_ASSERT_EQUAL_FATAL(dump_open(&f, path), 0);
	for (int pass = 0; pass < 3; pass++) {
		CU_ASSERT(!memcmp(dump_look(&f, 100, &have), content, 100));
		CU_ASSERT_FATAL(f.unpacker->has_thread);
		for (int i = 0; i < 2000 && blocks_ahead(f.unpacker) < UNPACK_BLOCKS; i++)
			usleep(5000);
		usleep(20000);
		CU_ASSERT_EQUAL(blocks_ahead(f.unpacker), UNPACK_BLOCKS);
		CU_ASSERT_EQUAL(dump_rewind(&f), 0);
		CU_ASSERT(!f.unpacker->has_thread);
	}
	CU_ASSERT(dump_skip(&f, 3 * BYTES));
	dump_look(&f, 1, &have);
	CU_ASSERT(!have && f.over);
	CU_ASSERT(f.read == n && !*f.fault.what);
	CU_ASSERT_EQUAL(dump_rewind(&f), 0);
	dump_look(&f, 100, &have);
	dump_close(&f);
	end();
}

/* ---- by classes ---- */

static const char *shown(const struct rows *r)
{
	static char text[1024];
	size_t at = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < r->count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s:%lld,%lld,%lld%s ",
				       r->list[i].name, (long long)r->list[i].objects,
				       (long long)r->list[i].bytes, (long long)r->list[i].retained,
				       r->list[i].own ? "!" : "");
	return text;
}

static void of_a_heap(void)
{
	static char *const names[] = { "b", "a", "none", "b", "c" };
	struct heap_class list[5] = { 0 };
	struct class_sum sums[5] = { { 1, 10, 100 },
				     { 2, 20, 200 },
				     { 0, 30, 300 },
				     { 3, 40, 5000000000 },
				     { 4, 50, 500 } };
	struct heap h = { .classes = { .list = list, .count = 5 }, .sums = sums };
	struct rows r;

	for (int i = 0; i < 5; i++)
		list[i].name = names[i];
	list[3].loader = 9;
	list[4].loader = 9;
	CU_ASSERT_EQUAL(rows_of(&r, &h), 0);
	CU_ASSERT_STRING_EQUAL(shown(&r), "a:2,20,200 b:4,50,5000000100! c:4,50,500! ");
	CU_ASSERT(rows_find(&r, "a") == &r.list[0] && rows_find(&r, "c") == &r.list[2]);
	CU_ASSERT(!rows_find(&r, "") && !rows_find(&r, "none") && !rows_find(&r, "d"));
	rows_sort(&r, false);
	CU_ASSERT_STRING_EQUAL(shown(&r), "b:4,50,5000000100! c:4,50,500! a:2,20,200 ");
	rows_free(&r);
	CU_ASSERT(!r.list && !r.count);
	h.classes.count = 0;
	CU_ASSERT(!rows_of(&r, &h) && !r.count && !rows_find(&r, "a"));
	rows_free(&r);
}

static void differences(void)
{
	struct class_row old[] = { { "a", 1, 10, 100, false },
				   { "b", 2, 20, 200, true },
				   { "c", 3, 30, 300, false },
				   { "e", 5, 50, 500, true } };
	struct class_row new[] = { { "b", 2, 20, 200, true },
				   { "c", 4, 31, 301, false },
				   { "d", 4, 40, 400, false },
				   { "e", 4, 50, 500, false },
				   { "f", 6, 60, 600, true } };
	const struct rows a = { old, 4 }, b = { new, 5 }, none = { NULL, 0 };
	struct rows r;

	CU_ASSERT_EQUAL(rows_differ(&r, &a, &b), 0);
	CU_ASSERT_STRING_EQUAL(shown(&r),
			       "a:-1,-10,-100 c:1,1,1 d:4,40,400 e:-1,0,0! f:6,60,600! ");
	rows_sort(&r, true);
	CU_ASSERT_STRING_EQUAL(shown(&r),
			       "f:6,60,600! d:4,40,400 c:1,1,1 e:-1,0,0! a:-1,-10,-100 ");
	rows_free(&r);
	CU_ASSERT_EQUAL(rows_differ(&r, &a, &a), 0);
	CU_ASSERT_EQUAL(r.count, 0);
	rows_free(&r);
	CU_ASSERT_EQUAL(rows_differ(&r, &none, &a), 0);
	CU_ASSERT_STRING_EQUAL(shown(&r), "a:1,10,100 b:2,20,200! c:3,30,300 e:5,50,500! ");
	rows_free(&r);
	CU_ASSERT_EQUAL(rows_differ(&r, &a, &none), 0);
	CU_ASSERT_STRING_EQUAL(shown(&r),
			       "a:-1,-10,-100 b:-2,-20,-200! c:-3,-30,-300 e:-5,-50,-500! ");
	rows_sort(&r, true);
	CU_ASSERT_STRING_EQUAL(shown(&r),
			       "e:-5,-50,-500! c:-3,-30,-300 b:-2,-20,-200! a:-1,-10,-100 ");
	rows_free(&r);
}

/* Objects that retain the same are sorted by their own bytes, then by their names. */
static void orders(void)
{
	static const struct class_row rows[] = {
		{ "z", 1, 10, 100, false },   { "b", 1, 20, 100, false },
		{ "a", 1, 10, 100, false },   { "m", 1, -30, -100, false },
		{ "k", 1, -10, -200, false }, { "l", 1, -40, -100, false },
		{ "n", 1, 5, 0, false },      { "o", 1, -6, 0, false },
	};
	struct class_row list[8];
	struct rows r = { list, 8 };

	memcpy(list, rows, sizeof(rows));
	rows_sort(&r, true);
	CU_ASSERT_STRING_EQUAL(shown(&r), "b:1,20,100 a:1,10,100 z:1,10,100 o:1,-6,0 n:1,5,0 "
					  "k:1,-10,-200 l:1,-40,-100 m:1,-30,-100 ");
	rows_sort(&r, false);
	CU_ASSERT_STRING_EQUAL(shown(&r), "b:1,20,100 a:1,10,100 z:1,10,100 n:1,5,0 o:1,-6,0 "
					  "m:1,-30,-100 l:1,-40,-100 k:1,-10,-200 ");
}

static void roots(void)
{
	static const struct {
		uint8_t kind;
		const char *name;
	} kinds[] = {
		{ 0x01, "JNI global" },   { 0x02, "JNI local" },    { 0x03, "local variable" },
		{ 0x04, "native stack" }, { 0x05, "system class" }, { 0x06, "thread block" },
		{ 0x07, "monitor" },      { 0x08, "thread" },       { 0x89, "interned string" },
		{ 0x8a, "finalizing" },   { 0x8b, "debugger" },     { 0x8c, "reference cleanup" },
		{ 0x8d, "VM internal" },  { 0x8e, "JNI monitor" },  { 0x00, "unknown" },
		{ 0xff, "unknown" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		CU_ASSERT_STRING_EQUAL(heap_root_name(kinds[i].kind), kinds[i].name);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "looks", looks },
		{ "skips", skips },
		{ "cut_and_damaged", cut_and_damaged },
		{ "openings", openings },
		{ "without_thread", without_thread },
		{ "ahead", ahead },
		{ "of_a_heap", of_a_heap },
		{ "differences", differences },
		{ "orders", orders },
		{ "roots", roots },
		{ NULL, NULL },
	};

	return unit_run("hdump_file", tests);
}
