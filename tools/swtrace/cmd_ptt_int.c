/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace ptt_int: sets how the PTT that ptt init began charges interrupts. */
#include <pttview.h>
#include <string.h>
#include "swtrace.h"

int cmd_ptt_int(int argc, char **argv)
{
	bool on = argc == 2 && !strcmp(argv[1], "on");
	int rc;

	if (argc != 2 || (!on && strcmp(argv[1], "off")))
		return USAGE;
	rc = pttview_charge_held(on);
	return rc ? fail_rc(rc) : 0;
}
