/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unpacks the page's code and lets it run: the page's policy knows it by its hash. */
const packed = Uint8Array.from(atob(document.getElementById('code').textContent), (c) => c.charCodeAt(0));
const script = document.createElement('script');
script.type = 'module';
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
script.textContent = await new Response(unpacked).text();
document.body.append(script);
