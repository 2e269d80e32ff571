/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read_all.h"
#include "complain.h"

static int read_text(struct minima *m, const char *path, const char *text, size_t size)
{
	struct calibration_fault fault;
	uint32_t metrics;
	int rc;

	if (!calibration_key(text, size, m->key, &metrics)) {
		complain("%s: it has no key", path);
		return -EINVAL;
	}
	rc = calibration_init(&m->c, metrics);
	if (rc) {
		complain("%s: %s", path, strerror(-rc));
		return rc;
	}
	rc = calibration_read(&m->c, m->key, text, size, &fault);
	if (rc)
		complain("%s: line %" PRIu32 ", byte %zu: %s", path, fault.line, fault.offset,
			 fault.what);
	return rc;
}

int minima_read(struct minima *m, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), rc;
	char *text = NULL;
	size_t size;

	m->c = (struct calibration){ 0 };
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	rc = fd < 0 ? -errno : read_all(fd, CALIBRATION_SIZE_MOST, &text, &size);
	if (fd >= 0)
		close(fd);
	if (rc)
		complain("%s: %s", path, strerror(-rc));
	else
		rc = read_text(m, path, text, size);
	free(text);
	if (rc)
		minima_free(m);
	return rc;
}

void minima_free(struct minima *m)
{
	calibration_free(&m->c);
}

bool minima_of_probes(const struct minima *m)
{
	return strstr(m->key, "\nevents: the VM's probes\n");
}

bool store_add(const char *asked, const struct minima *m, char path[PATH_MAX])
{
	struct calibration_file f;
	uint32_t changed;
	bool good = calibration_file_open(&f, asked, m->key) &&
		    calibration_file_merge(&f, &m->c, m->key, &changed);

	snprintf(path, PATH_MAX, "%s", f.path);
	if (!good)
		complain("minima are not kept: %s", f.why);
	calibration_file_close(&f);
	return good;
}
