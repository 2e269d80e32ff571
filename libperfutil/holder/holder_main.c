/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pitrace-holder: the program that keeps a trace session, counters or a PTT between the commands
 * and programs that use them. Only libperfutil starts it (base/service.h).
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/service.h"
#include "counters/counters_held.h"
#include "ptt/ptt_held.h"
#include "session/holder.h"

int main(int argc, char **argv)
{
	static const struct service *const all[] = { &held_session, &held_counters, &held_ptt,
						     NULL };
	int code = argc == 2 ? service_program(all, argv[1]) : 2;

	if (code == 2 && argc == 2 && !strcmp(argv[1], "--version")) {
		puts("pitrace-holder " PITRACE_VERSION);
		return 0;
	}
	if (code == 2)
		fputs("pitrace-holder is started by libperfutil: see swtrace(1), init\n", stderr);
	else
		_exit(code);
	return code;
}
