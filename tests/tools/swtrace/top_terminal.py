#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# A terminal (a vt100) for the live view, and who sits at it. usage: top_terminal.py SCRIPT COMMAND...
# Lines of SCRIPT: `key TEXT` (\r, \x1a as in Python), `size ROWS COLUMNS`, `see REGEX` (until a line of
# the screen has it, 20 s at most), `gone REGEX`, `keep NAME` (the screen into the file NAME), `signal
# NAME`, `state LETTER` (of /proc/PID/stat), `end CODE` (it ends with that code; the terminal is as it
# was). Words after `term` in the first line are TERM; `size` before the first key is the first one.
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time
import unicodedata

PATIENCE = 20


class Screen:
    """What a vt100 shows; bytes that it should never be sent are noted."""

    def __init__(self, rows, columns):
        self.bad = []
        self.alternate = False
        self.resize(rows, columns)
        self.rest = b''

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cell = [[' '] * columns for _ in range(rows)]
        self.y = self.x = 0
        self.top, self.bottom = 0, rows - 1

    def lines(self):
        return [''.join(row).rstrip() for row in self.cell]

    def put(self, char):
        wide = 0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in 'WF' else 1
        if self.x + wide > self.columns:
            self.x = 0
            self.down()
        if not wide:
            return
        self.cell[self.y][self.x] = char
        for i in range(1, wide):
            self.cell[self.y][self.x + i] = ''
        self.x = self.x + wide

    def down(self):
        if self.y == self.bottom:
            del self.cell[self.top]
            self.cell.insert(self.bottom, [' '] * self.columns)
        elif self.y < self.rows - 1:
            self.y += 1

    def up(self):
        if self.y == self.top:
            del self.cell[self.bottom]
            self.cell.insert(self.top, [' '] * self.columns)
        elif self.y:
            self.y -= 1

    def wipe(self, first, last):
        for at in range(first, last):
            self.cell[at // self.columns][at % self.columns] = ' '

    def control(self, words, letter):
        n = [int(w) if w.isdigit() else 0 for w in words.split(';')]
        here = self.y * self.columns + min(self.x, self.columns - 1)
        line = self.y * self.columns
        if letter in 'Hf':
            self.y = min(max(n[0], 1), self.rows) - 1
            self.x = min(max(n[1] if len(n) > 1 else 1, 1), self.columns) - 1
        elif letter == 'A':
            self.y = max(self.y - max(n[0], 1), 0)
        elif letter == 'B':
            self.y = min(self.y + max(n[0], 1), self.rows - 1)
        elif letter == 'C':
            self.x = min(self.x + max(n[0], 1), self.columns - 1)
        elif letter == 'D':
            self.x = max(self.x - max(n[0], 1), 0)
        elif letter == 'K':
            self.wipe(line if n[0] else here, here + 1 if n[0] == 1 else line + self.columns)
        elif letter == 'J':
            self.wipe(0 if n[0] else here, here + 1 if n[0] == 1 else self.rows * self.columns)
        elif letter == 'r':
            self.top = max(n[0], 1) - 1
            self.bottom = min(n[1] if len(n) > 1 and n[1] else self.rows, self.rows) - 1
            self.y = self.x = 0
        elif letter not in 'mhl':
            self.bad.append('\\e[' + words + letter)

    def take(self, data):
        data = self.rest + data
        self.rest = b''
        while data:
            if data[0] == 0x1B:
                m = re.match(rb'\x1b\[([?0-9;]*)([A-Za-z])|\x1b([()])(.)|\x1b([=>MDE78])', data)
                if not m:
                    if len(data) > 12:
                        self.bad.append(repr(data[:12]))
                        data = data[1:]
                        continue
                    self.rest = data
                    return
                if m.group(2):
                    self.control(m.group(1).decode(), m.group(2).decode())
                elif m.group(5) == b'M':
                    self.up()
                elif m.group(5) == b'D':
                    self.down()
                data = data[m.end():]
                continue
            if data[0] < 0x20 or data[0] == 0x7F:
                if data[0] == 0x0D:
                    self.x = 0
                elif data[0] == 0x0A:
                    self.down()
                elif data[0] == 0x08:
                    self.x = max(self.x - 1, 0)
                elif data[0] == 0x09:
                    self.x = min(self.x // 8 * 8 + 8, self.columns - 1)
                elif data[0] not in (0, 0x0E, 0x0F):
                    self.bad.append(repr(data[:1]))
                data = data[1:]
                continue
            n = 1 if data[0] < 0x80 else 2 if data[0] < 0xE0 else 3 if data[0] < 0xF0 else 4
            if len(data) < n:
                self.rest = data
                return
            try:
                self.put(data[:n].decode())
            except UnicodeDecodeError:
                self.bad.append(repr(data[:n]))
            data = data[n:]


def fail(why, screen=None):
    print('not as it should be: ' + why)
    if screen:
        print('\n'.join(screen.lines()))
    sys.exit(1)


class Seat:
    def __init__(self, command, term, rows, columns):
        self.master, slave = os.openpty()
        self.size(rows, columns, False)
        self.before = termios.tcgetattr(slave)
        self.screen = Screen(rows, columns)
        # Like a shell: a separate job in a session whose leader continues, so that it can be stopped.
        self.pid = os.fork()
        if not self.pid:
            os.close(self.master)
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            child = os.fork()
            if not child:
                os.setpgid(0, 0)
                signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                os.tcsetpgrp(slave, os.getpid())
                signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                for i in range(3):
                    os.dup2(slave, i)
                os.environ.pop('TERM', None)
                if term:
                    os.environ['TERM'] = term
                os.execvp(command[0], command)
            with open('seat.pid', 'w') as f:
                f.write(str(child))
            status = os.waitpid(child, 0)[1]
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
        self.slave = slave
        while not os.path.exists('seat.pid') or not os.path.getsize('seat.pid'):
            time.sleep(0.01)
        with open('seat.pid') as f:
            self.job = int(f.read())
        os.unlink('seat.pid')

    def size(self, rows, columns, tell=True):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        if tell:
            self.read(0)
            self.screen.resize(rows, columns)

    def read(self, seconds):
        ready = select.select([self.master], [], [], seconds)[0]
        if not ready:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.screen.take(data)
        return True

    def until(self, true, what):
        end = time.time() + PATIENCE
        while time.time() < end:
            if true():
                return
            self.read(0.05)
        fail(what, self.screen)

    def shows(self, regex):
        return any(re.search(regex, line) for line in self.screen.lines())

    def state(self):
        with open('/proc/%d/stat' % self.job) as f:
            return f.read().rsplit(')', 1)[1].split()[0]

    def end(self, code):
        done = []

        def gone():
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            done[:] = [os.WEXITSTATUS(status)] if pid else []
            return done
        self.until(gone, 'it does not end')
        while self.read(0):
            pass
        if done[0] != code:
            fail('its code is %d, not %d' % (done[0], code), self.screen)
        if termios.tcgetattr(self.slave)[:4] != self.before[:4]:
            fail('the terminal is not as it was')


def main():
    with open(sys.argv[1]) as f:
        steps = [line.rstrip('\n').split(' ', 1) for line in f if line.strip()]
    term, rows, columns = 'vt100', 24, 80
    while steps[0][0] in ('term', 'size'):
        word, rest = (steps.pop(0) + [''])[:2]
        if word == 'term':
            term = rest
        else:
            rows, columns = map(int, rest.split())
    seat = Seat(sys.argv[2:], term, rows, columns)
    for word, rest in ((s + [''])[:2] for s in steps):
        if word == 'key':
            os.write(seat.master, rest.encode().decode('unicode_escape').encode())
        elif word == 'see':
            seat.until(lambda r=rest: seat.shows(r), 'no line has: ' + rest)
        elif word == 'gone':
            seat.until(lambda r=rest: not seat.shows(r), 'a line has: ' + rest)
        elif word == 'size':
            seat.size(*map(int, rest.split()))
        elif word == 'keep':
            while seat.read(0.2):
                pass
            with open(rest, 'w') as f:
                f.write('\n'.join(seat.screen.lines()) + '\n')
        elif word == 'signal':
            os.kill(seat.job, getattr(signal, rest))
        elif word == 'state':
            seat.until(lambda r=rest: seat.state() in r, 'its state is not ' + rest)
        elif word == 'end':
            seat.end(int(rest))
        else:
            fail('no such step: ' + word)
    if seat.screen.bad:
        fail('the terminal was sent %s' % seat.screen.bad[:5])


main()
