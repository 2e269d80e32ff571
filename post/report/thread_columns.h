/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes and threads in reports: by name and number, with -cgroup also by cgroup. */
#ifndef POST_THREAD_COLUMNS_H
#define POST_THREAD_COLUMNS_H

#include "json.h"
#include "report/report.h"
#include "report/table.h"

/* Print "process (pid)"; "thread (tid) of process (pid)", the process only if its pid differs from
 * the tid; or the members pid, process, tid, thread, after `prefix`. Groups have no number. With
 * -cgroup, " in NAME" or the members cgroup and cgroup_path follow. */
void print_process(FILE *out, const struct job *job, uint32_t process);
void print_thread(FILE *out, const struct job *job, uint32_t thread);
void json_thread(struct json *j, const struct job *job, const char *prefix, uint32_t thread);
/* With -cgroup: " in NAME"; the members of a process's cgroup; the names of the columns, each after
 * a comma, and their values (NO_KEY: none). */
void print_cgroup(FILE *out, const struct job *job, uint32_t process);
void json_cgroup(struct json *j, const struct job *job, const char *prefix, uint32_t process);
void csv_cgroup_names(const struct cell *x);
void csv_cgroup(const struct cell *x, uint32_t process);
/* Columns of a thread, a process: as above in text and JSON, and pid,process,tid,thread or
 * pid,process in CSV. */
extern const struct column_sort sort_thread, sort_process;
#define THREAD  .sort = &sort_thread
#define PROCESS .sort = &sort_process

#endif
