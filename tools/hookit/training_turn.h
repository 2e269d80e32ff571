/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that execute the sequences, for each way in which they are compiled. */
static volatile int sum;

NOT_INLINED static int leaf(int n)
{
	return n + 1;
}

NOT_INLINED static int pair(int n)
{
	return leaf(n) + leaf(n + 1);
}

/* Frames that an exception unwinds, consecutively and after a function that has returned. */
NOT_INLINED static int thrower(int n)
{
	if (n)
		sum = leaf(n) + thrower(n - 1);
	else
		training_throw();
	return n;
}

NOT_INLINED static int leaves_at_once(int n)
{
	training_throw();
	return n;
}

NOT_INLINED static int catcher(int n)
{
	n += thrower(2);
	n += pair(n);
	n += leaves_at_once(n);
	n += leaves_at_once(n);
	return n + leaf(n);
}

OUTSIDE static void turn(void)
{
	sum = pair(sum);
	sum = leaf(sum);
	sum = pair(sum) + catcher(sum);
}
