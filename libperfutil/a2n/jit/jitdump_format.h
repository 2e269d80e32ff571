/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layout of a jitdump, shared by reader and writer. Records follow each other unaligned. */
#ifndef A2N_JITDUMP_FORMAT_H
#define A2N_JITDUMP_FORMAT_H

#define JITDUMP_MAGIC   0x4A695444u /* "JiTD" in the writer's byte order */
#define JITDUMP_VERSION 1

#define JITDUMP_HEADER 40 /* minimum */
/* the same, tag, late: an extension, by writers that report late; */
#define JITDUMP_HEADER_LATE  56
#define JITDUMP_SINCE        8 /* … with it a time is between a LOAD's name and code */
#define JITDUMP_LATE_TAG     0x6c61746570690000ull
#define JITDUMP_PREFIX       16 /* id size time */
#define JITDUMP_LOAD_FIXED   56 /* prefix pid tid vma address size index; name, code */
#define JITDUMP_MOVE_FIXED   64 /* prefix pid tid vma from to size index */
#define JITDUMP_DEBUG_FIXED  32 /* prefix address count; entries */
#define JITDUMP_DEBUG_ENTRY  16 /* address line discriminator; name */
#define JITDUMP_UNWIND_FIXED 40 /* prefix size header_size mapped_size; bytes */
#define JITDUMP_UNLOAD_FIXED 40 /* prefix pid tid address size */

#define JITDUMP_RAW_TIME 1 /* flag */

enum jitdump_id {
	JITDUMP_ID_LOAD,
	JITDUMP_ID_MOVE,
	JITDUMP_ID_DEBUG,
	JITDUMP_ID_CLOSE,
	JITDUMP_ID_UNWIND,
	JITDUMP_ID_UNLOAD = 0x50490000, /* extension: other readers skip unknown records */
};

/* The line tables of some writers use addresses in the ELF file that a reader creates from the
 * code. */
#define JITDUMP_ELF_HEADER 0x40
#define JITDUMP_PAD_V8     0xdeadbeefu

#endif
