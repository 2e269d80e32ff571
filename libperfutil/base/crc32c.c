/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CRC32C by the CPU's instruction or by slicing-by-8 tables. The choice is made at program start
 * for the CPU that runs it, not for the one that built it.
 */
#include <pthread.h>
#include <string.h>
#include "base/crc32c.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <asm/hwcap.h>
#endif

#define POLYNOMIAL 0x82F63B78u /* reflected */

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void table_fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = (c >> 1) ^ (c & 1 ? POLYNOMIAL : 0);
		table[0][i] = c;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int k = 1; k < 8; k++)
			table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xFF];
}

uint32_t crc32c_table(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *p = data;

	pthread_once(&table_once, table_fill);
	crc = ~crc;
	for (; size >= 8; size -= 8, p += 8) {
		uint64_t v;

		memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		v = __builtin_bswap64(v);
#endif
		v ^= crc;
		crc = table[7][v & 0xFF] ^ table[6][v >> 8 & 0xFF] ^ table[5][v >> 16 & 0xFF] ^
		      table[4][v >> 24 & 0xFF] ^ table[3][v >> 32 & 0xFF] ^
		      table[2][v >> 40 & 0xFF] ^ table[1][v >> 48 & 0xFF] ^ table[0][v >> 56];
	}
	for (; size; size--, p++)
		crc = (crc >> 8) ^ table[0][(crc ^ *p) & 0xFF];
	return ~crc;
}

static uint32_t (*chosen)(uint32_t crc, const void *data, size_t size) = crc32c_table;
static const char *chosen_name = "table";

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_cpu(uint32_t crc, const void *data,
							     size_t size)
{
	const uint8_t *p = data;
	uint64_t c = ~crc;

	for (; size >= 8; size -= 8, p += 8) {
		uint64_t v;

		memcpy(&v, p, 8);
		c = _mm_crc32_u64(c, v);
	}
	for (; size; size--, p++)
		c = _mm_crc32_u8((uint32_t)c, *p);
	return ~(uint32_t)c;
}

__attribute__((constructor)) static void choose(void)
{
	__builtin_cpu_init();
	if (__builtin_cpu_supports("sse4.2")) {
		chosen = crc32c_cpu;
		chosen_name = "sse4.2";
	}
}
#elif defined(__aarch64__)
/* Inline assembly, because <arm_acle.h> declares the intrinsics only when the target CPU has them.
 * */
static uint32_t crc32c_cpu(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *p = data;

	crc = ~crc;
	for (; size >= 8; size -= 8, p += 8) {
		uint64_t v;

		memcpy(&v, p, 8);
		__asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(v));
	}
	for (; size; size--, p++)
		__asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(*p));
	return ~crc;
}

__attribute__((constructor)) static void choose(void)
{
	if (getauxval(AT_HWCAP) & HWCAP_CRC32) {
		chosen = crc32c_cpu;
		chosen_name = "armv8";
	}
}
#endif

uint32_t crc32c(uint32_t crc, const void *data, size_t size)
{
	return chosen(crc, data, size);
}

const char *crc32c_method(void)
{
	return chosen_name;
}
