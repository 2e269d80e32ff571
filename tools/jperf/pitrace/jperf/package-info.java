/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Performance Inspector from Java: the functions of libperfutil with the same names and codes.
 *
 * <p>Functions return 0, a positive value as described, or one of the negative codes of {@link Codes};
 * {@link Trace#RcToString} returns its text, {@link Trace#TraceLastError} the message that describes the
 * calling thread's last failed call. Differences from C: arrays and strings have a length, so the arguments
 * have no counts and sizes; text is encoded as UTF-8, and a text that contains a NUL returns
 * {@link Codes#PI_INVALID_ARGUMENT}. For details see the functions' manual pages, jperf(3) and
 * libperfutil(3).
 *
 * <p>A thread is the platform thread that runs the call. A virtual thread may move to another one between two
 * calls: use the functions that count by thread ({@link Ptt}, {@link ITrace#ITraceEnableCurrent}) in platform
 * threads.
 */
package pitrace.jperf;
