/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/** Whether a collector works for this user here and now: struct trace_check. */
public final class TraceCheck {
	public static final int TRACE_CHECK_WORKS = 0;
	public static final int TRACE_CHECK_REFUSED = 1;
	public static final int TRACE_CHECK_ABSENT = 2;

	public String name;
	/** The source of its records. */
	public String what;
	/** One of the constants above. */
	public int state;
	/** 1: this collector would be used. */
	public int serves;
	/** The reason; "" if it works without restrictions. */
	public String why;
	/** The one command that fixes it, or "". */
	public String cure;
}
