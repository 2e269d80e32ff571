/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unpacks the page's code and lets it run: the page's policy knows it by its hash. Old browsers must understand this
 * script, too: they are told what they lack. */
(function () {
	function fail(why) {
		document.getElementById('loading').textContent = 'This page cannot be shown: ' + why;
		document.body.setAttribute('data-ready', 'failed');
	}
	function run(text) {
		var script = document.createElement('script');
		script.type = 'module';
		script.textContent = text;
		document.body.appendChild(script);
	}
	var raw = atob(document.getElementById('code').textContent), packed = new Uint8Array(raw.length), i;
	for (i = 0; i < raw.length; i++)
		packed[i] = raw.charCodeAt(i);
	if (!window.DecompressionStream) {
		fail('this browser is too old, it has no DecompressionStream. Chrome 97, Firefox 113, Safari 16.4 and later have it.');
		return;
	}
	new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
		.then(run, function (e) { fail(e.message); });
}());
