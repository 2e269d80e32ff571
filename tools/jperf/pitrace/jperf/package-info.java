/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Performance Inspector from Java: the functions of libperfutil with the same names and codes.
 *
 * <p>Functions return 0, a positive value as described, or one of the negative codes of {@link Codes};
 * {@link Trace#RcToString} gives its words, {@link Trace#TraceLastError} the sentence that describes the
 * calling thread's last failed call. What differs from C: arrays and strings have a length, so counts and
 * sizes are left out of the arguments; text is encoded as UTF-8, and a text with a NUL in it is
 * {@link Codes#PI_INVALID_ARGUMENT}. The manual pages of the functions say more: jperf(3),
 * libperfutil(3).
 *
 * <p>A thread is the platform thread that runs the call. A virtual thread may change it between two calls:
 * what counts by thread ({@link Ptt}, {@link ITrace#ITraceEnableCurrent}) belongs into platform
 * threads.
 */
package pitrace.jperf;
