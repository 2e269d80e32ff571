/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Demangles symbol names; the public entry is a2n_demangle. */
#ifndef A2N_DEMANGLE_H
#define A2N_DEMANGLE_H

/* As a2n_demangle, but keeps the text after an '@' (version, plt). */
char *demangle_symbol(const char *name);

#endif
