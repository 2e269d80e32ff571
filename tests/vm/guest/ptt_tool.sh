# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: ptt_tool.sh THREADS: ptt in each of its uses, with room for so many, as root and as a member of the
# group pitrace, while programs are forked continuously. The host judges the numbers.
cd /tmp || exit
room=$1
code=0

verdict() { # NAME CODE [WHY]
	if [ "$2" = 0 ]; then
		echo "ok ptt_$1"
	else
		echo "not ok ptt_$1 $3"
		code=1
	fi
}
same() { # NAME HAVE WANT
	[ "$2" = "$3" ]
	verdict "$1" $? "is '$2', not '$3'"
}
says() { # NAME FILE WORDS
	grep -q -e "$3" "$2"
	verdict "$1" $? "no '$3' in: $(head -c 400 "$2")"
}
run() { # CODE NAME [ARGUMENT]...
	local want=$1 name=$2
	shift 2
	ptt "$@" >out 2>err
	same "$name" $? "$want"
}
field() { # NAME: of ptt info --json
	ptt info --json | sed -n "s/^ *\"$1\": \([^,]*\),\{0,1\}$/\1/p"
}

# ---- nothing is on
run 125 nothing_on info
says nothing_on_words err 'PTT is not on (ptt init begins)'
run 125 nothing_to_end term
run 125 no_such_metric init no-such-event
run 125 nothing_began info

# ---- begun; each dump is a whole
load 3600 2 >/dev/null &
load=$!
run 0 init init tsc page-faults -n "$room"
same init_is_quiet "$(cat out err)" ''
run 125 second_init init
says second_init_words err 'busy: PTT is on already'
run 0 info info
cp out info.txt
ptt info --json >info.json
fresh plain 600000 chosen &
sleep 0.5
pid=$(pidof plain)
for i in 1 2 3 4 5; do
	ptt dump --json >dump$i.json || code=1
	ptt dump --cpus >dump$i.txt || code=1
done
for option in sp st sd si; do
	ptt dump -$option --csv >$option.csv || code=1
done
ptt dump -sm 1 --csv >sm1.csv || code=1
ptt dump -sm 2 --csv >sm2.csv || code=1
ptt dump -sm 1 >sm1.txt || code=1
run 125 no_such_column dump -sm 3
run 125 no_cpi dump -cpi
says no_cpi_words err 'ptt init cycles instructions'
ptt dump -pl "$pid" --json >bypid.json || code=1
ptt dump -pl chosen --json >byname.json || code=1
run 0 nobody dump -pl nobody-has-this-name
says nobody_words err 'nobody-has-this-name: No Data'
says nobody_rows out '^No Data'
run 0 file dump -o dump.out --json
[ -s dump.out ] && [ ! -s out ]
verdict file_alone $? "$(ls -l dump.out out)"

# ---- interrupts: charged, no bucket takes anything; then again
run 0 ints ints
ptt dump --json >charged1.json
sleep 1
ptt dump --json >charged2.json
says ints_told info.txt 'counted separately'
ptt info >out
says ints_told_now out 'charged to the threads that they interrupt'
run 0 noints noints
ptt info >out
says noints_told out 'counted separately'
swtrace ptt_int on && ptt info >out
says ptt_int_on out 'charged to the threads that they interrupt'
swtrace ptt_int off && ptt info >out
says ptt_int_off out 'counted separately'
sleep 1
ptt dump --json >apart.json

# ---- intervals: what a program used in all of them is what it used
kill $load $pid
wait $load
ptt dump -s 0.5 -r 10 --json >intervals.json &
dump=$!
until [ -s intervals.json ]; do sleep 0.1; done
worked 3 200 >worked.txt
wait $dump
verdict intervals $?
# At a quiet moment: of five one is.
for _ in 1 2 3 4 5; do
	ptt dump -pl worked --json >total.json || code=1
	! grep -q '"threads_add_up": *true' total.json || break
done
for _ in 1 2 3 4 5; do
	ptt dump -pl worked --cpus >total.txt || code=1
	! grep -q "^All threads' own values add up" total.txt || break
done
ptt dump -s 0.2 -r 2 --csv >intervals.csv || code=1
ptt dump -s 0.2 -r 2 --cpus >intervals.txt || code=1
# Ctrl-C ends it, with what came until then.
fresh ptt dump -s 600 --json >cut.json &
# It catches SIGINT, the one that holds does not.
until for p in $(pidof ptt); do grep '^SigCgt:.*[2367abef]$' "/proc/$p/status"; done | grep -q .; do
	sleep 0.1
