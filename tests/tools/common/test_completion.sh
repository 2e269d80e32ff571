#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The completions for bash, asked as bash asks them; and that they know the programs' options.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
: >"a file.nrm2"
. "$top/scripts/completion/bash"
. "$top/scripts/completion/post"
compopt() { :; }

want() { # NAME WANTED HAVE
	is "$1" "$3" "$2"
}
# ask WORD...: what may stand in the place of the last one, sorted, in one line
ask() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	"$(complete -p "$1" | sed 's/.*-F \([^ ]*\) .*/\1/')"
	printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd' '
}

PATH=$bin:$PATH
want subcommand "enable event" "$(ask swtrace e)"
want option "-s -sm -ss" "$(ask swtrace run -s)"
want stacks "-g -g=dwarf -g=fp -g=kernel -g=switches -g=user" "$(ask swtrace run -g)"
want ai_option "-s -sp" "$(ask swtrace ai -s)"
want majors "tprof,wakeup" "$(ask swtrace enable tprof,w)"
want majors_option "dispatch" "$(ask swtrace run -M d)"
want help_of "setrate suspend" "$(ask swtrace help s)"
want collectors "driver perf ptrace timer" "$(ask swtrace run -B '')"
want collectors_of_itrace "driver ptrace" "$(ask run.itrace --B '')"
# Sub-commands without options complete their operands.
want operand_file "a file.nrm2" "$(ask swtrace get a)"
want operands "off on" "$(ask swtrace ptt_int '')"
want no_operands "" "$(ask swtrace off '')"
want mode "norm" "$(ask swtrace init -t n)"
want file "a file.nrm2" "$(ask swtrace run -o a)"
want command_option "" "$(ask swtrace run -F 100 -- ls -)"
want command "gzip" "$(ask swtrace run -F 100 -- gzi | tr ' ' '\n' | grep -x gzip | uniq)"
want tprof_mode "event time" "$(ask run.tprof -m '')"
want tprof_option "-s" "$(ask run.tprof -c 100 -s)"
want tprof_command "gzip" "$(ask run.tprof -s 1 gzi | tr ' ' '\n' | grep -x gzip | uniq)"
want tprof_command_option "" "$(ask run.tprof -- ls -)"
want msr_option "--bits" "$(ask msr --b)"
want msr_register "IA32_APERF IA32_APIC_BASE" "$(ask msr -c 0 IA32_AP)"
want mpevt_event "context-switches" "$(ask mpevt run -e context-s)"
want mpevt_command "gzip" "$(ask mpevt run -c all gzi | tr ' ' '\n' | grep -x gzip | uniq)"
want mpevt_command_option "" "$(ask mpevt run -- ls -)"
want ptt_metric "tsc" "$(ask ptt run -m ts)"
want ptt_command "gzip" "$(ask ptt run --cpus gzi | tr ' ' '\n' | grep -x gzip | uniq)"
want ptt_command_option "" "$(ask ptt run -m tsc ls -)"
want cpi_option "-s" "$(ask cpi -s)"
want cpi_command "gzip" "$(ask cpi -c -u gzi | tr ' ' '\n' | grep -x gzip | uniq)"
want cpi_command_option "" "$(ask cpi -c ls -)"
want post_option "-c -callees -callers -calls -calltree -cgroup -ck -clip -color -comm -cp -cpu -cpus -critical -csv" "$(ask post -c)"
want post_format "pprof" "$(ask post -format pp)"
want post_formats "$("$bin/post" -format list | awk '$3 == "writes" { print $1 }' | sort)" \
	"$(ask post -format '' | tr ' ' '\n' | grep -vx list)"
want post_file "a file.nrm2" "$(ask post a)"

# Every option that the help shows at a line's begin is offered, and none that it doesn't have.
offered() { # WORD...: options that are offered
	ask "$@" - | tr ' ' '\n' | grep -vxe -- -e '-g=.*' | sort -u
}
for program in run.tprof run.itrace run.jprof msr cpi hdump rtdriver arcf; do
	offered $program >offered
	"$bin/$program" --help | options >there
	want ${program}_options "" "$(diff there offered)"
	want ${program}_has_options "$([ -s there ] && echo yes)" yes
done
for sub in run calls init event ai check mark it_install; do
	offered swtrace $sub >offered
	"$bin/swtrace" help $sub | options >there
	want swtrace_${sub}_options "" "$(diff there offered)"
	want swtrace_${sub}_has_options "$([ -s there ] && echo yes)" yes
done
want pitrace_run_options "$(offered swtrace run)" "$(offered pitrace run)"
for words in '' '-l ' 'run ' 'start ' 'read '; do
	offered mpevt $words
done | sort -u >offered
"$bin/mpevt" --help | options >there
want mpevt_options "" "$(diff there offered)"
want ptt_subcommand "init ints" "$(ask ptt in | tr ' ' '\n' | grep -v info | paste -sd' ')"
want ptt_priv "priv_any priv_kernel priv_user" "$(ask ptt init priv)"
want ptt_dump_order "-s -sd -si -sm -sp -st" "$(ask ptt dump -s)"
want ptt_of_itself "$$" "$(ask ptt dump -pl $$)"
for words in '' 'init ' 'info ' 'dump ' 'top ' 'run '; do
	offered ptt $words
done | sort -u >offered
"$bin/ptt" --help | options >there
want ptt_options "" "$(diff there offered)"
ask cpi - | tr ' ' '\n' | grep -vx -- -- | sort -u >offered
"$bin/cpi" --help | options >there
want cpi_options "" "$(diff there offered)"
"$bin/post" -help | options | grep -xe '-[a-z]*' >there
ask post - | tr ' ' '\n' | sort -u >offered
want post_options "" "$(diff there offered)"
tr -d '\\' <"$top/post/post.1" | grep -oE -- '-[a-z]+' | sort -u >there
want post_no_others "" "$(ask post - | tr ' ' '\n' | sort | comm -13 there -)"
"$bin/swtrace" help | sed -nE 's/^  ([a-z_]+) .*/\1/p' | sort >there
want subcommands "$(cat there)" "$(ask swtrace '' | tr ' ' '\n' | grep -v '^-' | sort)"

[ $failures = 0 ]
