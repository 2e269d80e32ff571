// SPDX-License-Identifier: GPL-3.0-or-later
// Calls whose numbers are known: leaves, recursion, exceptions, constructors, a stack that overflows,
// threads that come and go.
public class Calls {
	static int leaf(int n) { return n + 1; }
	static int odd(int n) { return n == 0 ? 0 : even(n - 1) + 1; }
	static int even(int n) { return n == 0 ? 0 : odd(n - 1) + 1; }
	static int fails(int n) { if (n % 3 == 0) throw new IllegalStateException(); return n; }
	static int deep(int n) { return deep(n + 1) + 1; }
	static synchronized void locked() { leaf(1); }
	final int x;
	Calls(int n) { this(n, fails(n)); }
	Calls(int n, int m) { x = n + m; }
	public static void main(String[] args) throws Exception {
		int sum = 0;
		for (int i = 0; i < 100000; i++) sum += leaf(i);
		for (int i = 0; i < 100; i++) sum += even(i);
		for (int i = 0; i < 3000; i++)
			try { sum += new Calls(i).x; } catch (IllegalStateException e) { sum++; }
		try { deep(0); } catch (StackOverflowError e) { sum++; }
		Thread[] threads = new Thread[200];
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(() -> { for (int k = 0; k < 500; k++) locked(); });
			threads[i].start();
			if (i % 8 == 7) for (int k = i - 7; k <= i; k++) threads[k].join();
		}
		System.out.println(sum);
		if (args.length > 0) Runtime.getRuntime().halt(3);
	}
}
