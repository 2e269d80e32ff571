/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is shown and how, in the page's address: a link keeps it. Whatever is as it begins is left out. */

const texts = ['view', 'search', 'group', 'sort', 'theme', 'by', 'lanes', 'events', 'lines', 'order', 'open'];
const flags = ['reverse', 'merged', 'up', 'near', 'base'];
const numbers = ['process', 'thread', 'cpu', 'from', 'to', 'of', 'code', 'cgroup', 'event'];

export function freshState() {
	return {
		view: 'flame', search: '', group: 'function', sort: 'self', theme: '', by: 'function', lanes: 'thread',
		events: 'ns', lines: '-rank', order: 'sums', open: undefined, near: false, base: false,
		reverse: false, merged: false, up: false,
		process: undefined, thread: undefined, cpu: undefined, from: undefined, to: undefined, of: undefined, code: 0,
		cgroup: undefined, event: undefined,
		zoom: [],
	};
}

export function stateToHash(state) {
	const fresh = freshState(), parts = [];
	for (const key of texts) {
		if (state[key] !== fresh[key])
			parts.push(`${key}=${encodeURIComponent(state[key])}`);
	}
	for (const key of flags) {
		if (state[key])
			parts.push(key);
	}
	for (const key of numbers) {
		if (state[key] !== fresh[key])
			parts.push(`${key}=${state[key]}`);
	}
	if (state.zoom.length)
		parts.push(`zoom=${state.zoom.join('.')}`);
	return parts.length ? `#${parts.join('&')}` : '#';
}

function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch (e) {
		return '';
	}
}

const isWhole = (text) => /^-?\d{1,15}$/.test(text);

/* What a hash that somebody wrote may say: it is no more to be trusted than any other text. */
export function stateFromHash(hash) {
	const state = freshState();
	for (const part of hash.replace(/^#/, '').split('&')) {
		const at = part.indexOf('=');
		const key = at < 0 ? part : part.slice(0, at), value = at < 0 ? '' : part.slice(at + 1);
		if (texts.includes(key))
			state[key] = decoded(value);
		else if (flags.includes(key))
			state[key] = true;
		else if (numbers.includes(key) && isWhole(value))
			state[key] = Number(value);
		else if (key === 'zoom')
			state.zoom = value.split('.').filter(isWhole).map(Number);
	}
	return state;
}
