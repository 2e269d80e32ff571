/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/**
 * Controls tracing and writes the program's own records.
 *
 * <p>TraceInit → TraceEnable … → TraceOn → TraceOff → TraceWriteBufferToFile → TraceTerminate. A process of its
 * own holds a session: it outlives the program that began it, and any program of the same user may control it.
 */
public final class Trace {
	private Trace() {
	}

	static {
		Native.load();
	}

	/** Modes: {@link #TraceSetMode}. */
	public static final int TRACE_NORMAL = 0;
	public static final int TRACE_CONTINUOUS = 1;
	public static final int TRACE_WRAP = 2;
	/** Scopes: {@link #TraceSetScope}. */
	public static final int TRACE_SYSTEM = 0;
	public static final int TRACE_PROCESS = 1;
	/** Call stacks: {@link #TraceSetStacks}. */
	public static final int PITRACE_WANT_KERNEL = 0x1;
	public static final int PITRACE_WANT_USER = 0x2;
	public static final int PITRACE_WANT_COPY = 0x4;
	public static final int PITRACE_WANT_DISPATCH = 0x8;
	/** Majors: {@link #TraceEnable}, {@link #TraceHook}. */
	public static final int PITRACE_TPROF = 0x10;
	public static final int PITRACE_DISPATCH = 0x12;
	public static final int PITRACE_HOOKIT = 0xB0;
	/** The major of named events. */
	public static final int PITRACE_NAMED = 0xC8;
	/** The first major for users' own records; the last is 255. */
	public static final int PITRACE_USER_FIRST = 0xD0;
	/** Uses of a collector: {@link #TraceCollectorUse}. */
	public static final int TRACE_FOR_SAMPLES = 1;
	public static final int TRACE_FOR_ITRACE = 2;
	public static final int TRACE_FOR_SESSIONS = 4;
	public static final int TRACE_BY_MODULE = 8;
	public static final int TRACE_BY_STEPS = 16;

	// ---- words

	/** Returns the text for a code. */
	public static String RcToString(int rc) {
		return Native.text(rcToString(rc));
	}

	/** Returns the message that describes the last failed call of this thread, or "". */
	public static String TraceLastError() {
		return Native.text(lastError());
	}

	// ---- set up, before TraceInit

	public static native int TraceSetMode(int mode);

	/** The trace file; null: swtrace.nrm2. */
	public static int TraceSetName(String path) {
		return setName(Native.bytes(path));
	}

	/** Bytes of each CPU's MTE buffer. */
	public static native int TraceSetMteSize(long bytes);

	/** Bytes of a segment. */
	public static native int TraceSetSectionSize(long bytes);

	/** {@link #TRACE_SYSTEM}, or {@link #TRACE_PROCESS}: pid and its children. */
	public static native int TraceSetScope(int scope, int pid);

	/** Records call stacks with samples: bits PITRACE_WANT; depth and copied bytes at most. */
	public static native int TraceSetStacks(int what, int depth, int copy);

	/** Continuous mode: begins a new file after so many bytes or seconds, and keeps so many older ones. */
	public static native int TraceSetRotation(long bytes, long seconds, int keep);

	/** "driver", "perf", …; null: the first that works. */
	public static int TraceSetCollector(String name) {
		return setCollector(Native.bytes(name));
	}

	/** Samples by events instead of the timer; null: the timer. */
	public static int TraceSetTprofEvent(int cpu, String event, long count, int priv) {
		return setTprofEvent(cpu, Native.bytes(event), count, priv);
	}

	/** Looks up events by their names, separated by commas. Returns their number, or a negative code. */
	public static int TraceFindEvents(String names, long count, int rate, int priv, TraceEventArgs[] list) {
		return findEvents(Native.bytes(names), count, rate, priv, list);
	}

	/** Calls back for each known event. */
	public static native void TraceListEvents(TraceEventListener listener);

	/** 1: this machine can count and sample it; 0: not. */
	public static native int TraceCanCount(TraceEventArgs event);

	/**
	 * Checks which collectors work here and now, in the order in which they are tried; fills in an element for
	 * each, at most list.length. Returns the number of collectors, or a negative code.
	 */
	public static native int TraceCheck(int scope, int pid, TraceCheck[] list);

	/** 1: this collector can record this major. */
	public static int TraceCollectorHas(String collector, int major) {
		return collectorHas(Native.bytes(collector), major);
	}

	/** Returns the name of a collector by its index, from 0 on; null beyond the last one. */
	public static String TraceCollectorName(int place) {
		return Native.text(collectorName(place));
	}

	/** Returns the uses of a collector: bits TRACE_FOR, TRACE_BY. */
	public static int TraceCollectorUse(String collector) {
		return collectorUse(Native.bytes(collector));
	}

	// ---- a session

	/** Starts a session with trace buffers of so many bytes per CPU (0: 4 MB). */
	public static native int TraceInit(long size);

	/** Ends the session. */
	public static native int TraceTerminate();

	public static native int TraceEnable(int major);

	public static native int TraceDisable(int major);

	/** 1 enabled, 0 not. */
	public static native int TraceQueryMajor(int major);

	/** "dispatch"; null: no name. */
	public static String TraceMajorName(int major) {
		return Native.text(majorName(major));
	}

