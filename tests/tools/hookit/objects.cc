// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual calls, and exceptions through frames that have something to clean up and others that have not.
#include <cstdio>
#include <stdexcept>

static volatile int sum;

struct shape {
	virtual ~shape() {}
	virtual int area() const = 0;
};

struct square : shape {
	int side;
	explicit square(int n) : side(n) {}
	int area() const override { return side * side; }
};

struct strip : shape {
	int length;
	explicit strip(int n) : length(n) {}
	int area() const override { return length; }
};

struct guard {
	~guard() { sum = sum + 1; }
};

int thrower(int n)
{
	if (n == 0)
		throw std::runtime_error("deep");
	guard g;
	return thrower(n - 1) + 1;
}

int catcher(int n)
{
	try {
		return thrower(n);
	} catch (const std::exception &e) {
		return -1;
	}
}

int main()
{
	square a(3);
	strip b(4);
	const shape *all[] = { &a, &b };
	for (int i = 0; i < 1000; i++)
		sum = sum + all[i % 3 == 0]->area();
	for (int i = 0; i < 100; i++)
		sum = sum + catcher(i % 5);
	std::printf("%d\n", sum);
	return 0;
}
