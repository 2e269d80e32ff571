/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded into a program (LD_PRELOAD), it fails one allocation, and reports leaks at exit.
 * NO_MEMORY=PLACE: that place, at its first allocation; NO_MEMORY=tell: none, and all places are
 * reported, one per line. A place is the address where the program's own code calls malloc or a
 * similar function, and the addresses of three callers. Other libraries get their memory, except
 * what they allocate on behalf of the program (a stream, a line, a text). NO_MEMORY_OF=NAME applies
 * it to the program or library of that name only. Memory that the program allocated and neither
 * freed nor can reach at exit (from its variables, its stack, or memory reachable from these) is
 * reported with its place: "leak".
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACES   16384 /* a power of two */
#define CALLS    3
#define STACK    (1 << 20)
#define ROOM     (1 << 16) /* of blocks, at first: a power of two */
#define SEGMENTS 512
#define LEAKS    16 /* that are told */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *p);
extern void *__libc_stack_end;

struct place {
	uint64_t hash;
	uintptr_t call[CALLS]; /* who asks, and from where: addresses in the file */
};
struct block {
	uintptr_t at;
	size_t size;
	struct place *place; /* NULL: not the program's */
	bool held;
};
struct span {
	uintptr_t from, to;
};

static uintptr_t from, to, base; /* the code that it is about, and its file's first byte */
static struct place places[PLACES];
static struct block *blocks; /* by address */
static size_t used, room;
static uint64_t fails;
static unsigned int seen;
static bool tells, counts, done, refused_one;
static int busy;
/* The place of a library function that allocates on behalf of the program. */
static __thread struct place *asked_by __attribute__((tls_model("initial-exec")));

static void lock(void)
{
	while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		;
}

static void unlock(void)
{
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

/* Not by stdio, which asks for memory. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[256];
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	n = (int)write(STDERR_FILENO, line, (size_t)n);
}

static void say_place(const char *what, const struct place *p)
{
	say("%s %016" PRIx64 ": %#" PRIxPTR " %#" PRIxPTR " %#" PRIxPTR "\n", what, p->hash,
	    p->call[0], p->call[1], p->call[2]);
}

/* ---- which code ------------------------------------------------------------------------------ */

static int find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *name = arg, *of = strrchr(info->dlpi_name, '/');

	(void)size;
	if (name && strcmp(of ? of + 1 : info->dlpi_name, name) != 0)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			from = info->dlpi_addr + p->p_vaddr;
			to = from + p->p_memsz;
			base = info->dlpi_addr;
		}
	}
	return 1; /* the first is the program */
}

static void look_for_code(void)
{
	const char *name = getenv("NO_MEMORY_OF");

	if (name && !strcmp(name, program_invocation_short_name))
		name = NULL;
	dl_iterate_phdr(find_code, (void *)name);
}

__attribute__((constructor)) static void begin(void)
{
	const char *n = getenv("NO_MEMORY");

	counts = n != NULL;
	tells = counts && !strcmp(n, "tell");
	fails = counts && !tells ? strtoull(n, NULL, 16) : 0;
	if (counts)
		look_for_code();
}

static bool own(uintptr_t address)
{
	return address >= from && address < to;
}

/* By frame pointers, which all of the program's code keeps. NULL: another asks. */
static struct place *place_of(uintptr_t caller, const uintptr_t *frame)
{
	struct place p = { .hash = 0 };
	uint32_t at;

	if (!counts || !own(caller))
		return asked_by;
	for (int i = 0; i < CALLS; i++) {
		const uintptr_t *next = (const uintptr_t *)frame[0];

		p.hash = (p.hash ^ (frame[1] - from)) * 0x9e3779b97f4a7c15u;
		if (own(frame[1]))
			p.call[i] = frame[1] - base;
		if (next <= frame || next > frame + STACK || !own(frame[1]))
			break;
		frame = next;
	}
	for (at = (uint32_t)(p.hash >> 40) % PLACES; places[at].hash; at = (at + 1) % PLACES)
		if (places[at].hash == p.hash)
			return &places[at];
	if (seen == PLACES / 2) {
		say("too many places\n");
		_exit(99);
	}
	seen++;
	places[at] = p;
	if (tells)
		say_place("place", &p);
	return &places[at];
}

static bool refused(struct place **place, uintptr_t caller, const uintptr_t *frame)
{
	bool now;

	if (!counts || (!own(caller) && !asked_by)) {
		*place = NULL;
		return false;
	}
	lock();
	*place = place_of(caller, frame);
	/* All allocations of a library function on behalf of the program count as one. */
	now = fails && own(caller) && (*place)->hash == fails && !refused_one;
	refused_one |= now;
	unlock();
	if (now)
		errno = ENOMEM;
	return now;
}
#define REFUSED(place) \
	refused(place, (uintptr_t)__builtin_return_address(0), __builtin_frame_address(0))

