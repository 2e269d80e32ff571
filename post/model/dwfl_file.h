/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A module's file as read by libdwfl. liba2n finds and opens the file and its separate debug file,
 * so libdw searches neither folders nor the network.
 */
#ifndef POST_DWFL_FILE_H
#define POST_DWFL_FILE_H

#include <stdbool.h>

#include <a2n.h>
#include <elfutils/libdwfl.h>

struct dwfl_file {
	struct a2n *a2n;
	const struct a2n_module *module;
	uint8_t *made; /* contents of a file generated in memory; or NULL */
	size_t made_size;
	uint64_t bias;      /* offset from the file's addresses to libdw's */
	uint64_t low, high; /* low == high: the file is unavailable */
	Dwfl_Module *mod;
};

Dwfl *dwfl_file_begin(void);
/* Sets low and high to the range of the file's loaded segments. false: no file. */
bool dwfl_file_range(struct dwfl_file *f);
/* Call between dwfl_report_begin() and dwfl_report_end(); f must not move while libdw uses it. */
void dwfl_file_report(struct dwfl_file *f, Dwfl *dwfl);

#endif
