/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/** The codes that the functions return, as in perfutil.h. */
public final class Codes {
	private Codes() {
	}

	public static final int PI_OK = 0;
	/** {@link Trace#TraceLastError} describes what happened. */
	public static final int PI_ERROR = -1;
	public static final int PI_NOT_INITIALIZED = -2;
	public static final int PI_INCORRECT_STATE = -3;
	/** A buffer filled while tracing began; for a record: it was lost, and counted as lost. */
	public static final int PI_BUFFER_FULL = -4;
	public static final int PI_DRIVER_NOT_LOADED = -5;
	public static final int PI_NOT_SUPPORTED = -6;
	/** Another session is in the way. */
	public static final int PI_BUSY = -7;
	/** The session is another user's. */
	public static final int PI_NOT_OWNER = -8;
	public static final int PI_NO_PERMISSION = -9;
	public static final int PI_INVALID_ARGUMENT = -10;
	public static final int PI_NO_MEMORY = -11;
	public static final int PI_NO_PROCESS = -12;
	/** The trace file cannot be created or written. */
	public static final int PI_FILE_ERROR = -13;
	/** The process that held the session has died. */
	public static final int PI_HOLDER_GONE = -14;
	/** The driver has another version. */
	public static final int PI_BAD_DRIVER = -15;
	public static final int PI_HOOK_TOO_LONG = -16;
	public static final int PI_EVENT_UNSUPPORTED = -17;
	public static final int PI_TOO_MANY_METRICS = -18;
	public static final int PI_DUPLICATE_METRIC = -19;
	public static final int PI_BAD_PRIVILEGE = -20;
	/** For a record: no session records it. */
	public static final int TRACE_NOBODY = 1;
}
