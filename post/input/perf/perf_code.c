/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mappings by process, and a cache of file pages. */
#include "input/perf/perf_code.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/keys.h"
#include "base/regular.h"

struct code_map {
	uint64_t start, end, offset;
	uint32_t file;
};

/* The mappings of a process, oldest first: if two overlap, the newer one applies. A child process
 * inherits its parent's mappings at the time of the fork. */
struct code_space {
	struct code_map *map;
	uint32_t nmaps, room;
	uint32_t parent, inherited; /* the parent space, and how many of its maps are inherited */
	uint32_t depth;             /* number of ancestors */
};
#define NO_SPACE UINT32_MAX
#define MAPS     65536u /* per process: the kernel allows 65,530 */
#define DEPTH    64u    /* a child with more ancestors starts without mappings */

struct code_process {
	uint32_t pid, space;
};

/* Cached mapping of a page. */
struct code_found {
	uint64_t page;
	uint32_t space, version;
	struct code_map map;
};

struct code_file {
	char *path;
	uint64_t inode; /* required inode */
	uint8_t build_id[20];
	uint32_t build_id_size; /* or required build id; if neither is set, any file */
	bool looked, good;      /* good: the file exists and matches */
};

#define PAGE  4096u
#define PAGES 256u /* in the cache */
#define FOUND 1024u

struct code_page {
	uint64_t at;
	uint32_t file, have; /* have: bytes; 0: empty entry */
	uint8_t data[PAGE];
};

struct perf_code {
	struct code_process *process;
	uint32_t nprocesses, room_processes;
	struct keys by_pid;
	struct code_space *space;
	uint32_t nspaces, room_spaces;
	uint32_t version; /* changes with any space */
	struct code_found found[FOUND];
	struct code_file *file;
	uint32_t nfiles, room_files;
	struct keys by_file;
	uint32_t last;                /* process read last */
	struct code_page page[PAGES]; /* by file and offset */
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
	for (i = 0; i < c->nspaces; i++)
		free(c->space[i].map);
	free(c->space);
	for (i = 0; i < c->nfiles; i++)
		free(c->file[i].path);
	free(c->process);
	free(c->file);
	keys_free(&c->by_pid);
	keys_free(&c->by_file);
	free(c);
}

/* ---- files ----------------------------------------------------------------------------------- */

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
	i = keys_find(&c->by_file, hash, c->file, e,
		      e->inode == new.inode && e->build_id_size == new.build_id_size &&
			      !memcmp(e->build_id, new.build_id, new.build_id_size) &&
			      !strcmp(e->path, new.path));
	if (i != NO_KEY)
		return i;
	if (keys_next(&c->by_file, hash, c->file, c->nfiles, c->room_files))
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
	elf = elf_begin(fd, ELF_C_READ, NULL);
	n = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	same = n >= (ssize_t)f->build_id_size && !memcmp(id, f->build_id, f->build_id_size);
	elf_end(elf);
	return same;
}

static int open_file(const struct code_file *f, struct stat *st)
{
	return f->path[0] == '/' ? regular_open(f->path, 0, st) : -1;
}

static void look(struct code_file *f)
{
	struct stat st;
	int fd = open_file(f, &st);

	f->looked = true;
	if (fd < 0)
		return;
	f->good = (!f->inode || st.st_ino == f->inode) &&
		  (!f->build_id_size || has_build_id(f, fd));
	close(fd);
}

