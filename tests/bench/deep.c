/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * deep SECONDS: a program of sixteen layers, each a function that calls the next from one of two
 * places, with work at the bottom: for benches of call stacks, with frame pointers everywhere.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEEP __attribute__((noinline)) static uint64_t

DEEP hash(uint64_t x)
{
	for (int i = 0; i < 200; i++)
		x = (x ^ x >> 29) * 0xD6E8FEB86659FD93ull;
	return x;
}

DEEP sort(uint64_t x)
{
	uint16_t v[32];

	for (int i = 0; i < 32; i++)
		v[i] = (uint16_t)((x += 0x9E3779B97F4A7C15ull) >> 40);
	for (int i = 1; i < 32; i++)
		for (int k = i; k && v[k - 1] > v[k]; k--) {
			uint16_t t = v[k];

			v[k] = v[k - 1];
			v[k - 1] = t;
		}
	return v[x % 32];
}

DEEP digits(uint64_t x)
{
	uint64_t sum = 0;

	for (uint64_t y = x | 1ull << 63; y; y /= 10)
		sum += y % 10;
	return sum + x;
}

DEEP work(uint64_t x)
{
	switch (x >> 60 & 3) {
	case 0:
		return hash(x) + 1;
	case 1:
		return sort(x) + 2;
	default:
		return digits(x) + 3;
	}
}

/* The call is not the last thing that a layer does: its frame stays. Few take the second place. */
#define LAYER(this, next, bit)                            \
	DEEP this(uint64_t x)                             \
	{                                                 \
		if (x >> (bit)&1 && x >> ((bit) + 1) & 1) \
			return next(x * 3) ^ x;           \
		return next(x + (bit)) + x;               \
	}

LAYER(layer1, work, 1)
LAYER(layer2, layer1, 4)
LAYER(layer3, layer2, 7)
LAYER(layer4, layer3, 10)
LAYER(layer5, layer4, 13)
LAYER(layer6, layer5, 16)
LAYER(layer7, layer6, 62)
LAYER(layer8, layer7, 62)
LAYER(layer9, layer8, 62)
LAYER(layer10, layer9, 62)
LAYER(layer11, layer10, 62)
LAYER(layer12, layer11, 62)
LAYER(layer13, layer12, 62)
LAYER(layer14, layer13, 62)
LAYER(layer15, layer14, 62)
LAYER(layer16, layer15, 62)

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	uint64_t sum = 1;

	while (time(NULL) < end)
		for (int i = 0; i < 10000; i++)
			sum = (sum + layer16(sum)) * 0x9E3779B97F4A7C15ull;
	printf("%d\n", (int)(sum & 1));
	return 0;
}
