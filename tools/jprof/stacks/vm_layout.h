/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The offsets in HotSpot's structures that a walk needs, as the VM publishes them for debuggers
 * (gHotSpotVMStructs). Members moved between releases; one that a release lacks is VM_NONE.
 */
#ifndef VM_LAYOUT_H
#define VM_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "vm_image.h"

#define VM_NONE SIZE_MAX

/* Locates a virtual thread's frames in the heap (frozen_frames.h). */
struct vm_frozen {
	bool is_known;       /* and this VM's collector moves objects only at safepoints */
	uint64_t safepoints; /* address of the safepoint counter */
	uint32_t tail;       /* Continuation */
	uint32_t parent, continuation, size, sp, bottom, stack; /* StackChunk */
	bool narrow;                                            /* references have 32 bits */
	uint64_t base;
	uint32_t shift;
};

struct vm_layout {
	uint64_t call_stub_return; /* the address that Java code entered by JNI returns to */
	uint64_t heaps;            /* CodeCache's list of heaps */
	uint64_t interpreter;      /* AbstractInterpreter's queue of stubs */
	size_t array_length, array_data;
	/* CodeHeap, its spaces, its blocks */
	size_t memory, segments, segment_bits, space_low, space_high, block_size, block_used;
	size_t stub_buffer, stub_limit;
	/* CodeBlob */
	size_t blob_name, frame_complete, frame_size, code_begin, code_end, code_offset,
		data_offset;
	bool short_frame_complete;
	/* nmethod */
	size_t method, level, orig_pc, deopt_begin, deopt_offset;
	size_t pcs, pcs_end, scopes_begin, scopes_offset, immutable_data, metadata_offset,
		mutable_data, relocation_size;
	/* PcDesc */
	size_t pc_offset, pc_scope, pc_size;
	/* Method and the structures it refers to */
	size_t const_method, access_flags;
	size_t constants, const_size, const_flags, code_size, name, descriptor, const_method_size;
	uint32_t has_lines;
	size_t pool_holder, pool_length, pool_size, source_name;
	size_t class_name, class_constants;
	size_t symbol_length, symbol_body;
	/* JavaThread */
	size_t anchor, stack_base, anchor_sp, anchor_pc, anchor_fp, wrapper_anchor;
	size_t os_thread, os_thread_id, continuation_entry;
	/* Return address of a virtual thread's frames whose callers are in the heap; 0: unknown. */
	uint64_t return_barrier;
	uint64_t entry_return; /* address of its outermost frame's return address; 0: unknown */
	struct vm_frozen frozen;
	uint32_t excluded; /* bytes of a compressed number are never below this */
};

/* `release` is the JDK's. Returns NULL, or the reason why the layout is unknown. */
const char *vm_layout_read(struct vm_layout *l, const struct vm_image *i, unsigned int release);

#endif
