// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * denied EPERM|ENOSYS COMMAND [ARG]...: run it as a container runtime would, with a seccomp filter
 * that answers perf_event_open with this error.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int error = argc > 2 && !strcmp(argv[1], "ENOSYS") ? ENOSYS : EPERM;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = sizeof(code) / sizeof(*code), .filter = code };

	if (argc < 3)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		perror("denied");
		return 125;
	}
	if (syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0) != -1 || errno != error) {
		fprintf(stderr, "denied: the filter does not work\n");
		return 125;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
