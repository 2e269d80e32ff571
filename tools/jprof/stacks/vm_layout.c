/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vm_layout.h"

#include <string.h>

static const struct wanted_member {
	const char *type, *member;
	size_t to; /* in struct vm_layout */
	bool is_optional;
} members[] = {
#define TO(name) offsetof(struct vm_layout, name)
	{ "GrowableArrayBase", "_len", TO(array_length), false },
	{ "GrowableArray<int>", "_data", TO(array_data), false },
	{ "CodeHeap", "_memory", TO(memory), false },
	{ "CodeHeap", "_segmap", TO(segments), false },
	{ "CodeHeap", "_log2_segment_size", TO(segment_bits), false },
	{ "VirtualSpace", "_low", TO(space_low), false },
	{ "VirtualSpace", "_high", TO(space_high), false },
	{ "HeapBlock::Header", "_used", TO(block_used), false },
	{ "StubQueue", "_stub_buffer", TO(stub_buffer), false },
	{ "StubQueue", "_buffer_limit", TO(stub_limit), false },
	{ "CodeBlob", "_name", TO(blob_name), false },
	{ "CodeBlob", "_frame_complete_offset", TO(frame_complete), false },
	{ "CodeBlob", "_frame_size", TO(frame_size), false },
	{ "CodeBlob", "_code_begin", TO(code_begin), true },
	{ "CodeBlob", "_code_end", TO(code_end), true },
	{ "CodeBlob", "_code_offset", TO(code_offset), true },
	{ "CodeBlob", "_data_offset", TO(data_offset), true },
	{ "CodeBlob", "_mutable_data", TO(mutable_data), true },
	{ "CodeBlob", "_relocation_size", TO(relocation_size), true },
	{ "nmethod", "_comp_level", TO(level), false },
	{ "nmethod", "_orig_pc_offset", TO(orig_pc), true },
	{ "nmethod", "_deopt_handler_offset", TO(deopt_offset), true },
	{ "nmethod", "_scopes_pcs_offset", TO(pcs), false },
	{ "nmethod", "_scopes_data_offset", TO(scopes_offset), true },
	{ "nmethod", "_immutable_data", TO(immutable_data), true },
	{ "nmethod", "_metadata_offset", TO(metadata_offset), true },
	{ "PcDesc", "_pc_offset", TO(pc_offset), false },
	{ "PcDesc", "_scope_decode_offset", TO(pc_scope), false },
	{ "Method", "_constMethod", TO(const_method), false },
	{ "Method", "_access_flags", TO(access_flags), false },
	{ "ConstMethod", "_constants", TO(constants), false },
	{ "ConstMethod", "_constMethod_size", TO(const_size), false },
	{ "ConstMethod", "_code_size", TO(code_size), false },
	{ "ConstMethod", "_name_index", TO(name), false },
	{ "ConstMethod", "_signature_index", TO(descriptor), false },
	{ "ConstantPool", "_pool_holder", TO(pool_holder), false },
	{ "ConstantPool", "_length", TO(pool_length), false },
	{ "ConstantPool", "_source_file_name_index", TO(source_name), true },
	{ "Klass", "_name", TO(class_name), false },
	{ "InstanceKlass", "_constants", TO(class_constants), false },
	{ "Symbol", "_length", TO(symbol_length), false },
	{ "Symbol", "_body", TO(symbol_body), false },
	{ "JavaThread", "_anchor", TO(anchor), false },
	{ "JavaThread", "_stack_base", TO(stack_base), true },
	{ "JavaThread", "_cont_entry", TO(continuation_entry), true },
	{ "JavaFrameAnchor", "_last_Java_sp", TO(anchor_sp), false },
	{ "JavaFrameAnchor", "_last_Java_pc", TO(anchor_pc), false },
	{ "JavaFrameAnchor", "_last_Java_fp", TO(anchor_fp), false },
	{ "JavaCallWrapper", "_anchor", TO(wrapper_anchor), false },
	{ "OSThread", "_thread_id", TO(os_thread_id), false },
#undef TO
};

