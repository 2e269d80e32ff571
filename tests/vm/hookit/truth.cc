/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <cstdlib>

#include "truth.h"

namespace
{

struct shape {
	CALLED virtual int area(int n) = 0;
	virtual ~shape() = default;
};

struct square : shape {
	CALLED int area(int n) override
	{
		return n * n;
	}
};

struct strip : shape {
	CALLED int area(int n) override
	{
		return n * 3 + 1;
	}
};

square a_square;
strip a_strip;
shape *volatile shapes[2] = { &a_square, &a_strip };

CALLED int virtuals(int n)
{
	int sum = 0;

	for (int i = 0; i < 40; i++)
		sum += shapes[i & 1]->area(n + i);
	return sum;
}

CALLED int throws(int n)
{
	if (!n)
		throw 7;
	return throws(n - 1) + truth_sink;
}

CALLED int catches(int n)
{
	try {
		return throws(n) + truth_sink;
	} catch (int e) {
		return e;
	}
}

CALLED int leaf(int n)
{
	return n + 1;
}

CALLED int exceptions(int n)
{
	int sum = 0;

	for (int i = 0; i < 2; i++)
		sum += catches(n) + leaf(i);
	return sum;
}

/* A value that is made when it is first needed. */
struct made {
	int value;
	CALLED explicit made(int n) : value(n)
	{
		for (int i = 0; i < 20; i++)
			value = value * 3 + leaf(i);
	}
};

CALLED int first_use(int n)
{
	static made once(n);

	return once.value + leaf(n);
}

CALLED int statics(int n)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += first_use(n + i) & 255;
	return sum;
}

CALLED int ends(int n)
{
	/* The fourth time: in the midst of calls. */
	if (truth_sink++ == 3)
		exit(leaf(n) & 7);
	return leaf(n) + truth_sink;
}

CALLED int exits(int n)
{
	return ends(n) + truth_sink;
}

const truth_program programs[] = {
	{ "virtuals", virtuals }, { "exceptions", exceptions }, { "statics", statics },
	{ "exits", exits },       { nullptr, nullptr },
};
} // namespace

OUTSIDE int main(int argc, char **argv)
{
	return truth_main(programs, argc, argv);
}
