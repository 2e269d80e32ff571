/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end that is asked for by a signal comes within a second, whatever the program is at: a call
 * of a library that cannot be cut in pieces (a kernel's symbols, a lock, a drain).
 */
#ifndef TOP_WATCH_H
#define TOP_WATCH_H

/* Signals that end it: they are blocked, and read from a signalfd. */
extern const int top_watch_signals[4];

/* From here on a thread looks for them. One that nobody has read, or after which the program has
 * not ended, for so long: it calls abandon, in that thread, and ends the program. 0 or -errno. */
int top_watch_begin(void (*abandon)(void *), void *arg);
/* A signal was read: the program is about to end. */
void top_watch_ending(void);

#endif
