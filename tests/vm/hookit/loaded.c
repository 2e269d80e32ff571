/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libtruth.so */
#include "truth.h"

int loaded(int n);

CALLED static int inner(int n)
{
	return n * 5 + 2;
}

CALLED int loaded(int n)
{
	return inner(n) + inner(n + 1);
}
