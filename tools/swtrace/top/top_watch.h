/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guarantees that a signal ends the program within a second, even during a library call that cannot
 * be split (reading the kernel's symbols, a lock, a drain).
 */
#ifndef TOP_WATCH_H
#define TOP_WATCH_H

/* The signals that end the program: they are blocked, and read from a signalfd. */
extern const int top_watch_signals[4];

/* Starts the watching thread. If a signal has not been read for 600 ms, or the program has not
 * ended in that time after one, the thread calls `abandon` and ends the program. Returns 0 or
 * -errno. */
int top_watch_begin(void (*abandon)(void *), void *arg);
/* Reports that a signal was read and that the program is about to end. */
void top_watch_ending(void);

#endif