/* Returns the page of a file at this offset; NULL: none. */
static const struct code_page *get_page(struct perf_code *c, uint32_t file, uint64_t at)
{
	struct code_page *page = &c->page[hash_mix(file, at / PAGE) % PAGES];
	ssize_t n;
	int fd;

	if (page->have && page->file == file && page->at == (at & ~(uint64_t)(PAGE - 1)))
		return page;
	if (!c->file[file].looked)
		look(&c->file[file]);
	fd = c->file[file].good && at < INT64_MAX ? open_file(&c->file[file], NULL) : -1;
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

static struct code_process *find(struct perf_code *c, uint32_t pid)
{
	uint32_t i;

	if (c->last < c->nprocesses && c->process[c->last].pid == pid)
		return &c->process[c->last];
	i = keys_find(&c->by_pid, hash_mix(pid, 1), c->process, e, e->pid == pid);
	if (i == NO_KEY)
		return NULL;
	c->last = i;
	return &c->process[i];
}

static uint32_t new_space(struct perf_code *c, uint32_t parent)
{
	struct code_space new = { .parent = NO_SPACE };

	if (array_next(c->space, c->nspaces, c->room_spaces))
		return NO_SPACE;
	if (parent != NO_SPACE && c->space[parent].depth < DEPTH) {
		new.parent = parent;
		new.inherited = c->space[parent].nmaps;
		new.depth = c->space[parent].depth + 1;
	}
	c->space[c->nspaces] = new;
	c->version++;
	return c->nspaces++;
}

/* Gives the process a new space: empty, or a copy of the parent's. Returns 0 or -ENOMEM. */
static int begin_space(struct perf_code *c, uint32_t pid, uint32_t parent)
{
	struct code_process *p = find(c, pid);
	uint32_t space = new_space(c, parent);

	if (space == NO_SPACE)
		return -ENOMEM;
	if (p) {
		p->space = space;
		return 0;
	}
	if (keys_next(&c->by_pid, hash_mix(pid, 1), c->process, c->nprocesses, c->room_processes))
		return -ENOMEM;
	c->process[c->nprocesses++] = (struct code_process){ pid, space };
	return 0;
}

static int add_map(struct perf_code *c, const struct perf_item *item)
{
	struct code_process *p = find(c, item->of_pid);
	struct code_space *s;
	uint32_t file;

	if (item->misc & PERF_RECORD_MISC_MMAP_DATA || item->start + item->length <= item->start)
		return 0;
	if (!p && begin_space(c, item->of_pid, NO_SPACE))
		return -ENOMEM;
	p = find(c, item->of_pid);
	file = get_file(c, item);
	if (!p || file == NO_KEY)
		return -ENOMEM;
	s = &c->space[p->space];
	if (s->nmaps == MAPS)
		return 0;
	if (array_next(s->map, s->nmaps, s->room))
		return -ENOMEM;
	s->map[s->nmaps++] = (struct code_map){
		item->start,
		item->start + item->length,
		item->offset,
		file,
	};
	c->version++;
	return 0;
}

static int fork_maps(struct perf_code *c, uint32_t parent, uint32_t child)
{
	struct code_process *from = find(c, parent);

	return parent == child ? 0 : begin_space(c, child, from ? from->space : NO_SPACE);
}

int perf_code_record(struct perf_code *c, const struct perf_item *item)
{
	switch (item->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return item->text && (item->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
					       PERF_RECORD_MISC_USER ?
			       add_map(c, item) :
			       0;
	case PERF_RECORD_FORK:
		return fork_maps(c, item->parent_pid, item->of_pid);
	case PERF_RECORD_COMM:
		return item->misc & PERF_RECORD_MISC_COMM_EXEC ?
			       begin_space(c, item->of_pid, NO_SPACE) :
			       0;
	}
	return 0;
}

static bool look_up(const struct perf_code *c, uint32_t space, uint64_t address,
		    struct code_map *map)
{
	const struct code_space *s = &c->space[space];
	uint32_t i, n = s->nmaps;

	for (;; n = s->inherited, s = &c->space[s->parent]) {
		for (i = n; i-- > 0;) {
			const struct code_map *m = &s->map[i];

			if (address - m->start < m->end - m->start) {
				*map = *m;
				return true;
			}
		}
		if (s->parent == NO_SPACE)
			return false;
	}
}

/* Returns the mapping at an address, which covers whole pages. NULL: none. */
static const struct code_map *find_map(struct perf_code *c, uint32_t pid, uint64_t address)
{
	const struct code_process *p = find(c, pid);
	uint64_t page = address / PAGE;
	struct code_found *f;

	if (!p)
		return NULL;
	f = &c->found[hash_mix(p->space, page) % FOUND];
	if (f->page != page || f->space != p->space || f->version != c->version ||
	    address - f->map.start >= f->map.end - f->map.start) {
		if (!look_up(c, p->space, address, &f->map)) {
			f->version = 0;
			return NULL;
		}
		f->page = page;
		f->space = p->space;
		f->version = c->version;
	}
	return &f->map;
}

size_t perf_code_read(struct perf_code *c, uint32_t pid, uint64_t address, uint8_t *out,
		      size_t size)
{
	const struct code_map *m = find_map(c, pid, address);
	const struct code_page *page;
	size_t done = 0, n;
	uint64_t at;

	if (!m)
		return 0;
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
