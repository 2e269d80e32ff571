/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tools/common: numbers with units, escapes, JSON, output files. */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit.h"
#include "escape.h"
#include "json.h"
#include "output.h"
#include "units.h"

/* ---- units ----------------------------------------------------------------------------------- */

static uint64_t good(bool (*read)(const char *, uint64_t *), const char *text)
{
	uint64_t n = 0;

	CU_ASSERT_TRUE(read(text, &n));
	return n;
}

static void units_sizes(void)
{
	CU_ASSERT_EQUAL(good(unit_size, "0"), 0);
	CU_ASSERT_EQUAL(good(unit_size, "512k"), 512 << 10);
	CU_ASSERT_EQUAL(good(unit_size, "64M"), 64 << 20);
	CU_ASSERT_EQUAL(good(unit_size, "1.5GiB"), 3ull << 29);
	CU_ASSERT_EQUAL(good(unit_size, "7b"), 7);
	CU_ASSERT_EQUAL(good(unit_size, "18446744073709551615"), UINT64_MAX);
}

/* Each by its name, as small and as capital letters. */
static void units_names(void)
{
	static const struct {
		bool (*read)(const char *text, uint64_t *n);
		const char *text;
		uint64_t n;
	} units[] = {
		{ unit_size, "3", 3 },
		{ unit_size, "3B", 3 },
		{ unit_size, "3kb", 3ull << 10 },
		{ unit_size, "3K", 3ull << 10 },
		{ unit_size, "3KiB", 3ull << 10 },
		{ unit_size, "3m", 3ull << 20 },
		{ unit_size, "3MB", 3ull << 20 },
		{ unit_size, "3MiB", 3ull << 20 },
		{ unit_size, "3g", 3ull << 30 },
		{ unit_size, "3GB", 3ull << 30 },
		{ unit_size, "3gib", 3ull << 30 },
		{ unit_size, "3T", 3ull << 40 },
		{ unit_size, "3tb", 3ull << 40 },
		{ unit_size, "3TiB", 3ull << 40 },
		{ unit_count, "3", 3 },
		{ unit_count, "3K", 3000 },
		{ unit_count, "3m", 3000000 },
		{ unit_count, "3G", 3000000000 },
		{ unit_time, "3ns", 3 },
		{ unit_time, "3us", 3000 },
		{ unit_time, "3µs", 3000 },
		{ unit_time, "3ms", 3000000 },
		{ unit_time, "3s", 3000000000 },
		{ unit_time, "3sec", 3000000000 },
		{ unit_time, "3m", 180000000000 },
		{ unit_time, "3min", 180000000000 },
		{ unit_time, "3h", 10800000000000 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		CU_ASSERT_EQUAL(good(units[i].read, units[i].text), units[i].n);
}

static void units_times(void)
{
	CU_ASSERT_EQUAL(good(unit_time, "5ms"), 5000000);
	CU_ASSERT_EQUAL(good(unit_time, "2"), 2000000000);
	CU_ASSERT_EQUAL(good(unit_time, "0.25s"), 250000000);
	CU_ASSERT_EQUAL(good(unit_time, "3m"), 180000000000);
	CU_ASSERT_EQUAL(good(unit_time, "1.5h"), 5400000000000);
	CU_ASSERT_EQUAL(good(unit_time, "10us"), 10000);
	CU_ASSERT_EQUAL(good(unit_count, "10k"), 10000);
	CU_ASSERT_EQUAL(good(unit_count, "0x80"), 128);
	CU_ASSERT_EQUAL(good(unit_count, "0XfFfFfFfFfFfFfFfF"), UINT64_MAX);
}

static void units_refused(void)
{
	static const char *const bad[] = {
		"",
		"-1",
		"+1",
		" 1",
		"1 ",
		"x",
		"5x",
		"1.",
		".5",
		"1..2",
		"0x",
		"0x-1",
		"0x 1",
		"0x0x1",
		"0x1g",
		"0x10000000000000000",
		"1e3",
		"1k5",
		"18446744073709551616",
		"18446744073709551615k",
		"99999999999999999999T",
		NULL,
	};
	uint64_t n;
	double p;
	int i;

	for (i = 0; bad[i]; i++) {
		CU_ASSERT_FALSE(unit_size(bad[i], &n));
		CU_ASSERT_FALSE(unit_time(bad[i], &n));
		CU_ASSERT_FALSE(unit_count(bad[i], &n));
	}
	CU_ASSERT_FALSE(unit_size("0x10", &n));
	CU_ASSERT_FALSE(unit_time("0x10", &n));
	CU_ASSERT_TRUE(unit_percent("0.5", &p) && p == 0.5);
	CU_ASSERT_TRUE(unit_percent("100%", &p) && p == 100);
	CU_ASSERT_FALSE(unit_percent("101", &p));
	CU_ASSERT_FALSE(unit_percent("-1", &p));
	CU_ASSERT_FALSE(unit_percent("5x", &p));
	CU_ASSERT_FALSE(unit_percent("nan", &p));
	CU_ASSERT_FALSE(unit_percent("", &p));
}

/* ---- escapes --------------------------------------------------------------------------------- */

static const struct {
	const char *raw, *text, *json, *csv;
} names[] = {
	{ "", "", "\"\"", "" },
	{ "plain_1", "plain_1", "\"plain_1\"", "plain_1" },
	{ "a\x1b[31m\n\t", "a\\x1b[31m\\x0a\\x09", "\"a\\u001b[31m\\u000a\\u0009\"",
	  "\"a\\x1b[31m\\x0a\\x09\"" },
	{ "\x7f", "\\x7f", "\"\\u007f\"", "\\x7f" },
	{ "back\\slash", "back\\\\slash", "\"back\\\\slash\"", "back\\\\slash" },
	{ "q\"q,r", "q\"q,r", "\"q\\\"q,r\"", "\"q\"\"q,r\"" },
	{ "r\xc3\xbc\xc3\x9f", "r\xc3\xbc\xc3\x9f", "\"r\xc3\xbc\xc3\x9f\"", "r\xc3\xbc\xc3\x9f" },
	{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"", "\xf0\x9f\x98\x80" },
	/* C1, a mark that reverses text, and what is no UTF-8: a lone byte, a cut character, an
	 * overlong one, a surrogate, beyond the end. */
	{ "\xc2\x9b", "\\xc2\\x9b", "\"\\u009b\"", "\\xc2\\x9b" },
	{ "\xe2\x80\xae", "\\xe2\\x80\\xae", "\"\\u202e\"", "\\xe2\\x80\\xae" },
	{ "\x80", "\\x80", "\"\\\\x80\"", "\\x80" },
	{ "\xe2\x82", "\\xe2\\x82", "\"\\\\xe2\\\\x82\"", "\\xe2\\x82" },
	{ "\xc0\xaf", "\\xc0\\xaf", "\"\\\\xc0\\\\xaf\"", "\\xc0\\xaf" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80", "\"\\\\xed\\\\xa0\\\\x80\"", "\\xed\\xa0\\x80" },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\"\\\\xf4\\\\x90\\\\x80\\\\x80\"",
	  "\\xf4\\x90\\x80\\x80" },
	/* Text that a spreadsheet would compute, and text that only looks like it. */
	{ "=1+1", "=1+1", "\"=1+1\"", "\"'=1+1\"" },
	{ "@SUM(A1)", "@SUM(A1)", "\"@SUM(A1)\"", "\"'@SUM(A1)\"" },
	{ "-[Foo bar]", "-[Foo bar]", "\"-[Foo bar]\"", "\"'-[Foo bar]\"" },
	{ "+\",x", "+\",x", "\"+\\\",x\"", "\"'+\"\",x\"" },
	{ "  =a", "  =a", "\"  =a\"", "\"'  =a\"" },
	{ "\t=a", "\\x09=a", "\"\\u0009=a\"", "\\x09=a" },
	{ "\xef\xbc\x9d"
	  "1",
	  "\xef\xbc\x9d"
	  "1",
	  "\"\xef\xbc\x9d"
	  "1\"",
	  "\"'\xef\xbc\x9d"
	  "1\"" },
	{ "-", "-", "\"-\"", "\"'-\"" },
	{ "-5", "-5", "\"-5\"", "-5" },
	{ "+1.25e-3", "+1.25e-3", "\"+1.25e-3\"", "+1.25e-3" },
	{ "-.5", "-.5", "\"-.5\"", "-.5" },
	{ "-5e", "-5e", "\"-5e\"", "\"'-5e\"" },
	{ "-5-6", "-5-6", "\"-5-6\"", "\"'-5-6\"" },
	{ "-0x1f", "-0x1f", "\"-0x1f\"", "\"'-0x1f\"" },
	{ "a=1", "a=1", "\"a=1\"", "a=1" },
};

static void check_stream(void (*put)(FILE *, const char *), const char *raw, const char *wanted)
{
	char *got = NULL;
	size_t size;
	FILE *f = open_memstream(&got, &size);

	put(f, raw);
	fclose(f);
	CU_ASSERT_STRING_EQUAL(got, wanted);
	free(got);
}

static void escapes(void)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text = escape_text(names[i].raw);

		CU_ASSERT_STRING_EQUAL(text, names[i].text);
		free(text);
		check_stream(escape_print, names[i].raw, names[i].text);
		check_stream(escape_json, names[i].raw, names[i].json);
		check_stream(escape_csv, names[i].raw, names[i].csv);
	}
}