/* ---- what is there --------------------------------------------------------------------------- */

static size_t slot(uintptr_t at)
{
	return (size_t)(((at >> 4) * 0x9e3779b97f4a7c15u) >> 32) & (room - 1);
}

static struct block *find(uintptr_t at)
{
	size_t i = slot(at);

	while (blocks[i].at && blocks[i].at != at)
		i = (i + 1) & (room - 1);
	return &blocks[i];
}

static struct block *table(size_t n)
{
	void *p = mmap(NULL, n * sizeof(struct block), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		say("no room for blocks\n");
		_exit(99);
	}
	return p;
}

static void grow(void)
{
	struct block *old = blocks;
	size_t n = room;

	room = n ? 2 * n : ROOM;
	blocks = table(room);
	for (size_t i = 0; i < n; i++)
		if (old[i].at)
			*find(old[i].at) = old[i];
	if (n)
		munmap(old, n * sizeof(*old));
}

static void *keep(void *p, size_t size, struct place *place)
{
	if (!p || !counts)
		return p;
	lock();
	if (2 * used >= room)
		grow();
	struct block *b = find((uintptr_t)p);

	used += !b->at;
	*b = (struct block){ (uintptr_t)p, size, place, false };
	unlock();
	return p;
}

static void forget(const void *p)
{
	size_t i, k;

	if (!p || !counts)
		return;
	lock();
	if (room) {
		i = (size_t)(find((uintptr_t)p) - blocks);
		used -= blocks[i].at != 0;
		blocks[i].at = 0;
		/* The entries after it may belong here. */
		for (k = (i + 1) & (room - 1); blocks[k].at; k = (k + 1) & (room - 1)) {
			size_t home = slot(blocks[k].at);

			if (((k - home) & (room - 1)) < ((k - i) & (room - 1)))
				continue;
			blocks[i] = blocks[k];
			blocks[k].at = 0;
			i = k;
		}
	}
	unlock();
}

/* ---- what is left ---------------------------------------------------------------------------- */

static struct span segments[SEGMENTS];
static size_t nsegments;

static int find_data(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum && nsegments < SEGMENTS; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;

		/* This library's own table leads to everything. */
		if (p->p_type == PT_LOAD && p->p_flags & PF_W &&
		    !((uintptr_t)&blocks >= at && (uintptr_t)&blocks < at + p->p_memsz))
			segments[nsegments++] = (struct span){ at, at + p->p_memsz };
	}
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static struct block *list;
static size_t nlist, *todo, ntodo;

static void look(uintptr_t at, uintptr_t end)
{
	for (at = (at + 7) & ~(uintptr_t)7; at + sizeof(uintptr_t) <= end;
	     at += sizeof(uintptr_t)) {
		uintptr_t value = *(const uintptr_t *)at;
		size_t low = 0, high = nlist;

		if (!nlist || value < list[0].at)
			continue;
		while (high - low > 1) {
			size_t middle = low + (high - low) / 2;

			*(list[middle].at <= value ? &low : &high) = middle;
		}
		if (value > list[low].at + list[low].size || list[low].held)
			continue;
		list[low].held = true;
		todo[ntodo++] = low;
	}
}

__attribute__((destructor)) static void end(void)
{
	unsigned int told = 0;

	if (!counts || done || !from || !used)
		return;
	done = true;
	counts = false; /* qsort may ask for memory */
	list = table(used);
	todo = (size_t *)table(used);
	for (size_t i = 0; i < room; i++)
		if (blocks[i].at)
			list[nlist++] = blocks[i];
	qsort(list, nlist, sizeof(*list), by_address);
	dl_iterate_phdr(find_data, NULL);
	for (size_t i = 0; i < nsegments; i++)
		look(segments[i].from, segments[i].to);
	__builtin_unwind_init(); /* registers are on the stack, too */
	look((uintptr_t)__builtin_frame_address(0), (uintptr_t)__libc_stack_end);
	while (ntodo) {
		const struct block *b = &list[todo[--ntodo]];

		look(b->at, b->at + b->size);
	}
	for (size_t i = 0; i < nlist && told < LEAKS; i++) {
		const struct place *p = list[i].place;

		if (list[i].held || !p)
			continue;
		say_place("leak of", p);
		told++;
	}
}

/* ---- who asks -------------------------------------------------------------------------------- */

void *malloc(size_t size)
{
	struct place *place;

	return REFUSED(&place) ? NULL : keep(__libc_malloc(size), size, place);
}

void *calloc(size_t n, size_t size)
{
	struct place *place;

	return REFUSED(&place) ? NULL : keep(__libc_calloc(n, size), n * size, place);
}

