/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libhookit: counts and measures the calls of a program's functions. Code that is compiled for it
 * is measured if the program is linked with the library, or loaded with it; the program need not
 * call any of these functions. libhookit(3) lists the compiler's options.
 */
#ifndef HOOKIT_H
#define HOOKIT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Start and stop measuring calls. The first HookitOn() also starts what HOOKITOPTS=NOSTART has
 * deferred. */
void HookitOn(void);
void HookitOff(void);
/* Writes the log as it is so far; the next call and the program's end write it again. Returns 0, or
 * -1 if there is no log, or it cannot be written. */
int HookitFlush(void);

#ifdef __cplusplus
}
#endif
#endif
