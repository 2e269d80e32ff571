/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scans the executable mappings of this process. */
#ifndef PITRACE_TIMER_LOOK_H
#define PITRACE_TIMER_LOOK_H

/* Writes all executable mappings. The caller holds the events' lock. */
void map_scan(void);
/* Scans if the dynamic loader has added (removed) objects since the last scan. */
void map_scan_if_added(void);
void map_scan_if_removed(void);

#endif
