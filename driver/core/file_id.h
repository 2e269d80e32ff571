/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file's identity as the process that opened it sees it. On a layered file system (overlayfs) a
 * mapping is of a file of one of the layers: the process cannot open it by that path or inode, and
 * outside they may belong to another file. There the inode seen by users names the file, as stat()
 * does.
 */
#ifndef PITRACE_FILE_ID_H
#define PITRACE_FILE_ID_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/hash.h>

struct file_id {
	u64 inode;
	dev_t dev;
	u32 generation;
	u32 layer; /* identifies the layer's file; 0: no layers, or unknown */
};

static inline const struct inode *file_id_inode(const struct file *file)
{
	return d_inode(file_user_path(file)->dentry);
}

/* On overlayfs several files may have one inode number, and a file that was copied up keeps the
 * number of the one that is still mapped: the inode of the layer distinguishes them. */
static inline struct file_id file_id_with(const struct inode *seen, const struct inode *data)
{
	u32 dev = data->i_sb->s_dev;

	return (struct file_id){
		.inode = seen->i_ino,
		.dev = seen->i_sb->s_dev,
		.generation = seen->i_generation,
		.layer = seen == data ? 0 :
					hash_64(data->i_ino, 32) ^
						hash_64((u64)dev << 32 | data->i_generation, 32),
	};
}

/* The identity of a mapping's file. */
static inline struct file_id file_id_mapped(const struct file *file)
{
	return file_id_with(file_id_inode(file), file_inode(file));
}

/* The identity of a file that a user has open. It may sleep. */
static inline struct file_id file_id_open(const struct file *file)
{
	return file_id_with(file_id_inode(file), d_real_inode(file_user_path(file)->dentry));
}

/* Records have one field for both generation and layer. */
static inline u32 file_id_generation(const struct file_id *id)
{
	return id->layer ?: id->generation;
}

/* Is it the same file, as far as both are known? */
static inline bool file_id_same(const struct file_id *a, const struct file_id *b)
{
	return a->inode == b->inode && a->dev == b->dev && a->generation == b->generation &&
	       (!a->layer || !b->layer || a->layer == b->layer);
}

#endif
