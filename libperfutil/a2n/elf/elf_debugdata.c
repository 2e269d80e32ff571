/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * .gnu_debugdata: an xz-compressed ELF file inside a stripped one, with the symbols that .dynsym
 * does not have (Fedora's MiniDebugInfo).
 */
#include <lzma.h>
#include <stdlib.h>

#include "a2n/elf/elf_file.h"
#include "base/array.h"
#include "base/unpacked.h"

#define MAX_UNPACKED (256u << 20)
#define MAX_DECODER  (128u << 20)

static void *unpack(struct bytes packed, size_t *size)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	uint64_t most = unpacked_most(packed.size);
	size_t room = 0;
	uint8_t *out = NULL;
	lzma_ret r;

	if (lzma_stream_decoder(&stream, MAX_DECODER, 0) != LZMA_OK)
		return NULL;
	stream.next_in = packed.base;
	stream.avail_in = packed.size;
	do {
		if (!stream.avail_out) {
			size_t had = room;

			if (room >= most || array_room(out, room, had + 65536)) {
				r = LZMA_MEM_ERROR;
				break;
			}
			stream.next_out = out + had;
			stream.avail_out = room - had;
		}
		r = lzma_code(&stream, LZMA_FINISH);
	} while (r == LZMA_OK);
	*size = room - stream.avail_out;
	lzma_end(&stream);
	if (r != LZMA_STREAM_END || *size > MAX_UNPACKED) {
		free(out);
		return NULL;
	}
	return out;
}

uint32_t elf_symbols_debugdata(struct elf_file *f, struct symtab *t)
{
	uint32_t i, found = 0;

	for (i = 1; i < f->n_sections; i++) {
		struct elf_file inner;
		size_t size;
		void *image;

		if (!f->sections[i].name || strcmp(f->sections[i].name, ".gnu_debugdata"))
			continue;
		image = unpack(elf_section_bytes(f, &f->sections[i]), &size);
		if (image && !elf_file_open_memory(&inner, image, size)) {
			found = elf_symbols_full(&inner, t);
			elf_file_close(&inner);
		}
		free(image);
		break;
	}
	return found;
}