	/** Ticks a second. */
	public static native int SetProfilerRate(int rate);

	public static native int TraceOn();

	public static native int TraceOff();

	/** Pauses sampling; names are still recorded. */
	public static native int TraceSuspend();

	public static native int TraceResume();

	/** Discards the trace buffers, but not names. */
	public static native int TraceDiscard();

	/** Writes a complete file of the trace so far; null: the session's file. */
	public static int TraceWriteBufferToFile(String path) {
		return writeBufferToFile(Native.bytes(path));
	}

	// ---- questions

	/** 1: there is a session. */
	public static native int IsTraceActive();

	/** 1: the session is on, or suspended. */
	public static native int IsTraceOn();

	public static native int IsContMode();

	public static native int IsWrapMode();

	public static String TraceGetName() {
		return Native.text(getName());
	}

	/** Number of the interval; 0 before the first TraceOn. */
	public static native int TraceGetIntervalId();

	public static native int TraceGetInfo(TraceInfo info);

	/** The name of an index of {@link TraceInfo#lost}. */
	public static String TraceLostName(int kind) {
		return Native.text(lostName(kind));
	}

	// ---- records of the program's own

	/** Whether a session may record this major. */
	public static native boolean TraceEnabled(int major, int minor);

	/**
	 * Writes a record with integers and strings, either of which may be null. The argument cpu is ignored: CPU,
	 * process, thread and time are filled in. Returns 0 if it was written, {@link Codes#TRACE_NOBODY} if no
	 * session records it, {@link Codes#PI_BUFFER_FULL} if it was lost and counted as lost.
	 */
	public static int TraceHook(int cpu, int major, int minor, long[] ints, String[] strs) {
		// Converts the strings only if a session records them; the native method checks the arguments.
		return strs == null || !TraceEnabled(major, minor) ? hook(major, minor, ints, null) :
			hook(major, minor, ints, Native.bytes(strs));
	}

	/** Writes a record of one integer, without an allocation. */
	public static native int TraceHook(int cpu, int major, int minor, long a);

	/** Writes a record of two integers, without an allocation. */
	public static native int TraceHook(int cpu, int major, int minor, long a, long b);

	/** For runtimes: code was loaded. */
	public static int TraceJitLoad(String name, long address, long size) {
		return jitLoad(Native.bytes(name), address, size);
	}

	/** For runtimes: code has moved. */
	public static native int TraceJitMove(long from, long to, long size);

	/** For runtimes: code is gone. */
	public static native int TraceJitUnload(long address, long size);

	/** Sets the calling thread's name for reports. */
	public static int TraceThreadName(String name) {
		return threadName(Native.bytes(name));
	}

	/** Begins a span, which has a name and an id: {@link Span}. */
	public static int TraceSpanBegin(String name, long id) {
		return TraceEnabled(PITRACE_HOOKIT, 0) ? span(0, Native.bytes(name), id) : Codes.TRACE_NOBODY;
	}

	/** Ends the latest span with this name and id, in any thread of the process. */
	public static int TraceSpanEnd(String name, long id) {
		return TraceEnabled(PITRACE_HOOKIT, 0x80) ? span(0x80, Native.bytes(name), id) : Codes.TRACE_NOBODY;
	}

	// ---- named events

	/**
	 * Declares an event of this process. The fields are "name:type" or "name:type:unit", separated by commas.
	 * Returns the event's id, or a negative code. See TraceEvent(3).
	 */
	public static int TraceEventNew(String name, String fields) {
		return eventNew(Native.bytes(name), Native.bytes(fields));
	}

	/** Whether a session may record named events. */
	public static boolean TraceEventsEnabled() {
		return TraceEnabled(PITRACE_NAMED, 0);
	}

	/**
	 * Writes an event: strs are its str fields in order, values are all others (f64:
	 * {@link Double#doubleToRawLongBits}). Too few of either return {@link Codes#PI_INVALID_ARGUMENT}.
	 */
	public static int TraceEventWrite(int event, long[] values, String[] strs) {
		return TraceEventsEnabled() ? eventWrite(event, values, Native.bytes(strs)) : Codes.TRACE_NOBODY;
	}

	// ---- with text as bytes

	private static native byte[] rcToString(int rc);

	private static native byte[] lastError();

	private static native int setName(byte[] path);

	private static native int setCollector(byte[] name);

	private static native int setTprofEvent(int cpu, byte[] event, long count, int priv);

	private static native int findEvents(byte[] names, long count, int rate, int priv, TraceEventArgs[] list);

	private static native int collectorHas(byte[] collector, int major);

	private static native byte[] collectorName(int place);

	private static native int collectorUse(byte[] collector);

	private static native byte[] majorName(int major);

	private static native int writeBufferToFile(byte[] path);

	private static native byte[] getName();

	private static native byte[] lostName(int kind);

	private static native int hook(int major, int minor, long[] ints, byte[][] strs);

	private static native int jitLoad(byte[] name, long address, long size);

	private static native int threadName(byte[] name);

	private static native int span(int minor, byte[] name, long id);

	private static native int eventNew(byte[] name, byte[] fields);

	private static native int eventWrite(int event, long[] values, byte[][] strs);
}
