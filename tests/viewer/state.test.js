/* SPDX-License-Identifier: GPL-3.0-or-later */
import assert from 'node:assert/strict';
import test from 'node:test';
import { freshState, stateFromHash, stateToHash } from './state.js';

test('a fresh state has no hash', () => {
	assert.equal(stateToHash(freshState()), '#');
	assert.deepEqual(stateFromHash('#'), freshState());
	assert.deepEqual(stateFromHash(''), freshState());
});

test('each part of a state is kept by a link', () => {
	const other = { view: 'time', search: '/a&b=c#%</script>/', group: 'thread', sort: '-name', theme: 'dark', by: 'name',
		lanes: 'CPU', events: 'who', lines: 'p', order: 'time', open: '-1(5)7', reverse: true, merged: true, up: true, near: true, base: true, process: 3,
		thread: 0, cpu: 7, from: 1, to: 99, of: 12, code: 2, cgroup: 4, event: 1, zoom: [-1, 5, 0] };
	assert.deepEqual(Object.keys(other).sort(), Object.keys(freshState()).sort());
	assert.deepEqual(stateFromHash(stateToHash({ ...freshState(), ...other })), other);
	for (const key of Object.keys(other)) {
		const one = { ...freshState(), [key]: other[key] };
		assert.deepEqual(stateFromHash(stateToHash(one)), one, key);
	}
});

test('a hash of anybody does no harm', () => {
	for (const hash of ['#%E0%A4%A', '#search=%', '#__proto__=1', '#zoom=a.1.-', '#from=1e99', '#of=0x10',
		'#process=99999999999999999', '#constructor&toString=2', '#&&==&=']) {
		const state = stateFromHash(hash);
		assert.deepEqual(Object.keys(state).sort(), Object.keys(freshState()).sort(), hash);
		assert.equal(Object.getPrototypeOf(state), Object.prototype);
		assert.equal(state.from, undefined);
		assert.equal(state.of, undefined);
		assert.equal(state.process, undefined);
	}
	assert.deepEqual(stateFromHash('#zoom=a.1.-').zoom, [1]);
});