static void *resize(void *p, size_t size, struct place *place)
{
	void *new;

	/* Before it is given back: another thread may have it at once. */
	lock();
	struct block old = { 0 };

	if (p && room)
		old = *find((uintptr_t)p);
	unlock();
	forget(p);
	new = __libc_realloc(p, size);
	if (new || !p)
		return keep(new, size, place);
	if (size)
		keep(p, old.size, old.place);
	return NULL;
}

void *realloc(void *p, size_t size)
{
	struct place *place;

	return REFUSED(&place) ? NULL : resize(p, size, place);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	struct place *place;
	size_t all;

	return REFUSED(&place) || __builtin_mul_overflow(n, size, &all) ? NULL :
									  resize(p, all, place);
}

void *aligned_alloc(size_t align, size_t size)
{
	struct place *place;

	return REFUSED(&place) ? NULL : keep(__libc_memalign(align, size), size, place);
}

int posix_memalign(void **p, size_t align, size_t size)
{
	struct place *place;

	if (REFUSED(&place))
		return ENOMEM;
	*p = keep(__libc_memalign(align, size), size, place);
	return *p ? 0 : ENOMEM;
}

void free(void *p)
{
	forget(p);
	__libc_free(p);
}

static char *copy_of(const char *text, size_t n, struct place *place)
{
	char *copy = keep(__libc_malloc(n + 1), n + 1, place);

	if (!copy)
		return NULL;
	copy[n] = '\0';
	return memcpy(copy, text, n);
}

char *strdup(const char *text)
{
	struct place *place;

	return REFUSED(&place) ? NULL : copy_of(text, strlen(text), place);
}

char *strndup(const char *text, size_t most)
{
	struct place *place;

	return REFUSED(&place) ? NULL : copy_of(text, strnlen(text, most), place);
}

/* ---- who asks in the program's name ---------------------------------------------------------- */

#define REAL(name)                                                                      \
	__typeof__(&name) real = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name); \
	struct place *before = asked_by, *place
#define IN_ITS_NAME(what)                          \
	__extension__({                            \
		__typeof__(what) got_;             \
		asked_by = place ? place : before; \
		got_ = what;                       \
		asked_by = before;                 \
		got_;                              \
	})

int __vasprintf_chk(char **to_, int flag, const char *format, va_list arguments);
int __asprintf_chk(char **to_, int flag, const char *format, ...);

int __vasprintf_chk(char **text, int flag, const char *format, va_list arguments)
{
	REAL(__vasprintf_chk);

	if (REFUSED(&place)) {
		*text = NULL;
		return -1;
	}
	return IN_ITS_NAME(real(text, flag, format, arguments));
}

int __asprintf_chk(char **text, int flag, const char *format, ...)
{
	__typeof__(&__vasprintf_chk) real =
		(__typeof__(&__vasprintf_chk))(uintptr_t)dlsym(RTLD_NEXT, "__vasprintf_chk");
	struct place *before = asked_by, *place;
	va_list arguments;
	int n;

	if (REFUSED(&place)) {
		*text = NULL;
		return -1;
	}
	va_start(arguments, format);
	n = IN_ITS_NAME(real(text, flag, format, arguments));
	va_end(arguments);
	return n;
}

FILE *fopen64(const char *path, const char *mode)
{
	REAL(fopen64);

	return REFUSED(&place) ? NULL : IN_ITS_NAME(real(path, mode));
}

FILE *fdopen(int fd, const char *mode)
{
	REAL(fdopen);

	return REFUSED(&place) ? NULL : IN_ITS_NAME(real(fd, mode));
}

FILE *open_memstream(char **text, size_t *size)
{
	REAL(open_memstream);

	return REFUSED(&place) ? NULL : IN_ITS_NAME(real(text, size));
}

DIR *opendir(const char *path)
{
	REAL(opendir);

	return REFUSED(&place) ? NULL : IN_ITS_NAME(real(path));
}

DIR *fdopendir(int fd)
{
	REAL(fdopendir);

	return REFUSED(&place) ? NULL : IN_ITS_NAME(real(fd));
}

ssize_t __getdelim(char **line, size_t *size, int end_, FILE *stream)
{
	REAL(__getdelim);

	/* It asks when it must. */
	if (!*line && REFUSED(&place))
		return -1;
	if (*line)
		place = NULL;
	return IN_ITS_NAME(real(line, size, end_, stream));
}

/* The library that it is about may come later. */
void *dlopen(const char *path, int mode)
{
	REAL(dlopen);
	void *handle;

	place = NULL;
	handle = IN_ITS_NAME(real(path, mode));
	if (counts && !from)
		look_for_code();
	return handle;
}