/* Members whose type depends on the release. */
static const struct {
	const char *types[2], *member;
	size_t to;
	bool is_optional;
} moved[] = {
#define TO(name) offsetof(struct vm_layout, name)
	{ { "nmethod", "CompiledMethod" }, "_method", TO(method), false },
	{ { "nmethod", "CompiledMethod" }, "_scopes_data_begin", TO(scopes_begin), true },
	{ { "nmethod", "CompiledMethod" }, "_deopt_handler_begin", TO(deopt_begin), true },
	{ { "Thread", "JavaThread" }, "_osthread", TO(os_thread), false },
#undef TO
};

static size_t *at(struct vm_layout *l, size_t to)
{
	return (void *)((char *)l + to);
}

static bool read_members(struct vm_layout *l, const struct vm_image *i)
{
	for (size_t n = 0; n < sizeof(members) / sizeof(*members); n++) {
		const struct wanted_member *m = &members[n];

		*at(l, m->to) = VM_NONE;
		if (!vm_image_member(i, m->type, m->member, at(l, m->to)) && !m->is_optional)
			return false;
	}
	for (size_t n = 0; n < sizeof(moved) / sizeof(*moved); n++) {
		size_t *to = at(l, moved[n].to);

		*to = VM_NONE;
		if (!vm_image_member(i, moved[n].types[0], moved[n].member, to) &&
		    !vm_image_member(i, moved[n].types[1], moved[n].member, to) &&
		    !moved[n].is_optional)
			return false;
	}
	return true;
}

static bool read_flags(struct vm_layout *l, const struct vm_image *i)
{
	int32_t bit;

	if (vm_image_member(i, "ConstMethod", "_flags", &l->const_flags) &&
	    vm_image_constant(i, "ConstMethod::_has_linenumber_table", &bit))
		l->has_lines = (uint32_t)bit;
	else if (vm_image_member(i, "ConstMethod", "_flags._flags", &l->const_flags) &&
		 vm_image_constant(i, "ConstMethodFlags::_misc_has_linenumber_table", &bit))
		l->has_lines = (uint32_t)bit;
	return l->has_lines;
}

static bool read_statics(struct vm_layout *l, const struct vm_image *i)
{
	const uint64_t *heaps = vm_image_static(i, "CodeCache", "_heaps"),
		       *interpreter = vm_image_static(i, "AbstractInterpreter", "_code"),
		       *returns = vm_image_static(i, "StubRoutines", "_call_stub_return_address");

	if (!heaps || !interpreter || !returns)
		return false;
	l->heaps = *heaps;
	l->interpreter = *interpreter;
	l->call_stub_return = *returns;
	return l->heaps && l->interpreter && l->call_stub_return;
}

/* ---- virtual threads: symbols of what the tables lack ---------------------------------------- */

static bool read_symbol(const struct vm_image *i, const char *name, void *to, size_t size)
{
	size_t room = 0;
	const void *at = vm_image_symbol(i, name, &room);

	if (!at || room < size)
		return false;
	memcpy(to, at, size);
	return true;
}

static bool is_set(const struct vm_image *i, const char *flag)
{
	uint8_t value = 0;

	return read_symbol(i, flag, &value, sizeof(value)) && value;
}

static bool read_offsets(struct vm_frozen *f, const struct vm_image *i)
{
#define CHUNK "_ZN26jdk_internal_vm_StackChunk"
	const struct {
		const char *name;
		uint32_t *to;
	} wanted[] = {
		{ CHUNK "14_parent_offsetE", &f->parent },
		{ CHUNK "12_cont_offsetE", &f->continuation },
		{ CHUNK "12_size_offsetE", &f->size },
		{ CHUNK "10_sp_offsetE", &f->sp },
		{ CHUNK "14_bottom_offsetE", &f->bottom },
		{ "_ZN23InstanceStackChunkKlass16_offset_of_stackE", &f->stack },
		{ "_ZN28jdk_internal_vm_Continuation12_tail_offsetE", &f->tail },
	};
#undef CHUNK

	for (size_t n = 0; n < sizeof(wanted) / sizeof(*wanted); n++)
		if (!read_symbol(i, wanted[n].name, wanted[n].to, sizeof(*wanted[n].to)) ||
		    !*wanted[n].to)
			return false;
	return true;
}

