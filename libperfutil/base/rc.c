/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Texts of return codes, and the message of the last failure, one per thread. A thread gets the
 * memory for it at its first failure, because a library that is loaded late has little thread-local
 * memory. It is mapped, not allocated by malloc, because a signal handler may fail too.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "base/rc.h"

#define TEXT_BYTES 1024

/* The C library allocates memory when a key with this number or a higher one is set. */
#define PLAIN_KEYS 32

static __thread char *last;
/* A static message replaces it; in static thread-local memory, because other kinds are allocated at
 * their first use. */
static __thread const char *said __attribute__((tls_model("initial-exec")));
static pthread_key_t ending;
static bool made;

static void drop(void *text)
{
	last = NULL;
	munmap(text, TEXT_BYTES);
}

static __attribute__((constructor)) void make_key(void)
{
	made = !pthread_key_create(&ending, drop);
}

/* The library may be unloaded before the threads end. */
static __attribute__((destructor)) void delete_key(void)
{
	if (!made)
		return;
	made = false;
	pthread_key_delete(ending);
	if (last)
		drop(last);
}

/* NULL: out of memory, the message is lost. */
static char *own_text(void)
{
	int err = errno;
	void *text;

	if (last)
		return last;
	text = mmap(NULL, TEXT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (text != MAP_FAILED) {
		last = text;
		if (made && ending < PLAIN_KEYS)
			pthread_setspecific(ending, text);
	}
	errno = err;
	return last;
}

const char *RcToString(int rc)
{
	static const char *const words[] = {
		[-PI_OK] = "ok",
		[-PI_ERROR] = "error",
		[-PI_NOT_INITIALIZED] = "not initialized: call its init function first",
		[-PI_INCORRECT_STATE] = "incorrect state for this request",
		[-PI_BUFFER_FULL] = "buffer full",
		[-PI_DRIVER_NOT_LOADED] = "driver not loaded",
		[-PI_NOT_SUPPORTED] = "not supported",
		[-PI_BUSY] = "busy: already in use",
		[-PI_NOT_OWNER] = "it belongs to another user",
		[-PI_NO_PERMISSION] = "permission denied",
		[-PI_INVALID_ARGUMENT] = "invalid argument",
		[-PI_NO_MEMORY] = "no memory",
		[-PI_NO_PROCESS] = "no such process",
		[-PI_FILE_ERROR] = "the file cannot be written",
		[-PI_HOLDER_GONE] = "the process that held it died",
		[-PI_BAD_DRIVER] = "the driver has another interface version",
		[-PI_HOOK_TOO_LONG] = "hook record too long",
		[-PI_EVENT_UNSUPPORTED] = "event not supported",
		[-PI_TOO_MANY_METRICS] = "too many metrics",
		[-PI_DUPLICATE_METRIC] = "duplicate metric",
		[-PI_BAD_PRIVILEGE] = "bad privilege level",
	};

	if (rc > 0)
		return "no error: a number, which the page of the function describes";
	if (rc > -(int)(sizeof(words) / sizeof(*words)))
		return words[-rc];
	return "unknown return code";
}

const char *TraceLastError(void)
{
	return said ? said : last ? last : "";
}

int rc_say(int rc, const char *sentence)
{
	said = sentence;
	return rc;
}

int rc_fail(int rc, const char *format, ...)
{
	char *text = own_text();
	va_list ap;

	va_start(ap, format);
	if (text)
		vsnprintf(text, TEXT_BYTES, format, ap);
	va_end(ap);
	said = NULL;
	return rc;
}

int rc_null(const char *what)
{
	return rc_fail(PI_INVALID_ARGUMENT, "no %s given", what);
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
	char *text = own_text();
	size_t n;
	va_list ap;

	va_start(ap, format);
	if (text) {
		vsnprintf(text, TEXT_BYTES, format, ap);
		n = strlen(text);
		snprintf(text + n, TEXT_BYTES - n, ": %s", strerror(err < 0 ? -err : err));
	}
	va_end(ap);
	said = NULL;
	errno = err < 0 ? -err : err;
	return rc_of_errno(err);
}
