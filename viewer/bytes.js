/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of data: base64, gzip, and numbers of seven bits a byte (post/export/html/html_block.h). */

export function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text);
	const bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

export async function unpack(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Numbers {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	/* Exact up to 2^53. */
	next() {
		let value = 0, scale = 1, byte;
		do {
			if (this.at >= this.bytes.length)
				throw new Error('a block of data ends too early');
			byte = this.bytes[this.at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte & 128);
		return value;
	}

	signed() {
		const value = this.next();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	column(count, Type) {
		const list = new Type(count);
		for (let i = 0; i < count; i++)
			list[i] = this.next();
		return list;
	}

	/* Each is told as what it is more than the one before. */
	sums(count, Type) {
		const list = new Type(count);
		for (let i = 0, value = 0; i < count; i++)
			list[i] = value += this.next();
		return list;
	}

	signedSums(count, Type) {
		const list = new Type(count);
		for (let i = 0, value = 0; i < count; i++)
			list[i] = value += this.signed();
		return list;
	}
}
