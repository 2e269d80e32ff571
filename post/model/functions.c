/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times are appended when calls end; percentiles are selected from them at the end. */
#include "model/functions.h"

#include <string.h>

#define SMALL (1u << 20)

static int new_function(struct functions *f, uint32_t number, uint32_t *index)
{
	uint64_t hash = hash_mix(number, 5);

	if (array_next(f->function, f->nfunction, f->room))
		return -ENOMEM;
	if (number >= SMALL) {
		if (keys_add(&f->others, hash, f->nfunction))
			return -ENOMEM;
	} else {
		f->by_number[number] = f->nfunction + 1;
	}
	f->function[f->nfunction] = (struct function){ .number = number, .min = UINT64_MAX };
	*index = f->nfunction++;
	return 0;
}

static int find_slow(struct functions *f, uint32_t number, uint32_t *index)
{
	if (number >= SMALL) {
		*index = keys_find(&f->others, hash_mix(number, 5), f->function, e,
				   e->number == number);
		return *index == NO_KEY ? new_function(f, number, index) : 0;
	}
	if (array_reach(f->by_number, f->nby_number, number))
		return -ENOMEM;
	return new_function(f, number, index);
}

static inline int find(struct functions *f, uint32_t number, uint32_t *index)
{
	if (__builtin_expect(number < f->nby_number && f->by_number[number], 1)) {
		*index = f->by_number[number] - 1;
		return 0;
	}
	return find_slow(f, number, index);
}

static int keep_longer(struct function *fn, uint64_t took)
{
	if (array_next(fn->longer, fn->nlonger, fn->room_longer))
		return -ENOMEM;
	fn->longer[fn->nlonger++] = took;
	return 0;
}

static int count_end(struct function *fn, uint64_t took)
{
	fn->ended++;
	fn->total += took;
	fn->min = took < fn->min ? took : fn->min;
	fn->max = took > fn->max ? took : fn->max;
	if (__builtin_expect(took > UINT32_MAX, 0))
		return keep_longer(fn, took);
	if (array_next(fn->took, fn->ntook, fn->room))
		return -ENOMEM;
	fn->took[fn->ntook++] = (uint32_t)took;
	return 0;
}

int functions_record(struct functions *f, const struct pirecord *r)
{
	const struct call_record *call = r->data;
	struct callflow_step step;
	struct function *fn;
	uint32_t k;
	int rc = callflow_record(&f->flow, r, &step);

	if (!rc && step.ran)
		f->function[step.thread->frame[step.depth - 1].node].self += step.stamps;
	if (step.entered && !rc) {
		struct callflow_frame *frame = &step.thread->frame[step.thread->depth - 1];

		rc = find(f, call->function, &k);
		if (rc)
			return rc;
		frame->node = k;
		fn = &f->function[k];
		fn->calls++;
		if (__builtin_expect(!fn->pid, 0)) {
			fn->pid = call->pid;
			fn->address = call->address;
			fn->time = r->time;
		}
	}
	/* Ends the calls that it made, too; their real end is unknown. */
	if (step.left && !rc) {
		struct callflow_frame *frame = &step.thread->frame[step.thread->depth];

		rc = count_end(&f->function[frame->node],
			       r->stamp > frame->entered ? r->stamp - frame->entered : 0);
	}
	return rc;
}

/* Returns the k-th smallest of n, by partitioning. */
static uint32_t select_u32(uint32_t *a, uint64_t n, uint64_t k)
{
	uint64_t low = 0, high = n - 1;

	while (low < high) {
		uint32_t pivot = a[low + (high - low) / 2], swap;
		uint64_t i = low, j = high;

		for (;;) {
			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap = a[i];
			a[i++] = a[j];
			a[j--] = swap;
		}
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return a[k];
}

static int compare(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

uint64_t function_percentile(struct function *fn, double part)
{
	uint64_t k = (uint64_t)((double)fn->ended * part);

	if (!fn->ended)
		return 0;
	if (k >= fn->ended)
		k = fn->ended - 1;
	if (k < fn->ntook)
		return select_u32(fn->took, fn->ntook, k);
	qsort(fn->longer, fn->nlonger, sizeof(*fn->longer), compare);
	return fn->longer[k - fn->ntook];
}

void functions_free(struct functions *f)
{
	uint32_t i;

	for (i = 0; i < f->nfunction; i++) {
		free(f->function[i].took);
		free(f->function[i].longer);
	}
	free(f->function);
	free(f->by_number);
	keys_free(&f->others);
	callflow_free(&f->flow);
	*f = (struct functions){ 0 };
}
