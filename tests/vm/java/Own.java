// SPDX-License-Identifier: GPL-3.0-or-later
// Two threads do the same at the same time, a third one, too, whose name is `left out`: each prints how many
// calls it made. What a thread's own cycles are does not hold what the others take.
public class Own {
	static int leaf(int n) { return n * 31 + 7; }
	static int works(int turns) {
		int sum = 0;
		for (int i = 0; i < turns; i++) sum += leaf(i);
		return sum;
	}
	static void rests() {
		try { Thread.sleep(300); } catch (InterruptedException e) { throw new IllegalStateException(e); }
	}

	public static void main(String[] args) throws InterruptedException {
		Thread[] all = new Thread[3];
		for (int i = 0; i < all.length; i++) {
			all[i] = new Thread(() -> { works(20000); rests(); }, i == 2 ? "left out" : "own " + i);
			all[i].start();
		}
		for (Thread t : all) t.join();
		System.out.println("done");
	}
}
