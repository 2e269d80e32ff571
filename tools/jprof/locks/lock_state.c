/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state is in the VM's thread-local storage, which also works for virtual threads on any
 * carrier. */
#include "lock_state.h"

#include <stdlib.h>

struct lock_state lock_state = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct lock_thread *lock_thread_here(void)
{
	uint32_t recording = lock_state.recording;
	jvmtiEnv *vm = lock_state.vm;
	struct lock_thread *t;
	void *kept = NULL;

	if ((*vm)->GetThreadLocalStorage(vm, NULL, &kept))
		return NULL;
	t = kept;
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t || (*vm)->SetThreadLocalStorage(vm, NULL, t)) {
			free(t);
			return NULL;
		}
	}
	if (t->recording != recording)
		lock_thread_anew(t, recording);
	return t;
}

void lock_thread_free(jvmtiEnv *vm, jthread thread)
{
	void *kept = NULL;

	if ((*vm)->GetThreadLocalStorage(vm, thread, &kept) || !kept)
		return;
	(*vm)->SetThreadLocalStorage(vm, thread, NULL);
	free(kept);
}