/* The format's own newline at its end stays, an argument's does not. */
static void escapes_printed(void)
{
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	escape_printf(out, "%s: %.*s %d\n", "a\n\x1b", 3, "b\\cd", 5);
	escape_printf(out, "%s", "e\n");
	escape_printf(out, "\n");
	escape_printf(out, "%s", "");
	fclose(out);
	CU_ASSERT_STRING_EQUAL(got, "a\\x0a\\x1b: b\\\\c 5\ne\\x0a\n");
	free(got);
}

static void escapes_cut_whole(void)
{
	char room[6];

	CU_ASSERT_STRING_EQUAL(escape_into(room, sizeof(room), "ab\x1bz"), "ab");
	CU_ASSERT_STRING_EQUAL(escape_into(room, sizeof(room), "a\x1bzz"), "a\\x1b");
	CU_ASSERT_STRING_EQUAL(escape_into(room, 1, "a"), "");
	CU_ASSERT_STRING_EQUAL(escape_into(room, 4, "ab\xc3\xbc"), "ab");
}

/* Any byte, at any place in a word of eight. */
static void escapes_none(void)
{
	for (size_t at = 0; at < 20; at++) {
		for (int byte = 1; byte < 256; byte++) {
			char name[] = "abcdefgh_~ }0123456z";
			bool self = byte >= 0x20 && byte < 0x7F && byte != '\\';

			name[at] = (char)byte;
			CU_ASSERT_EQUAL_FATAL(escape_plain(name), self ? 20 : at);
			CU_ASSERT_EQUAL_FATAL(escape_is_plain(name), self && byte != '"');
		}
	}
}

