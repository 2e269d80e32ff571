/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/**
 * A span for a try statement: it begins here and ends where the block is left; "post -marks" reports its
 * duration.
 *
 * <pre>
 * try (Span span = new Span("request", number)) {
 *	serve();
 * }
 * </pre>
 */
public final class Span implements AutoCloseable {
	private String name;
	private final long id;

	public Span(String name, long id) {
		this.name = name;
		this.id = id;
		Trace.TraceSpanBegin(name, id);
	}

	/** Ends the span; a second call does nothing. */
	@Override
	public void close() {
		if (name != null)
			Trace.TraceSpanEnd(name, id);
		name = null;
	}
}