/* The members were renamed in JDK 24. */
static bool read_narrow(struct vm_frozen *f, const struct vm_image *i)
{
	const uint64_t *base = vm_image_static(i, "CompressedOops", "_base");
	const int32_t *shift = vm_image_static(i, "CompressedOops", "_shift");

	f->narrow = is_set(i, "UseCompressedOops");
	if (!base)
		base = vm_image_static(i, "CompressedOops", "_narrow_oop._base");
	if (!shift)
		shift = vm_image_static(i, "CompressedOops", "_narrow_oop._shift");
	if (!f->narrow)
		return true;
	if (!base || !shift)
		return false;
	f->base = *base;
	f->shift = (uint32_t)*shift;
	return f->shift < 8;
}

static void read_virtual(struct vm_layout *l, const struct vm_image *i)
{
	struct vm_frozen *f = &l->frozen;
	size_t room;

	read_symbol(i, "_ZN12StubRoutines19_cont_returnBarrierE", &l->return_barrier,
		    sizeof(l->return_barrier));
	/* The value is set once a virtual thread exists. */
	l->entry_return = (uintptr_t)vm_image_symbol(i, "_ZN17ContinuationEntry10_return_pcE",
						     &room);
	/* Newer VMs publish it: it is known even without symbols. */
	if (!l->entry_return)
		l->entry_return = (uintptr_t)vm_image_static(i, "ContinuationEntry", "_return_pc");
	f->safepoints = (uintptr_t)vm_image_symbol(i,
						   "_ZN20SafepointSynchronize18_safepoint_counterE",
						   &room);
	f->is_known = (is_set(i, "UseSerialGC") || is_set(i, "UseParallelGC") ||
		       is_set(i, "UseG1GC")) &&
		      f->safepoints && read_offsets(f, i) && read_narrow(f, i);
}

/* Code bounds and compiler records must be known, each in one of two layouts. */
static bool is_whole(const struct vm_layout *l)
{
	bool addresses = l->code_begin != VM_NONE && l->code_end != VM_NONE;
	bool offsets = l->code_offset != VM_NONE && l->data_offset != VM_NONE;
	bool old = l->scopes_begin != VM_NONE && l->metadata_offset != VM_NONE &&
		   l->pcs_end != VM_NONE;
	bool new = l->immutable_data != VM_NONE && l->scopes_offset != VM_NONE &&
		   l->mutable_data != VM_NONE && l->relocation_size != VM_NONE;

	return (addresses || offsets) && (old || new);
}

const char *vm_layout_read(struct vm_layout *l, const struct vm_image *i, unsigned int release)
{
	static const char why[] =
		"this Java VM does not publish how its code and methods are laid out";

	*l = (struct vm_layout){ .pcs_end = VM_NONE };
	vm_image_member(i, "nmethod", "_dependencies_offset", &l->pcs_end);
	if (!read_members(l, i) || !read_flags(l, i) || !read_statics(l, i) ||
	    !vm_image_type_size(i, "HeapBlock", &l->block_size) ||
	    !vm_image_type_size(i, "PcDesc", &l->pc_size) ||
	    !vm_image_type_size(i, "ConstantPool", &l->pool_size) ||
	    !vm_image_type_size(i, "ConstMethod", &l->const_method_size) || !is_whole(l))
		return why;
	read_virtual(l, i);
	/* Since JDK 20 a compressed number has no byte 0; since JDK 23 the offset at which a frame
	 * is complete has 16 bits. */
	l->excluded = release >= 20;
	l->short_frame_complete = l->code_offset != VM_NONE;
	return NULL;
}
