// SPDX-License-Identifier: GPL-3.0-or-later
/** Rounds of calls, as many a round, for ever. */
public class Busy {
	static volatile long sink;
	static int leaf(int n) { return n * 3 + 1; }
	static void round(int n) { for (int i = 0; i < 100; i++) sink += leaf(i + n); }
	public static void main(String[] words) throws Exception {
		System.out.println("ready");
		for (int i = 0; ; i++) {
			round(i);
			Thread.sleep(2);
		}
	}
}
