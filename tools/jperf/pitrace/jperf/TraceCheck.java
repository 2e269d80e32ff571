/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/** Whether a collector can serve this user here and now: struct trace_check. */
public final class TraceCheck {
	public static final int TRACE_CHECK_WORKS = 0;
	public static final int TRACE_CHECK_REFUSED = 1;
	public static final int TRACE_CHECK_ABSENT = 2;

	public String name;
	/** Where its records come from. */
	public String what;
	/** One of the constants above. */
	public int state;
	/** 1: it is the one that would serve. */
	public int serves;
	/** A sentence; "" when it works without restrictions. */
	public String why;
	/** The one command that fixes it, or "". */
	public String cure;
}
