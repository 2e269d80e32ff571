/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/**
 * Measures what each thread really used. Metrics are chosen once, threads are added, and each reads its own
 * values at any time, without the time taken by interrupts. See PttInit(3).
 */
public final class Ptt {
	private Ptt() {
	}

	static {
		Native.load();
	}

	/** Maximum number of metrics at a time. */
	public static final int PTT_METRICS = 8;
	/** Code that events count: {@link #PttInit}. */
	public static final int TRACE_PRIV_ANY = 0;
	public static final int TRACE_PRIV_USER = 1;
	public static final int TRACE_PRIV_KERNEL = 2;

	/** Before {@link #PttInit}: the maximum of threads at a time; default 256. */
	public static native int PttSetThreads(int most);

	/** Charges interrupts to the interrupted thread, or (0, the default) counts them separately. */
	public static native int PttSetCharge(int charged);

	/**
	 * Metrics by name: "tsc" is the machine's counter, others are events: "instructions", "page-faults",
	 * "cache-misses:u".
	 */
	public static int PttInit(String[] metrics, int priv) {
		return init(Native.bytes(metrics), priv);
	}

	/** Ends PTT. */
	public static native int PttTerminate();

	/** Adds a thread by the kernel's number, also one of another process; 0: this one. */
	public static native int PttInitThread(int tid);

	public static native int PttUninitThread(int tid);

	/**
	 * Reads the calling thread's own metrics since it was added, as many as the array has room for:
	 * {@link #PTT_METRICS} places are enough for all. Values never decrease.
	 */
	public static native int PttGetMetricData(long[] values);

	/**
	 * Reads the calling thread's first metric. Returns it, or a negative code. With the module and "tsc" as that
	 * metric, it makes no system call.
	 */
	public static native long PttReadInline();

	/** Reads another thread that was added, or this one (0), as of now. */
	public static native int PttGetThreadData(int tid, PttThreadData data);

	public static native int PttGetInfo(PttInfo info);

	/** Begins a span and records what PTT has counted for the calling thread: {@link Trace#TraceSpanBegin}. */
	public static int PttSpanBegin(String name, long id) {
		return Trace.TraceEnabled(Trace.PITRACE_HOOKIT, 0) ? span(0, Native.bytes(name), id) :
			Codes.TRACE_NOBODY;
	}

	public static int PttSpanEnd(String name, long id) {
		return Trace.TraceEnabled(Trace.PITRACE_HOOKIT, 0x80) ? span(0x80, Native.bytes(name), id) :
			Codes.TRACE_NOBODY;
	}

	private static native int init(byte[][] metrics, int priv);

	private static native int span(int minor, byte[] name, long id);
}
