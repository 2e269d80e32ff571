/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A look at the executable mappings of this process. */
#ifndef PITRACE_TIMER_LOOK_H
#define PITRACE_TIMER_LOOK_H

/* Write all executable mappings; the lock is held. */
void map_scan(void);
/* Look if the dynamic loader has added (removed) objects since the last look. */
void map_scan_if_added(void);
void map_scan_if_removed(void);

#endif
