/* SPDX-License-Identifier: GPL-3.0-or-later */
import assert from 'node:assert/strict';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { Numbers, fromBase64, unpack } from './bytes.js';
import { amount, clock, cut, percent, short, words } from './format.js';

/* LEB128, as post writes it. */
function written(...values) {
	const bytes = [];
	for (let value of values) {
		for (; value >= 128; value = Math.floor(value / 128))
			bytes.push(value % 128 | 128);
		bytes.push(value);
	}
	return Uint8Array.from(bytes);
}

test('numbers up to 2^53', () => {
	const list = [0, 1, 127, 128, 16383, 16384, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];
	assert.deepEqual(Array.from(new Numbers(written(...list)).column(list.length, Float64Array)), list);
});

test('signed numbers are folded', () => {
	const n = new Numbers(written(0, 1, 2, 3, 2 ** 33));
	assert.deepEqual(Array.from({ length: 5 }, () => n.signed()), [0, -1, 1, -2, 2 ** 32]);
});

test('sums are of differences', () => {
	assert.deepEqual(Array.from(new Numbers(written(5, 0, 7)).sums(3, Uint32Array)), [5, 5, 12]);
	assert.deepEqual(Array.from(new Numbers(written(10, 3, 2)).signedSums(3, Uint32Array)), [5, 3, 4]);
});

test('a cut block is told at each length', () => {
	const whole = written(300, 70000, 5);
	for (let size = 0; size < whole.length; size++) {
		assert.throws(() => new Numbers(whole.subarray(0, size)).column(3, Float64Array), /ends too early/);
	}
});

test('blocks are unpacked', async () => {
	const bytes = Uint8Array.from({ length: 5000 }, (_, i) => i * 7 & 255);
	assert.deepEqual(await unpack(fromBase64(gzipSync(bytes).toString('base64'))), bytes);
});

test('formats of numbers and names', () => {
	assert.equal(percent(1, 3), '33.33');
	assert.equal(percent(1, 0), '0.00');
	assert.equal(clock(10000000000n, 2048576), '10.002048');
	assert.equal(clock(2n ** 63n, 0), '9223372036.854775');
	assert.equal(words(1, 'row'), '1 row');
	assert.equal(words(0, 'row'), '0 rows');
	assert.equal(short('/usr/lib/a.so'), 'a.so');
	assert.equal(short('folder/'), 'folder/');
	assert.equal(cut('abcdefghij', 6).length, 6);
	assert.equal(cut('abc', 6), 'abc');
});

test('one of a unit is singular, if the unit is a word', () => {
	assert.deepEqual([amount(1, 'ticks'), amount(2, 'ticks'), amount(1, 'bytes'), amount(1, 'ns'), amount(1, 'count')],
		['1 tick', '2 ticks', '1 byte', '1 ns', '1 count']);
});
