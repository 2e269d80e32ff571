/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/** {@link Trace#TraceListEvents} calls this for each known event. */
@FunctionalInterface
public interface TraceEventListener {
	void event(String source, String name, String what);
}
