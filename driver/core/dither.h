/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time of the next tick. A program whose cycle is a multiple or a fraction of the period would
 * meet a regular timer always at the same place; independent jitter of each interval drifts through
 * the cycle too slowly (its phase is a random walk). The phase is swept instead: for n ticks the
 * interval is longer by d, for the next n shorter by d, with n * d = one period, d drawn anew for
 * each pair; a small jitter on top breaks the remaining regularity. The mean is the period, no
 * interval differs from it by more than the dither. Plain arithmetic, so that unit tests run the
 * same code in user space.
 */
#ifndef PITRACE_DITHER_H
#define PITRACE_DITHER_H

struct dither {
	unsigned long long random; /* xorshift state, never 0 */
	unsigned int period;       /* ns */
	unsigned int sweep;        /* largest |d|, ns: four fifths of the dither */
	unsigned int jitter;       /* largest jitter, ns: one fifth */
	unsigned int d;
	unsigned int left, length; /* ticks of this sweep */
	int sign;
};

static inline unsigned int dither_random(struct dither *t, unsigned int below)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	return (unsigned int)(((t->random >> 32) * below) >> 32);
}

/* per_mille: the dither in thousandths of the period, 0 - 100. */
static inline void dither_init(struct dither *t, unsigned int period, unsigned int per_mille,
			       unsigned long long seed)
{
	unsigned int most = (unsigned int)((unsigned long long)period * per_mille / 1000);

	t->random = (seed + 1) * 0x9E3779B97F4A7C15ull;
	if (!t->random)
		t->random = 1;
	t->period = period;
	t->jitter = most / 5;
	t->sweep = most - t->jitter;
	t->d = t->left = t->length = 0;
	t->sign = -1;
}

/* Returns the ns from one tick to the next. */
static inline unsigned int dither_next(struct dither *t)
{
	unsigned int interval = t->period;

	if (!t->sweep)
		return interval;
	if (!t->left) {
		if (t->sign < 0) {
			t->d = t->sweep / 2 + dither_random(t, t->sweep / 2 + 1);
			if (!t->d)
				t->d = 1;
			t->length = t->period / t->d + (dither_random(t, t->d) < t->period % t->d);
			t->sign = 1;
		} else {
			t->sign = -1;
		}
		t->left = t->length;
	}
	t->left--;
	interval += t->sign > 0 ? t->d : -t->d;
	return interval + dither_random(t, 2 * t->jitter + 1) - t->jitter;
}

#endif
