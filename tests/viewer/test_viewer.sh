#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page's functions that need no browser, by node's own runner: tests/viewer/*.test.js.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
command -v node >/dev/null || {
	echo "skip viewer node is not installed"
	exit 77
}
cp "$top"/viewer/*.js "$top"/tests/viewer/*.test.js "$work"
echo '{ "type": "module" }' >"$work/package.json"
cd "$work" || exit 1
node --test --test-reporter=tap ./*.test.js >tap 2>why
# Inner lines are tests, outer ones files.
grep -E '^ *(not )?ok [0-9]+ - ' tap | grep -v '\.test\.js$' |
	sed -E 's/^ *((not )?ok) [0-9]+ - (.*)$/\1 viewer_\3/; s/ #.*//; s/([a-z]) ([a-z])/\1_\2/3g' >lines
sed -E 's/^(not ok|ok) (.*)$/\1\t\2/' lines | while IFS=$'\t' read -r verdict name; do
	echo "$verdict ${name// /_}"
done
grep -q '^ *not ok' tap && grep -v '^ *duration_ms' tap | head -60
[ -s lines ] && ! grep -q '^ *not ok' tap
