/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/** What {@link Trace#TraceListEvents} calls for each known event. */
@FunctionalInterface
public interface TraceEventListener {
	void event(String source, String name, String what);
}
