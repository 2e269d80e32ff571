/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same of C++: virtual calls, exceptions through several frames, caught, passed on, and from
 * another thread. */
#include <cstdio>
#include <exception>
#include <execinfo.h>
#include <stdexcept>
#include <string>
#include <thread>

#include "patched_calls.h"

static long sum;

extern "C" {
QUIET void t_destroyed()
{
	CALLED("t_destroyed");
	sum++;
}

struct local {
	~local()
	{
		t_destroyed();
	}
};

QUIET int t_throws(int depth)
{
	local l;

	CALLED("t_throws");
	if (!depth)
		throw std::runtime_error("here");
	return t_throws(depth - 1) + 1;
}

QUIET int t_passes(int depth)
{
	local l;

	CALLED("t_passes");
	try {
		return t_throws(depth) + 1;
	} catch (const std::logic_error &) {
		return 1;
	} catch (...) {
		t_destroyed();
		throw;
	}
}

QUIET int t_catches(int depth)
{
	CALLED("t_catches");
	try {
		return t_passes(depth) + 1;
	} catch (const std::exception &e) {
		sum += std::string(e.what()).size();
	}
	return 2;
}

QUIET int t_backtrace(int depth)
{
	void *frames[64];

	CALLED("t_backtrace");
	if (depth)
		return t_backtrace(depth - 1) + (sum < 0);
	return backtrace(frames, 64);
}
}

struct shape {
	virtual long t_area(long n) = 0;
	virtual ~shape() { }
};

extern "C" QUIET long t_square(long n)
{
	CALLED("t_square");
	return n * n;
}

struct square : shape {
	QUIET long t_area(long n) override
	{
		return t_square(n) + 1;
	}
};

static void all(int n)
{
	square s;
	shape *volatile p = &s;

	for (int i = 0; i < n; i++) {
		long some = t_catches(i % 7) + p->t_area(i);

		__atomic_fetch_add(&sum, some, __ATOMIC_RELAXED);
	}
}

int main(int argc, char **argv)
{
	all(1000);
	std::thread(all, 100).join();
	sum += t_backtrace(5) > 6;
	calls_write(argc > 1 ? argv[1] : NULL);
	printf("%ld\n", sum);
	return 0;
}
