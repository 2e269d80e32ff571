/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/** The machine's free-running counter, which PTT calls cycles: the TSC of x86. */
public final class Cycles {
	private Cycles() {
	}

	static {
		Native.load();
	}

	/** Reads the counter; the CPU may reorder this with neighbouring instructions. */
	public static native long GetCycles();

	/** Reads the counter after all preceding instructions: of two reads the second is never less. */
	public static native long ReadCycles();

	/** Cycles per second; 0: unknown. Determined once. */
	public static native double CyclesPerSecond();

	/** Converts a difference of two reads. */
	public static native double CyclesToSeconds(long cycles);

	/** Converts a difference of two reads. */
	public static native double CyclesToMilliseconds(long cycles);

	/** Converts a difference of two reads. */
	public static native double CyclesToMicroseconds(long cycles);
}
