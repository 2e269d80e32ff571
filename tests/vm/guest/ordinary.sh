# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: an ordinary user of a stock Debian kernel gets from the installed tree to a profile in two commands;
# again under filters as in container runtimes; judged in the guest.
code=0
is() { # NAME HAVE WANT
	[ "$2" = "$3" ] && echo "ok ordinary_$1" || { echo "not ok ordinary_$1 is '$2', not '$3'"; code=1; }
}
says() { # NAME FILE WORDS
	grep -q "$3" "$2" && echo "ok ordinary_$1" ||
		{ echo "not ok ordinary_$1 no '$3' in: $(head -n 12 "$2")"; code=1; }
}
# Ticks of a symbol, as post's report has them.
ticks() { # FILE SYMBOL
	awk -v name="$2" '/^ \)\) / { on = $2 == "Module_Symbol" }
		on && $1 == "SYM" && $4 == name { n += $2 } END { print n + 0 }' "$1"
}
# Three parts to one, within four standard deviations of the number of samples.
shares() { # NAME FILE
	a=$(ticks "$2" spin_a) b=$(ticks "$2" spin_b)
	echo "$1: spin_a $a, spin_b $b"
	awk "BEGIN { n = $a + $b; d = $a / n - 0.75; exit !(n >= 100 && d * d < 16 * 0.1875 / n) }"
	is "$1_shares" $? 0
}
rm -f /usr/local/bin/swtrace /usr/local/bin/post
PATH=/opt/pitrace/bin:$PATH
export PATH
is no_module "$(ls /dev/pitrace 2>/dev/null)" ''
is perf_paranoid "$(cat /proc/sys/kernel/perf_event_paranoid)" 3
chmod 1777 /tmp
mkdir -p /run/user/1000 && chown user:user /run/user/1000 /home/user && chmod 700 /run/user/1000
cd /home/user || exit

as_user() { # COMMAND: as uid 1000, in its home
	su user -c "cd /home/user; export PATH=$PATH XDG_RUNTIME_DIR=/run/user/1000; $1"
}
# The two commands.
as_user 'id -u; swtrace run sampled shares 2000' >out 2>err
is run $? 0
is uid "$(head -n 1 out)" 1000
says names_the_collector err 'collector timer'
as_user 'post' >profile 2>err
is post $? 0
says named profile 'spin_a'
says user_code_only profile 'user code only'
says process profile 'sampled ('
is where_it_ran "$(sed -n 's/.*Linux \([^ ]*\) .*/\1/p' profile | head -n 1)" "$(uname -r)"
shares run tprof.out
is nothing_left "$(ls -d /run/user/1000/*pitrace-timer* /tmp/*pitrace-timer* 2>/dev/null)" ''
# A refusal has the reason and the cure.
as_user 'swtrace run -a -o all.nrm2 -- touch ran' 2>err
is system_refused $? 125
says system_words err 'sudo sysctl kernel.perf_event_paranoid'
is system_not_run "$(ls ran 2>/dev/null)" ''
as_user 'swtrace run -o static.nrm2 -- plain-static' 2>err
is static_refused $? 125
says static_words err 'is a static program'
as_user 'swtrace check' >check 2>&1
is check_code $? 0
says check_names_it check 'a command is traced by timer, the system (-a) by none'

# As container runtimes do it; also for root, who has CAP_PERFMON in name only.
for error in EPERM ENOSYS; do
	as_user "denied $error swtrace run -o $error.nrm2 sampled shares 1000" >out 2>err
	is "${error}_run" $? 0
	says "${error}_collector" err 'collector timer'
	as_user "post -q -o - -r $error.nrm2" >"$error.out"
	is "${error}_post" $? 0
	shares $error $error.out
done
denied EPERM swtrace run -o /tmp/root.nrm2 sampled shares 1000 2>err
is root_run $? 0
says root_collector err 'collector timer'
post -q -o - -r /tmp/root.nrm2 >root.out
is root_post $? 0
shares root root.out
exit $code
