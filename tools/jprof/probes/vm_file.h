/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a Java VM's library: its own, and its separate debug file. */
#ifndef VM_FILE_H
#define VM_FILE_H

#include "vm_elf.h"

/* Maps the file and closes the descriptor. false: it cannot be read. */
bool vm_file_map(struct vm_elf *f, int fd);
void vm_file_unmap(struct vm_elf *f);

/* Maps a debug file with the same build id as the library at `path`, from the system's debug files
 * or the library's folder; it must be owned by root or the user. false: not found. */
bool vm_file_debug(struct vm_elf *debug, const struct vm_elf *library, const char *path);

#endif
