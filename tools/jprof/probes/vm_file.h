/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a Java VM's library: its own, and the one that its symbols were split off into. */
#ifndef VM_FILE_H
#define VM_FILE_H

#include "vm_elf.h"

/* Takes the descriptor over. false: it cannot be read. */
bool vm_file_map(struct vm_elf *f, int fd);
void vm_file_unmap(struct vm_elf *f);

/* Of the same build as the library, which has this path: among the system's debug files, or beside
 * it; root's or the user's own. false: there is none. */
bool vm_file_debug(struct vm_elf *debug, const struct vm_elf *library, const char *path);

#endif
