// SPDX-License-Identifier: GPL-2.0
/* Has a mapping's file the path of its layer, and is there file_user_path() (upstream def3ae83da02,
 * 6.7) for the path as it was opened? Before, that is the file's own path. */
#include <linux/fs.h>
const struct path *probe(const struct file *file);
const struct path *probe(const struct file *file)
{
	return file_user_path(file);
}
