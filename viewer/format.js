/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as the terminal's reports show them. */

export function percent(part, whole) {
	return (whole ? 100 * part / whole : 0).toFixed(2);
}

export function seconds(ns, digits = 3) {
	return (ns / 1e9).toFixed(digits);
}

/* A time of the trace's clock in seconds, as -show has it and -time takes it. */
export function clock(from, ns) {
	const time = from + BigInt(Math.round(ns));
	return `${time / 1000000000n}.${String(time % 1000000000n).padStart(9, '0').slice(0, 6)}`;
}

export function words(count, one, many = `${one}s`) {
	return `${count} ${count === 1 ? one : many}`;
}

/* A number of a unit that is a plural: ticks, bytes; not ns. */
export function amount(count, unit) {
	return `${count} ${count === 1 && /^[a-z]{3,}s$/.test(unit) ? unit.slice(0, -1) : unit}`;
}

/* A path's last part. */
export function short(path) {
	const slash = path.lastIndexOf('/');
	return slash >= 0 && slash + 1 < path.length ? path.slice(slash + 1) : path;
}

/* A name that is too long for a line keeps its beginning and its end. */
export function cut(name, most) {
	const half = most >> 1;
	return name.length <= most ? name : `${name.slice(0, half)}…${name.slice(1 - most + half)}`;
}
