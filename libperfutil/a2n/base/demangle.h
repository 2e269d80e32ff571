/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Readable names; the public entry is a2n_demangle. */
#ifndef A2N_DEMANGLE_H
#define A2N_DEMANGLE_H

/* As a2n_demangle, but what follows an '@' (version, plt) stays behind the readable name. */
char *demangle_symbol(const char *name);

#endif