done
killall -INT ptt
wait $!
same cut $? 0

# ---- beside the scheduler's own account of threads that sleep
mkfifo hold
for i in 1 2 3; do
	worked 3 200 wait <hold >waiting.txt &
	exec 7>hold
	until grep -q wait waiting.txt; do sleep 0.1; done
	sleep 0.3
	ptt dump -pl worked --json >waiting$i.json || code=1
	for tid in /proc/$(pidof worked)/task/*; do
		echo "${tid##*/} $(cat $tid/schedstat)"
	done >schedstat$i.txt
	exec 7>&-
	wait $!
done

# ---- what runs at the moment
fresh plain 600000 chosen &
sleep 0.2
ptt top -d 0.5 -r 3 >top.txt || code=1
onpty 12 80 '__dipt~_q' ptt top -d 1 >screen.txt || code=1
onpty 20 80 '_^' ptt top -d 60 >ctrlc.txt || code=1
ptt top -r 1 -d 0.5 -p "$(pidof plain)" -m tsc,page-faults >own.txt || code=1
# The end of PTT is the end of who looks on.
ptt top -d 0.2 >ended.txt 2>ended.err &
top=$!
sleep 0.6
run 0 term term
wait $top
same top_ends $? 0
says top_ends_words ended.err 'PTT was ended'
run 125 ended info
says ended_words err 'PTT is not on'
# Nobody holds one: it has its own.
ptt top -r 1 -d 0.5 >alone.txt || code=1
killall plain

# ---- a command, beside the kernel's clock of each thread
for i in 1 2 3; do
	ptt run --json -o run$i.json -- worked 3 300 >run$i.txt || code=1
done

# ---- cycles per instruction, where the machine counts them
ptt init cycles instructions page-faults 2>cpi.err
echo $? >cpi_code.txt
if grep -qx 0 cpi_code.txt; then
	run 0 run_cpi run -m instructions,cycles -cpi --json -o cpi_run.json -- worked 1 100
	ptt dump -cpi -pl init,sh --json >cpi.json || code=1
	ptt dump -cpi -pl init,sh >cpi.txt || code=1
	ptt dump -cpi -pl init,sh --csv >cpi.csv || code=1
	run 0 cpi_term term
else
	says no_counter cpi.err 'no counter'
	run 125 run_no_cpi run -m tsc -cpi -- touch ran
	[ ! -e ran ]
	verdict run_no_cpi_not_run $?
fi

# ---- its holder is killed: that is told, the module may go
run 0 init_again init
kill -9 "$(field holder)"
usleep 300000
run 125 killed info
says killed_words err "PTT's holder was killed: what it counted is lost (ptt init begins anew)"
rmmod pitrace
verdict rmmod_after_kill $? "$(lsmod)"
insmod /rig/pitrace.ko
run 0 init_after_kill init

# ---- a member of the group pitrace: his own alone; not what is root's
sed -i 's/^pitrace:.*/&user/' /etc/group
chgrp pitrace /dev/pitrace
chmod 660 /dev/pitrace
mkdir -p /run/user/1000 && chown user /run/user/1000 && chmod 700 /run/user/1000
mkdir /tmp/member && chown user /tmp/member
as_user() {
	su user -c "cd /tmp/member; export XDG_RUNTIME_DIR=/run/user/1000; $1" >out 2>err
}
as_user 'ptt dump'
same member_has_none $? 125
as_user 'PITRACE_PTT=/run/pitrace-ptt.sock ptt dump'
same member_not_roots $? 125
says member_not_roots_words err 'belongs to another user'
as_user 'ptt init'
same member_not_all $? 125
says member_not_all_words err '-p PID'
as_user 'ptt init -p 1'
same member_not_init $? 125
as_user "plain 600000 mine & ptt init tsc -p \$! && sleep 1 && ptt dump --json >own.json &&
	ptt dump --cpus >own.txt && ptt info >info.txt && ptt term; status=\$?; kill \$!; exit \$status"
verdict member_own $? "$(head -c 400 err)"
# A user who may lock little memory gets room for fewer threads.
as_user 'ulimit -l 512; ptt init -p $$ && ptt info --json >few.json; ptt term'
verdict member_few $? "$(head -c 400 err)"
run 0 end term
rmmod pitrace
verdict rmmod $? "$(lsmod)"
exit $code
