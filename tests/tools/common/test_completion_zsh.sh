#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The completions for zsh, listed by one zsh on a terminal of its own; and that they know the programs'
# options and sub-commands, and none that are not there.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"

# Questions on stdin, a line each; a line "== LINE" and what the terminal showed for each. Nothing is
# timed: zsh says when it edits a line, and a key lists, has that shown, and then says so.
# zsh -f: nobody's own settings.
cat >"$work/ask" <<'END'
zmodload zsh/zpty
zpty z "zsh -f -i"
zpty -w z "PS1=; stty columns 200 rows 100; LISTMAX=0; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D"
zpty -w z 'list() { zle list-choices; zle -R; print -n LISTED }; zle -N list; bindkey "^D" list; bindkey "^U" kill-whole-line; zle-line-init() { print -n REA""DY }; zle -N zle-line-init'
zpty -r z seen '*READY*'
while IFS= read -r line; do
	zpty -w -n z $'\C-u'"$line"$'\C-d'
	zpty -r z seen '*LISTED*'
	print -r -- "== $line"
	print -r -- "$seen"
done
END
# The bar is where the line ends.
tr -d '|' >"$work/questions" <<'END'
run.tprof -m |
run.tprof -s 1 -B |
run.tprof -
run.tprof -t -
run.tprof -s 1 gzi
swtrace |
swtrace help s
swtrace run -
swtrace run -t |
swtrace run --clock |
swtrace run -a -F 100 gzi
swtrace enable |
swtrace init -
swtrace init -B |
swtrace check -
swtrace mark -
msr -
msr --json -
msr IA32_AP
mpevt |
mpevt run -
mpevt start -
mpevt stop -
mpevt -l -
mpevt run -c all gzi
mpevt start -p 1 faul
ptt |
ptt init -
ptt info -
ptt dump -
ptt top -
ptt run -
ptt run --cpus gzi
cpi -
cpi -c -u gzi
post -
post -json -c
END
# A limit against a zsh that hangs, not a measure.
PATH=$bin:$PATH timeout 300 zsh -f "$work/ask" "$top/scripts/completion/zsh" <"$work/questions" >"$work/seen"

want() { # NAME WANTED HAVE
	is "$1" "$3" "$2"
}
# ask LINE: the words that may follow, sorted, in one line; with descriptions the words alone
ask() {
	sed -e 's/\x1b\[[0-9;?]*[A-Za-z]//g' -e 's/\r/\n/g' "$work/seen" |
		awk -v line="== $1" '/^== / { on = $0 == line; next } on' |
		sed -e '/^run.tprof/d' -e '/^swtrace/d' -e '/^post/d' -e '/^msr/d' -e '/^mpevt/d' -e '/^ptt/d' -e '/^cpi/d' -e 's/ -- .*//' | tr -s ' \t=' '\n' |
		grep -xE -e '--?[a-zA-Z][a-zA-Z-]*|[a-z]{2,}' | sort -u | paste -sd' '
}
words() {
	sort -u | paste -sd' '
}

want mode "event time" "$(ask 'run.tprof -m ')"
want collector "driver perf timer" "$(ask 'run.tprof -s 1 -B ')"
"$bin/run.tprof" --help | options >"$work/options"
want options "$(words <"$work/options")" "$(ask 'run.tprof -')"
# Without the options that the given one excludes.
want options_that_fit "$(grep -vxE -e '-[apt]|--report-only' "$work/options" | words)" "$(ask 'run.tprof -t -')"
want command "gzip" "$(ask 'run.tprof -s 1 gzi')"

"$bin/swtrace" help | sed -nE 's/^  ([a-z]+) .*/\1/p' >"$work/commands"
want swtrace_commands "$(words <"$work/commands")" "$(ask 'swtrace ')"
want swtrace_help "$(grep ^s "$work/commands" | words)" "$(ask 'swtrace help s')"
want swtrace_run "$("$bin/swtrace" help run | options | words)" "$(ask 'swtrace run -')"
want swtrace_mode "cont norm wrap" "$(ask 'swtrace run -t ')"
want swtrace_clock "auto monotonic tsc" "$(ask 'swtrace run --clock ')"
want swtrace_command "gzip" "$(ask 'swtrace run -a -F 100 gzi')"
want swtrace_majors "$(ask 'swtrace enable ' | tr ' ' '\n' | grep -c .) majors" "11 majors"
for sub in init check mark; do
	"$bin/swtrace" help $sub >"$work/help"
	{
		options <"$work/help"
		grep ^usage "$work/help" | grep -oE -- '--?[A-Za-z][a-z-]*'
	} >"$work/options"
	want swtrace_$sub "$(words <"$work/options")" "$(ask "swtrace $sub -")"
done
want swtrace_init_collector "driver perf ptrace" "$(ask 'swtrace init -B ')"

"$bin/msr" --help | options >"$work/options"
want msr_options "$(words <"$work/options")" "$(ask 'msr -')"
want msr_options_that_fit "--bits --help --list --version --write -V -c -h" "$(ask 'msr --json -')"
grep -q IA32_APERF "$work/seen"
verdict msr_register $?
want mpevt_commands "read run start stop" "$(ask 'mpevt ')"
want mpevt_run "--csv --json --root -c -e -o" "$(ask 'mpevt run -')"
want mpevt_start "-c -e -p -t" "$(ask 'mpevt start -')"
want mpevt_stop "--csv --json" "$(ask 'mpevt stop -')"
want mpevt_list "--csv --help --json --pmu --version -V -h -ld" "$(ask 'mpevt -l -')"
want mpevt_command "gzip" "$(ask 'mpevt run -c all gzi')"
want ptt_commands "dump info init ints noints run term top" "$(ask 'ptt ')"
want ptt_init "--ints --noints -n -p" "$(ask 'ptt init -')"
want ptt_info "--json" "$(ask 'ptt info -')"
want ptt_dump "--cpus --csv --json -cgroup -cpi -o -pl -r -s -sd -si -sm -sp -st" "$(ask 'ptt dump -')"
want ptt_top "-d -k -m -n -p -pl -r -sd -si -sm -sp -st -u" "$(ask 'ptt top -')"
want ptt_run "--cpus --csv --ints --json --noints --root -cpi -k -m -n -o -u" "$(ask 'ptt run -')"
want ptt_command "gzip" "$(ask 'ptt run --cpus gzi')"
"$bin/cpi" --help | options >"$work/options"
want cpi_options "$(words <"$work/options")" "$(ask 'cpi -')"
want cpi_command "gzip" "$(ask 'cpi -c -u gzi')"
want mpevt_event "faults" "$(ask 'mpevt start -p 1 faul')"
"$bin/post" -help | options >"$work/options"
want post_options "$(words <"$work/options")" "$(ask 'post -')"
want post_options_that_fit "-c -callees -callers -calls -calltree -cgroup -ck -clip -color -comm -cp -cpu -cpus -critical" "$(ask 'post -json -c')"
[ $failures = 0 ]
