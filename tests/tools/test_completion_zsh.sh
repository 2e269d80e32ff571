#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The completions for zsh, listed by a zsh on a terminal of its own; and that they know the program's
# options.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(cd "$top" && cd "${O:-build}/bin" && pwd) || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# zsh -f: nobody's own settings. It is ready when it edits a line;
# a key lists, has that shown, and then says so.
cat >"$work/ask" <<'END'
zmodload zsh/zpty
zpty z "zsh -f -i"
zpty -w z "PS1=; stty columns 200 rows 50; fpath=($1 \$fpath); autoload -U compinit; compinit -u -d $2/dump"
zpty -w z 'list() { zle list-choices; zle -R; print -n LISTED }; zle -N list; bindkey "^D" list; zle-line-init() { print -n REA""DY }; zle -N zle-line-init'
zpty -r z seen '*READY*'
zpty -w -n z "$3"$'\C-d'
zpty -r z seen '*LISTED*'
print -r -- "$seen"
END
# ask LINE: the words that may follow, sorted, in one line; with descriptions the words alone
ask() {
	timeout 60 zsh -f "$work/ask" "$top/scripts/completion/zsh" "$work" "$1" |
		sed -e 's/\x1b\[[0-9;?]*[A-Za-z]//g' -e 's/\r/\n/g' | sed -n '/^run.tprof/!p' |
		sed -e 's/ -- .*//' | tr -s ' \t' '\n' | grep -xE -e '--?[a-zA-Z]+|[a-z]{2,}' |
		sort -u | paste -sd' '
}
want() { # NAME EXPECTED GOT
	if [ "$2" = "$3" ]; then
		echo "ok completion_zsh_$1"
	else
		echo "not ok completion_zsh_$1: '$3', wanted '$2'"
		failures=$((failures + 1))
	fi
}

want mode "event time" "$(ask 'run.tprof -m ')"
want collector "driver perf timer" "$(ask 'run.tprof -s 1 -B ')"
"$bin/run.tprof" --help | sed -nE 's/^ {2}(-.*)/\1/p' | sed -E 's/  .*//' |
	grep -oE '(^|[ ,])--?[A-Za-z]+' | tr -d ' ,' >"$work/options"
want options "$(sort -u "$work/options" | paste -sd' ')" "$(ask 'run.tprof -')"
# Not what the one that stands there excludes.
want options_that_fit "$(grep -vxE -e '-[apt]' "$work/options" | sort -u | paste -sd' ')" \
	"$(ask 'run.tprof -t -')"
want command "gzip" "$(ask 'run.tprof -s 1 gzi')"
[ $failures = 0 ]