static void json_shape(void)
{
	char *got = NULL;
	size_t size;
	FILE *f = open_memstream(&got, &size);
	struct json j;

	json_begin(&j, f, false);
	json_object(&j, NULL);
	json_string(&j, "s", "x");
	json_array(&j, "empty");
	json_end(&j, ']');
	json_array(&j, "list");
	json_uint(&j, NULL, UINT64_MAX);
	json_int(&j, NULL, -1);
	json_object(&j, NULL);
	json_bool(&j, "b", true);
	json_fixed(&j, "f", 0.125, 2);
	json_hex(&j, "h", 0xFF);
	json_end(&j, '}');
	json_end(&j, ']');
	json_end(&j, '}');
	fclose(f);
	CU_ASSERT_STRING_EQUAL(got, "{\"s\":\"x\",\"empty\":[],\"list\":[18446744073709551615,-1,"
				    "{\"b\":true,\"f\":0.12,\"h\":\"0xff\"}]}\n");
	free(got);
}

/* Texts and keys of each length, short ones and those that are written another way. */
static void json_lengths(void)
{
	static char text[600], key[200], want[4000];
	unsigned int wrong = 0;

	for (int n = 0; n < 500; n++) {
		struct json j;
		char *have = NULL;
		size_t size;
		FILE *f = open_memstream(&have, &size);
		int k = n % 100;

		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		memset(text, 'x', sizeof(text));
		memset(key, 'k', sizeof(key));
		text[n] = key[k] = 0;
		json_begin(&j, f, false);
		json_object(&j, NULL);
		json_string(&j, key, text);
		json_bool(&j, key, n & 1);
		json_null(&j, key);
		json_int(&j, key, INT64_MIN);
		json_uint(&j, key, 0);
		json_string(&j, "last", text);
		json_end(&j, '}');
		fclose(f);
		snprintf(want, sizeof(want),
			 "{\"%s\":\"%s\",\"%s\":%s,\"%s\":null,\"%s\":-9223372036854775808,\"%s\":0,"
			 "\"last\":\"%s\"}\n",
			 key, text, key, n & 1 ? "true" : "false", key, key, key, text);
		if (strcmp(have, want) != 0 && !wrong++)
			printf("# %d: %s\n", n, have);
		free(have);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Names of events and metrics are keys, too: they may hold anything. */
static void json_keys(void)
{
	static const char *const want[] = {
		"{\"a\\\"b\":1,\"c\\\\\":-2,\"d\\u0009\":\"x\",\"e \\\\x80\":[]}\n",
		"{\n \"a\\\"b\": 1,\n \"c\\\\\": -2,\n \"d\\u0009\": \"x\",\n \"e \\\\x80\": []\n}\n",
	};

	for (int indented = 0; indented < 2; indented++) {
		char *got = NULL;
		size_t size;
		FILE *f = open_memstream(&got, &size);
		struct json j;

		json_begin(&j, f, indented);
		json_object(&j, NULL);
		json_uint(&j, "a\"b", 1);
		json_int(&j, "c\\", -2);
		json_string(&j, "d\t", "x");
		json_array(&j, "e \x80");
		json_end(&j, ']');
		json_end(&j, '}');
		fclose(f);
		CU_ASSERT_STRING_EQUAL(got, want[indented]);
		free(got);
	}
}

/* A reader that parses numbers as doubles gets strings where a double is not exact. */
static void json_doubles(void)
{
	static const char want[] =
		"{\"a\":9007199254740992,\"b\":\"9007199254740993\",\"c\":\"18446744073709551615\","
		"\"d\":-9007199254740992,\"e\":\"-9007199254740993\",\"f\":\"-9223372036854775808\","
		"\"g\":9007199254740992,\"h\":\"9223372036854775807\"}\n";
	char *got = NULL;
	size_t size;
	FILE *f = open_memstream(&got, &size);
	struct json j;

	json_begin(&j, f, false);
	j.as_doubles = true;
	json_object(&j, NULL);
	json_uint(&j, "a", 1ull << 53);
	json_uint(&j, "b", (1ull << 53) + 1);
	json_uint(&j, "c", UINT64_MAX);
	json_int(&j, "d", -(1ll << 53));
	json_int(&j, "e", -(1ll << 53) - 1);
	json_int(&j, "f", INT64_MIN);
	json_int(&j, "g", 1ll << 53);
	json_int(&j, "h", INT64_MAX);
	json_end(&j, '}');
	fclose(f);
	CU_ASSERT_STRING_EQUAL(got, want);
	free(got);
}

/* A line longer than what is held of it, keys and values longer than what is short, in order. */
static void json_long(void)
{
	static const char key[] =
		"a key of more characters than the short ones have, which is sixty-four";
	char *got = NULL, *want = NULL, value[200];
	size_t size;
	FILE *f = open_memstream(&got, &size), *w = open_memstream(&want, &size);
	struct json j;

	memset(value, 'v', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	json_begin(&j, f, false);
	json_object(&j, NULL);
	json_array(&j, "list");
	fputs("{\"list\":[", w);
	for (uint64_t i = 0, n = 0; i < 1000; i++, n = n * 3 + i) {
		json_uint(&j, NULL, n);
		fprintf(w, "%s%" PRIu64, i ? "," : "", n);
		json_int(&j, NULL, -(int64_t)(n >> 1));
		fprintf(w, ",%" PRId64, -(int64_t)(n >> 1));
		if (i % 50)
			continue;
		json_string(&j, NULL, value + i % 180);
		fprintf(w, ",\"%s\"", value + i % 180);
		fputc(' ', json_out(&j));
		fputc(' ', w);
	}
	json_end(&j, ']');
	json_int(&j, key, INT64_MIN);
	json_uint(&j, key, UINT64_MAX);
	json_int(&j, "least", INT64_MIN);
	json_end(&j, '}');
	fprintf(w, "],\"%s\":%" PRId64 ",\"%s\":%" PRIu64 ",\"least\":%" PRId64 "}\n", key,
		INT64_MIN, key, UINT64_MAX, INT64_MIN);
	fclose(f);
	fclose(w);
	CU_ASSERT_STRING_EQUAL(got, want);
	free(got);
	free(want);
}

/* Where a number gets one digit more. */
static void json_digits(void)
{
	char *got = NULL, *want = NULL;
	size_t size;
	FILE *f = open_memstream(&got, &size), *w = open_memstream(&want, &size);
	uint64_t ten = 1;
	struct json j;

	json_begin(&j, f, false);
	json_array(&j, NULL);
	json_uint(&j, NULL, 0);
	fputs("[0", w);
	for (int i = 0; i < 20; i++, ten *= 10) {
		for (uint64_t n = ten - 1; n <= ten + 1; n++) {
			json_uint(&j, NULL, n);
			fprintf(w, ",%" PRIu64, n);
		}
	}
	json_end(&j, ']');
	fputs("]\n", w);
	fclose(f);
	fclose(w);
	CU_ASSERT_STRING_EQUAL(got, want);
	free(got);
	free(want);
}

/* Members once more in other objects, wherever the room ends; what was too long or left the room is
 * not kept. */
static void json_repeated(void)
{
	static const char *const values[] = { "plain", "a\tb" };
	char *got = NULL, *want = NULL, value[JSON_KEPT];
	size_t size;
	FILE *f = open_memstream(&got, &size), *w = open_memstream(&want, &size);
	struct json_kept kept = { 0 };
	struct json j;

	memset(value, 'v', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	json_begin(&j, f, false);
	json_array(&j, NULL);
	CU_ASSERT_FALSE(json_again(&j, &kept));
	for (uint64_t i = 0; i < 200; i++) {
		json_object(&j, NULL);
		json_uint(&j, "i", i);
		if (!i || !json_again(&j, &kept)) {
			json_keep_begin(&j);
			json_string(&j, "name", "same");
			json_uint(&j, "n", 7);
			json_keep_end(&j, &kept);
			CU_ASSERT_EQUAL(i, 0);
		}
		json_end(&j, '}');
		fprintf(w, "%s{\"i\":%" PRIu64 ",\"name\":\"same\",\"n\":7}", i ? "," : "[", i);
	}
	json_keep_begin(&j);
	json_string(&j, NULL, values[0]);
	json_string(&j, NULL, values[1]);
	json_keep_end(&j, &kept);
	CU_ASSERT_FALSE(json_again(&j, &kept));
	json_keep_begin(&j);
	json_string(&j, NULL, value);
	json_string(&j, NULL, "");
	json_keep_end(&j, &kept);
	CU_ASSERT_FALSE(json_again(&j, &kept));
	json_end(&j, ']');
	fprintf(w, ",\"plain\",\"a\\u0009b\",\"%s\",\"\"]\n", value);
	fclose(f);
	fclose(w);
	CU_ASSERT_STRING_EQUAL(got, want);
	free(got);
	free(want);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void outputs(void)
{
	char folder[] = "/tmp/test_common.XXXXXX", path[64], old[64];
	struct output o;
	struct stat st;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out", folder);
	snprintf(old, sizeof(old), "%s/out.old", folder);
	CU_ASSERT_EQUAL(output_open(&o, path, 0600), 0);
	CU_ASSERT_FALSE(o.renamed);
	fputs("one", o.file);
	CU_ASSERT_EQUAL(output_close(&o), 0);
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 0777, 0600);
	CU_ASSERT_EQUAL(output_open(&o, path, 0600), 0);
	CU_ASSERT_TRUE(o.renamed);
	CU_ASSERT_EQUAL(output_close(&o), 0);
	CU_ASSERT_EQUAL(stat(old, &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 3);
	CU_ASSERT_EQUAL(output_open(&o, folder, 0600), -EISDIR);
	CU_ASSERT_EQUAL(output_open(&o, "/dev/full", 0600), 0);
	fputs("lost", o.file);
	CU_ASSERT_EQUAL(output_close(&o), -ENOSPC);
	unlink(path);
	unlink(old);
	rmdir(folder);
}

/* A name of what is open already is written to, never moved aside. */
static void outputs_open_already(void)
{
	char name[] = "/tmp/test_common.XXXXXX", path[64], text[8] = "";
	int fd = mkstemp(name), out;
	struct output o;
	struct stat st;

	CU_ASSERT_FATAL(fd >= 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	CU_ASSERT_EQUAL(output_open(&o, path, 0600), 0);
	CU_ASSERT_FALSE(o.renamed);
	fputs("one", o.file);
	CU_ASSERT_EQUAL(output_close(&o), 0);
	fflush(stdout);
	out = dup(STDOUT_FILENO);
	CU_ASSERT_FATAL(out >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
	if (!output_open(&o, "/dev/stdout", 0600)) {
		fputs("two", o.file);
		output_close(&o);
	}
	dup2(out, STDOUT_FILENO);
	close(out);
	CU_ASSERT_EQUAL(pread(fd, text, sizeof(text), 0), 6);
	CU_ASSERT_STRING_EQUAL(text, "onetwo");
	CU_ASSERT_FALSE(o.renamed);
	CU_ASSERT_EQUAL(lstat("/dev/stdout", &st), 0);
	CU_ASSERT(S_ISLNK(st.st_mode));
	CU_ASSERT_EQUAL(output_open(&o, "/dev/fd/12345", 0600), -EBADF);
	CU_ASSERT_NOT_EQUAL(output_open(&o, "/dev/fd/x", 0600), 0);
	close(fd);
	unlink(name);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "units_sizes", units_sizes },
		{ "units_names", units_names },
		{ "units_times", units_times },
		{ "units_refused", units_refused },
		{ "escapes", escapes },
		{ "escapes_printed", escapes_printed },
		{ "escapes_cut_whole", escapes_cut_whole },
		{ "escapes_none", escapes_none },
		{ "json_shape", json_shape },
		{ "json_doubles", json_doubles },
		{ "json_keys", json_keys },
		{ "json_lengths", json_lengths },
		{ "json_long", json_long },
		{ "json_digits", json_digits },
		{ "json_repeated", json_repeated },
		{ "outputs", outputs },
		{ "outputs_open_already", outputs_open_already },
		{ NULL, NULL },
	};

	return unit_run("common", tests);
}
