/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mappings by process, the newest wins; of files the pages that were read last. */
#include "formats/perf_code.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/keys.h"

struct code_map {
	uint64_t start, end, offset;
	uint32_t file;
};

struct code_process {
	uint32_t pid;
	struct code_map *map;		/* in the order in which they came */
	uint32_t nmaps, room;
};

struct code_file {
	char *path;
	uint64_t inode;			/* it must be this one, or … */
	uint8_t build_id[20];
	uint32_t build_id_size;		/* … have this id; neither: whatever is there */
	bool looked, good;		/* good: it is there, and is that one */
};

#define PAGE	4096u
#define PAGES	256u			/* that are kept */

struct code_page {
	uint64_t at;
	uint32_t file, have;		/* have: bytes; 0: an empty place */
	uint8_t data[PAGE];
};

struct perf_code {
	struct code_process *process;
	uint32_t nprocesses, room_processes;
	struct keys by_pid;
	struct code_file *file;
	uint32_t nfiles, room_files;
	struct keys by_file;
	uint32_t last;			/* process that was read from */
	struct code_page page[PAGES];	/* by file and place */
};

struct perf_code *perf_code_new(void)
{
	return calloc(1, sizeof(struct perf_code));
}

void perf_code_free(struct perf_code *c)
{
	uint32_t i;

	if (!c)
		return;
	for (i = 0; i < c->nprocesses; i++)
		free(c->process[i].map);
	for (i = 0; i < c->nfiles; i++)
		free(c->file[i].path);
	free(c->process);
	free(c->file);
	keys_free(&c->by_pid);
	keys_free(&c->by_file);
	free(c);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool same_file(const void *array, uint32_t i, const void *key)
{
	const struct code_file *a = (const struct code_file *)array + i, *b = key;

	return a->inode == b->inode && a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, b->build_id_size) && !strcmp(a->path, b->path);
}

static uint32_t get_file(struct perf_code *c, const struct perf_item *item)
{
	struct code_file new = { .path = (char *)item->text };
	uint64_t hash = hash_mix(item->inode, item->text_len);
	uint32_t i;

	for (i = 0; item->text[i]; i++)
		hash = hash_mix(hash, (uint8_t)item->text[i]);
	if (item->build_id && item->build_id_size <= sizeof(new.build_id)) {
		new.build_id_size = item->build_id_size;
		memcpy(new.build_id, item->build_id, item->build_id_size);
	} else {
		new.inode = item->inode;
	}
	i = keys_find(&c->by_file, hash, same_file, c->file, &new);
	if (i != NO_KEY)
		return i;
	if (keys_grow_array((void **)&c->file, &c->room_files, c->nfiles, sizeof(new)) ||
	    keys_add(&c->by_file, hash, c->nfiles))
		return NO_KEY;
	new.path = strdup(item->text);
	if (!new.path)
		return NO_KEY;
	c->file[c->nfiles] = new;
	return c->nfiles++;
}

static bool has_build_id(const struct code_file *f, int fd)
{
	Elf *elf;
	const void *id;
	ssize_t n;
	bool same;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	n = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	same = n >= (ssize_t)f->build_id_size && !memcmp(id, f->build_id, f->build_id_size);
	elf_end(elf);
	return same;
}

static int open_file(const struct code_file *f)
{
	return f->path[0] == '/' ? open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
}

static void look(struct code_file *f)
{
	int fd = open_file(f);
	struct stat st;

	f->looked = true;
	if (fd < 0)
		return;
	f->good = !fstat(fd, &st) && S_ISREG(st.st_mode) && (!f->inode || st.st_ino == f->inode) &&
		  (!f->build_id_size || has_build_id(f, fd));
	close(fd);
}

/* The page with this place of a file; NULL: there is none. */
static const struct code_page *get_page(struct perf_code *c, uint32_t file, uint64_t at)
{
	struct code_page *page = &c->page[hash_mix(file, at / PAGE) % PAGES];
	ssize_t n;
	int fd;

	if (page->have && page->file == file && page->at == (at & ~(uint64_t)(PAGE - 1)))
		return page;
	if (!c->file[file].looked)
		look(&c->file[file]);
	fd = c->file[file].good && at < INT64_MAX ? open_file(&c->file[file]) : -1;
	if (fd < 0)
		return NULL;
	page->file = file;
	page->at = at & ~(uint64_t)(PAGE - 1);
	n = pread(fd, page->data, PAGE, (off_t)page->at);
	page->have = n > 0 ? (uint32_t)n : 0;
	close(fd);
	return page->have ? page : NULL;
}

