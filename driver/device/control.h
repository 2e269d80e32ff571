/* SPDX-License-Identifier: GPL-2.0 */
/* The driver's two external interfaces: /dev/pitrace, and CPU hotplug and suspend. */
#ifndef PITRACE_CONTROL_H
#define PITRACE_CONTROL_H

int control_init(void);
void control_exit(void);
int power_init(void);
void power_exit(void);

#endif
