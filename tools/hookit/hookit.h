/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libhookit: the calls of a program's functions, each with what it took. Code that is compiled for
 * it is measured when the program is linked with the library, or when it is loaded with it: no call
 * of these is needed. libhookit(3) says what to compile with.
 */
#ifndef HOOKIT_H
#define HOOKIT_H

#ifdef __cplusplus
extern "C" {
#endif

/* From now on calls are measured, or not. The first one of On also begins what HOOKITOPTS=NOSTART
 * has put off. */
void HookitOn(void);
void HookitOff(void);
/* Writes what was counted so far: the log is written again by the next one, and at the end. 0, or
 * -1: there is no log, or it cannot be written. */
int HookitFlush(void);

#ifdef __cplusplus
}
#endif
#endif
