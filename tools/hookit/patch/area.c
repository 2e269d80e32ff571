/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory of stubs is never freed: a thread may still be in one. An area begins with the addresses
 * of the gates, followed by the stubs in the order of the sites.
 */
#include "area.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "raw_call.h"
#include "sites_add.h"
#include "patch_space.h"
#include "stub.h"
#include "unwinding.h"

#define PAGE UINT64_C(0x10000)

static uint64_t rounded(uint64_t n)
{
	return (n + PAGE - 1) & ~(PAGE - 1);
}

static const char *words(int rc)
{
	if (rc == -EACCES || rc == -EPERM)
		return "executable memory is denied (a rule of this system, such as SELinux's execmem)";
	if (rc == -EEXIST)
		return "the target of its jump is occupied";
	if (rc == -EFBIG)
		return "the program's code is too large for jumps across it";
	return "there is no free memory within its reach";
}

/* Maps the memory at this distance from all sites between low and high. */
static int take_far(int32_t distance, uint64_t low, uint64_t high)
{
	uint64_t start = low + (uint64_t)(int64_t)distance;

	if ((int64_t)start <= 0)
		return -EEXIST;
	start &= ~(PAGE - 1);
	return space_at(start, rounded(high + (uint64_t)(int64_t)distance + SITE_JUMP - start));
}

static void choose_far(struct object_far *far, const struct site_code *c, uint64_t low,
		       uint64_t high)
{
	int32_t list[SITE_DISTANCES];
	size_t n = site_code_distances(c, list), i;
	int rc = -EEXIST;

	for (i = 0; i < n && rc == -EEXIST; i++) {
		far->distance = list[i];
		rc = take_far(list[i], low, high);
	}
	far->why = rc ? words(rc) : NULL;
}

/* Looks up the memory at the site's distance, and maps it the first time. Returns NULL, or why it
 * is not available. */
static const char *far_of(struct object *o, struct patch_site *site)
{
	const struct sites *s = &o->sites;
	struct object_far *far = o->far;
	uint64_t low = s->list[0].at + SITE_JUMP, high = s->list[s->n - 1].at + 2 * SITE_JUMP;

	for (; far < o->far + o->n_far; far++) {
		if (far->free == site->code.free &&
		    !((uint32_t)(far->distance ^ site->code.distance) & ~far->free))
			break;
	}
	if (far == o->far + o->n_far) {
		if (o->n_far == OBJECT_FARS)
			return "its object has too many kinds of sites";
		o->n_far++;
		*far = (struct object_far){
			.distance = site->code.distance,
			.free = site->code.free,
		};
		choose_far(far, &site->code, low, high);
	}
	site->code.distance = far->distance;
	return far->why;
}

/* Directs a site to its stub. A site that cannot reach it is marked as unusable (at is 0). */
static bool aim(struct object *o, struct patch_site *site, uint64_t stub, struct patch_text *t)
{
	uint64_t target = stub;
	uint8_t jump[SITE_JUMP];
	const char *why;

	if (site->code.far) {
		why = far_of(o, site);
		target = site->at + SITE_JUMP + (uint64_t)(int64_t)site->code.distance;
		if (!why && !site_code_jump(jump, target, stub))
			why = "its stub is out of reach";
		if (!why)
			text_write(t, target, jump, sizeof(jump));
	} else {
		why = NULL;
	}
	if (!why && !site_code_aim(&site->code, site->at, target))
		why = "its stub is out of reach";
	if (!why)
		return true;
	site_refused(&o->sites, site->at, why);
	site->at = 0;
	return false;
}

static void leave_out(struct sites *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++) {
		if (s->list[i].at)
			s->list[n++] = s->list[i];
	}
	s->n = n;
}

static size_t count(const struct sites *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		n += s->list[i].wanted && !s->list[i].stub;
	return n;
}

static void fill(struct object *o, struct patch_text *t, uint8_t *code, uint64_t start)
{
	uint64_t stub = start + sizeof(struct stub_gates);
	uint8_t *out = code + sizeof(struct stub_gates);
	bool left_out = false;

	stub_gates((struct stub_gates *)code);
	for (size_t i = 0; i < o->sites.n; i++) {
		struct patch_site *site = &o->sites.list[i];

		if (!site->wanted || site->stub)
			continue;
		if (aim(o, site, stub, t) &&
		    stub_write(out, stub, start, site->kind, site->function,
			       site->at + site->code.length)) {
			site->stub = (uint8_t *)(uintptr_t)stub;
		} else {
			if (site->at)
				site_refused(&o->sites, site->at, "it is out of its stub's reach");
			site->at = 0;
			left_out = true;
		}
		stub += STUB_SIZE;
		out += STUB_SIZE;
	}
	if (left_out)
		leave_out(&o->sites);
}

bool area_make(struct object *o, struct patch_text *t, char *why, size_t room)
{
	const struct sites *s = &o->sites;
	size_t n = count(s), size = sizeof(struct stub_gates) + n * STUB_SIZE;
	uint64_t start;
	uint8_t *code;
	int rc;

	if (!n)
		return true;
	rc = space_near(s->list[0].at, s->list[s->n - 1].at + SITE_LONGEST, rounded(size), &start);
	if (rc) {
		snprintf(why, room, "%s: %s", *o->path ? o->path : "the program", words(rc));
		return false;
	}
	code = calloc(1, size);
	if (!code || unwinding_notify(start, start + size)) {
		free(code);
		raw_munmap(start, rounded(size));
		snprintf(why, room, "no memory");
		return false;
	}
	fill(o, t, code, start);
	text_write(t, start, code, size);
	free(code);
	return true;
}
