#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/json.md: each output in its table has these keys first, each a version, and is JSON as a whole.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export PATH=$bin:$PATH NO_COLOR=1

cat >prog.c <<'END'
#include <time.h>
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 10)
		;
	return 0;
}
END
${CC:-gcc} -O1 -fno-omit-frame-pointer -o prog prog.c && swtrace run -q -B timer -g -- ./prog
verdict recorded $? "$(ls -l)"
echo 'a;b 3' >a.folded

# rows FILE: the table as lines COMMAND, FORM, KEYS with tabs between
rows() {
	awk -F '|' '/^\| `/ { gsub(/^ `|` $/, "", $2); gsub(/ /, "", $3); gsub(/[ ]/, "", $4); print $2 "\t" $3 "\t" $4 }' "$1"
}
# wrong FORM KEYS FILE: what is wrong with the output
wrong() {
	local all keys missing version='keys_unsorted[0] == "json_version" and .json_version == 1'
	case $1 in
	document) all='[.]' ;;
	lines) all='[., inputs]' ;;
	records) all='[., inputs]' version='has("json_version") == false' ;;
	list) all=. ;;
	esac
	jq -c "$all" "$3" >all 2>&1 || {
		echo "no JSON: $(head -c 200 all)"
		return
	}
	[ "$1" != document ] || [ "$(jq -s length "$3")" = 1 ] || echo 'several documents'
	jq -e "length > 0 and all(.[]; type == \"object\" and $version)" all >out ||
		echo 'an object does not begin with "json_version": 1, or is a record with it'
	keys=$(jq -r '.[0] | keys_unsorted[]' all)
	missing=$(tr , '\n' <<<"$2" | grep -vxF -e "$keys")
	[ -z "$missing" ] || echo "no key" $missing
}

rows "$top/docs/json.md" >table
[ "$(wc -l <table)" -ge 15 ]
verdict rows $? "$(cat table)"
while IFS=$'\t' read -r command form keys; do
	name=$(tr -cs 'a-z\n' _ <<<"$command" | sed 's/_*$//')
	timeout 60 bash -c "$command" >json 2>messages </dev/null
	code=$?
	# Events of the kernel are not to be had on every machine.
	if [ $code -gt 1 ] && grep -qE 'perf_event|not permitted|paranoid|no collector|no counter' messages; then
		echo "skip json_$name $(head -n 1 messages)"
		continue
	fi
	why=$(wrong "$form" "$keys" json)
	[ $code -le 1 ] && [ -z "$why" ]
	verdict "$name" $? "$code: $why $(head -n 3 messages)"
done <table

# What must not pass.
printf '%s' '{"json_version":1,"a":2}' >good
bad=$(
	wrong document json_version,a good
	for text in '{"a":2,"json_version":1}' '{"json_version":2,"a":2}' '{"json_version":1}' '{"json_version":1,"a":2' \
		'{"json_version":1,"a":2}{"json_version":1,"a":2}' '[]' ''; do
		printf '%s' "$text" >bad
		[ -n "$(wrong document json_version,a bad 2>&1)" ] || echo "passes: $text"
	done
)
[ -z "$bad" ]
verdict comparison $? "$bad"
exit $((failures > 0))
