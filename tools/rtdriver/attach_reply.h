/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reply of a VM on its attach socket: a line with a number, then text. */
#ifndef RTDRIVER_ATTACH_REPLY_H
#define RTDRIVER_ATTACH_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATTACH_REPLY 65536 /* bytes of a reply that are read; the rest is ignored */

struct attach_reply {
	int32_t status; /* 0: the VM has carried out the request */
	bool has_code;  /* the VM has loaded an agent, which returned `code` */
	int32_t code;
	const char *text; /* all after the first line but final newlines; not terminated */
	size_t length;
};

/* Parses a reply. Returns NULL, or what is wrong with it. */
const char *attach_reply_read(struct attach_reply *r, const char *reply, size_t size);

#endif
