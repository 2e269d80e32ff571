/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * speedscope.js FOLDER FILE: what speedscope's own importer sees in a profile, as JSON: of each
 * profile its name, unit, total, and what each frame has itself. FOLDER: of its package. It is the
 * web page's program without the page: of it all runs but the last step, that draws.
 */
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const [folder, file] = process.argv.slice(2);
const release = path.join(folder, 'dist', 'release');
const program = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
let text = fs.readFileSync(path.join(release, program), 'utf8');
/* The function that reads a file given on the command line. */
const opens = /loadFileFromBase64:\((\w+),(\w+)\)=>\{this\.loadProfile\(\(\)=>(\w+)\(\1,\2\)\)/.exec(text);
const last = text.lastIndexOf('console.log(`speedscope v');

if (!opens || last < 0) {
	console.error('speedscope.js: this is another speedscope than was expected');
	process.exit(2);
}
text = `${text.slice(0, last)}globalThis.openFile=${opens[3]};})();`;

/* A simulated browser. */
const nothing = new Proxy(function () {}, {
	get: (of, key) => (key === Symbol.toPrimitive ? () => '' : nothing),
	set: () => true, apply: () => nothing, construct: () => nothing,
});
Object.assign(globalThis, {
	window: globalThis, document: nothing, matchMedia: () => nothing, addEventListener: () => {},
	location: { hash: '', protocol: 'http:', href: 'http://localhost/' },
});
console.log = () => {};
vm.runInThisContext(text);

function own(profile) {
	const frames = {};

	profile.forEachFrame((frame) => {
		frames[frame.name] = (frames[frame.name] || 0) + frame.getSelfWeight();
	});
	return frames;
}

globalThis.openFile(path.basename(file), fs.readFileSync(file).toString('base64')).then((group) => {
	if (!group)
		throw new Error(`${file}: not a format that it knows`);
	process.stdout.write(JSON.stringify(group.profiles.map((profile) => ({
		name: profile.getName(), unit: profile.getWeightUnit(),
		total: profile.getTotalWeight(), own: own(profile),
	}))));
}).catch((error) => {
	console.error(String(error));
	process.exit(1);
});
