/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of return codes, and the sentence of the last failure, one per thread. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/rc.h"

static __thread char last[1024];

const char *RcToString(int rc)
{
	static const char *const words[] = {
		[-PI_OK] = "ok",
		[-PI_ERROR] = "error",
		[-PI_NOT_INITIALIZED] = "not initialized: there is no trace session",
		[-PI_INCORRECT_STATE] = "incorrect state for this request",
		[-PI_BUFFER_FULL] = "buffer full",
		[-PI_DRIVER_NOT_LOADED] = "driver not loaded",
		[-PI_NOT_SUPPORTED] = "not supported",
		[-PI_BUSY] = "busy: another trace session is in the way",
		[-PI_NOT_OWNER] = "the trace session belongs to another user",
		[-PI_NO_PERMISSION] = "permission denied",
		[-PI_INVALID_ARGUMENT] = "invalid argument",
		[-PI_NO_MEMORY] = "no memory",
		[-PI_NO_PROCESS] = "no such process",
		[-PI_FILE_ERROR] = "the trace file cannot be written",
		[-PI_HOLDER_GONE] = "the process that held the trace session died",
		[-PI_BAD_DRIVER] = "the driver speaks another version",
		[-PI_HOOK_TOO_LONG] = "hook record too long",
		[-PI_EVENT_UNSUPPORTED] = "event not supported",
		[-PI_TOO_MANY_METRICS] = "too many metrics",
		[-PI_DUPLICATE_METRIC] = "duplicate metric",
		[-PI_BAD_PRIVILEGE] = "bad privilege level",
	};

	if (rc > 0)
		return words[0];
	if (rc > -(int)(sizeof(words) / sizeof(*words)))
		return words[-rc];
	return "unknown return code";
}

const char *TraceLastError(void)
{
	return last;
}

int rc_fail(int rc, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(last, sizeof(last), format, ap);
	va_end(ap);
	return rc;
}

int rc_of_errno(int err)
{
	switch (err < 0 ? -err : err) {
	case 0:
		return PI_OK;
	case EBUSY:
	case EUSERS:
		return PI_BUSY;
	case EALREADY:
		return PI_INCORRECT_STATE;
	case ENOBUFS:
		return PI_BUFFER_FULL;
	case ENXIO:
	case ENODEV:
	case ENOENT:
		return PI_DRIVER_NOT_LOADED;
	case EOPNOTSUPP:
		return PI_NOT_SUPPORTED;
	case EPERM:
	case EACCES:
		return PI_NO_PERMISSION;
	case EINVAL:
		return PI_INVALID_ARGUMENT;
	case ENOMEM:
		return PI_NO_MEMORY;
	case ESRCH:
		return PI_NO_PROCESS;
	case EPIPE:
	case ECONNRESET:
		return PI_HOLDER_GONE;
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
	case EROFS:
	case EIO:
		return PI_FILE_ERROR;
	}
	return PI_ERROR;
}

int rc_errno(int err, const char *format, ...)
{
	size_t n;
	va_list ap;

	va_start(ap, format);
	vsnprintf(last, sizeof(last), format, ap);
	va_end(ap);
	n = strlen(last);
	snprintf(last + n, sizeof(last) - n, ": %s", strerror(err < 0 ? -err : err));
	errno = err < 0 ? -err : err;
	return rc_of_errno(err);
}
