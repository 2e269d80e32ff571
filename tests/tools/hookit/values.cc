// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that are given, and return, values of all kinds: three times each, in registers and on
// the stack.
#include <cstdio>

static volatile int sum;
#define NOT_CHANGED __attribute__((noipa))

enum color { RED = 1, GREEN = -2 };
struct pair {
	int a, b;
};
struct mixed {
	double d;
	long l;
};
struct big {
	long a[4];
};
struct with_end {
	int x;
	~with_end() { sum += x; }
};
struct floats {
	float x, y, z;
};
typedef const char *text;

extern "C" {
NOT_CHANGED int square(int n) { return sum++, n * n; }
NOT_CHANGED double half(double d) { return sum++, d / 2; }
NOT_CHANGED float times(float f, int k) { return sum++, f * (float)k; }
NOT_CHANGED text named(text s, unsigned char c, char l) { return sum += c + l, s; }
NOT_CHANGED unsigned long adds(unsigned long u, short s, bool b) { return sum++, u + (unsigned long)s + b; }
NOT_CHANGED enum color colored(enum color c) { return sum++, c; }
NOT_CHANGED void nothing(void *p, int x) { sum += x + !p; }
NOT_CHANGED int after_pair(pair p, int x) { return sum++, x + p.a; }
NOT_CHANGED int after_mixed(mixed p, int x, double e) { return sum++, x + (int)p.l + (int)e; }
NOT_CHANGED int after_big(big p, int x) { return sum++, x + (int)p.a[0]; }
NOT_CHANGED int after_end(with_end p, int x) { return sum++, x + p.x; }
NOT_CHANGED int after_floats(floats f, double d, int i) { return sum++, i + (int)(f.x + d); }
NOT_CHANGED big makes_big(int x) { return sum++, big{ { x } }; }
NOT_CHANGED mixed makes_mixed(int x) { return sum++, mixed{ 1.0, x }; }
NOT_CHANGED int many(int a, int b, int c, int d, int e, int f, int g, char h) { return sum++, a + b + c + d + e + f + g + h; }
NOT_CHANGED long double longer(long double x, int k) { return sum++, x + k; }
NOT_CHANGED int varied(text f, ...) { return sum++, *f; }
NOT_CHANGED long turned(signed char c, long long v) { return sum++, c - v; }
NOT_CHANGED int last_jumps(int n) { return square(n + 1); }
}
struct object {
	int k;
	NOT_CHANGED int method(int x) { return sum++, k + x; }
};

int main()
{
	for (int i = 0; i < 3; i++) {
		object o{ 4 };

		square(i - 1);
		half(i + 0.5);
		times((float)i * 1.25f, i);
		named(i ? "yes" : nullptr, 200, 'q');
		adds(5000000000ul, -3, i == 1);
		colored(i ? GREEN : RED);
		nothing(reinterpret_cast<void *>(0x1000), 7);
		after_pair({ 1, 2 }, 40 + i);
		after_mixed({ 1.5, 2 }, 50 + i, 2.5);
		after_big({}, 60 + i);
		after_end({ 3 }, 70 + i);
		after_floats({ 1, 2, 3 }, 9.5, 80 + i);
		makes_big(90 + i);
		makes_mixed(100 + i);
		many(1, 2, 3, 4, 5, 6, 77 + i, 'z');
		longer(1.5L, 3);
		varied("fmt", 3);
		turned(-1, 9);
		last_jumps(20 + i);
		o.method(i);
	}
	std::printf("%d\n", sum);
}
