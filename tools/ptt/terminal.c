// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Signals are blocked except while waiting, so that none is missed and none interrupts drawing. A
 * screen is written in one piece over the last one, so that nothing flickers.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include "monotonic.h"
#include "terminal.h"
#include "tool.h"

/* The alternate screen, no cursor, no line wrap. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

static struct {
	bool drawn, keys; /* we draw on the terminal; we read keys from it */
	struct termios before;
	sigset_t mask; /* to be restored */
} screen;

static volatile sig_atomic_t ended, resized, stopped;

static void on_signal(int number)
{
	if (number == SIGWINCH)
		resized = 1;
	else if (number == SIGTSTP)
		stopped = 1;
	else
		ended = 1;
}

bool screen_there(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

static void put(const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(STDOUT_FILENO, text, size);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (n > 0) {
			text += n;
			size -= (size_t)n;
		}
	}
}

static void enter(void)
{
	struct termios raw = screen.before;

	if (screen.keys) {
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 1;
		raw.c_cc[VTIME] = 0;
		tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	}
	put(ENTER, strlen(ENTER));
}

static void leave(void)
{
	put(LEAVE, strlen(LEAVE));
	if (screen.keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &screen.before);
}

void screen_begin(bool draw)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP };
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t block;

	sigemptyset(&block);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (numbers[i] == SIGTSTP && !draw)
			continue;
		sigaction(numbers[i], &action, NULL);
		sigaddset(&block, numbers[i]);
	}
	sigprocmask(SIG_BLOCK, &block, &screen.mask);
	screen.drawn = draw;
	/* Do not read keys in a background job: it would be stopped. */
	screen.keys = draw && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
		      !tcgetattr(STDIN_FILENO, &screen.before);
	if (draw)
		enter();
}

void screen_end(void)
{
	if (screen.drawn)
		leave();
	sigprocmask(SIG_SETMASK, &screen.mask, NULL);
}

int screen_rows(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_row < 1 ? 24 : size.ws_row;
}

void screen_draw(const char *text, size_t size)
{
	static const char home[] = "\033[H", next[] = "\033[K\r\n", rest[] = "\033[K\033[J";
	char *whole = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&whole, &length);
	int left = screen_rows();

	if (!out)
		return;
	fputs(home, out);
	while (size && left--) {
		const char *end = memchr(text, '\n', size);
		size_t line = end ? (size_t)(end - text) : size;

		fwrite(text, 1, line, out);
		size -= line + !!end;
		text += line + !!end;
		if (size && left)
			fputs(next, out);
	}
	fputs(rest, out);
	if (!fclose(out) && whole)
		put(whole, length);
	free(whole);
}

/* Ctrl-Z: restores the terminal for the shell while stopped. */
static void stop(void)
{
	struct sigaction plain = { .sa_handler = SIG_DFL }, ours;
	sigset_t one;

	stopped = 0;
	leave();
	sigaction(SIGTSTP, &plain, &ours);
	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
	sigaction(SIGTSTP, &ours, NULL);
	enter();
}

static int key(void)
{
	unsigned char c;
	ssize_t n = read(STDIN_FILENO, &c, 1);

	if (n == 1)
		return c;
	/* read() returns 0 if the terminal is gone. */
	return n == 0 || errno != EINTR ? SCREEN_ENDED : SCREEN_TIME;
}

int screen_wait(uint64_t until)
{
	for (;;) {
		struct pollfd p = { .fd = screen.keys ? STDIN_FILENO : -1, .events = POLLIN };
		uint64_t now = now_ns(), left = until > now ? until - now : 0;
		struct timespec t = {
			.tv_sec = (time_t)(left / 1000000000),
			.tv_nsec = (long)(left % 1000000000),
		};
		int n = ppoll(&p, 1, &t, &screen.mask);

		if (ended)
			return SCREEN_ENDED;
		if (stopped) {
			stop();
			return SCREEN_RESIZED;
		}
		if (resized) {
			resized = 0;
			return SCREEN_RESIZED;
		}
		if (n > 0)
			return key();
		if (!n && now_ns() >= until)
			return SCREEN_TIME;
	}
}
