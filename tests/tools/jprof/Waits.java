// SPDX-License-Identifier: GPL-3.0-or-later
// Uses no CPU time: a thread sleeps, one waits for a monitor which another one holds
// while it sleeps; and one that allocates. Prints how often and for how long the monitor was waited for.
public class Waits {
	static final Object MONITOR = new Object();
	static volatile byte[] kept;

	static void sleeper(long ms) throws InterruptedException {
		Thread.sleep(ms);
	}

	static volatile boolean held;

	// Until the other thread waits for it, and a little longer.
	static void holder(Thread other) throws InterruptedException {
		synchronized (MONITOR) {
			held = true;
			while (other.getState() != Thread.State.BLOCKED)
				Thread.sleep(1);
			Thread.sleep(5);
		}
	}

	static void waiter() {
		synchronized (MONITOR) {
			kept = null;
		}
	}

	static void allocator(int mb) {
		for (int i = 0; i < mb * 16; i++)
			kept = new byte[1 << 16];
	}

	public static void main(String[] args) throws Exception {
		Thread main = Thread.currentThread();
		Thread sleeps = new Thread(() -> { try { sleeper(1000); } catch (InterruptedException e) { } }, "sleeps");
		sleeps.start();
		long waited = 0;
		for (int i = 0; i < 20; i++) {
			held = false;
			Thread holds = new Thread(() -> { try { holder(main); } catch (InterruptedException e) { } }, "holds");
			holds.start();
			while (!held)
				Thread.sleep(1);
			long since = System.nanoTime();
			waiter();
			waited += System.nanoTime() - since;
			holds.join();
		}
		allocator(64);
		sleeps.join();
		System.out.println("waited 20 " + waited);
	}
}
