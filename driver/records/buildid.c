// SPDX-License-Identifier: GPL-2.0
/*
 * Build ids of files as they are mapped. The kernel's own reader is not exported, and the mapping
 * hook must not sleep: so the mapping thread reads the ELF notes itself, in task work on its way
 * back to user space. Requests come from a fixed pool; if it is empty, post compares the file's
 * identity only.
 */
#include <linux/atomic.h>
#include <linux/elf.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include "core/file_id.h"
#include "core/seen.h"
#include "core/session.h"
#include "records/buildid.h"
#include "records/mte.h"

#define BUILD_ID_NOTE 3 /* NT_GNU_BUILD_ID, which no kernel header has */
#define REQUESTS      256
#define NOTE_BYTES    4096 /* bytes of one PT_NOTE segment to search */
#define MAX_PHDRS     64

struct request {
	struct callback_head work;
	struct file *file;
	pid_t pid;
};

static struct request *requests;
static DECLARE_BITMAP(taken, REQUESTS);
static atomic_t outstanding;
static DECLARE_WAIT_QUEUE_HEAD(idle);

static bool read_at(struct file *file, void *to, size_t size, loff_t at)
{
	return kernel_read(file, to, size, &at) == size;
}

static bool find_note(const u8 *p, size_t n, struct pitrace_mte_buildid *id)
{
	while (n >= sizeof(struct elf32_note)) {
		struct elf32_note note;
		size_t name, desc;

		memcpy(&note, p, sizeof(note));
		p += sizeof(note);
		n -= sizeof(note);
		if (note.n_namesz > n || note.n_descsz > n)
			return false;
		name = ALIGN(note.n_namesz, 4);
		desc = ALIGN(note.n_descsz, 4);
		if (name > n || note.n_descsz > n - name)
			return false;
		if (note.n_type == BUILD_ID_NOTE && note.n_namesz == 4 && !memcmp(p, "GNU", 4) &&
		    note.n_descsz <= PITRACE_BUILDID_MAX) {
			id->length = note.n_descsz;
			memcpy(id->id, p + name, note.n_descsz);
			return true;
		}
		if (name + desc > n)
			return false;
		p += name + desc;
		n -= name + desc;
	}
	return false;
}

static void read_notes(struct file *file, u8 *page, u64 offset, u64 size,
		       struct pitrace_mte_buildid *id)
{
	size = min_t(u64, size, NOTE_BYTES);
	if (offset < (u64)LLONG_MAX - NOTE_BYTES && read_at(file, page, size, offset))
		find_note(page, size, id);
}

static void read_build_id(struct file *file, u8 *page, struct pitrace_mte_buildid *id)
{
	union {
		struct elf64_hdr e64;
		struct elf32_hdr e32;
	} * h;
	union {
		struct elf64_phdr p64;
		struct elf32_phdr p32;
	} p;
	u64 at, step;
	unsigned int i, n;
	bool is64;

	BUILD_BUG_ON(sizeof(*h) > NOTE_BYTES);
	h = (void *)page;
	if (!read_at(file, h, sizeof(h->e32), 0) || memcmp(h, ELFMAG, SELFMAG))
		return;
	is64 = h->e32.e_ident[EI_CLASS] == ELFCLASS64;
	if (is64 && !read_at(file, h, sizeof(h->e64), 0))
		return;
	at = is64 ? h->e64.e_phoff : h->e32.e_phoff;
	n = min_t(unsigned int, is64 ? h->e64.e_phnum : h->e32.e_phnum, MAX_PHDRS);
	step = is64 ? sizeof(p.p64) : sizeof(p.p32);
	for (i = 0; i < n && !id->length; i++, at += step) {
		if (at > LLONG_MAX - PAGE_SIZE || !read_at(file, &p, step, at))
			return;
		if ((is64 ? p.p64.p_type : p.p32.p_type) != PT_NOTE)
			continue;
		if (is64)
			read_notes(file, page, p.p64.p_offset, p.p64.p_filesz, id);
		else
			read_notes(file, page, p.p32.p_offset, p.p32.p_filesz, id);
	}
}

static void done(struct request *q)
{
	clear_bit_unlock(q - requests, taken);
	if (atomic_dec_and_test(&outstanding))
		wake_up_all(&idle);
	module_put(THIS_MODULE);
}

static void work(struct callback_head *head)
{
	struct request *q = container_of(head, struct request, work);
	struct file_id file = file_id_mapped(q->file);
	struct pitrace_mte_buildid id = {
		.dev_major = MAJOR(file.dev),
		.dev_minor = MINOR(file.dev),
		.inode = file.inode,
		.generation = file_id_generation(&file),
	};
	u8 *page = kmalloc(NOTE_BYTES, GFP_KERNEL);

	if (page) {
		read_build_id(q->file, page, &id);
		kfree(page);
		mte_build_id(&id, q->pid);
		hook_saw(PITRACE_HAVE_BUILDID);
	}
	fput(q->file);
	done(q);
}

/* Returns whether an active session has this task in scope and has not seen this file yet; marks it
 * as seen. */
static bool wanted(u64 key)
{
	struct session *s;
	bool any = false;
	u64 *seen;
	int i;

	for_each_active(s, i) {
		if (!session_mte(s) || !session_has(s, current->tgid))
			continue;
		seen = &s->seen[hash_64(key, ilog2(PITRACE_SEEN))];
		any |= READ_ONCE(*seen) != key;
		WRITE_ONCE(*seen, key);
	}
	return any;
}

static void ask(struct file *file)
{
	struct request *q;
	int i;

	/* The thread may stay in its system call for long: the module must not be unloaded until
	 * its work is done. */
	if (!try_module_get(THIS_MODULE))
		return;
	do {
		i = find_first_zero_bit(taken, REQUESTS);
		if (i >= REQUESTS) {
			module_put(THIS_MODULE);
			return;
		}
	} while (test_and_set_bit_lock(i, taken));
	q = &requests[i];
	q->file = get_file(file);
	q->pid = current->tgid;
	atomic_inc(&outstanding);
	init_task_work(&q->work, work);
	if (task_work_add(current, &q->work, TWA_RESUME)) {
		fput(q->file);
		done(q);
	}
}

void build_id_ask(struct vm_area_struct *vma)
{
	struct file_id id;
	u64 key;

	if (!vma->vm_file || current->flags & (PF_EXITING | PF_KTHREAD))
		return;
	if (!S_ISREG(file_inode(vma->vm_file)->i_mode))
		return;
	id = file_id_mapped(vma->vm_file);
	key = hash_64(id.inode, 64) ^ ((u64)id.dev << 32 | file_id_generation(&id));
	key |= 1;
	preempt_disable();
	if (wanted(key))
		ask(vma->vm_file);
	preempt_enable();
}

void build_id_settle(void)
{
	wait_event_timeout(idle, !atomic_read(&outstanding), HZ);
}

int build_id_init(void)
{
	requests = kcalloc(REQUESTS, sizeof(*requests), GFP_KERNEL);
	return requests ? 0 : -ENOMEM;
}

/* No hook runs any more. Queued work runs when its task returns to user space. */
void build_id_exit(void)
{
	wait_event(idle, !atomic_read(&outstanding));
	/* The last task work may still be returning from work(). */
	synchronize_rcu_tasks();
	kfree(requests);
}