/* ---- processes ------------------------------------------------------------------------------- */

static bool same_pid(const void *array, uint32_t i, const void *key)
{
	return ((const struct code_process *)array)[i].pid == *(const uint32_t *)key;
}

static struct code_process *find(struct perf_code *c, uint32_t pid)
{
	uint32_t i;

	if (c->last < c->nprocesses && c->process[c->last].pid == pid)
		return &c->process[c->last];
	i = keys_find(&c->by_pid, hash_mix(pid, 1), same_pid, c->process, &pid);
	if (i == NO_KEY)
		return NULL;
	c->last = i;
	return &c->process[i];
}

static struct code_process *get(struct perf_code *c, uint32_t pid)
{
	struct code_process *p = find(c, pid);

	if (p)
		return p;
	if (keys_grow_array((void **)&c->process, &c->room_processes, c->nprocesses,
			    sizeof(*c->process)) ||
	    keys_add(&c->by_pid, hash_mix(pid, 1), c->nprocesses))
		return NULL;
	p = &c->process[c->nprocesses++];
	*p = (struct code_process){ .pid = pid };
	return p;
}

static int add_map(struct perf_code *c, const struct perf_item *item)
{
	bool data = item->misc & PERF_RECORD_MISC_MMAP_DATA;
	struct code_process *p;
	uint32_t file, i, n;

	if (data || item->start + item->length <= item->start)
		return 0;
	file = get_file(c, item);
	p = file == NO_KEY ? NULL : get(c, item->of_pid);
	if (!p)
		return -ENOMEM;
	/* What it covers is gone; what it cuts stays, and is found where it is not covered. */
	for (i = n = 0; i < p->nmaps; i++) {
		if (p->map[i].start < item->start || p->map[i].end > item->start + item->length)
			p->map[n++] = p->map[i];
	}
	p->nmaps = n;
	if (keys_grow_array((void **)&p->map, &p->room, p->nmaps, sizeof(*p->map)))
		return -ENOMEM;
	p->map[p->nmaps++] = (struct code_map){
		item->start, item->start + item->length, item->offset, file,
	};
	return 0;
}

static int fork_maps(struct perf_code *c, uint32_t parent, uint32_t child)
{
	struct code_process *to = parent != child ? get(c, child) : NULL, *from;
	struct code_map *more;

	if (parent == child)
		return 0;
	from = find(c, parent);
	if (!to)
		return -ENOMEM;
	to = find(c, child);
	to->nmaps = 0;
	if (!from || !from->nmaps)
		return 0;
	more = realloc(to->map, from->nmaps * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memcpy(more, from->map, from->nmaps * sizeof(*more));
	to->map = more;
	to->nmaps = to->room = from->nmaps;
	return 0;
}

int perf_code_record(struct perf_code *c, const struct perf_item *item)
{
	struct code_process *p;

	switch (item->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return item->text && (item->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		       PERF_RECORD_MISC_USER ? add_map(c, item) : 0;
	case PERF_RECORD_FORK:
		return fork_maps(c, item->parent_pid, item->of_pid);
	case PERF_RECORD_COMM:
		p = item->misc & PERF_RECORD_MISC_COMM_EXEC ? find(c, item->of_pid) : NULL;
		if (p)
			p->nmaps = 0;
		return 0;
	}
	return 0;
}

size_t perf_code_read(struct perf_code *c, uint32_t pid, uint64_t address, uint8_t *out,
		      size_t size)
{
	struct code_process *p = find(c, pid);
	const struct code_page *page;
	const struct code_map *m;
	size_t done = 0, n;
	uint64_t at;
	uint32_t i;

	/* A newer one may lie on it in part. */
	for (i = p ? p->nmaps : 0; i-- > 0;) {
		if (address - p->map[i].start < p->map[i].end - p->map[i].start)
			break;
	}
	if (i == UINT32_MAX)
		return 0;
	m = &p->map[i];
	if (size > m->end - address)
		size = (size_t)(m->end - address);
	for (; done < size; done += n) {
		at = address + done - m->start + m->offset;
		page = get_page(c, m->file, at);
		if (!page || at - page->at >= page->have)
			break;
		n = page->have - (size_t)(at - page->at);
		n = n < size - done ? n : size - done;
		memcpy(out + done, page->data + (at - page->at), n);
	}
	return done;
}
